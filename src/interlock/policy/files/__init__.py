"""YAML and TOML files with the place of every value."""
