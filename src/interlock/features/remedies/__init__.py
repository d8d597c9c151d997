"""What worked after an error before."""
