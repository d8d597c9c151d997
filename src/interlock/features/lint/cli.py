"""`interlock check` and `hooks lint`: rules that do nothing, too much, or not what they say."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.help import make_group
from interlock.cli.ledger import pages_of
from interlock.cli.output import Json, colours, print_json, printable, wrapped
from interlock.cli.policy.validate import broken_document, print_counts, valid_document
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, policy_sources
from interlock.engine.failure import can_fail_open
from interlock.errors import ConfigError
from interlock.events.hook import PACK_SOURCE
from interlock.events.text import plural
from interlock.features.lint.contradictions import find_contradictory, find_shadowed
from interlock.features.lint.policy_files import (
    Code,
    Finding,
    LintedPolicy,
    PolicyFile,
    Weight,
    about_hook,
    read_policy_files,
)
from interlock.features.lint.reach import find_bad_suggestions, find_dead, find_too_broad
from interlock.ledger.reader import ANY
from interlock.policy.files.document import Path as NodePath
from interlock.policy.load import load_policy
from interlock.store.clock import timestamp

# Names that Interlock gives to hooks without a name.
_AUTOMATIC_NAME: Final = re.compile(r"\w+\[\d+\]:\w*|genesis_enforcement")


class HookCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How often each hook ran, as far as it was recorded."""

    days: int
    by_hook: Mapping[tuple[str, str], int]  # by name and file
    by_event: Mapping[str, int]


def find_failing_open(policy: LintedPolicy) -> Iterator[Finding]:
    """Judges whose failure allows a call."""
    for hook in policy.policy.hooks:
        if can_fail_open(hook):
            message = "some of this hook's failures allow the call"
            cure = "write `on_failure: closed`, or `ask`"
            yield about_hook(hook, Weight.WARNING, Code.FAILS_OPEN, message, cure)


def find_duplicate_names(policy: LintedPolicy) -> Iterator[Finding]:
    """Hooks that traces and tests cannot tell apart."""
    first: dict[str, str] = {}
    for hook in policy.policy.hooks:
        if _AUTOMATIC_NAME.fullmatch(hook.name):
            continue
        if hook.name in first:
            message = f"the name `{hook.name}` is already used by {first[hook.name]}"
            yield about_hook(hook, Weight.WARNING, Code.DUPLICATE, message, "give each rule its own name")
        first.setdefault(hook.name, str(hook.source))


def find_lone_approvers(policy: LintedPolicy) -> Iterator[Finding]:
    """Approvals that only one actor may give, who also works under the policy."""
    workers = set(policy.policy.actors.names)
    for file in policy.files:
        workers |= set(file.record.permissions.actors)
    for file in policy.files:
        for path, who in _find_lone_approvers(file):
            if who in workers:
                message = f"{who} is the only approver and also works here; nobody may approve their own work"
                place = (file.document.file, file.line(path), who)
                yield Finding(Weight.WARNING, Code.LONE_APPROVER, *place, message, "name a second approver")


def _find_lone_approvers(file: PolicyFile) -> Iterator[tuple[NodePath, str]]:
    """The places where a file names exactly one approver, and the approver."""
    document = file.document.root.plain()
    scopes = document.get("settings", {}).get("approval", {}).get("approvers", {})
    if len(scopes) == 1:
        yield ("settings", "approval", "approvers"), next(iter(scopes))
    for event, entries in document.get("hooks", {}).items():
        for index, entry in enumerate(entries):
            named = entry.get("config", {}).get("approvers", [])
            named = named.get("of", []) if isinstance(named, dict) else named
            if len(named) == 1:
                yield ("hooks", event, index, "config", "approvers"), named[0]


def find_never_matched(policy: LintedPolicy, counts: HookCounts) -> Iterator[Finding]:
    """Hooks that no recorded call has matched."""
    for hook in policy.policy.hooks:
        if counts.by_hook.get((hook.name, hook.source.file), 0):
            continue
        events = sum(counts.by_event.get(event, 0) for event in hook.events)
        where = f"{events} recorded events of its kind" if events else "no event of its kind was recorded"
        message = f"not matched in {counts.days} days ({where})"
        cure = "try it with `interlock hooks simulate`; remove it if it is no longer needed"
        yield about_hook(hook, Weight.WARNING, Code.UNMATCHED, message, cure)


class _Row(msgspec.Struct):
    hook: str = ""
    source: str = ""


class _Body(msgspec.Struct):
    event: str = ""
    trace: list[_Row] = []


def count_in_ledger(days: int) -> HookCounts:
    """Count the decisions of the last days, newest first, until one is older."""
    since = timestamp(time.time() - days * 86_400)
    hooks: Counter[tuple[str, str]] = Counter()
    events: Counter[str] = Counter()
    for entry in pages_of(ANY):
        if entry.ts < since:
            break
        if entry.event is not None and (body := entry.body_as(_Body)) is not None:
            events[body.event] += 1
            hooks.update((row.hook, row.source.rpartition(":")[0] or row.source) for row in body.trace)
    return HookCounts(days=days, by_hook=hooks, by_event=events)


_CHECKS: Final[tuple[Callable[[LintedPolicy], Iterator[Finding]], ...]] = (
    find_dead,
    find_shadowed,
    find_contradictory,
    find_too_broad,
    find_bad_suggestions,
    find_failing_open,
    find_duplicate_names,
    find_lone_approvers,
)


def lint(policy: LintedPolicy, counts: HookCounts | None = None) -> list[Finding]:
    """All findings, by file and line; those of the ledger only where it was read."""
    findings = [row for check in _CHECKS for row in check(policy)]
    if counts is not None:
        findings += find_never_matched(policy, counts)
    order = {file.document.file: place for place, file in enumerate(policy.files)}
    # A hook bound to two moments is one rule.
    unique = dict.fromkeys(row for row in findings if not _is_advice_about_pack(row))
    return sorted(
        unique,
        key=lambda row: (order.get(row.file, len(order)), row.file, row.line, row.weight),
    )


def _is_advice_about_pack(finding: Finding) -> bool:
    """Only we can follow it; users of a pack are told what does not work."""
    ours = finding.file.startswith(PACK_SOURCE)
    return ours and (finding.weight is Weight.WARNING or finding.code is Code.SHADOWED)


_COLOUR = {Weight.ERROR: typer.colors.RED, Weight.WARNING: typer.colors.YELLOW}


def finding_lines(finding: Finding) -> list[str]:
    """Place, weight and rule; then the sentence and what to do."""
    weight = typer.style(finding.weight, fg=_COLOUR[finding.weight]) if colours() else str(finding.weight)
    head = printable(f"[{finding.code}] {finding.rule}")
    lines = [f"{printable(finding.place)}: {weight} {head}"]
    lines += wrapped(printable(finding.message), "  ", "  ")
    return lines + wrapped(printable(f"→ {finding.cure}"), "  ", "    ")


_BROKEN = 2


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILES",
        help="Check only these policy files; default: all that apply here.",
        show_default=False,
    ),
]
Config = Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)]
Isolated = Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)]
Strict = Annotated[bool, typer.Option("--strict", help="Fail on warnings, too.")]


def lint_hooks(
    files: Files = None,
    config: Config = None,
    isolated: Isolated = False,
    ledger: Annotated[
        bool, typer.Option("--ledger", help="Also report rules that no recorded call has matched.")
    ] = False,
    days: Annotated[int, typer.Option(min=1, help="How far --ledger looks back.")] = 30,
    strict: Strict = False,
    as_json: Json = False,
) -> int:
    """Find rules that do nothing or allow too much.

    It reports rules that never match, shadow or contradict each other, or allow too much.

    Exit 0 when clean, 1 with errors (with --strict also with warnings), 2 when the policy does not load.
    """
    sources = policy_sources([*(files or ()), *(config or ())], isolated=isolated or bool(files))
    try:
        policy = load_policy(sources, environ=os.environ)
    except ConfigError as error:
        if as_json:
            print_json({"clean": False, "errors": error.problems, "findings": []})
        else:
            typer.echo("\n".join(printable(str(problem)) for problem in error.problems), err=True)
        return _BROKEN
    findings = lint(read_policy_files(policy, sources), count_in_ledger(days) if ledger else None)
    if as_json:
        print_json(
            {"clean": not findings, "files": [file.file for file in policy.files], "findings": findings}
        )
    else:
        _print(findings)
    return 1 if _failed(findings, strict=strict) else 0


def _print(findings: list[Finding]) -> None:
    for finding in findings:
        typer.echo("\n".join(finding_lines(finding)))
    errors = sum(finding.weight is Weight.ERROR for finding in findings)
    counts = f"{plural(errors, 'error')}, {plural(len(findings) - errors, 'warning')}"
    typer.echo(counts if findings else "no problems found")


def check(
    files: Files = None,
    config: Config = None,
    isolated: Isolated = False,
    strict: Strict = False,
    as_json: Json = False,
) -> int:
    """Find mistakes in your policy files.

    It reports files that do not load, and rules that never match, contradict each other or allow too much.
    Exit 0 without an error, 1 with one (with --strict also with a warning).
    """
    sources = policy_sources([*(files or ()), *(config or ())], isolated=isolated or bool(files))
    try:
        policy = load_policy(sources, environ=os.environ, check_packs=True)
    except ConfigError as error:
        if not as_json:
            raise
        print_json({**broken_document(error.problems), "findings": []})
        return 1
    findings = lint(read_policy_files(policy, sources), None)
    if as_json:
        print_json({**valid_document(policy), "findings": findings})
    elif policy.files:
        print_counts(policy)
        _print(findings)
    else:
        typer.echo("there is no policy here; `interlock setup` writes one")
    return 1 if _failed(findings, strict=strict) else 0


def _failed(findings: Sequence[Finding], *, strict: bool) -> bool:
    return any(strict or finding.weight is Weight.ERROR for finding in findings)


def add(app: typer.Typer) -> None:
    app.command(epilog="Example: interlock check; interlock check .interlock/genesis.key --strict")(check)
    make_group(app, "hooks").command(
        "lint", epilog="Example: interlock hooks lint --config .interlock/genesis.key --strict"
    )(lint_hooks)
