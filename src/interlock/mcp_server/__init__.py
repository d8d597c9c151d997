"""The address in the settings of MCP clients; the server is `interlock.features.mcp`."""
