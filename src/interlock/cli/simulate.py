"""`interlock hooks simulate`: what would be decided, and why?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from interlock.actor import ActorMap
from interlock.cli.batch import run_batch
from interlock.cli.call import json_object, tool_call
from interlock.cli.explain import as_document, as_text
from interlock.cli.loading import CONFIG_HELP, ISOLATED_HELP, load
from interlock.engine import Engine
from interlock.errors import InterlockError
from interlock.event import Event
from interlock.moment import EventName, parse_event_name
from interlock.tool import ToolCall

SESSION = "simulate"


def simulate(
    tool: Annotated[str | None, typer.Option(help="The tool that is called.")] = None,
    args: Annotated[str | None, typer.Option(help="Its main argument: the command, path or address.")] = None,
    input_: Annotated[str | None, typer.Option("--input", help="Its whole input, as a JSON object.")] = None,
    actor: Annotated[str | None, typer.Option(help="Who acts, as in agent:executor.")] = None,
    subagent: Annotated[
        str | None, typer.Option(help="Act as a sub-agent of this type, below the main actor.")
    ] = None,
    prompt: Annotated[str | None, typer.Option(help="The prompt, for prompt events.")] = None,
    output: Annotated[
        str | None, typer.Option(help="The tool's output as JSON or text, for post events.")
    ] = None,
    error: Annotated[str | None, typer.Option(help="The tool's error, for failure events.")] = None,
    event: Annotated[
        str | None, typer.Option(help="The moment; PreToolUse with a tool, UserPromptSubmit with a prompt.")
    ] = None,
    session: Annotated[str, typer.Option(help="The session's id.")] = SESSION,
    cwd: Annotated[Path | None, typer.Option(help="The agent's folder; this one by default.")] = None,
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help="JSON lines {tool, input, actor?, event?, prompt?} in, a decision a line out.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the decision as JSON.")] = False,
) -> int:
    """Run a call through the policy and print the trace, one row a hook, and the decision."""
    policy = load(config or [], isolated=isolated)
    engine = Engine(policy.hooks, revision=policy.revision)
    folder = str((cwd or Path.cwd()).absolute())
    if batch is not None:
        return run_batch(batch, engine, policy.actors, folder, session)
    typed = Event(
        name=_moment(event, tool, prompt, error),
        session_id=session,
        cwd=folder,
        actor=_actor(actor, subagent, policy.actors),
        parent_actor=_main(policy.actors) if subagent else None,
        agent_type=subagent,
        tool=_tool(tool, args, input_),
        tool_output=_output(output),
        error=error,
        prompt=prompt,
    )
    decision = engine.decide_sync(typed)
    engine.close()
    if as_json:
        typer.echo(msgspec.json.encode(as_document(decision)).decode())
    else:
        typer.echo(as_text(decision))
    return 0


def _moment(event: str | None, tool: str | None, prompt: str | None, error: str | None) -> str:
    if event is not None:
        return parse_event_name(event)
    if tool is not None:
        return EventName.POST_TOOL_USE_FAILURE if error else EventName.PRE_TOOL_USE
    if prompt is not None:
        return EventName.USER_PROMPT_SUBMIT
    raise InterlockError(
        "nothing to simulate; give --tool with --args or --input, --prompt, --event or --batch"
    )


def _tool(tool: str | None, args: str | None, whole: str | None) -> ToolCall | None:
    if args is not None and whole is not None:
        raise InterlockError("--args and --input both give the tool's input; keep one of them")
    if tool is None:
        if args is not None or whole is not None:
            raise InterlockError("--args and --input need --tool")
        return None
    if whole is not None:
        return ToolCall(name=tool, input=json_object(whole, "--input"))
    return tool_call(tool, args) if args is not None else ToolCall(name=tool, input={})


def _output(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _main(actors: ActorMap) -> str:
    return actors.of_main(os.environ.get("INTERLOCK_ACTOR"))


def _actor(actor: str | None, subagent: str | None, actors: ActorMap) -> str:
    if actor is not None:
        return actor
    return actors.of_subagent(subagent) if subagent else _main(actors)
