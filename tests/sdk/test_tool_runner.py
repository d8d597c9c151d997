"""Tool calls of an agent's loop, with hooks around them."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from interlock import (
    Decision,
    Engine,
    Event,
    Evidence,
    Hook,
    HookExecuted,
    ToolResult,
    ToolRunner,
    Verdict,
    allow,
    ask,
    deny,
    hook,
)
from interlock.events.actor import ActorMap
from interlock.events.tool import JsonObject


class Tool:
    """A tool that notes what it was called with."""

    def __init__(self, output: Any = "done", error: Exception | None = None) -> None:
        self.calls: list[JsonObject] = []
        self._output = output
        self._error = error

    def __call__(self, tool_input: JsonObject) -> Any:
        self.calls.append(dict(tool_input))
        tool_input.clear()  # a tool may do what it likes with its own copy
        if self._error is not None:
            raise self._error
        return self._output


def answering(event: str, verdict: Verdict | None, name: str = "answering", **options: Any) -> Hook:
    return hook(event, name=name, **options)(lambda _: verdict)


def noting(seen: list[Event], *events: str) -> Hook:
    @hook(*events, name="noting")
    def note(event: Event) -> None:
        seen.append(event)

    return note


async def run(tool: Any, *hooks: Hook, **options: Any) -> ToolResult:
    runner = ToolRunner(Engine(hooks=hooks), session_id="s", **options)
    return await runner.run("Bash", {"command": "ls"}, tool, tool_use_id="t1")


@pytest.mark.req("M35", "C64")
async def test_when_nothing_objects_the_tool_runs() -> None:
    """With its input as given, and its output is the result."""
    tool = Tool({"lines": 3})
    result = await run(tool, answering("PreToolUse", allow()), answering("PreToolUse", None))

    assert tool.calls == [{"command": "ls"}]
    assert (result.output, result.error, result.denied, result.reason) == ({"lines": 3}, None, False, None)


@pytest.mark.req("C2", "C17", "U1")
async def test_a_denial_is_an_error_result_and_the_tool_does_not_run() -> None:
    """The agent is told why; nothing after the call is run either."""
    tool, seen = Tool(), list[Event]()
    result = await run(tool, answering("PreToolUse", deny("not here")), noting(seen, "PostToolUse"))

    assert tool.calls == []
    assert seen == []
    assert (result.denied, result.error, result.reason) == (True, "Tool denied: not here", "not here")
    assert (result.output, result.after) == (None, None)


@pytest.mark.req("C2", "C20", "C64", "U1")
@pytest.mark.parametrize("error", [None, OSError("disk full")])
async def test_the_tool_and_the_hooks_after_it_get_the_final_input(error: Exception | None) -> None:
    """What a hook changed is what runs and what is told, on success and on failure."""
    tool, seen = Tool(error=error), list[Event]()
    changing = answering("PreToolUse", Verdict(updated_input={"command": "ls -l"}))
    result = await run(tool, changing, noting(seen, "PostToolUse", "PostToolUseFailure"))

    assert tool.calls == [{"command": "ls -l"}]
    assert result.input == {"command": "ls -l"}
    (after,) = seen
    assert after.tool is not None
    assert (after.tool.name, after.tool.input, after.tool.use_id) == ("Bash", {"command": "ls -l"}, "t1")


@pytest.mark.req("C3", "C19", "C65")
async def test_success_and_failure_have_events_of_their_own() -> None:
    """The output goes with one, the error's text with the other."""
    seen = list[Event]()
    noted = noting(seen, "PostToolUse", "PostToolUseFailure")
    await run(Tool("fine"), noted)
    await run(Tool(error=OSError("disk full")), noted)

    assert [(event.name, event.tool_output, event.error) for event in seen] == [
        ("PostToolUse", "fine", None),
        ("PostToolUseFailure", None, "disk full"),
    ]


@pytest.mark.req("C3", "C4", "C65")
@pytest.mark.parametrize("error", [None, OSError("disk full")])
async def test_votes_after_the_call_change_nothing(error: Exception | None) -> None:
    """What has happened cannot be denied any more."""
    name = "PostToolUseFailure" if error else "PostToolUse"
    result = await run(Tool("fine", error), answering(name, deny("too late")))

    assert (result.denied, result.reason) == (False, None)
    assert result.output == (None if error else "fine")


@pytest.mark.req("C3", "C65")
async def test_context_output_and_evidence_of_hooks_after_the_call_count() -> None:
    """They reach the agent and the record; context of both moments is kept, in order."""
    said = Verdict(
        updated_output="***", context="second", message="seen", evidence=Evidence(kind="k", data={"n": 1})
    )
    result = await run(
        Tool("secret"), answering("PreToolUse", Verdict(context="first")), answering("PostToolUse", said)
    )

    assert result.output == "***"
    assert result.context == ("first", "second")
    assert result.messages == ("seen",)
    assert result.after is not None
    assert result.after.evidence == (Evidence(kind="k", data={"n": 1}),)


@pytest.mark.req("C4")
async def test_a_tools_exception_is_its_error_unless_it_is_wanted() -> None:
    """It is kept in the result; with `raise_errors` it is raised, after the hooks heard of it."""
    error, seen = OSError("disk full"), list[Event]()
    result = await run(Tool(error=error))
    assert (result.error, result.exception, result.denied) == ("disk full", error, False)
    assert (await run(Tool(error=OSError()))).error == "OSError"

    with pytest.raises(OSError, match="disk full"):
        await run(Tool(error=error), noting(seen, "PostToolUseFailure"), raise_errors=True)
    assert [event.error for event in seen] == ["disk full"]


@pytest.mark.parametrize("answer", [None, False, 1, "yes"])
async def test_an_ask_without_a_plain_yes_is_a_denial(answer: Any) -> None:
    """Silence is not consent, nor is anything that only looks like it."""
    tool = Tool()
    asked = answering("PreToolUse", ask("sure?"))
    approve = None if answer is None else lambda event, decision: answer
    result = await run(tool, asked, approve=approve)

    assert tool.calls == []
    assert (result.denied, result.reason) == (True, "sure?")
    assert result.error == "Tool denied: a person must approve this first: sure?"


async def test_a_person_approves_the_call_that_will_really_run() -> None:
    """The final input is shown, sync and async; a denial is never put to a person."""
    shown = list[tuple[Any, str | None]]()

    async def approve(event: Event, decision: Decision) -> bool:
        shown.append((event.tool and event.tool.input, decision.reason))
        return True

    tool = Tool()
    changing = answering("PreToolUse", Verdict(updated_input={"command": "ls -l"}))
    asking = answering("PreToolUse", ask("sure?"))
    assert (await run(tool, asking, changing, approve=approve)).output == "done"
    assert (await run(tool, asking, approve=lambda event, decision: True)).output == "done"
    assert (await run(tool, answering("PreToolUse", deny("no")), approve=approve)).denied

    assert shown == [({"command": "ls -l"}, "sure?")]
    assert tool.calls == [{"command": "ls -l"}, {"command": "ls"}]


@pytest.mark.req("C66", "X8")
async def test_every_hook_that_ran_is_announced_once_after_the_call() -> None:
    """By its own name and moment, not for skipped ones, also on a denial, and nothing when none ran."""
    told: list[Any] = []
    hooks = [
        answering("PreToolUse", None, "judge"),
        answering("PreToolUse", deny("no"), "writes", matcher="Write"),
        answering("PreToolUse", Verdict(updated_input={"command": "pwd"}), "change"),
        answering("PostToolUse", None, "after"),
    ]

    def tool(tool_input: JsonObject) -> None:
        told.append("call")

    def names(told: list[Any]) -> list[Any]:
        return [(one.hook_type, one.hook_name) if isinstance(one, HookExecuted) else one for one in told]

    await run(tool, *hooks, emit=told.append)
    assert names(told) == [
        "call",
        ("PreToolUse", "judge"),
        ("PreToolUse", "change"),
        ("PostToolUse", "after"),
    ]
    told.clear()
    await run(tool, answering("PreToolUse", deny("no"), "gate"), emit=told.append)
    assert names(told) == [("PreToolUse", "gate")]
    told.clear()
    await run(tool, emit=told.append)
    assert told == ["call"]


@pytest.mark.req("C66")
async def test_whoever_listens_may_be_async() -> None:
    """An emitter that has to be awaited is."""
    told = []

    async def emit(notice: HookExecuted) -> None:
        await asyncio.sleep(0)
        told.append(notice.hook_name)

    await run(Tool(), answering("PreToolUse", None, "judge"), emit=emit)

    assert told == ["judge"]


@pytest.mark.req("C19", "C64")
async def test_hooks_are_told_where_and_for_whom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Session, directory, actor and sub-agent are in the event; the directory is the process's by default."""
    seen = list[Event]()
    noted = noting(seen, "PreToolUse")
    monkeypatch.chdir(tmp_path)
    await run(Tool(), noted)
    await run(Tool(), noted, actor="agent:a", cwd=tmp_path / "b", agent_id="7", agent_type="Explore")

    first, second = seen
    assert (first.session_id, first.cwd, first.actor, first.parent_actor) == (
        "s",
        str(tmp_path),
        "agent:main",
        None,
    )
    assert (second.actor, second.cwd, second.agent_id) == ("agent:a", str(tmp_path / "b"), "7")


@pytest.mark.parametrize(
    ("kind", "actor"), [(None, "agent:lead"), ("Explore", "agent:eyes"), ("x", "agent:x")]
)
async def test_the_policy_says_who_acts(tmp_path: Path, kind: str | None, actor: str) -> None:
    """The main agent and each kind of sub-agent, below the main one."""
    file = tmp_path / "genesis.key"
    file.write_text(
        'version: "2.0"\nsettings: {actors: {main: agent:lead, subagents: {Explore: agent:eyes}}}\n', "utf-8"
    )
    seen = list[Event]()
    engine = Engine(hooks=[noting(seen, "PreToolUse")], files=[file])
    assert engine.actors == ActorMap(main="agent:lead", subagents={"Explore": "agent:eyes"})

    await ToolRunner(engine, agent_type=kind).run("Read", {}, Tool())

    assert [(event.actor, event.parent_actor) for event in seen] == [(actor, "agent:lead" if kind else None)]


async def test_what_was_judged_is_what_runs() -> None:
    """A caller that changes its input while the hooks think changes nothing."""
    tool, given = Tool(), {"command": "ls"}

    @hook("PreToolUse")
    async def meanwhile(event: Event) -> None:
        given["command"] = "rm -rf /"

    await ToolRunner(Engine(hooks=[meanwhile])).run("Bash", given, tool)

    assert tool.calls == [{"command": "ls"}]


@pytest.mark.req("C64", "C65")
def test_a_blocking_caller_gets_the_same_on_its_own_thread() -> None:
    """Hooks, approval, emitter and tools may be sync or async; a sync tool runs where it was called."""
    where, told = list[int](), list[str]()

    def tool(tool_input: JsonObject) -> str:
        where.append(threading.get_ident())
        return asyncio.run(later(tool_input))  # possible, since no loop runs here

    async def later(tool_input: JsonObject) -> str:
        await asyncio.sleep(0)
        return f"ran {tool_input['command']}"

    async def approve(event: Event, decision: Decision) -> bool:
        return True

    hooks = [
        answering("PreToolUse", ask("sure?"), "gate"),
        answering("PostToolUse", Verdict(context="c"), "after"),
    ]
    with Engine(hooks=hooks) as engine:
        runner = ToolRunner(engine, approve=approve, emit=lambda notice: told.append(notice.hook_name))
        results = [runner.run_sync("Bash", {"command": "ls"}, call) for call in (tool, later)]

    assert [(result.output, result.context) for result in results] == [("ran ls", ("c",))] * 2
    assert where == [threading.get_ident()]
    assert told == ["gate", "after"] * 2


def test_a_blocking_caller_is_denied_and_told_of_errors_too() -> None:
    """The same course, whichever way it is run."""
    with Engine(hooks=[answering("PreToolUse", deny("no"), matcher="Write")]) as engine:
        runner = ToolRunner(engine, raise_errors=True)
        assert runner.run_sync("Write", {"file_path": "a"}, Tool()).error == "Tool denied: no"
        with pytest.raises(LookupError):
            runner.run_sync("Read", {"file_path": "a"}, Tool(error=LookupError("x")))


async def test_a_call_that_is_cancelled_is_no_result() -> None:
    """Whoever gives up a call gets no error result in its place."""
    started = asyncio.Event()

    async def tool(tool_input: JsonObject) -> None:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(run(tool))
    await started.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
