"""Instructions that come back around a summary."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.builtin_hooks.context.local_context import KEEP
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.names import EventName


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person with instructions of their own."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "RECLAUDE.md").write_text("Work in small steps.\n")
    return tmp_path


@pytest.fixture
def engine(home: Path) -> Engine:
    """As it is unless an option says otherwise."""
    return made("recall", "pre_compact", environ={"HOME": str(home)})


def given(engine: Engine, event: Event) -> str:
    """What the model is told."""
    return "\n\n".join(engine.decide_sync(event).context)


@pytest.mark.req("P32", "P46")
def test_before_a_summary_the_instructions_come_with_the_wish_to_keep_them(engine: Engine) -> None:
    """Instructions first, then the sentence that also names CLAUDE.md."""
    told = given(engine, Event(name=EventName.PRE_COMPACT, cwd="/"))

    assert told == f"~/.claude/RECLAUDE.md:\nWork in small steps.\n\n{KEEP}"
    assert "CLAUDE.md" in KEEP


def test_after_a_summary_they_are_there_again_and_at_no_other_start(engine: Engine) -> None:
    """Whatever the summary made of them."""
    after = Event(name=EventName.SESSION_START, cwd="/", extra={"source": "compact"})
    fresh = Event(name=EventName.SESSION_START, cwd="/", extra={"source": "startup"})

    assert given(engine, after) == "~/.claude/RECLAUDE.md:\nWork in small steps."
    assert given(engine, fresh) == ""


@pytest.mark.req("P43", "P46")
@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("continue", True),
        ("so, where were we?", True),
        ("What's next", True),
        ("don't continue", False),
        ("never recap", False),
        ("thecontinueword", False),
        ("recap_session", False),
        ("add a field", False),
        (None, False),
    ],
)
def test_words_that_go_on_bring_them_unless_negated(engine: Engine, text: str | None, asked: bool) -> None:
    """Whole words, and only when they are meant."""
    assert bool(given(engine, prompt(text))) is asked


@pytest.mark.req("P46")
def test_a_file_that_is_missing_or_unreadable_is_silent(home: Path) -> None:
    """Nothing is said, not even the wish to keep nothing."""
    (home / ".claude" / "RECLAUDE.md").unlink()
    (home / ".claude" / "RECLAUDE.md").mkdir()
    for environ in ({"HOME": str(home)}, {"HOME": "/nowhere"}, {}):
        engine = made("recall", "pre_compact", environ=environ)
        assert given(engine, Event(name=EventName.PRE_COMPACT, cwd="/")) == ""


def test_a_project_may_have_its_own(tmp_path: Path) -> None:
    """Named relative to it, and cut where it is longer than was wanted."""
    (tmp_path / "AGENT.md").write_text("x" * 20)
    engine = made("recall", "pre_compact", {"files": ["AGENT.md"], "keep": "", "most_bytes": 4})

    told = given(engine, Event(name=EventName.PRE_COMPACT, cwd=str(tmp_path)))
    assert told == "AGENT.md:\nxxxx\n[cut: the file is longer]"
