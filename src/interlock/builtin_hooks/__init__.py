"""The hooks we ship, one file each."""
