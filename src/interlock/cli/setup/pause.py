"""`interlock pause`: what `interlock-hook pause` does, where a passphrase has to be asked for."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated, Final

import typer

from interlock.cli.json_output import print_json
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.daemon.offline_files import LONGEST_SECONDS, begin_pause, end_pause
from interlock.errors import InterlockError

_LENGTH: Final = re.compile(r"([0-9]{1,6})([smh])")
_SCALE: Final = {"s": 1, "m": 60, "h": 3600}


def pause(
    length: Annotated[str, typer.Argument(help="How long: 15m, 90s or 1h; at most 8h.", metavar="TIME")] = "",
    end: Annotated[bool, typer.Option("--end", help="End the current pause.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Let calls pass while the daemon cannot be reached.

    No call is judged in that time. It asks on the terminal first.
    """
    if end:
        return _end(as_json=as_json)
    seconds = _seconds(length)
    require_person("pause", terminal=True, passphrase=True)
    if not _confirmed(f"type yes to let calls run without a decision for {length}: "):
        typer.echo("nothing was changed", err=True)
        return 1
    until = int(time.time()) + seconds
    begin_pause(here().state, until)
    if as_json:
        print_json({"until": until})
        return 0
    typer.echo(f"while Interlock cannot be reached, calls run without a decision for {length}")
    return 0


def _end(*, as_json: bool) -> int:
    ended = end_pause(here().state)
    if as_json:
        print_json({"ended": ended})
    else:
        typer.echo("the pause has ended" if ended else "there was no pause")
    return 0


def _seconds(text: str) -> int:
    found = _LENGTH.fullmatch(text)
    seconds = int(found[1]) * _SCALE[found[2]] if found else 0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise InterlockError(f"`{text}` is not a length; write 1s to 8h, such as 15m, 90s or 1h")
    return seconds


def _confirmed(question: str) -> bool:
    """On the terminal itself: a pipe cannot answer."""
    with Path("/dev/tty").open("r+b", buffering=0) as terminal:
        terminal.write(question.encode())
        return terminal.readline(16).rstrip(b"\r\n") == b"yes"
