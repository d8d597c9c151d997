"""Shell text: its grammar, its expansions, and the commands it would run."""
