"""`interlock hooks simulate`: what would be decided, and why?"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from interlock.cli.call_arguments import json_object, moment, tool_call
from interlock.cli.json_output import print_json
from interlock.cli.policy.batch import run_batch
from interlock.cli.policy.decision_text import Verbose, as_document, as_text
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, folder, load
from interlock.cli.words import actor_word, tool_word
from interlock.engine.engine import Engine
from interlock.errors import InterlockError
from interlock.events.actor import ActorMap
from interlock.events.event import Event
from interlock.events.tool import ToolCall

SESSION = "simulate"
_HINT = "--tool with --args or --input, --prompt, --event or --batch"


def simulate(
    tool: Annotated[str | None, typer.Option(help="The tool to call.", callback=tool_word)] = None,
    args: Annotated[str | None, typer.Option(help="Its main argument: the command, path or address.")] = None,
    input_: Annotated[str | None, typer.Option("--input", help="Its whole input, as a JSON object.")] = None,
    actor: Annotated[str | None, typer.Option(help="Who acts, such as agent:executor.")] = None,
    subagent: Annotated[str | None, typer.Option(help="Act as a sub-agent of this type.")] = None,
    prompt: Annotated[str | None, typer.Option(help="The prompt, for prompt events.")] = None,
    output: Annotated[
        str | None, typer.Option(help="The tool's output as JSON or text, for post events.")
    ] = None,
    error: Annotated[str | None, typer.Option(help="The tool's error, for failure events.")] = None,
    event: Annotated[
        str | None,
        typer.Option(help="The event; default: PreToolUse with a tool, UserPromptSubmit with a prompt."),
    ] = None,
    session: Annotated[str, typer.Option(help="The session's id.")] = SESSION,
    cwd: Annotated[Path | None, typer.Option(help="The agent's folder; default: this one.")] = None,
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help="Read JSON lines {tool, input, actor?, event?, prompt?}, print one decision a line.",
        ),
    ] = None,
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the decision as JSON.")] = False,
) -> int:
    """Run a call through the hooks; see what is decided and why.

    The tool does not run; the hooks do: commands are started and webhooks are called.
    """
    if batch is not None:
        _check_alone(tool, args, input_, subagent, prompt, output, error, event)
    policy = load(config or [], isolated=isolated)
    engine = Engine(policy.pipeline, revision=policy.revision)
    where = str(folder() / (cwd or ""))
    who = _actor(actor_word(actor, policy), subagent, policy.actors)
    if batch is not None:
        return run_batch(batch, engine, actor=who, cwd=where, session=session)
    typed = Event(
        name=moment(event, tool, prompt, error, hint=_HINT),
        session_id=session,
        cwd=where,
        actor=who,
        parent_actor=_main(policy.actors) if subagent else None,
        agent_type=subagent,
        tool=_tool(tool, args, input_),
        tool_output=_output(output),
        error=error,
        prompt=prompt,
    )
    # Not `decide_sync`: here an interrupt waits until the hook under way has been ended.
    decision = asyncio.run(engine.decide(typed))
    if as_json:
        print_json(as_document(decision))
    else:
        typer.echo(as_text(decision, verbose=verbose))
    return 0


def _check_alone(*typed: str | None) -> None:
    if any(text is not None for text in typed):
        raise InterlockError(
            "the lines of --batch are the calls; with it use only --actor, --session and --cwd"
        )


def _tool(tool: str | None, args: str | None, whole: str | None) -> ToolCall | None:
    if args is not None and whole is not None:
        raise InterlockError("--args and --input both set the tool's input; keep one of them")
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
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def _main(actors: ActorMap) -> str:
    return actors.of_main(os.environ.get("INTERLOCK_ACTOR"))


def _actor(actor: str | None, subagent: str | None, actors: ActorMap) -> str:
    if actor is not None:
        return actor
    return actors.of_subagent(subagent) if subagent else _main(actors)
