"""A real bash, asked only what it makes of harmless words and whether it accepts a text."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Final

BASH: Final = "/bin/bash"
_COUNTED: Final = 'p() { printf \'%s\\0\' "$#" "$@"; }\n'


def _run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    # No search path: nothing but builtins could be started.
    return subprocess.run(
        [BASH, "--norc", "--noprofile", *arguments],
        env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=90,
    )


def accepts(text: str) -> bool:
    """Whether bash finds the text well formed; it runs none of it."""
    return _run("-n", "-c", "--", text).returncode == 0


def arguments(words: Sequence[str], before: str = "") -> list[list[str]]:
    """What a program would get for each of these words, after some assignments."""
    calls = "".join(f"p {word}\n" for word in words)
    fields = _run("-c", "--", _COUNTED + before + calls).stdout.decode("utf-8", "surrogatepass").split("\0")
    found: list[list[str]] = []
    while len(fields) > 1:
        count = int(fields[0])
        found.append(fields[1 : count + 1])
        fields = fields[count + 1 :]
    return found


def printf(*words: str) -> str:
    """What the builtin `printf` prints."""
    return _run("-c", "--", 'printf "$@"', "p", *words).stdout.decode()
