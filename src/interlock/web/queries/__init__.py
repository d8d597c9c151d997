"""What pages read from the store, one noun each; nothing here writes."""
