"""`interlock hooks explain`: what would this command really do, and which rule decides?"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from interlock.cli.call_arguments import tool_call
from interlock.cli.json_output import print_json
from interlock.cli.output import printable, short, vote_word
from interlock.cli.policy.analysis_text import reading_lines, wrapped
from interlock.cli.policy.decision_text import Verbose, as_document, unmatched
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, folder, here, load
from interlock.cli.words import actor_word, tool_word
from interlock.effects.command import Command, Reading
from interlock.effects.descriptions import place, position
from interlock.effects.effect import Effect
from interlock.effects.reading import read_call, read_effects
from interlock.engine.engine import Engine
from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Outcome, Vote
from interlock.feature import features
from interlock.policy.allowing import POLICY_FILE, allowing, is_own_rule
from interlock.policy.policy import Policy

SESSION = "explain"


def explain(
    command: Annotated[
        str, typer.Argument(help="The command, or the path or URL of another tool.", show_default=False)
    ],
    tool: Annotated[str, typer.Option(help="The tool to call.", callback=tool_word)] = "Bash",
    actor: Annotated[str | None, typer.Option(help="Who acts, such as agent:executor.")] = None,
    cwd: Annotated[Path | None, typer.Option(help="The agent's folder; default: this one.")] = None,
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> int:
    """See what a command would do, and what decides it.

    The command does not run; the hooks do: commands are started and webhooks are called.
    """
    policy = load(config or [], isolated=isolated)
    call, where = tool_call(tool, command), str(folder() / (cwd or ""))
    who = actor_word(actor, policy) or policy.actors.of_main(os.environ.get("INTERLOCK_ACTOR"))
    event = Event(name=EventName.PRE_TOOL_USE, session_id=SESSION, cwd=where, actor=who, tool=call)
    # Not `decide_sync`: here an interrupt waits until the hook under way has been ended.
    decision = asyncio.run(Engine(policy.pipeline, revision=policy.revision).decide(event))
    reading, effects = _read(call, where)
    file = str(here().user_config / POLICY_FILE)
    granted = _settled(event, decision, policy)
    way = (
        None
        if granted or is_own_rule(decision.decided_by)
        else allowing(event, decision.vote, policy.hooks, STANDARD_TOOLS, file)
    )
    after = [f"{granted.reason}, so it is allowed"] if granted else way.lines if way else []
    if as_json:
        print_json({**_document(event, reading, effects, decision), "allowing": way})
    else:
        what = reading_lines(reading, effects, command, where)
        rules = _rules(decision, verbose=verbose)
        typer.echo("\n".join([*_decided(decision), *what, *rules, *map(printable, after)]))
    return 0


def _settled(event: Event, decision: Decision, policy: Policy) -> Decision | None:
    """The ask as an allow, where the policy has answered it already."""
    answers = (
        one.load(one.settle)(event, decision, policy, STANDARD_TOOLS) for one in features() if one.settle
    )
    return next((answer for answer in answers if answer is not None), None)


def _read(call: ToolCall, cwd: str) -> tuple[Reading, tuple[Effect, ...]]:
    spec = STANDARD_TOOLS.spec(call.name)
    reading = read_call(call, spec, cwd)
    return reading, read_effects(reading, call, spec, cwd)


def _document(
    event: Event, reading: Reading, effects: tuple[Effect, ...], decision: Decision
) -> dict[str, Any]:
    row = _deciding(decision)
    text = reading.deny[0] if reading.deny else ""
    return {
        "tool": event.tool,
        "cwd": event.cwd,
        "actor": event.actor,
        "commands": [_command(one) for one in reading.commands],
        "effects": effects,
        "gaps": [{**msgspec.to_builtins(gap), **_position(place(gap, text), text)} for gap in reading.gaps],
        "decided_by": {"hook": row.hook, "source": row.source, "matcher": row.matcher} if row else None,
        **as_document(decision),
    }


def _command(command: Command) -> dict[str, Any]:
    return {
        "written": command.written,
        "words": [word.text for word in command.words],
        "environment": {name: word.text for name, word in command.environment},
        "writes": command.writes,
        "cwd": command.cwd,
        "via": command.via,
        "more": command.more,
        "transparent": command.transparent,
    }


def _position(at: int | None, text: str) -> dict[str, int | None]:
    line, column = (None, None) if at is None else position(at, text)
    return {"line": line, "column": column}


def _deciding(decision: Decision) -> TraceRow | None:
    """The row whose vote the decision is."""
    named = [row for row in decision.trace if row.hook == decision.decided_by and row.vote is decision.vote]
    return named[-1] if named else None


def _decided(decision: Decision) -> list[str]:
    """What is decided, by which rule, and why."""
    decisive = _deciding(decision)
    word = vote_word(decision.outcome, max(decision.vote, Vote.ALLOW))
    by = printable(f" by {decisive.hook} ({decisive.source})") if decisive else " (no rule objects)"
    reason = wrapped(printable(decision.reason), "  ", "  ") if decision.reason else []
    return [f"decision: {word}{by}", *reason]


def _rules(decision: Decision, *, verbose: bool) -> list[str]:
    """The rules that matched, and what each said that is not told above."""
    matched = [row for row in decision.trace if row.outcome is not Outcome.SKIPPED]
    lines = ["rules", *([] if matched else ["  no rule matched"])]
    for row in matched:
        lines += _rule(row, decision.reason or "")
    if verbose:
        lines += [line for text in unmatched(decision.trace) for line in wrapped(text, "  ", "    ")]
    if decision.updated_input is not None:
        changed = msgspec.json.encode(decision.updated_input).decode()
        lines += wrapped(printable(f"input becomes: {changed}"), "  ", " " * 4)
    return lines


def _rule(row: TraceRow, told: str) -> list[str]:
    marks = [
        mark
        for mark, holds in (
            (str(row.outcome), row.outcome not in {Outcome.SUCCESS, Outcome.BLOCKING}),
            ("shadow", row.shadow),
            ("judged again", row.rejudged),
            ("passed open", row.passed_open),
        )
        if holds
    ]
    notes = f" [{', '.join(marks)}]" if marks else ""
    head = printable(f"{row.hook}{notes}  {row.type} {short(row.matcher)}  {row.source}")
    lines = wrapped(f"{row.vote!s:<8}{head}", "  ", " " * 12)
    fresh = row.reason if row.reason and row.reason not in told else None
    return lines + (wrapped(printable(fresh), " " * 10, " " * 10) if fresh else [])
