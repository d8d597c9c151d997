"""Laws of reading long texts in processes of their own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import msgspec
import pytest
from tests.builders import bash, hook, rewriting

from interlock.builtin.deny import Deny
from interlock.daemon.long_reader import WorkerReader
from interlock.engine import Engine
from interlock.reading.command import GapKind, Script
from interlock.reading.long_text import INLINE
from interlock.reading.script import read_script
from interlock.verdict import Vote

LONG = "# " + "x" * INLINE + "\n"
# Takes its question and never answers.
SILENT = (sys.executable, "-I", "-c", "import sys; sys.stdin.buffer.read()")
# Ends as soon as it is asked.
DYING = (sys.executable, "-I", "-c", "import sys; sys.stdin.buffer.read(1)")


@pytest.fixture
async def reader() -> AsyncIterator[WorkerReader]:
    """A reader with real processes, ended after the test."""
    found = WorkerReader()
    yield found
    await found.close()


def plain(script: Script) -> Script:
    """A script without what a worker leaves out."""
    commands = tuple(msgspec.structs.replace(one, arguments=None) for one in script.commands)
    return msgspec.structs.replace(script, commands=commands)


@pytest.mark.req("case:C17")
@pytest.mark.parametrize(
    "text", [LONG + "cd x && rm -rf $y > f", "true;" * 2_000 + "curl x", "echo $(unclosed"]
)
async def test_a_worker_says_what_the_reader_says(reader: WorkerReader, text: str) -> None:
    """Commands, effects and gaps come back as they are."""
    assert await reader(text, "/w", "s") == plain(read_script(text, "/w"))


@pytest.mark.req("case:C17")
@pytest.mark.parametrize("command", [SILENT, DYING])
async def test_a_worker_that_does_not_answer_leaves_one_gap(command: tuple[str, ...]) -> None:
    """The text is unread, its words can still be denied, and nothing hangs."""
    reader = WorkerReader(command, seconds=0.3)
    script = await reader("rm -rf x", "/w", "s")

    assert [(gap.kind, gap.text) for gap in script.gaps] == [(GapKind.LIMIT, "rm -rf x")]
    assert script.commands == ()


@pytest.mark.req("case:C17")
async def test_after_a_lost_worker_the_next_text_is_read(reader: WorkerReader) -> None:
    """A process that was ended is replaced."""
    await reader("ls", "/w", "s")
    for worker in list(reader._idle):
        worker.kill()
        await worker.wait()
    await reader("ls", "/w", "s")

    assert (await reader("ls", "/w", "s")).commands[0].written == "ls"


@pytest.mark.req("case:C17")
async def test_sessions_do_not_wait_for_each_other() -> None:
    """One session's monster holds up its own texts, not another's."""
    order: list[str] = []
    silent = WorkerReader(SILENT, seconds=0.5)

    async def ask(session: str) -> None:
        await silent("x", "/w", session)
        order.append(session)

    await asyncio.gather(ask("a"), ask("a"), ask("b"))

    assert order.index("b") < 2


@pytest.mark.req("case:C17")
async def test_an_engine_has_long_texts_read_elsewhere(reader: WorkerReader) -> None:
    """Also the text that a hook puts in the place of a short one."""
    asked: list[str] = []

    async def read(text: str, cwd: str, session: str) -> Script:
        asked.append(text)
        return await reader(text, cwd, session)

    long = LONG + "sudo rm -rf x"
    rule = hook(Deny("no"), matcher="Bash(rm -rf *)")
    engine = Engine([rule], read=read)
    changing = Engine([hook(rewriting("ls", long)), rule], read=read)

    assert (await engine.decide(bash(long))).vote is Vote.DENY
    assert (await changing.decide(bash("ls"))).vote is Vote.DENY
    assert asked == [long, long]


@pytest.mark.req("case:C17")
@pytest.mark.parametrize("command", [None, SILENT])
@pytest.mark.parametrize("padding", ["true; " * 20_000, "# " + "x" * 300_000, "(" * 100_000])
async def test_padding_hides_no_denied_words(padding: str, command: tuple[str, ...] | None) -> None:
    """Whether the text is read, given up or beyond every limit, its last line still counts."""
    reader = WorkerReader(command, seconds=0.5) if command else WorkerReader()
    engine = Engine([hook(Deny("no"), matcher="Bash(rm -rf *)")], read=reader)
    decision = await engine.decide(bash(padding + "\nrm -fr x"))
    harmless = await engine.decide(bash(padding + "\nls x"))
    await reader.close()

    assert (decision.vote, harmless.vote) == (Vote.DENY, Vote.ABSTAIN)


async def test_a_short_text_is_read_at_once(reader: WorkerReader) -> None:
    """No process is started for what everybody types."""
    engine = Engine([hook(Deny("no"), matcher="Bash(rm -rf *)")], read=reader)

    assert engine.decide_now(bash("rm -rf x")) is not None
    assert engine.decide_now(bash(LONG + "rm -rf x")) is None
    assert reader._idle == []
