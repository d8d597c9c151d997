"""Laws of reading long texts in processes of their own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import msgspec
import pytest
from tests.builders import bash, hook, rewriting
from tests.daemon.home import PATIENCE

from interlock.builtin_hooks.basic import Deny
from interlock.builtin_hooks.self_protection.hook import self_protection
from interlock.daemon.effects_pool import pool
from interlock.daemon.effects_pool.pool import WorkerReader
from interlock.effects.command import INLINE, GapKind
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import PatternList
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.patterns.analyzed_call_view import AnalyzedCallView, CallAnalysis
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_pattern
from interlock.policy.protected_paths import Guarded

pytestmark = pytest.mark.deep

LONG = "# " + "x" * INLINE + "\n"
# Takes its question and never answers.
SILENT = (sys.executable, "-I", "-c", "import sys; sys.stdin.buffer.read()")
# Ends as soon as it is asked.
DYING = (sys.executable, "-I", "-c", "import sys; sys.stdin.buffer.read(1)")


@pytest.fixture
async def reader() -> AsyncIterator[WorkerReader]:
    """A reader with real processes, ended after the test."""
    found = WorkerReader(seconds=PATIENCE)
    yield found
    await found.close()


BOOK = PatternIndex(
    [parse_pattern(text) for text in ("Bash(rm -rf *)", "Bash(true)", "write(f)", "Bash(cd *)")]
)


def view(text: str, session: str = "s") -> LocalCallView:
    """A call as a reader is asked about it."""
    return LocalCallView(msgspec.structs.replace(bash(text), session_id=session), BOOK)


def unlisted(text: str) -> Event:
    """A call of a tool that no table knows."""
    call = ToolCall(name="mcp__x__run", input={"cmd": text})
    return Event(name=EventName.PRE_TOOL_USE, tool=call, cwd="/w")


def plain(found: LocalCallView) -> list[object]:
    """All that hooks may ask about a call, without what a worker leaves out."""
    commands = [msgspec.structs.replace(one, arguments=None) for one in found.commands]
    patterns, hits = PatternList(BOOK.patterns), found.hits
    parts = {one.text: found.part(one) for one in BOOK.patterns}
    told = [hits, parts, found.unread, found.noted_unread, found.opening, found.decoded]
    return [commands, found.effects, found.gaps, found.parts, found.allowed(patterns), *told]


@pytest.mark.req("case:C17")
@pytest.mark.parametrize(
    "text", [LONG + "cd x && rm -rf $y > f", "true;" * 2_000 + "curl x", "echo $(unclosed"]
)
async def test_a_worker_says_what_the_reader_says(reader: WorkerReader, text: str) -> None:
    """Commands, effects, gaps and hits come back as they are."""
    here = view(text)
    seen = await reader(here)

    assert isinstance(seen, CallAnalysis)
    assert plain(AnalyzedCallView(here.event, BOOK, seen)) == plain(here)


@pytest.mark.req("case:C17")
@pytest.mark.parametrize("command", [SILENT, DYING])
async def test_a_worker_that_does_not_answer_leaves_one_gap(command: tuple[str, ...]) -> None:
    """The text is unread, its words can still be denied, and nothing hangs."""
    reader = WorkerReader(command, seconds=0.1)
    here = view("rm -rf x")
    why = await reader(here)
    assert isinstance(why, str)
    here.give_up(why)

    assert [(gap.kind, gap.text) for gap in here.gaps] == [(GapKind.LIMIT, "rm -rf x")]
    assert here.commands == ()
    assert "Bash(rm -rf *)" in here.hits


@pytest.mark.req("case:C17")
async def test_after_a_lost_worker_the_next_text_is_read(reader: WorkerReader) -> None:
    """A process that was ended is replaced."""
    await reader(view("ls"))
    for worker in list(reader._idle):
        await worker.end()
    await reader(view("ls"))

    assert isinstance(await reader(view("ls")), CallAnalysis)


@pytest.mark.req("case:C17")
async def test_sessions_do_not_wait_for_each_other() -> None:
    """One session's monster holds up its own texts, not another's."""
    order: list[str] = []
    silent = WorkerReader(SILENT, seconds=0.5)

    async def ask(session: str) -> None:
        await silent(view("x", session))
        order.append(session)

    await asyncio.gather(ask("a"), ask("a"), ask("b"))

    assert order.index("b") < 2


@pytest.mark.req("case:C17")
async def test_the_next_long_call_of_a_session_waits_and_no_other_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a long call leaves to do is spread over time; a call of another session goes before it."""
    order: list[str] = []
    monkeypatch.setattr(pool, "_LONGEST_PAUSE", 4.0)
    reader = WorkerReader(seconds=PATIENCE, pause=4.0)  # four seconds per byte: as long as any pause

    async def ask(name: str, session: str) -> None:
        await reader(view("ls", session))
        order.append(name)

    await ask("first of a", "a")
    late = asyncio.create_task(ask("second of a", "a"))
    await asyncio.sleep(0)
    await ask("first of b", "b")
    await late
    await reader.close()

    assert order == ["first of a", "first of b", "second of a"]


@pytest.mark.req("case:C17")
async def test_an_engine_has_long_texts_read_elsewhere(reader: WorkerReader) -> None:
    """Also the text that a hook puts in the place of a short one."""
    asked: list[str] = []

    async def read(call: LocalCallView) -> CallAnalysis | str:
        asked.append(call.shell_text or "")
        return await reader(call)

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
    reader = WorkerReader(command, seconds=0.1) if command else WorkerReader()
    engine = Engine([hook(Deny("no"), matcher="Bash(rm -rf *)")], read=reader)
    decision = await engine.decide(bash(padding + "\nrm -fr x"))
    harmless = await engine.decide(bash(padding + "\nls x"))
    await reader.close()

    assert (decision.vote, harmless.vote) == (Vote.DENY, Vote.ABSTAIN)


async def test_a_short_text_is_read_at_once(reader: WorkerReader) -> None:
    """No process is started for what everybody types."""
    engine = Engine([hook(Deny("no"), matcher="Bash(rm -rf *)")], read=reader)

    assert isinstance(engine.start(bash("rm -rf x")), Decision)
    assert reader._idle == []


async def test_a_long_text_that_a_rule_puts_in_is_read_elsewhere(reader: WorkerReader) -> None:
    """It is as long as one that came with the call."""
    rule = hook(Deny("no"), matcher="Bash(rm -rf *)")
    engine = Engine([hook(rewriting("ls", LONG + "rm -rf x")), rule], read=reader)
    rest = engine.start(bash("ls"))

    assert not isinstance(rest, Decision)
    assert (await rest).vote is Vote.DENY


@pytest.mark.req("case:C17")
async def test_a_worker_says_what_self_protection_says(reader: WorkerReader) -> None:
    """Also for a tool nobody lists, whose long text may be for a shell."""
    guarded = Guarded(home="/home/ann", folders=("/opt/gate",))
    hooks = [self_protection(guarded)]
    own = WorkerReader(seconds=PATIENCE, guarded=guarded)
    engine, here = Engine(hooks, read=own), Engine(hooks)
    calls = [bash(LONG + "echo x > /opt/gate/y"), bash(LONG + "ls"), bash(LONG + "interlock uninstall $(")]
    calls += [unlisted(LONG + "rm -rf /opt/gate"), unlisted(LONG + "ls /opt")]
    decided = [await engine.decide(call) for call in calls]
    await own.close()

    assert [(one.vote, one.reason) for one in decided] == [
        (one.vote, one.reason) for one in [await here.decide(call) for call in calls]
    ]
    assert [one.vote for one in decided] == [Vote.DENY, Vote.ABSTAIN, Vote.DENY, Vote.DENY, Vote.ABSTAIN]


async def test_a_worker_learns_the_policy_it_is_asked_under(reader: WorkerReader) -> None:
    """Two policies in turn, each with its own patterns."""
    engines = [Engine([hook(Deny("no"), matcher=f"Bash({name} *)")], read=reader) for name in ("rm", "ls")]
    votes = [(await engine.decide(bash(LONG + "ls x"))).vote for engine in (*engines, *engines)]

    assert votes == [Vote.ABSTAIN, Vote.DENY] * 2
