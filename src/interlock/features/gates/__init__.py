"""Work that waits for a person, and turns that end when they are done."""
