"""What really ran was really decided: the whole engine against a real shell, over many texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import pytest
from tests.builders import bash
from tests.effects.oracle.corpus import load
from tests.effects.oracle.law import says
from tests.effects.oracle.sandbox import FOLDER, HOME, Ran, open_sandbox
from tests.effects.oracle.shell_texts import Texts

from interlock.effects.reading import read_script
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.hook import Layer
from interlock.events.verdict import Vote
from interlock.policy.load import load_policy

pytestmark = pytest.mark.deep

COUNT: Final = int(os.environ.get("ORACLE_TEXTS", "2000")) // 2
SEED: Final = int(os.environ.get("ORACLE_SEED", "1"))
DATA: Final = Path(__file__).with_name("data")
# What the allow list of policy.key speaks of, and wrappers that need no allow of their own.
ALLOWED: Final = {"ls", "cat", "grep", "find", "echo", "sed"}
ALLOWED_FIRST: Final = {"git": {"status", "log", "diff", "branch"}, "npm": {"test"}}
TRANSPARENT: Final = {
    "bash",
    "sh",
    "dash",
    "env",
    "timeout",
    "nice",
    "nohup",
    "time",
    "stdbuf",
    "setsid",
    "ionice",
}
DENY_ONLY: Final = """\
version: "2.0"
permissions:
  actors:
    agent:main:
      deny: ["Bash(rm -rf *)", "Bash(curl *)", "Bash(wget *)", "Bash(git push --force *)"]
"""

Runs = list[tuple[str, tuple[Ran, ...]]]
Decide = Callable[[str], Decision]


@pytest.fixture(scope="module")
def runs() -> Runs:
    """Every row of the corpora and random texts, each with what it ran."""
    draw = Texts(SEED)
    rows = [row.text for name in ("benign", "hostile", "beyond") for row in load(name)]
    texts = [text for text in (*rows, *(draw.text() for _ in range(COUNT))) if "\0" not in text]
    with open_sandbox() as sandbox:
        return [(text, run.ran) for text, run in zip(texts, sandbox.run(texts), strict=True)]


def deciding(policy: Path) -> Decide:
    """Decide shell texts by one policy file, in the folder the sandbox has."""
    engine = Engine(load_policy([(Layer.USER, policy)], environ={}).hooks)
    return lambda text: engine.decide_sync(bash(text, cwd=FOLDER, actor="agent:main"))


def is_denied(ran: Ran) -> bool:
    """Whether a call that ran is one the deny list speaks of, judged without the reader."""
    name, *rest = ran.words
    letters = "".join(word for word in rest if word.startswith("-") and not word.startswith("--"))
    if name == "rm":
        return bool(set("rR") & set(letters)) and "f" in letters and "--" not in rest
    return name in {"curl", "wget"} or (name == "git" and rest[:1] == ["push"] and "--force" in rest)


def is_settled(text: str, ran: Ran) -> bool:
    """Whether the text itself shows the denied call: an option that only a variable holds is not in it."""
    named = [command for command in read_script(text, FOLDER, home=HOME).commands if says(command, ran)]
    shown = [tuple(word.text for word in command.words if word.fixed) for command in named]
    return not named or any(is_denied(Ran((ran.words[0], *words[1:]), ran.cwd)) for words in shown)


def is_allowed(ran: Ran) -> bool:
    """Whether a call that ran is one the allow list speaks of, judged without the reader."""
    name, first = ran.words[0], ran.words[1] if len(ran.words) > 1 else ""
    return name in ALLOWED | TRANSPARENT or first in ALLOWED_FIRST.get(name, ())


def complain(texts: Iterable[str]) -> None:
    """Fail with the texts whose decision does not fit what they ran, shortest first."""
    found = sorted(texts, key=len)
    assert not found, f"seed {SEED}:\n" + "\n".join(map(repr, found[:20]))


@pytest.mark.req("X11", "X12")
def test_a_denied_command_never_runs_unnoticed(runs: Runs, tmp_path: Path) -> None:
    """Under a deny-only policy a text that shows and runs a denied command is denied, asked or unread."""
    policy = tmp_path / "genesis.key"
    policy.write_text(DENY_ONLY, encoding="utf-8")
    decide = deciding(policy)

    def wrong(text: str, ran: tuple[Ran, ...]) -> bool:
        if not any(is_denied(one) and is_settled(text, one) for one in ran):
            return False
        decision = decide(text)
        return decision.vote < Vote.ASK and not decision.unread

    rows = {row.text for row in load("beyond")}
    complain(text for text, ran in runs if text not in rows and wrong(text, ran))


@pytest.mark.req("X11", "X12")
def test_only_allowed_commands_run_by_an_allow(runs: Runs) -> None:
    """A text that an allow list let pass ran nothing the list does not speak of, files it made included."""
    decide = deciding(DATA / "policy.key")

    def wrong(text: str, ran: tuple[Ran, ...]) -> bool:
        return not all(map(is_allowed, ran)) and decide(text).vote is Vote.ALLOW

    complain(text for text, ran in runs if wrong(text, ran))


@pytest.mark.req("case:C23")
def test_everyday_commands_are_not_denied(tmp_path: Path) -> None:
    """Under a deny-only policy no benign row is denied unless it names a denied program."""
    policy = tmp_path / "genesis.key"
    policy.write_text(DENY_ONLY, encoding="utf-8")
    decide = deciding(policy)

    denied = [row.text for row in load("benign") if decide(row.text).vote is Vote.DENY]
    assert not [text for text in denied if "curl" not in text and "wget" not in text]
    assert len(denied) >= 5  # the policy is in force
    asked = [row.text for row in load("benign") if decide(row.text).vote is Vote.ASK]
    assert not asked
