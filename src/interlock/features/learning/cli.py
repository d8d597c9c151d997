"""The commands that learn from what was decided."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.dates import SinceOption, parse_time
from interlock.cli.json_output import print_json
from interlock.cli.ledger import progress, reading
from interlock.cli.ledger_filters import pages_of
from interlock.cli.output import printable, short, vote_word
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here, named_files, trust_list
from interlock.daemon.effects_pool.pool import WorkerReader
from interlock.daemon.paths import places_of
from interlock.daemon.protected_paths import guarded_of
from interlock.errors import ConfigError, InterlockError
from interlock.events.source import Layer
from interlock.events.verdict import Vote
from interlock.features.learning.generalize import ENOUGH
from interlock.features.learning.history import Approvals, ApprovedCall
from interlock.features.learning.policies import Answers, TriedPolicies
from interlock.features.learning.replay import Change, Replay, Replayer, Side
from interlock.features.learning.suggest import Suggested, diff, edited, still_asked, suggested
from interlock.ledger.reader import Filter
from interlock.policy.files.read import FileKind, PolicyText, kind_of
from interlock.policy.load import load_policy

_ERROR: Final = 2
_MARKS: Final = (("redacted", "secrets taken out"), ("uncertain", "a hook was not replayed"))


def replay(
    config: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy file that replaces yours of the same kind, or `LAYER:FILE` for that layer's; "
            "may be repeated. Default: the current policy."
        ),
    ] = None,
    since: SinceOption = None,
    session: Annotated[str | None, typer.Option(help="Only of this session.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Only this many decisions, the newest.")
    ] = None,
    isolated: Annotated[
        bool, typer.Option("--isolated", help="Only the files named by --config, no others.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Try another policy on recorded calls.

    It shows every decision that would change.

    Nothing runs: of hooks that run programs or call out, what they said then is taken, or they are named.
    Exit code 0: nothing changes; 1: something does; 2: it could not be tried.
    """
    require_person("replay")
    if session is not None:
        _check_session(session)
    wanted = Filter(session=session, since=parse_time(since, "--since") if since else None, op="decision")
    try:
        found = _replayed(_files(config or [], isolated=isolated), wanted, limit, isolated, bool(config))
    except ConfigError as error:
        typer.echo("\n".join(printable(str(problem)) for problem in error.problems), err=True)
        return _ERROR
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        typer.echo("\n".join(_text(found)))
    return 1 if found.changed else 0


def _check_session(session: str) -> None:
    with reading() as ledger:
        if not ledger.page(Filter(session=session), limit=1):
            raise InterlockError(f"no session `{session}` is recorded; `interlock log` shows those that are")


def _replayed(
    files: Sequence[tuple[Layer, Path]], wanted: Filter, limit: int | None, isolated: bool, named: bool
) -> Replay:
    guarded = guarded_of(places_of(here()))
    # A project's file that is named stands for what the projects have.
    own = not isolated and not (named and any(layer is Layer.PROJECT for layer, _ in files))
    answers = Answers()
    with asyncio.Runner() as runner:
        reader = WorkerReader(guarded=guarded)
        policies = TriedPolicies(
            files,
            answers,
            environ=os.environ,
            guarded=guarded,
            trust=trust_list(here()) if own else None,
            read=reader,
        )
        policies.check()
        try:
            return Replayer(policies, answers, runner).run(pages_of(wanted), limit, progress("replayed"))
        finally:
            policies.close()
            runner.run(reader.close())


def _files(config: Sequence[str], *, isolated: bool) -> list[tuple[Layer, Path]]:
    """The managed and the user's files, with those that are named in their places."""
    named = named_files(config)
    taken = {(layer, kind_of(path)) for layer, path in named}
    own = [] if isolated else [file for file in here().policies() if file[0] <= Layer.USER]
    return [file for file in own if (file[0], kind_of(file[1])) not in taken] + named


def _text(found: Replay) -> Iterator[str]:
    yield from (line for change in found.changes for line in _change(change))
    if found.more:
        yield f"… and {found.more:,} more that differ from all of these"
    counts = f"{found.changed:,} would change, {found.unchanged:,} would not"
    yield f"{found.replayed:,} decisions replayed: {counts}"
    if found.redacted:
        yield f"{found.redacted:,} had secrets removed: what matched a secret may be decided differently"
    for hook, count in found.not_replayed.items():
        yield printable(f"not replayed: {hook}, {count:,} times; it runs a program or makes a network call")
    for hook, count in found.from_record.items():
        yield printable(f"from the record: {hook}, {count:,} answers")
    for why, count in found.skipped.items():
        yield f"left out: {count:,}, because {why}"


def _change(change: Change) -> Iterator[str]:
    before, after = change.before, change.after
    words = f"{_word(before)} → {_word(after)}"
    notes = "".join(f" ({text})" for name, text in _MARKS if getattr(change, name))
    call = f"{change.tool or change.event} {short(change.subject)}".strip()
    yield f"{words}  {change.count:,} times  {printable(call)}{notes}"
    entries = ", ".join(map(str, change.seqs)) + (" …" if change.count > len(change.seqs) else "")
    yield printable(f"    entries {entries}; {change.actor}")
    yield from (_side(word, side) for word, side in (("was", before), ("would be", after)))


def _word(side: Side) -> str:
    return vote_word(side.decision, Vote[side.decision.upper()])


def _side(word: str, side: Side) -> str:
    changed: Any = side.updated_input
    parts = [
        f"by {side.rule}" if side.rule else "no rule objects",
        side.reason or "",
        f"input becomes {msgspec.json.encode(changed).decode()}" if changed is not None else "",
    ]
    return printable(f"    {word}: " + "; ".join(part for part in parts if part))


def suggest(
    since: SinceOption = None,
    actor: Annotated[str | None, typer.Option(help="Only what this actor was allowed.")] = None,
    enough: Annotated[
        int,
        typer.Option("--enough", min=2, help="After this many different operands, a `*` stands for them."),
    ] = ENOUGH,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lines and their evidence.")] = False,
) -> int:
    """Propose grants for what you keep approving.

    It prints the fewest grants that cover it, as a change of your genesis.key.

    Never more than was seen: whole commands, in the folder and for the actor they were approved for.
    """
    require_person("suggest")
    path = here().user_config / FileKind.GENESIS
    content = path.read_text("utf-8") if path.exists() else ""
    approvals, answers = Approvals(pages_of), Answers()
    calls = approvals.gather(parse_time(since, "--since") if since else None, actor)
    policies = _policies(answers)
    policies.check()
    calls = still_asked(calls, policies, answers, approvals.left_out)
    policies.close()
    lines = suggested(calls, enough)
    if as_json:
        print_json({"suggestions": lines, "left_out": approvals.left_out})
        return 0
    for note in _notes(lines, calls, approvals.left_out):
        typer.echo(printable(note), err=True)
    if lines:
        after = edited(content, lines)
        _check(path, after)
        change = diff(str(path), content, after).splitlines()
        # Written out for whoever looks at it; a program gets the bytes it must find again.
        typer.echo("\n".join(map(printable, change) if sys.stdout.isatty() else change))
    return 0


def _policies(answers: Answers) -> TriedPolicies:
    locations = here()
    files = [file for file in locations.policies() if file[0] <= Layer.USER]
    guarded = guarded_of(places_of(locations))
    trust = trust_list(locations)
    return TriedPolicies(files, answers, environ=os.environ, guarded=guarded, trust=trust)


def _check(path: Path, after: str) -> None:
    """A change that would not load is a defect of ours, and must not be offered."""
    load_policy([(Layer.USER, PolicyText(shown=path, content=after.encode()))], environ=os.environ)


def _notes(lines: list[Suggested], calls: list[ApprovedCall], left_out: Counter[str]) -> Iterator[str]:
    if lines:
        yield f"lines: {len(lines)}, approved calls they cover: {len(calls)}; review each line, then apply:"
        yield "interlock suggest > grants.diff; patch GENESIS.KEY grants.diff"
    else:
        yield "nothing to suggest: the policy no longer asks about any approved call"
    for why, count in left_out.most_common():
        yield f"left out: {count}, because {why}"


def add(app: typer.Typer) -> None:
    """Give the program its commands that try a policy on the past, and propose grants."""
    app.command(epilog="Example: interlock replay --config new.key --since 7d")(replay)
    app.command(epilog="Example: interlock suggest --since 30d > grants.diff")(suggest)
