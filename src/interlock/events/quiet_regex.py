"""Regular expressions of RE2, which take linear time whatever they are given."""

from __future__ import annotations

from typing import Any

import re2


def compile_quietly(pattern: str, *, caseless: bool = False, memory: int | None = None) -> Any:
    """An expression; one that is none raises `re2.error`, and nothing is printed."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not caseless
    if memory is not None:
        options.max_mem = memory
    return re2.compile(pattern, options)
