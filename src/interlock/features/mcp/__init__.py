"""What can an agent ask Interlock for by itself? A server of tools in front of the daemon."""
