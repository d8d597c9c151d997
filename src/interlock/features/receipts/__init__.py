"""Which tool calls were made, how they ended, and which may have happened although nobody saw the end."""
