"""May this actor do it? Per-actor lists, judged one policy layer at a time."""
