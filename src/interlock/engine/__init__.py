"""How an event is decided, stage by stage."""
