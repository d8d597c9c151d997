"""How one hook is run: a program, a webhook, or a Python function."""
