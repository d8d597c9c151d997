"""Programs: what each does with its options and operands, and a command's words sorted by that."""
