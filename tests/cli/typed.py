"""What came of one typed command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

SCRIPT: Final = str(Path(sys.executable).with_name("interlock"))
SAMPLES: Final = Path(__file__).parent.parent / "samples"


@dataclass(frozen=True)
class Typed:
    """The exit code and what was printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON value that was printed."""
        return json.loads(self.out)

    @property
    def documents(self) -> list[Any]:
        """The JSON values that were printed, a line each."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def first(self) -> str:
        return self.out.splitlines()[0]

    @property
    def last(self) -> str:
        return self.out.splitlines()[-1]


Interlock = Callable[..., Typed]


def typed_for_real(*arguments: str, through: tuple[str, ...] = (), **environment: str) -> Typed:
    """Run the installed script as its own process, perhaps through a program that starts it."""
    done = subprocess.run(
        [*through, SCRIPT, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return Typed(done.returncode, done.stdout, done.stderr)


def policy(folder: Path, text: str, name: str = "genesis.key") -> str:
    """Write a policy and give its path as it would be typed."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return str(file)
