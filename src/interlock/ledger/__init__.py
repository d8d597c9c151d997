"""What happened, provably: entries in a hash chain, written in groups, read, verified, exported."""
