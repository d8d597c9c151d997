"""Notes and rules are given at the first prompt, around a summary, and when somebody asks to go on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.builtin_hooks.context.local_context import RULES
from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "LOCAL.md").write_text("\n\n  the database runs on port 5433\n\n")
    return folder


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A home with notes of its own."""
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    (tmp_path / "home" / ".claude" / "LOCAL.md").write_text("call me Ada")
    return tmp_path / "home"


@pytest.fixture
def engine(person: Path) -> Engine:
    return made("local_context", "user_prompt_submit", environ={"HOME": str(person)})


def given(engine: Engine, event: Event) -> str:
    return "".join(engine.decide_sync(event).context)


def compacting(folder: Path, session: str = "s") -> Event:
    return Event(name=EventName.PRE_COMPACT, session_id=session, cwd=str(folder))


BOTH = "~/.claude/LOCAL.md:\ncall me Ada\n\nLOCAL.md:\nthe database runs on port 5433"


@pytest.mark.req("P27", "P42")
def test_the_first_prompt_of_a_session_brings_the_files(engine: Engine, project: Path) -> None:
    """The person's, then the project's, trimmed; the next prompt brings nothing, another session does."""
    assert given(engine, prompt("hello", project)) == BOTH
    assert given(engine, prompt("hello", project)) == ""
    assert given(engine, prompt("hello", project, session="other")) == BOTH


@pytest.mark.req("P28")
def test_what_was_given_is_remembered_in_the_store(project: Path, person: Path) -> None:
    """Not in a file of the project: another engine with the same memory does not give it again."""
    services = HookServices({Memory: MemoryInProcess()})
    before = set(project.rglob("*"))
    for _ in range(2):
        engine = made("local_context", "user_prompt_submit", environ={"HOME": str(person)}, services=services)
        said = given(engine, prompt("hello", project))

    assert said == ""
    assert set(project.rglob("*")) == before


@pytest.mark.req("P29")
def test_a_summary_is_told_the_files_and_the_rules(engine: Engine, project: Path) -> None:
    """Always, whatever was given before."""
    assert given(engine, compacting(project)) == f"{BOTH}\n\n{RULES}"
    assert given(engine, compacting(project)) == f"{BOTH}\n\n{RULES}"


def test_after_a_summary_all_of_it_is_given_anew(engine: Engine, project: Path) -> None:
    """A session that starts otherwise hears nothing before its first prompt."""
    start = Event(name=EventName.SESSION_START, session_id="s", cwd=str(project), extra={"source": "compact"})
    other = Event(name=EventName.SESSION_START, session_id="s", cwd=str(project), extra={"source": "startup"})

    assert given(engine, start) == f"{BOTH}\n\n{RULES}"
    assert given(engine, other) == ""


@pytest.mark.req("P27", "P43")
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("continue", True),
        ("please CONTINUE here", True),
        ("recap, please", True),
        ("Where were we?", True),
        ("what's next", True),
        ("what\u2019s next", True),
        ("where  were\nwe", True),
        ("not sure, but continue", True),
        ("don't continue", False),
        ("don\u2019t continue", False),
        ("do not continue", False),
        ("never recap", False),
        ("do not just continue", False),
        ("thecontinueword", False),
        ("recap_session", False),
        ("continued", False),
    ],
)
def test_words_ask_for_it_again(engine: Engine, project: Path, text: str, meant: bool) -> None:
    """Whole words that nobody negates bring the files and the rules."""
    given(engine, prompt("first", project))

    assert given(engine, prompt(text, project)) == (f"{BOTH}\n\n{RULES}" if meant else "")


@pytest.mark.req("P30")
def test_words_and_rules_are_the_policys(project: Path) -> None:
    """Another word, another text."""
    config = {"words": ["weiter"], "rules": "Be brief.", "files": ["LOCAL.md"]}
    engine = made("local_context", "user_prompt_submit", config)
    given(engine, prompt("first", project))

    assert given(engine, prompt("weiter", project)).endswith("port 5433\n\nBe brief.")
    assert given(engine, prompt("continue", project)) == ""


@pytest.mark.req("P44")
def test_the_rules_we_ship_are_six() -> None:
    """make; small steps; nothing beyond; no `add -A`; no amend; no co-author."""
    rules = [line for line in RULES.splitlines() if line.startswith("- ")]
    meant = ["make", "50 lines", "nothing beyond", "git add -A", "--amend", "Co-Authored-By"]

    assert len(rules) == 6
    assert all(word in rule for word, rule in zip(meant, rules, strict=True))


@pytest.mark.req("P42", "P54")
def test_without_files_session_or_folder_nothing_breaks(tmp_path: Path) -> None:
    """An empty session is one, an empty folder the current one, and nothing there is nothing said."""
    engine = made("local_context", "user_prompt_submit", environ={})
    event = Event(name=EventName.USER_PROMPT_SUBMIT, prompt=None)

    assert given(engine, event) == ""
    assert given(engine, prompt("x", tmp_path)) == ""


def test_a_link_does_not_lead_out_of_the_project(engine: Engine, project: Path, tmp_path: Path) -> None:
    """A repository could point at a key of the person; inside the project it may."""
    (tmp_path / "secret").write_text("the key")
    (project / "LOCAL.md").unlink()
    (project / "LOCAL.md").symlink_to(tmp_path / "secret")
    assert "the key" not in given(engine, compacting(project))

    (project / "docs").mkdir()
    (project / "docs" / "notes.md").write_text("ours")
    (project / "LOCAL.md").unlink()
    (project / "LOCAL.md").symlink_to("docs/notes.md")
    assert "ours" in given(engine, compacting(project))


def test_a_pipe_or_a_folder_is_no_file(engine: Engine, project: Path) -> None:
    """Nobody waits for a writer."""
    (project / "LOCAL.md").unlink()
    os.mkfifo(project / "LOCAL.md")
    assert "LOCAL.md:\nthe" not in given(engine, compacting(project))
    (project / "LOCAL.md").unlink()
    (project / "LOCAL.md").mkdir()
    assert "port" not in given(engine, compacting(project))


def test_a_long_file_is_cut_and_bytes_that_are_no_text_are_shown_as_such(project: Path) -> None:
    """The bound is in the policy."""
    (project / "LOCAL.md").write_bytes(b"\xff" + b"a" * 100)
    engine = made("local_context", "user_prompt_submit", {"files": ["LOCAL.md"], "most_bytes": 10})

    assert given(engine, prompt("x", project)) == "LOCAL.md:\n�aaaaaaaaa\n[cut: the file is longer]"


def test_two_entries_do_not_take_each_others_turn(project: Path) -> None:
    """Each remembers under its own name."""
    services = HookServices({Memory: MemoryInProcess()})
    for name in ("one", "two"):
        engine = made(
            "local_context", "user_prompt_submit", {"files": ["LOCAL.md"]}, services=services, name=name
        )
        assert "port" in given(engine, prompt("x", project))


def test_a_trial_leaves_no_trace(project: Path) -> None:
    """What a hook in shadow gave, nobody was given."""
    memory = MemoryInProcess()
    shadow = made(
        "local_context",
        "user_prompt_submit",
        services=HookServices({Memory: memory}),
        mode="shadow",
        name="x",
    )
    given(shadow, prompt("x", project))

    assert memory.get("s", "x") == {}


def test_nothing_to_give_is_a_mistake() -> None:
    """The entry would do nothing."""
    with pytest.raises(ConfigError, match="there is nothing to add"):
        made("local_context", "user_prompt_submit", {"files": [], "rules": ""})
