"""Context windows: their rows, transcripts, messages, and how full they are."""
