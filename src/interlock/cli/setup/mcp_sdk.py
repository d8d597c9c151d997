"""Whether the SDK is installed that `interlock mcp` is made of."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from interlock.errors import InterlockError

INSTALL: Final = "pip install 'interlock[mcp]'"


def require_sdk() -> None:
    """Say how to get the SDK where it is not installed."""
    if find_spec("mcp") is None:
        raise InterlockError(f"the MCP SDK is not installed; run `{INSTALL}`")
