"""A wrong word as a value: the nearest one and exit 2, never an empty list."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.typed import Interlock, policy

from interlock.cli.policy_source import here
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

_POLICY = """version: "2.0"
settings: {actors: {main: agent:main, subagents: {review: agent:auditor}}}
permissions: {actors: {agent:executor: {allow: ["Read(*)"]}}}
"""


@pytest.fixture
def file(work: Path) -> str:
    """A policy that names two actors."""
    return policy(work, _POLICY)


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (("log", "--decision", "denied"), "`deny`"),
        (("log", "--decision", "alow"), "`allow`"),
        (("log", "--tool", "bash"), "`Bash`"),
        (("tail", "--decision", "blocked"), "`deny`"),
        (("ledger", "list", "--decision", "denied"), "`deny`"),
        (("ledger", "search", "push", "--tool", "Bsh"), "`Bash`"),
        (("ledger", "tail", "--tool", "WebFech"), "`WebFetch`"),
        (("ledger", "export", "--decision", "Deny"), "`deny`"),
        (("ledger", "team", "list", "--decision", "denied"), "`deny`"),
        (("explain", "ls", "--tool", "bash"), "`Bash`"),
        (("hooks", "explain", "ls", "--tool", "bash"), "`Bash`"),
        (("hooks", "simulate", "--tool", "bash", "--args", "ls"), "`Bash`"),
        (("hooks", "simulate", "--tool", "Bash", "--event", "PreTolUse"), "PreToolUse"),
        (("hooks", "test-pattern", "Bash(ls)", "bash", "ls"), "`Bash`"),
        (("hooks", "catalog", "denny"), "`deny`"),
        (("packs", "show", "basline"), "`baseline`"),
        (("genesis", "validate", "x.key", "--layer", "usr"), "`user`"),
        (("commitment", "list", "--state", "opn"), "`open`"),
    ],
    ids=" ".join,
)
def test_a_wrong_value_is_answered_with_the_nearest(
    interlock: Interlock, words: tuple[str, ...], nearest: str
) -> None:
    """Filters, tools, events, kinds and names alike."""
    typed = interlock(*words)

    assert (typed.code, typed.out) == (2, "")
    assert "did you mean" in typed.err
    assert nearest in typed.err
    assert typed.err.count("\n") == 1


@pytest.mark.parametrize("command", [("hooks", "explain", "ls"), ("hooks", "simulate", "--tool", "Bash")])
def test_an_actor_of_the_policy_is_not_mistyped(
    interlock: Interlock, file: str, command: tuple[str, ...]
) -> None:
    """An actor that nobody named is another matter: it has no permissions."""
    near = interlock(*command, "--config", file, "--actor", "agent:exectuor")

    assert (near.code, "did you mean `agent:executor`?" in near.err) == (2, True)
    assert interlock(*command, "--config", file, "--actor", "agent:robot").code == 0


_MISTYPED_ACTOR = (("--actor", "agent:man"), "there is no actor `agent:man`; did you mean `agent:main`?")
_MISTYPED_KIND = (("--op", "descision"), "there is no kind of entry `descision`; did you mean `decision`?")


@pytest.mark.parametrize(
    ("command", "words", "nearest"),
    [
        (("log",), *_MISTYPED_ACTOR),
        (("ledger", "list"), *_MISTYPED_ACTOR),
        (("ledger", "list"), *_MISTYPED_KIND),
    ],
)
def test_a_name_that_the_ledger_does_not_have_gets_one_it_has(
    interlock: Interlock, command: tuple[str, ...], words: tuple[str, str], nearest: str
) -> None:
    """What was never recorded is told apart from what does not match."""
    here().database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with closing(open_database(here().database)) as connection:
        writer = LedgerWriter(connection)
        writer.append("decision", "agent:main", "/w", {})
        writer.flush()
    typed = interlock(*command, *words)

    assert (typed.code, typed.out, typed.err) == (2, "", f"interlock: {nearest}\n")
    assert interlock(*command, "--actor", "agent:nobody-like-it").code == 0
