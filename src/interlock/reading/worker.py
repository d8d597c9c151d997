"""A process that reads long texts: `python -I -m interlock.reading.worker`, asked through its pipes."""

from __future__ import annotations

import resource
import sys
from typing import BinaryIO, Final

import msgspec

from interlock.reading.command import Gap, GapKind, Script
from interlock.reading.long_text import HEAD, Request
from interlock.reading.script import read_script

_MEMORY: Final = 1024 * 1024 * 1024


def answer(request: Request) -> Script:
    """Read one text; what does not fit into memory is one gap."""
    try:
        return _light(read_script(request.text, request.cwd))
    except MemoryError:
        return Script(gaps=(Gap(kind=GapKind.LIMIT, why="too large to read", text=request.text),))


def _light(script: Script) -> Script:
    """Without what the asker can make again: sorted arguments carry whole tables."""
    return Script(
        commands=tuple(msgspec.structs.replace(one, arguments=None) for one in script.commands),
        effects=script.effects,
        gaps=script.gaps,
    )


def serve(asked: BinaryIO, answered: BinaryIO) -> None:
    """Answer until the asker closes its end."""
    decoder = msgspec.msgpack.Decoder(Request)
    while head := asked.read(HEAD.size):
        request = decoder.decode(asked.read(HEAD.unpack(head)[0]))
        reply = msgspec.msgpack.encode(answer(request))
        answered.write(HEAD.pack(len(reply)) + reply)
        answered.flush()


def main() -> None:
    """Limit this process, then serve."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
