"""Does `Tool(glob)` match this call? Compiled once per policy revision."""
