"""The token of one installation: our entries carry it, so that nobody can put a copy of them elsewhere."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Final

FILE: Final = "entry-token"  # in the state folder
_OPTION: Final = "--token="
_FORM: Final = re.compile(r"[0-9a-f]{32}")


def kept_token(state: Path) -> str:
    """The token of an earlier installation, or nothing."""
    try:
        text = (state / FILE).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if _FORM.fullmatch(text) else ""


def token_for(state: Path) -> str:
    """The token of this installation; a new one where there is none."""
    return kept_token(state) or secrets.token_hex(16)


def token_argument(token: str) -> list[str]:
    """How the shim is given it, which passes it over."""
    return [f"{_OPTION}{token}"] if token else []
