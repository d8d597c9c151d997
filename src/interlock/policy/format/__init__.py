"""The keys of `genesis.key` and `hooks.toml`."""
