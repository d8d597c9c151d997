"""Tools other than a shell: what their fields say a call would do."""
