"""`interlock suggest`: what people keep approving, as lines of their policy."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.dates import SinceOption, parse_time
from interlock.cli.json_output import print_json
from interlock.cli.ledger_filters import pages_of
from interlock.cli.output import printable
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here, trust_list
from interlock.daemon.paths import places_of
from interlock.daemon.protected_paths import guarded_of
from interlock.events.source import Layer
from interlock.features.learning.generalize import ENOUGH
from interlock.features.learning.history import Approvals, ApprovedCall
from interlock.features.learning.policies import Answers, TriedPolicies
from interlock.features.learning.suggest import Suggested, diff, edited, still_asked, suggested
from interlock.policy.files.read import FileKind
from interlock.policy.files.source import PolicyText
from interlock.policy.load import load_policy


def suggest(
    since: SinceOption = None,
    actor: Annotated[str | None, typer.Option(help="Only what this actor was allowed.")] = None,
    enough: Annotated[
        int,
        typer.Option("--enough", min=2, help="How many different operands before a `*` stands for them."),
    ] = ENOUGH,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lines and their evidence.")] = False,
) -> int:
    """Propose the fewest grants that cover what was approved so far, as a change of your genesis.key.

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
        yield f"lines: {len(lines)}, approved calls they cover: {len(calls)}; look at each line, then apply:"
        yield "interlock suggest > grants.diff; patch GENESIS.KEY grants.diff"
    else:
        yield "nothing to suggest: no call was approved that the policy still asks about"
    for why, count in left_out.most_common():
        yield f"left out: {count}, because {why}"
