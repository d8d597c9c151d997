"""`interlock explain`: what would this command really do, and which rule decides?"""

from __future__ import annotations

import asyncio
import os
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.output import (
    LEAST_WIDTH,
    columns,
    print_json,
    printable,
    rule_name,
    short,
    vote_word,
    width,
    wrapped,
    wrapped_prose,
)
from interlock.cli.policy.simulate import Verbose, as_document, marks, matched, unmatched
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, folder, here, load
from interlock.cli.words import actor_word, tool_call, tool_word
from interlock.effects.command import Command, Gap, Reading
from interlock.effects.descriptions import Branch, knowledge_of, locate_gap, notes, position, target_of, tree
from interlock.effects.effect import Effect
from interlock.effects.reading import read_call, read_effects
from interlock.engine.engine import Engine
from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.feature import features
from interlock.policy.allowing import POLICY_FILE, allowing, is_own_rule
from interlock.policy.policy import Policy

_WIDE: Final = frozenset("WF")
_MARGIN: Final = 8


def reading_lines(reading: Reading, effects: Sequence[Effect], text: str, cwd: str) -> list[str]:
    """The commands as a tree, the effects, and the places that cannot be read."""
    lines: list[str] = []
    if reading.commands:
        lines += ["reading", *_branches(tree(reading.commands), "  ", cwd, cwd)]
    if effects:
        rows = dict.fromkeys((one.kind, target_of(one, cwd), knowledge_of(one)) for one in effects)
        lines += ["effects", *(f"  {line}" for line in columns(list(rows)))]
    if reading.gaps:
        lines += ["unread", *(line for gap in reading.gaps for line in _gap_lines(gap, text))]
    elif reading.unread:
        lines += ["unread", f"  {printable(reading.unread)}"]
    return lines or ([] if text.strip() else ["reading", "  nothing would run: the command is empty"])


def _branches(branches: Sequence[Branch], before: str, around: str | None, cwd: str) -> Iterator[str]:
    for branch in branches:
        last = branch is branches[-1]
        below = before + ("   " if last else "│  ")
        yield from wrapped(
            printable(branch.command.written), before + ("└─ " if last else "├─ "), below + "  "
        )
        deeper = below + ("│  " if branch.inside else "   ")
        told = "; ".join(map(printable, notes(branch.command, around, cwd)))
        if told:
            yield from wrapped(told, deeper, deeper + "  ")
        yield from _branches(branch.inside, below, branch.command.cwd, cwd)


def _gap_lines(gap: Gap, text: str) -> Iterator[str]:
    at = locate_gap(gap, text)
    if at is None:
        yield from wrapped(printable(f"{gap.kind}: {gap.why}"), "  ", "    ")
        yield from wrapped(printable(gap.text), "      ", "      ")
        return
    line, column = position(at, text)
    yield from wrapped(printable(f"{line}:{column} {gap.kind}: {gap.why}"), "  ", "    ")
    yield from (f"      {one}" for one in _caret(text, at))


def _caret(text: str, at: int) -> Iterator[str]:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:].partition("\n")[0]
    before, after = printable(line[: at - start]), printable(line[at - start :])
    room = max(width() - _MARGIN, LEAST_WIDTH)
    if len(before) > room // 2 and len(before) + len(after) > room:
        before = "…" + before[-(room // 2) :]
    if len(before) + len(after) > room:
        after = after[: room - len(before) - 1] + "…"
    yield before + after
    yield " " * sum(map(_columns_of, before)) + "^"


def _columns_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


SESSION = "explain"


def explain(
    command: Annotated[
        str, typer.Argument(help="The command, or the path or URL of another tool.", show_default=False)
    ],
    tool: Annotated[str, typer.Option(help="The tool to call.", callback=tool_word)] = "Bash",
    actor: Annotated[str | None, typer.Option(help="Who makes the call, such as agent:executor.")] = None,
    cwd: Annotated[Path | None, typer.Option(help="The agent's folder; default: this one.")] = None,
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> int:
    """See what a command would do, and what decides it.

    The command is not run, but the hooks are: they may start commands and call webhooks.
    """
    policy = load(config or [], isolated=isolated, notes=bool(config))
    call, where = tool_call(tool, command), str(folder() / (cwd or ""))
    who = actor_word(actor, policy) or policy.actors.of_main(os.environ.get("INTERLOCK_ACTOR"))
    event = Event(name=EventName.PRE_TOOL_USE, session_id=SESSION, cwd=where, actor=who, tool=call)
    # Not `decide_sync`: this way Ctrl-C waits until the running hook has been stopped.
    decision = asyncio.run(Engine(policy.pipeline, revision=policy.revision).decide(event))
    spec = STANDARD_TOOLS.spec(call.name)
    reading = read_call(call, spec, where)
    effects = read_effects(reading, call, spec, where)
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
        typer.echo("\n".join([*_decided(decision), *what, *rules, *wrapped_prose(after)]))
    return 0


def _settled(event: Event, decision: Decision, policy: Policy) -> Decision | None:
    """An ask as an allow, if somebody has answered it already."""
    answers = (
        one.load(one.settle)(event, decision, policy, STANDARD_TOOLS) for one in features() if one.settle
    )
    return next((answer for answer in answers if answer is not None), None)


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
        "gaps": [
            {**msgspec.to_builtins(gap), **_place_in_text(locate_gap(gap, text), text)}
            for gap in reading.gaps
        ],
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


def _place_in_text(at: int | None, text: str) -> dict[str, int | None]:
    line, column = (None, None) if at is None else position(at, text)
    return {"line": line, "column": column}


def _deciding(decision: Decision) -> TraceRow | None:
    """The row that decided."""
    named = [row for row in decision.trace if row.hook == decision.decided_by and row.vote is decision.vote]
    return named[-1] if named else None


def _decided(decision: Decision) -> list[str]:
    row = _deciding(decision)
    word = vote_word(decision.outcome, max(decision.vote, Vote.ALLOW))
    by = printable(f" by {rule_name(row.hook)} ({row.source})") if row else " (no rule objects)"
    reason = wrapped(printable(decision.reason), "  ", "  ") if decision.reason else []
    return [f"decision: {word}{by}", *reason]


def _rules(decision: Decision, *, verbose: bool) -> list[str]:
    """The rules that matched, and their reasons unless they are told above."""
    lines = [line for row in matched(decision, verbose=verbose) for line in _rule(row, decision.reason or "")]
    if verbose:
        lines += [line for text in unmatched(decision.trace) for line in wrapped(text, "  ", "    ")]
    lines = ["rules", *lines] if lines else []
    if decision.updated_input is not None:
        changed = msgspec.json.encode(decision.updated_input).decode()
        lines += wrapped(printable(f"input becomes: {changed}"), "  ", " " * 4)
    return lines


def _rule(row: TraceRow, told: str) -> list[str]:
    unusual = f" [{', '.join(marks(row))}]" if marks(row) else ""
    kind = "" if row.hook.endswith(f"]:{row.type}") else f"{row.type} "  # its name says it already
    head = printable(f"{rule_name(row.hook)}{unusual}  {kind}{short(row.matcher)}  {row.source}")
    lines = wrapped(f"{row.vote!s:<8}{head}", "  ", " " * 12)
    fresh = row.reason if row.reason and row.reason not in told else None
    return lines + (wrapped(printable(fresh), " " * 10, " " * 10) if fresh else [])
