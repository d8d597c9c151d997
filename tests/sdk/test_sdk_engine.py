"""The engine a Python agent makes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from interlock import ConfigError, Decision, Engine, Event, HookMatcher, ToolCall, Verdict, deny, hook
from interlock.builtin_hooks.self_protection.hook import NAME
from interlock.builtin_hooks.self_protection.hook import SETTINGS_NAME as CHANGES
from interlock.errors import UnknownEventError
from interlock.events.hook import Layer

GENESIS = """
version: "2.0"
settings: {actors: {main: agent:executor}}
hooks:
  pre_tool_use:
    - {name: from-genesis, type: deny, matcher: Bash(rm *), config: {reason: no removal}}
"""
TOML = """
[[hooks]]
event = "PreToolUse"
name = "from-toml"
[hooks.shell]
command = "true"
"""


def bash(command: str) -> Event:
    return Event(name="PreToolUse", tool=ToolCall(name="Bash", input={"command": command}))


@hook("PreToolUse", matcher="Bash(curl *)")
def offline(event: Event) -> Verdict:
    return deny("offline")


def refuse(data: dict[str, Any], tool_use_id: str | None, context: Any) -> Any:
    return {"decision": "deny", "reason": "table"}


@pytest.fixture
def genesis(tmp_path: Path) -> Path:
    file = tmp_path / "genesis.key"
    file.write_text(GENESIS, "utf-8")
    return file


@pytest.mark.deep
async def test_hooks_of_files_come_first_in_layer_order_then_code(genesis: Path, tmp_path: Path) -> None:
    """Whatever order files are named in, the layers decide; code has the last word."""
    toml = tmp_path / "hooks.toml"
    toml.write_text(TOML, "utf-8")

    engine = Engine(hooks=[offline], files=[(Layer.USER, toml), (Layer.MANAGED, str(genesis))])

    assert [one.name for one in engine.hooks] == [NAME, CHANGES, "from-genesis", "from-toml", "offline"]
    assert engine.actors.main == "agent:executor"
    assert (await engine.decide(bash("rm x"))).decided_by == "from-genesis"
    assert (await engine.decide(bash("curl x"))).decided_by == "offline"


async def test_a_decision_names_the_revision_of_the_files(genesis: Path) -> None:
    """Code alone has no revision."""
    assert (await Engine(files=[genesis]).decide(bash("ls"))).revision
    assert (await Engine(hooks=[offline]).decide(bash("ls"))).revision == ""


async def test_a_file_in_a_project_folder_belongs_to_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may tighten and nothing else, also when named by a relative path."""
    folder = tmp_path / ".interlock"
    folder.mkdir()
    (folder / "genesis.key").write_text(GENESIS, "utf-8")
    monkeypatch.chdir(folder)

    engine = Engine(files=["genesis.key"])

    assert [one.source.layer for one in engine.hooks] == [Layer.MANAGED, Layer.MANAGED, Layer.PROJECT]
    assert engine.actors.main == "agent:main"


def test_a_file_with_a_mistake_stops_the_engine_from_being_made(tmp_path: Path) -> None:
    """No engine ever runs on half a policy."""
    file = tmp_path / "genesis.key"
    file.write_text('version: "2.0"\nhooks: {pre_tool_uze: []}\n', "utf-8")

    with pytest.raises(ConfigError, match="PreToolUse"):
        Engine(files=[file])
    with pytest.raises(ConfigError, match="unreadable"):
        Engine(files=[tmp_path / "missing.toml"])


@pytest.mark.deep
def test_hooks_see_the_environment_that_was_given(tmp_path: Path) -> None:
    """`pass_env` draws on `environ`, not on the process."""
    file = tmp_path / "hooks.toml"
    file.write_text(
        '[[hooks]]\nevent = "PreToolUse"\npass_env = ["WORD"]\n'
        "[hooks.shell]\nparse_result = true\n"
        """command = 'echo "{\\"Reject\\": {\\"reason\\": \\"$WORD\\"}}"'\n""",
        "utf-8",
    )

    with Engine(files=[file], environ={"WORD": "given", "PATH": "/usr/bin:/bin"}) as engine:
        assert engine.decide_sync(bash("ls")).reason == "given"


@pytest.mark.req("U3")
async def test_a_table_of_hooks_is_taken_as_it_is() -> None:
    """Event to list of matchers, in place of hook records."""
    engine = Engine(hooks={"PreToolUse": [HookMatcher(matcher="Bash", hooks=[refuse])]})

    assert (await engine.decide(bash("ls"))).reason == "table"


def test_what_is_no_hook_is_refused_with_the_next_step() -> None:
    """A plain function in the list would never be asked."""
    with pytest.raises(TypeError, match="put `@hook"):
        Engine(hooks=[refuse])  # type: ignore[list-item] # the mistake on purpose


@pytest.mark.parametrize("name", ["pre_tool_use", "preToolUse", "PreToolUse"])
async def test_an_event_meets_its_hooks_under_any_spelling(name: str) -> None:
    """An alias must not slip past every hook."""
    event = Event(name=name, tool=ToolCall(name="Bash", input={"command": "curl x"}))
    recorded = []

    async def record(event: Event, decision: Decision) -> None:
        recorded.append(event.name)

    with Engine(hooks=[offline], record=record) as engine:
        assert (await engine.decide(event)).denied
        assert engine.decide_sync(event).denied
    assert recorded == ["PreToolUse", "PreToolUse"]


async def test_an_event_nobody_knows_is_observed_under_its_own_name() -> None:
    """It meets no hook and breaks nothing."""
    assert (await Engine(hooks=[offline]).decide(Event(name="Daydream"))).trace == ()


async def test_leaving_the_block_ends_the_loop_behind_the_blocking_calls() -> None:
    """Both kinds of `with` close the engine, also when the block fails."""

    def loops() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name == "interlock"]

    before = loops()
    async with Engine(hooks=[offline]) as engine:
        engine.decide_sync(bash("curl x"))
        assert len(loops()) == len(before) + 1
    assert loops() == before
    failing = Engine(hooks=[offline])
    failing.decide_sync(bash("curl x"))
    with pytest.raises(LookupError), failing:
        raise LookupError
    assert loops() == before


@pytest.mark.req("C2", "C47")
@pytest.mark.parametrize("spelling", ["PreToolUse", "pre_tool_use", "preToolUse", "preTool"])
def test_an_event_meets_its_hooks_in_every_accepted_spelling(spelling: str) -> None:
    """Also in snake_case and camelCase."""
    engine = Engine([hook("PreToolUse", name="no")(lambda _: deny("no"))])

    assert engine.decide_sync(Event(name=spelling, tool=ToolCall(name="Bash", input={}))).denied


def test_what_is_no_event_and_an_input_that_is_no_dictionary_are_refused() -> None:
    """No hook could look at either, and none would object."""
    wrong: Any = "ls"
    with Engine() as engine:
        with pytest.raises(TypeError, match=r"`'ls'` is not an Event; write `Event\(name=\"Stop\"\)`"):
            engine.decide_sync(wrong)
        with pytest.raises(TypeError, match=r"is a dictionary, not `'ls'`; write `ToolCall"):
            engine.decide_sync(Event(name="PreToolUse", tool=ToolCall(name="Bash", input=wrong)))


def test_a_misspelt_event_is_refused_and_a_new_one_is_only_observed() -> None:
    """`PreTolUse` would meet no hook, and so be allowed by accident."""
    engine = Engine([hook("PreToolUse", name="no")(lambda _: deny("no"))])

    with pytest.raises(UnknownEventError, match="did you mean `PreToolUse`"):
        engine.decide_sync(Event(name="PreTolUse"))
    assert not engine.decide_sync(Event(name="RocketLaunched")).denied
