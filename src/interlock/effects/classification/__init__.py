"""What a tool call would change, and what makes two calls the same."""
