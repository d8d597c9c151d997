"""One package per agent: bytes → Event, Decision → bytes."""
