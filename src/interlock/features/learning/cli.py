"""The commands that learn from what was decided."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.ledger import pages_of, progress, reading
from interlock.cli.output import Json, print_json, printable, short, vote_word
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here, named_files, trust_list
from interlock.cli.words import SinceOption, parse_time
from interlock.daemon.effects_pool.pool import WorkerReader
from interlock.daemon.paths import places_of
from interlock.daemon.policy_loader import guarded_of
from interlock.errors import ConfigError, InterlockError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.names import JUDGED
from interlock.events.tool import FALLBACK_FIELDS, JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.learning.history import Approvals, ApprovedCall, RecordedDecision, read_decision
from interlock.features.learning.policies import Answers, TriedPolicies
from interlock.features.learning.suggest import ENOUGH, Suggestion, diff, edit, keep_asked, make_suggestions
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter
from interlock.policy.files.read import FileKind, PolicyText, kind_of
from interlock.policy.load import load_policy

_MOST: Final = 2_000  # changes kept apart; more are counted
_LONGEST: Final = 2_000  # characters of a call that are kept

Progress = Callable[[int], object]


class Side(msgspec.Struct, frozen=True):
    """The part of a decision that is compared."""

    decision: str
    rule: str | None = None
    reason: str | None = None
    updated_input: JsonObject | None = None


class Change(msgspec.Struct, kw_only=True):
    """Calls whose decision would change in the same way."""

    before: Side
    after: Side
    event: str
    tool: str | None
    subject: str  # the command, path or prompt
    actor: str
    count: int = 0
    seqs: list[int] = []  # the newest few
    redacted: bool = False  # secrets were removed from what was judged
    uncertain: bool = False  # a hook that applies has no answer in the record


class Replay(msgspec.Struct, kw_only=True):
    """The result of a replay."""

    replayed: int = 0
    unchanged: int = 0
    changed: int = 0
    redacted: int = 0
    # why a decision could not be replayed → how many
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    not_replayed: dict[str, int] = {}  # hooks without an answer in the record
    from_record: dict[str, int] = {}  # hooks whose recorded answer was taken
    changes: list[Change] = []
    more: int = 0  # changes beyond those kept apart


class Replayer:
    """Replays entries one by one; its memory does not grow with their number."""

    def __init__(self, policies: TriedPolicies, answers: Answers, runner: asyncio.Runner) -> None:
        self._policies: Final = policies
        self._answers: Final = answers
        self._runner: Final = runner
        self._changes: Final[dict[tuple[object, ...], Change]] = {}
        self._result: Final = Replay()

    def run(self, entries: Iterable[Entry], limit: int | None, progress: Progress | None = None) -> Replay:
        """Replay the decisions among these entries, at most this many."""
        for entry in entries:
            if entry.op == "decision" and entry.event in JUDGED:
                self._replay(entry)
                if progress is not None:
                    progress(self._result.replayed)
            if limit is not None and self._result.replayed >= limit:
                break
        result = self._result
        result.not_replayed, result.from_record = dict(self._answers.missing), dict(self._answers.taken)
        result.changes = sorted(self._changes.values(), key=lambda change: (-change.count, change.subject))
        return result

    def _replay(self, entry: Entry) -> None:
        record = read_decision(entry)
        if record is None:
            self._result.skipped["its record cannot be read"] += 1
            return
        event = record.as_event()
        if record.tool is not None and record.tool_input is None:
            self._result.skipped["its input is not recorded"] += 1
        elif record.by_people:
            self._result.skipped["a person decided it"] += 1
        elif (tried := self._policies.load_for(event)) is None:
            self._result.skipped["the policy of its project does not load"] += 1
        else:
            event = tried.with_actor(event)
            self._answers.open(record, tried.policy.revision)
            decision = tried.engine.start(event)
            if not isinstance(decision, Decision):  # git is asked, or another process reads a long text
                decision = self._runner.run(decision)
            self._compare(entry, record, event, tried.settle(event, decision))

    def _compare(self, entry: Entry, record: RecordedDecision, event: Event, decision: Decision) -> None:
        result = self._result
        result.replayed += 1
        result.redacted += record.redacted
        vote = record.voted
        changed = None if vote is Vote.DENY else record.updated_input
        before = Side(str(max(vote, Vote.ALLOW)), record.decided_by, record.reason, changed)
        after = Side(decision.outcome, decision.decided_by, decision.reason, decision.updated_input)
        if (before.decision, before.updated_input) == (after.decision, after.updated_input):
            result.unchanged += 1
            return
        result.changed += 1
        subject = _subject(event)[:_LONGEST]
        key = (before.decision, after.decision, before.rule, after.rule, event.name, record.tool, subject)
        if key not in self._changes:
            if len(self._changes) >= _MOST:
                result.more += 1
                return
            self._changes[key] = Change(
                before=before,
                after=after,
                event=event.name,
                tool=record.tool,
                subject=subject,
                actor=event.actor,
                seqs=[],
            )
        change = self._changes[key]
        change.count += 1
        change.redacted |= record.redacted
        change.uncertain |= self._answers.unknown
        if len(change.seqs) < _MOST_SEQS:
            change.seqs.append(entry.seq)


_MOST_SEQS: Final = 5  # enough to look some of them up


def _subject(event: Event) -> str:
    """What the call is about, for people."""
    if event.tool is None:
        return event.prompt or ""
    spec = STANDARD_TOOLS.spec(event.tool.name)
    names = (spec.main,) if spec and spec.main else FALLBACK_FIELDS
    value = next((event.tool.input[name] for name in names if name in event.tool.input), None)
    return value if isinstance(value, str) else msgspec.json.encode(event.tool.input).decode()


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
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Only the newest decisions, at most this many.")
    ] = None,
    isolated: Annotated[
        bool, typer.Option("--isolated", help="Only the files named by --config, no others.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Try another policy on recorded calls.

    It shows every decision that would change.

    Nothing is run. For hooks that start programs or call webhooks, it uses the recorded answer, or lists the
    hook if there is none.
    Exit 0 when no decision changes, 1 when one does, 2 when the policy could not be tried.
    """
    require_person("replay")
    if session is not None:
        with reading() as ledger:
            if not ledger.page(Filter(session=session), limit=1):
                raise InterlockError(
                    f"no session `{session}` is recorded; `interlock log` shows those that are"
                )
    wanted = Filter(session=session, since=parse_time(since, "--since") if since else None, op="decision")
    try:
        result = _replay_all(_files(config or [], isolated=isolated), wanted, limit, isolated, bool(config))
    except ConfigError as error:
        typer.echo("\n".join(printable(str(problem)) for problem in error.problems), err=True)
        return _ERROR
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        typer.echo("\n".join(_lines(result)))
    return 1 if result.changed else 0


def _replay_all(
    files: Sequence[tuple[Layer, Path]], wanted: Filter, limit: int | None, isolated: bool, is_named: bool
) -> Replay:
    guarded = guarded_of(places_of(here()))
    # A project's file that is named replaces those of the projects.
    with_projects = not isolated and not (is_named and any(layer is Layer.PROJECT for layer, _ in files))
    answers = Answers()
    with asyncio.Runner() as runner:
        reader = WorkerReader(guarded=guarded)
        policies = TriedPolicies(
            files,
            answers,
            environ=os.environ,
            guarded=guarded,
            trust=trust_list(here()) if with_projects else None,
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


def _lines(result: Replay) -> Iterator[str]:
    yield from (line for change in result.changes for line in _change(change))
    if result.more:
        yield f"… and {result.more:,} more that differ from all of these"
    counts = f"{result.changed:,} would change, {result.unchanged:,} would not"
    yield f"{result.replayed:,} decisions replayed: {counts}"
    if result.redacted:
        yield f"{result.redacted:,} had secrets removed: what matched a secret may be decided differently"
    for hook, count in result.not_replayed.items():
        yield printable(f"not replayed: {hook}, {count:,} times; it runs a program or makes a network call")
    for hook, count in result.from_record.items():
        yield printable(f"from the record: {hook}, {count:,} answers")
    for why, count in result.skipped.items():
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
    actor: Annotated[str | None, typer.Option(help="Only what you approved for this actor.")] = None,
    enough: Annotated[
        int,
        typer.Option("--enough", min=2, help="Write `*` for an operand after this many different values."),
    ] = ENOUGH,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the grants and their evidence as JSON.")
    ] = False,
) -> int:
    """Propose grants for what you keep approving.

    It prints the fewest grants that cover your approvals, as a patch for your genesis.key.

    A grant covers whole commands only, in the folder and for the actor you approved them for.
    """
    require_person("suggest")
    path = here().user_config / FileKind.GENESIS
    content = path.read_text("utf-8") if path.exists() else ""
    approvals, answers = Approvals(pages_of), Answers()
    calls = approvals.gather(parse_time(since, "--since") if since else None, actor)
    locations = here()
    policies = TriedPolicies(
        [file for file in locations.policies() if file[0] <= Layer.USER],
        answers,
        environ=os.environ,
        guarded=guarded_of(places_of(locations)),
        trust=trust_list(locations),
    )
    policies.check()
    calls = keep_asked(calls, policies, answers, approvals.left_out)
    policies.close()
    lines = make_suggestions(calls, enough)
    if as_json:
        print_json({"suggestions": lines, "left_out": approvals.left_out})
        return 0
    for note in _notes(lines, calls, approvals.left_out):
        typer.echo(printable(note), err=True)
    if lines:
        after = edit(content, lines)
        _check(path, after)
        change = diff(str(path), content, after).splitlines()
        # A terminal gets escaped text; a program like `patch` needs the exact bytes.
        typer.echo("\n".join(map(printable, change) if sys.stdout.isatty() else change))
    return 0


def _check(path: Path, after: str) -> None:
    """A change that would not load is a defect of ours, and must not be offered."""
    load_policy([(Layer.USER, PolicyText(shown=path, content=after.encode()))], environ=os.environ)


def _notes(lines: list[Suggestion], calls: list[ApprovedCall], left_out: Counter[str]) -> Iterator[str]:
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
