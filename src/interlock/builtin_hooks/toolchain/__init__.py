"""Commands go to the project's own toolchain."""
