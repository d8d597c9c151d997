"""Commands that set Interlock up."""
