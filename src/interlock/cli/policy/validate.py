"""`interlock genesis`: checking policy files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from interlock.cli.groups import group
from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.setup.hook_variables import missing_text, missing_variables
from interlock.cli.setup.install import settings_here
from interlock.cli.words import layer_word
from interlock.engine.failure import can_fail_open
from interlock.errors import ConfigError, Problem
from interlock.events.hook import Hook
from interlock.events.source import PACK_SOURCE, Layer, Source
from interlock.hosts.claude_code.doctor import read_scopes, why_not_reported
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

genesis = group("Check policy files.")


@genesis.callback()
def _group() -> None:
    """Check policy files."""


@genesis.command(epilog="Example: interlock genesis validate .interlock/genesis.key")
def validate(
    file: Annotated[Path, typer.Argument(help="A genesis.key (YAML) or hooks.toml.", show_default=False)],
    layer: Annotated[
        str,
        typer.Option(help="Check it as a file of: managed, user, project or session.", callback=layer_word),
    ] = "user",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Check a policy file.

    It prints `valid: N hooks, M actors`, or one line per error and exit 1.
    """
    try:
        policy = load_policy([(Layer[layer.upper()], file)], environ=os.environ, check_packs=True)
    except ConfigError as error:
        _print_problems(error.problems, as_json=as_json)
        return 1
    _print_valid(policy, as_json=as_json)
    return 0


def _print_problems(problems: tuple[Problem, ...], *, as_json: bool) -> None:
    if as_json:
        print_json(broken_document(problems))
    else:
        for problem in problems:
            typer.echo(printable(str(problem)))


def broken_document(problems: Iterable[Problem]) -> dict[str, Any]:
    """A policy that does not load, as JSON."""
    return {"valid": False, "errors": [_problem(problem) for problem in problems]}


def _print_valid(policy: Policy, *, as_json: bool) -> None:
    if as_json:
        print_json(valid_document(policy))
    else:
        print_counts(policy)


def valid_document(policy: Policy) -> dict[str, Any]:
    """A policy that loads, as JSON."""
    written, packed = _counts(policy)
    notes = [_problem(notice) for notice in _notices(policy)]
    return {
        "valid": True,
        "hooks": written,
        "actors": policy.actor_count,
        "from_packs": packed,
        "notes": notes,
    }


def print_counts(policy: Policy) -> None:
    """How much a valid policy holds, and what a person should know of it."""
    written, packed = _counts(policy)
    more = f", and {packed} hooks from packs" if packed else ""
    typer.echo(f"valid: {written} hooks, {policy.actor_count} actors{more}")
    for notice in _notices(policy):
        typer.echo(printable(f"note: {notice}"), err=True)


def _counts(policy: Policy) -> tuple[int, int]:
    packed = sum(str(hook.source.file).startswith(PACK_SOURCE) for hook in policy.hooks)
    return sum(file.hooks for file in policy.files), packed


def _notices(policy: Policy) -> list[Problem]:
    return [
        *policy.notices,
        *(_open(hook) for hook in policy.hooks if can_fail_open(hook)),
        *(_missing(name, source) for name, source in missing_variables(policy.hooks).items()),
        *_unreported(policy.hooks),
    ]


def _open(hook: Hook) -> Problem:
    message = "can fail open: some of its failures allow the action; `on_failure: closed` prevents that"
    return Problem(file=hook.source.file, line=hook.source.line, path=hook.name, message=message)


def _missing(name: str, source: Source) -> Problem:
    return Problem(file=source.file, line=source.line, path="", message=missing_text(name))


def _unreported(hooks: Iterable[Hook]) -> Iterator[Problem]:
    places = settings_here()
    settings, _ = read_scopes(places)
    for hook in hooks:
        whys = [why_not_reported(event, settings, places.project) for event in hook.events]
        # Many kinds also listen at moments that nobody wrote: one that is reported is enough for them.
        if whys[0] is not None and all(whys) and not str(hook.source.file).startswith(PACK_SOURCE):
            yield Problem(file=hook.source.file, line=hook.source.line, path=hook.name, message=whys[0])


def _problem(problem: Problem) -> dict[str, object]:
    return {"file": problem.file, "line": problem.line, "path": problem.path, "message": problem.message}
