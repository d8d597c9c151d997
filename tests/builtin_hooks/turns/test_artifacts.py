"""A sub-agent ends with the files it was there for, and the main agent hears what came of it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.asked_model import answering, asking
from tests.builtin_hooks.making import made, prompt

from interlock.builtin_hooks.project_files import find_files
from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess

EXPECT = {
    "files": ["work_products/*.html"],
    "partial": ["search_results/*.md"],
    "next": "Send it.",
    "leftovers": ["tmp/*"],
}
PAGE = "<html><body>all of it</body></html>"


def hook(
    expect: dict[str, Any] | None = None, services: HookServices | None = None, **options: Any
) -> Engine:
    return made("artifacts", "subagent_stop", {"expect": [expect or EXPECT], **options}, services=services)


def began(engine: Engine, cwd: Path, kind: str = "writer", agent: str = "a1") -> None:
    engine.decide_sync(
        Event(name="SubagentStart", session_id="s", cwd=str(cwd), agent_id=agent, agent_type=kind)
    )


def ended(engine: Engine, cwd: Path, kind: str = "writer", *, again: bool = False) -> Decision:
    extra = {"stop_hook_active": again}
    event = Event(
        name="SubagentStop", session_id="s", cwd=str(cwd), agent_id="a1", agent_type=kind, extra=extra
    )
    return engine.decide_sync(event)


def heard(engine: Engine, *, agent: str | None = None) -> tuple[str, ...]:
    """What the main agent hears with its next tool result."""
    tool = ToolCall(name="Task", input={})
    event = Event(name="PostToolUse", session_id="s", cwd="/", tool=tool, tool_output="x", agent_id=agent)
    return engine.decide_sync(event).context


def written(folder: Path, name: str, content: str = PAGE) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


@pytest.mark.req("U2", "U10", "U32")
def test_what_was_expected_is_there(tmp_path: Path) -> None:
    """The main agent hears of it with the next step, once; nobody else does."""
    engine = hook()
    began(engine, tmp_path)
    written(tmp_path, "work_products/report.html")
    decision = ended(engine, tmp_path)

    assert (decision.vote, decision.messages) == (Vote.ABSTAIN, ())
    assert heard(engine, agent="a2") == ()
    assert heard(engine) == ("Report found: `work_products/report.html` (writer). Send it.",)
    assert heard(engine) == ()


@pytest.mark.req("U10", "U32")
def test_work_that_was_only_begun_is_to_be_tried_again(tmp_path: Path) -> None:
    """The sub-agent is sent back once with what is there; then the main agent and the person hear."""
    engine = hook()
    began(engine, tmp_path)
    written(tmp_path, "search_results/a.md", "notes")
    first = ended(engine, tmp_path)
    second = ended(engine, tmp_path, again=True)
    told = (
        "Retry required: writer stopped half-way; there is no `work_products/*.html`. "
        "There is only `search_results/a.md`."
    )

    assert first.vote is Vote.DENY
    assert first.reason == (
        "Your work is not done: there is no `work_products/*.html`. Continue from `search_results/a.md`. "
        "Write what is missing, then stop."
    )
    assert (second.vote, second.messages) == (Vote.ABSTAIN, (f"artifacts: {told}",))
    assert heard(engine) == (told,)


@pytest.mark.req("U10", "U32")
def test_nothing_at_all_is_told_as_that(tmp_path: Path) -> None:
    """Also at the next prompt, when no tool result came in between."""
    engine = hook(block=False)
    decision = ended(engine, tmp_path)

    assert decision.vote is Vote.ABSTAIN
    assert engine.decide_sync(prompt("and?")).context == (
        "Retry required: writer stopped without its files; there is no `work_products/*.html`.",
    )


@pytest.mark.req("U37")
@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.html", "", "is empty"),
        ("a.html", " \n", "is empty"),
        ("a.html", "just words", "contains no HTML"),
        ("a.html", "<!DOCTYPE html><p>x", None),
        ("a.json", "{", "is not JSON"),
        ("a.json", "[" * 100_000, "is not JSON"),
        ("a.json", '{"a": 1}', None),
        ("a.pdf", "PK", "is not a PDF"),
        ("a.pdf", "%PDF-1.7 x", None),
        ("a.md", "x", None),
    ],
)
def test_a_file_is_what_its_name_says(tmp_path: Path, name: str, content: str, fault: str | None) -> None:
    """It is there, then it is not empty, then it is valid."""
    written(tmp_path, f"out/{name}", content)
    decision = ended(hook({"files": ["out/*"]}), tmp_path)

    if fault is None:
        assert decision.vote is Vote.ABSTAIN
    else:
        assert f"`out/{name}` {fault}" in str(decision.reason)


@pytest.mark.deep
@pytest.mark.req("U37")
def test_a_model_is_asked_last_and_only_about_files_that_are_whole(tmp_path: Path) -> None:
    """They are there, they are valid, and then a model looks; one that cannot be asked lets them pass."""
    question = {"prompt": "Is the report about the task?"}
    with answering('{"ok": false, "reason": "it is about cats"}') as server:
        model = asking("prompt", server, question, event="subagent_stop", on_failure="open")
        engine = Engine([*hook().hooks, *model.hooks])
        none = ended(engine, tmp_path)
        written(tmp_path, "work_products/a.html", "")
        empty = ended(engine, tmp_path)
        unasked = len(server.seen())
        written(tmp_path, "work_products/a.html")
        judged = ended(engine, tmp_path)
        asked = len(server.seen())
    later = asking("prompt", server, question, event="subagent_stop", on_failure="open")
    alone = ended(Engine([*hook().hooks, *later.hooks]), tmp_path)

    assert "there is no `work_products/*.html`" in str(none.reason)
    assert "`work_products/a.html` is empty" in str(empty.reason)
    assert (unasked, asked) == (0, 1)
    assert (judged.vote, judged.reason) == (Vote.DENY, "it is about cats")
    assert (alone.vote, alone.open_passes) == (Vote.ABSTAIN, 1)


def test_files_from_before_it_began_do_not_count(tmp_path: Path) -> None:
    """Unless the policy says so."""
    file = written(tmp_path, "work_products/old.html")
    os.utime(file, (time.time() - 600,) * 2)
    engine, any_age = hook(), hook(fresh=False)
    began(engine, tmp_path)
    began(any_age, tmp_path)

    assert "`work_products/old.html` is older than this sub-agent" in str(ended(engine, tmp_path).reason)
    assert ended(any_age, tmp_path).vote is Vote.ABSTAIN


@pytest.mark.req("U2")
def test_what_should_be_gone_is_named_and_left_alone(tmp_path: Path) -> None:
    """To both agents."""
    file = written(tmp_path, "tmp/scratch")
    engine = hook()
    assert "Remove `tmp/scratch`." in str(ended(engine, tmp_path).reason)
    written(tmp_path, "work_products/a.html")
    ended(engine, tmp_path, again=True)

    assert heard(engine)[0].endswith("Send it. Left behind: `tmp/scratch`; remove it.")
    assert file.exists()


def test_each_kind_of_sub_agent_has_its_own(tmp_path: Path) -> None:
    """One nobody speaks of may end as it is."""
    engine = hook({**EXPECT, "agents": ["report-*"]})

    assert ended(engine, tmp_path, "Explore").vote is Vote.ABSTAIN
    assert ended(engine, tmp_path, "report-writer").vote is Vote.DENY
    assert heard(engine) == ()


def test_what_is_to_be_told_outlives_the_engine(tmp_path: Path) -> None:
    """It is kept where hooks remember."""
    services = HookServices({Memory: MemoryInProcess()})
    ended(hook(services=services, block=False), tmp_path)

    assert len(heard(hook(services=services, block=False))) == 1


@pytest.mark.deep
def test_a_pattern_finds_files_and_follows_no_link(tmp_path: Path) -> None:
    """Also a plain name in a folder that is too full to look through."""
    project = tmp_path / "p"
    for name in ("a.md", "x/b.md", "x/y/c.md", "x/y/d.txt"):
        written(project, name)
    written(tmp_path, "outside/e.md")
    (project / "link").symlink_to(tmp_path / "outside")
    (project / "f.md").symlink_to(tmp_path / "outside" / "e.md")
    for number in range(6_000):
        (project / "x" / f"{number}").touch()

    def names(pattern: str) -> list[str]:
        return [one.name for one in find_files(str(project), pattern)]

    assert names("*.md") == ["a.md"]
    assert names("**/y/*.md") == ["x/y/c.md"]
    assert names("x/y/*") == ["x/y/c.md", "x/y/d.txt"]
    assert names("x/y/**") == ["x/y/c.md", "x/y/d.txt"]
    assert names("x/b.md") == ["x/b.md"]
    assert names("link/*.md") == []
    assert names("none/*") == []
    assert len(names("**/*")) <= 50


@pytest.mark.parametrize("pattern", ["/etc/*", "../x", "a/../../x", "~/x"])
def test_a_pattern_stays_in_the_project(pattern: str) -> None:
    """Anything else is a mistake in the policy."""
    with pytest.raises(ConfigError, match="leads out of the project"):
        hook({"files": ["a"], "partial": [pattern]})


def test_nothing_expected_is_a_mistake() -> None:
    """It would check nothing."""
    with pytest.raises(ConfigError, match=r"config\.expect\[0\]\.files"):
        hook({"files": []})
