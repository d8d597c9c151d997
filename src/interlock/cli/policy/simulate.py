"""`interlock hooks simulate`: what would be decided, and why? For one call or a file of them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from interlock.cli.output import columns, print_json, printable, rule_name, vote_word
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, folder, load
from interlock.cli.words import actor_word, json_object, moment, tool_call, tool_word
from interlock.engine.engine import Engine
from interlock.errors import InterlockError
from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import Outcome, Vote

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="List the rules that did not match, too.")]


def as_document(decision: Decision) -> dict[str, Any]:
    """The decision as JSON values."""
    document: dict[str, Any] = {
        "decision": decision.outcome,
        "reason": decision.reason,
        "feedback": decision.feedback,  # what the agent is told
        "updated_input": decision.updated_input,
        "updated_prompt": decision.updated_prompt,
        "context": "\n\n".join(decision.context) or None,
        "message": "\n\n".join(decision.messages) or None,
        "evidence": msgspec.to_builtins(decision.evidence),
        "votes": [_vote(row) for row in decision.trace],
        "degraded": list(decision.degraded),
        "auto_approve": decision.auto_approve,
        "unread": decision.unread,
        "open_passes": decision.open_passes,
        "revision": decision.revision,
    }
    if decision.updated_output is not msgspec.UNSET:
        document["updated_output"] = decision.updated_output
    return document


def _vote(row: TraceRow) -> dict[str, Any]:
    return {
        "hook": row.hook,
        "type": row.type,
        "matcher": row.matcher,
        "source": row.source,
        "vote": str(row.vote),
        "reason": row.reason,
        "outcome": row.outcome,
        "duration_ms": row.duration_ms,
        "shadow": row.shadow,
        "rejudged": row.rejudged,
        "passed_open": row.passed_open,
    }


def as_text(decision: Decision, *, verbose: bool = False) -> str:
    """The decision and its reason, what is told and changed, and the rules that matched."""
    reason = f" ({printable(decision.reason)})" if decision.reason else ""
    lines = [f"decision: {vote_word(decision.outcome, max(decision.vote, Vote.ALLOW))}{reason}"]
    if decision.updated_input is not None:
        lines.append(f"input becomes: {_as_json(decision.updated_input)}")
    if decision.updated_prompt is not None:
        lines.append(f"prompt becomes: {printable(decision.updated_prompt)}")
    if decision.updated_output is not msgspec.UNSET:
        lines.append(f"output becomes: {_as_json(decision.updated_output)}")
    lines += [f"context: {printable(text)}" for text in decision.context]
    lines += [f"message: {printable(text)}" for text in decision.messages]
    if decision.unread:
        lines.append(f"unread: {printable(decision.unread)}")
    told = decision.reason or ""
    rules = [_cells(row, told) for row in matched(decision, verbose=verbose)]
    lines += [f"matched: {line}" for line in columns(rules)] if rules else ["no rule matched"]
    return "\n".join([*lines, *(unmatched(decision.trace) if verbose else ())])


def matched(decision: Decision, *, verbose: bool) -> list[TraceRow]:
    """The rules that matched; those of a pack that had no opinion only with `verbose`."""
    found = [row for row in decision.trace if row.outcome is not Outcome.SKIPPED]
    return found if verbose else [row for row in found if not _is_silent(row)]


def _is_silent(row: TraceRow) -> bool:
    did_something = row.vote is not Vote.ABSTAIN or row.reason or row.gave or row.updated_input or marks(row)
    return row.source.startswith("pack:") and not did_something


def unmatched(trace: Sequence[TraceRow]) -> list[str]:
    """A line with the rules that did not match, if there are any."""
    names = dict.fromkeys(rule_name(row.hook) for row in trace if row.outcome is Outcome.SKIPPED)
    return [printable(f"did not match: {', '.join(names)}")] if names else []


def _cells(row: TraceRow, told: str) -> tuple[str, ...]:
    """What a rule said, where it is written, and its reason unless that is told already."""
    fresh = [row.reason] if row.reason and row.reason not in told else []
    return (str(row.vote), rule_name(row.hook), row.source, "; ".join([*marks(row), *fresh]))


def marks(row: TraceRow) -> list[str]:
    """What is unusual about the way a rule ran."""
    unusual = {
        str(row.outcome): row.outcome not in {Outcome.SUCCESS, Outcome.BLOCKING},
        "shadow": row.shadow,
        "judged again": row.rejudged,
        "passed open": row.passed_open,
    }
    return [mark for mark, holds in unusual.items() if holds]


def _as_json(value: Any) -> str:
    return printable(msgspec.json.encode(value).decode())


class Line(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One line of a batch."""

    tool: str | None = None
    input: JsonObject = {}
    actor: str | None = None
    event: str | None = None
    prompt: str | None = None
    output: Any = None
    error: str | None = None
    session: str | None = None
    cwd: str | None = None


def run_batch(source: str, engine: Engine, *, actor: str, cwd: str, session: str) -> int:
    """Decide every line; actor, folder and session are for lines that do not name their own.

    A bad line gets an error in its place and makes the exit code 1.
    """
    failed = 0
    # A runner, not `decide_sync`: this way Ctrl-C waits until the running hook has been stopped.
    with asyncio.Runner() as runner:
        for number, line in enumerate(_lines(source), start=1):
            if not line.strip():
                continue
            try:
                document = as_document(runner.run(engine.decide(_event(line, actor, cwd, session))))
            except (msgspec.DecodeError, UnicodeError, RecursionError, InterlockError) as error:
                failed += 1
                document = {"error": f"line {number}: {error}"}
            print_json(document)
    return 1 if failed else 0


def _lines(source: str) -> Iterator[bytes]:
    if source == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(source).open("rb") as file:
            yield from file
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise InterlockError(f"cannot read `{source}`: {reason}; give a file of JSON lines, or -") from error


def _event(line: bytes, actor: str, cwd: str, session: str) -> Event:
    typed = msgspec.json.decode(line, type=Line)
    if typed.input and not typed.tool:
        raise InterlockError("`input` needs `tool`; name the tool")
    return Event(
        name=moment(typed.event, typed.tool, typed.prompt, typed.error, hint="`tool`, `prompt` or `event`"),
        session_id=typed.session or session,
        cwd=typed.cwd or cwd,
        actor=typed.actor or actor,
        tool=ToolCall(name=typed.tool, input=typed.input) if typed.tool else None,
        tool_output=typed.output,
        error=typed.error,
        prompt=typed.prompt,
    )


SESSION = "simulate"
_HINT = "--tool with --args or --input, --prompt, --event or --batch"


def simulate(
    tool: Annotated[str | None, typer.Option(help="The tool to call.", callback=tool_word)] = None,
    args: Annotated[str | None, typer.Option(help="Its main argument: the command, path or address.")] = None,
    input_: Annotated[str | None, typer.Option("--input", help="Its full input, as a JSON object.")] = None,
    actor: Annotated[str | None, typer.Option(help="Who makes the call, such as agent:executor.")] = None,
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

    The tool is not run, but the hooks are: they may start commands and call webhooks.
    """
    if batch is not None:
        _check_alone(tool, args, input_, subagent, prompt, output, error, event)
    policy = load(config or [], isolated=isolated, notes=True)
    engine = Engine(policy.pipeline, revision=policy.revision)
    where = str(folder() / (cwd or ""))
    main = policy.actors.of_main(os.environ.get("INTERLOCK_ACTOR"))
    who = actor_word(actor, policy)
    if who is None:
        who = policy.actors.of_subagent(subagent) if subagent else main
    if batch is not None:
        return run_batch(batch, engine, actor=who, cwd=where, session=session)
    typed = Event(
        name=moment(event, tool, prompt, error, hint=_HINT),
        session_id=session,
        cwd=where,
        actor=who,
        parent_actor=main if subagent else None,
        agent_type=subagent,
        tool=_tool(tool, args, input_),
        tool_output=_output(output),
        error=error,
        prompt=prompt,
    )
    # Not `decide_sync`: this way Ctrl-C waits until the running hook has been stopped.
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
