"""What pages read from the store; nothing here writes."""
