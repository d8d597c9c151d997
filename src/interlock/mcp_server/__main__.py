"""`python -I -m interlock.mcp_server`: what clients are told to start."""

from interlock.features.mcp.__main__ import main

main()
