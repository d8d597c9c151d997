"""The line that a person is shown for a call that was stopped lets that call pass, and no other."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import msgspec
import pytest
from tests.packs.corpus import HOME, Row, corpus

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.approvals.settings import standing_answer
from interlock.policy.allowing import Allowing, allowing
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

FOLDER = "/home/dev/app"  # in a folder for temporary files much may be deleted
FILE = "/home/dev/.config/interlock/genesis.key"
EVERY = 15  # of so many rows of a long corpus one is tried
LEAST = 80


class Policies:
    """User policies in a folder, each loaded once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, tuple[Policy, Engine]] = {}

    def load(self, text: str) -> tuple[Policy, Engine]:
        """The policy of that file."""
        if text not in self._loaded:
            file = self._folder / "genesis.key"
            file.write_text(text)
            policy = load_policy([(Layer.USER, file)], environ={"HOME": HOME, "PATH": os.environ["PATH"]})
            self._loaded[text] = policy, Engine(policy.hooks, revision=policy.revision)
        return self._loaded[text]

    def decide(self, event: Event, text: str) -> Decision:
        """What the daemon would say: the rules, and what the policy has answered already."""
        rules = "".join(_section(text, "packs")) or "  packs: [baseline]\n"
        policy, _ = self.load(f'version: "2.0"\nsettings:\n{rules}{"".join(_section(text, "projects"))}')
        engine = self.load(f'version: "2.0"\nsettings:\n{rules}')[1]  # compiled once for all grants
        decision = engine.decide_sync(event)
        granted = standing_answer(event, decision, policy, STANDARD_TOOLS)
        return granted or decision


def _section(text: str, name: str) -> list[str]:
    """The lines of one of the settings."""
    lines = text.splitlines(keepends=True)
    if f"  {name}:\n" not in lines:
        return []
    start = lines.index(f"  {name}:\n")
    ends = (at for at in range(start + 1, len(lines)) if not lines[at].startswith("    "))
    return lines[start : next(ends, len(lines))]


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A home outside of every folder for temporary files, as people have it."""
    monkeypatch.setenv("HOME", HOME)


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Policies:
    """Policies that are loaded once for all tests."""
    return Policies(tmp_path_factory.mktemp("allowing"))


@cache
def _rows() -> tuple[Row, ...]:
    return tuple(row for row in corpus("hostile")[::EVERY] if row.expect != "pass")


def _event(row: Row) -> Event:
    return msgspec.structs.replace(row.event(FOLDER), actor="agent:main")


def _shown(policies: Policies, event: Event) -> tuple[Decision, Allowing | None]:
    policy, engine = policies.load('version: "2.0"\nsettings:\n  packs: [baseline]\n')
    decision = engine.decide_sync(event)
    return decision, allowing(event, decision.vote, policy.hooks, STANDARD_TOOLS, FILE)


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row.shown)
def test_the_line_lets_the_call_pass(policies: Policies, row: Row) -> None:
    """Written into the user's file, it does what it says, whatever rule stopped the call."""
    event = _event(row)
    decision, shown = _shown(policies, event)

    assert decision.vote >= Vote.ASK
    assert shown is not None
    assert shown.file == FILE
    assert policies.decide(event, shown.text).vote < Vote.ASK


def test_many_calls_are_tried() -> None:
    """The rows are many, of many kinds."""
    assert len(_rows()) >= LEAST


def _bash(command: str) -> Event:
    tool = ToolCall(name="Bash", input={"command": command})
    return Event(name="PreToolUse", cwd=FOLDER, project=FOLDER, actor="agent:main", tool=tool)


@pytest.mark.parametrize(
    ("stopped", "another"),
    [
        ("git restore .", "git restore src"),
        ("git push --force origin main", "git push --force origin other"),
        ("cd src && git reset --hard", "git reset --hard HEAD~3"),
    ],
)
def test_the_line_lets_no_other_call_pass(policies: Policies, stopped: str, another: str) -> None:
    """Where every word is known, another call of the same rule is still asked about, at least."""
    _, shown = _shown(policies, _bash(stopped))

    assert shown is not None
    assert policies.decide(_bash(stopped), shown.text).vote < Vote.ASK
    assert policies.decide(_bash(another), shown.text).vote >= Vote.ASK


def test_a_rule_is_switched_off_only_where_no_grant_covers_the_call(policies: Policies) -> None:
    """What only the run decides cannot be granted, and the note says what else passes then."""
    granted, off = (_shown(policies, _bash(one))[1] for one in ("git push -f", 'eval "$CMD"'))

    assert granted is not None
    assert off is not None
    assert "force-push: ask" in granted.text
    assert "Bash(git push -f)" in granted.text
    assert "unseen-code: off" in off.text
    assert "no longer stops any call" in off.note


def test_a_call_that_passes_or_lost_a_secret_has_no_line(policies: Policies) -> None:
    """There is nothing to write for it, or nobody knows which call it was."""
    policy, _ = policies.load('version: "2.0"\nsettings:\n  packs: [baseline]\n')
    hidden = _bash("git push -f https://[secret:token]@example.com/a")

    assert _shown(policies, _bash("git status"))[1] is None
    assert allowing(hidden, Vote.DENY, policy.hooks, STANDARD_TOOLS, FILE) is None
