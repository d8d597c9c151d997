"""`interlock hooks lint`: its exit codes, its words and what it reads in the ledger."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.typed import Interlock, policy

from interlock.cli.policy_source import here
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.features.lint.cli import count_in_ledger
from interlock.ledger.decision_record import body_of
from interlock.ledger.writer import LedgerWriter
from interlock.policy.load import load_policy
from interlock.store.database import open_database

_CLEAN = """version: "2.0"
hooks:
  pre_tool_use:
    - {name: no-push, type: ask, matcher: "Bash(git push *)"}
    - {name: no-publish, type: ask, matcher: "Bash(npm publish *)"}
"""
_WARNED = _CLEAN.replace("no-publish", "no-push")
_FAULTY = _CLEAN.replace("Bash(npm", "Bahs(npm")
_BROKEN = _CLEAN.replace("matcher", "matchr", 1)


@pytest.mark.req("T06")
@pytest.mark.parametrize(
    ("text", "strict", "code"),
    [
        (_CLEAN, False, 0),
        (_CLEAN, True, 0),
        (_WARNED, False, 0),
        (_WARNED, True, 1),
        (_FAULTY, False, 1),
        (_BROKEN, False, 2),
    ],
)
def test_the_exit_code_tells_how_it_stands(
    interlock: Interlock, work: Path, text: str, strict: bool, code: int
) -> None:
    """Clean, warnings, errors and a policy that does not load are told apart."""
    words = ("hooks", "lint", policy(work, text), *(["--strict"] if strict else []))

    assert interlock(*words).code == code


@pytest.mark.parametrize(
    ("text", "strict", "code"),
    [(_CLEAN, True, 0), (_WARNED, False, 0), (_WARNED, True, 1), (_FAULTY, False, 1), (_BROKEN, False, 1)],
)
def test_check_validates_and_lints_in_one(
    interlock: Interlock, work: Path, text: str, strict: bool, code: int
) -> None:
    """It says what a policy holds and what is wrong with it; both kinds of mistakes are exit 1."""
    words = ("check", policy(work, text), *(["--strict"] if strict else []))
    typed, printed = interlock(*words), interlock(*words, "--json")

    assert (typed.code, printed.code) == (code, code)
    assert printed.document["valid"] is (text is not _BROKEN)
    if text is _BROKEN:
        assert "unknown key `matchr`; did you mean `matcher`?" in typed.err
    else:
        assert typed.out.startswith("valid: 2 hooks, 0 actors\n")
        assert bool(printed.document["findings"]) is (text is not _CLEAN)


def test_check_without_files_looks_at_what_applies_here(interlock: Interlock, work: Path) -> None:
    """Without a policy it says how to get one; a file that is not there is wrong use."""
    assert interlock("check").out == "there is no policy here; `interlock setup` writes one\n"
    missing = interlock("check", str(work / "nowhere.key"))

    assert (missing.code, "there is no policy file" in missing.err) == (2, True)


def test_a_finding_has_place_rule_sentence_and_cure(interlock: Interlock, work: Path) -> None:
    """What an editor jumps to stands first."""
    typed = interlock("hooks", "lint", policy(work, _FAULTY))

    assert typed.out.splitlines() == [
        f"{work}/genesis.key:5: error [dead] no-publish",
        "  `Bahs(npm publish *)` names `Bahs`, a tool that no known host has",
        "  → did you mean `Bash`?",
        "1 error, 0 warnings",
    ]


@pytest.mark.req("T06")
def test_a_misspelt_key_never_loads(interlock: Interlock, work: Path) -> None:
    """A policy that does not load is told with the line and the nearest word."""
    typed = interlock("hooks", "lint", policy(work, _BROKEN))

    assert "genesis.key:4: " in typed.err
    assert "did you mean `matcher`?" in typed.err


def test_the_document_holds_every_finding(interlock: Interlock, work: Path) -> None:
    """Scripts get the same, and a broken policy as errors."""
    found = interlock("hooks", "lint", policy(work, _FAULTY), "--json").document
    broken = interlock("hooks", "lint", policy(work, _BROKEN), "--json").document

    assert found["clean"] is False
    assert found["findings"][0]["code"] == "dead"
    assert found["findings"][0]["line"] == 5
    assert broken["errors"][0]["line"] == 4


@pytest.mark.deep
def test_the_starter_policy_is_clean(interlock: Interlock, work: Path) -> None:
    """What we hand out is not a bad example."""
    interlock("init", "policy.key")
    typed = interlock("hooks", "lint", "policy.key", "--strict")

    assert (typed.code, typed.out) == (0, "no problems found\n")


@pytest.fixture
def recorded(work: Path) -> Callable[..., str]:
    """A policy, and calls that were decided and recorded under it at some hour."""

    def record(*commands: str, hour: float) -> str:
        file = policy(work, _CLEAN)
        loaded = load_policy([(Layer.USER, Path(file))], environ={})
        database = here().database
        database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(open_database(database)) as connection:
            writer = LedgerWriter(connection, clock=lambda: hour)
            for command in commands:
                call = ToolCall(name="Bash", input={"command": command})
                event = Event(name=EventName.PRE_TOOL_USE, cwd="/w", session_id="s", tool=call)
                decision = Engine(loaded.hooks).decide_sync(event)
                writer.append("decision", "agent:main", "/w", body_of(event, decision, seconds=0.0))
            writer.flush()
        return file

    return record


def test_rules_that_no_recorded_call_has_met_are_named(
    interlock: Interlock, recorded: Callable[..., str]
) -> None:
    """With --ledger, and only then, unused rules are told."""
    file = recorded("git push", "ls", hour=time.time() - 3600)

    assert interlock("hooks", "lint", file).out == "no problems found\n"
    (finding,) = interlock("hooks", "lint", file, "--ledger", "--json").document["findings"]
    assert (finding["code"], finding["rule"]) == ("never-matched", "no-publish")
    assert "2 recorded events" in finding["message"]


def test_only_the_days_that_were_asked_for_count(interlock: Interlock, recorded: Callable[..., str]) -> None:
    """What was recorded before them is not looked at."""
    file = recorded("git push", hour=time.time() - 10 * 86_400)
    asked = count_in_ledger(30)
    old = interlock("hooks", "lint", file, "--ledger", "--days", "5", "--json").document["findings"]

    assert asked.by_event == {"PreToolUse": 1}
    assert asked.by_hook == {("no-push", file): 1}
    assert [one["rule"] for one in old] == ["no-push", "no-publish"]
