"""`interlock genesis`, `schema` and `lint-settings`: checking policy files and settings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from interlock.cli.added_commands import add_features_here
from interlock.cli.help import group
from interlock.cli.output import Json, columns, print_json, printable
from interlock.cli.setup.hook_variables import missing_text, missing_variables
from interlock.cli.setup.install import settings_here
from interlock.cli.words import layer_word
from interlock.engine.failure import can_fail_open
from interlock.errors import ConfigError, InterlockError, Problem
from interlock.events.hook import PACK_SOURCE, Hook, Layer, Source
from interlock.hosts.claude_code.doctor import read_scopes, why_not_reported
from interlock.hosts.claude_code.lint import lint
from interlock.hosts.claude_code.lint_handler import Finding, Weight
from interlock.hosts.claude_code.settings import SettingsError, read_settings
from interlock.policy.compile.hook_catalog import plugin_kinds
from interlock.policy.format.json_schema import genesis_schema, hooks_schema
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
    as_json: Json = False,
) -> int:
    """Check a policy file.

    It prints `valid: N hooks, M actors`, or one line per error and exit 1.
    """
    try:
        policy = load_policy([(Layer[layer.upper()], file)], environ=os.environ, check_packs=True)
    except ConfigError as error:
        if as_json:
            print_json(broken_document(error.problems))
        else:
            typer.echo("\n".join(printable(str(problem)) for problem in error.problems))
        return 1
    if as_json:
        print_json(valid_document(policy))
    else:
        print_counts(policy)
    return 0


def broken_document(problems: Iterable[Problem]) -> dict[str, Any]:
    """A policy that does not load, as JSON."""
    return {"valid": False, "errors": list(problems)}


def valid_document(policy: Policy) -> dict[str, Any]:
    """A policy that loads, as JSON."""
    written, packed = _counts(policy)
    return {
        "valid": True,
        "hooks": written,
        "actors": policy.actor_count,
        "from_packs": packed,
        "notes": list(_notices(policy)),
    }


def print_counts(policy: Policy) -> None:
    """Print the size of a valid policy, and notes about it on stderr."""
    written, packed = _counts(policy)
    more = f", and {packed} hooks from packs" if packed else ""
    typer.echo(f"valid: {written} hooks, {policy.actor_count} actors{more}")
    for notice in _notices(policy):
        typer.echo(printable(f"note: {notice}"), err=True)


def _counts(policy: Policy) -> tuple[int, int]:
    packed = sum(str(hook.source.file).startswith(PACK_SOURCE) for hook in policy.hooks)
    return sum(file.hooks for file in policy.files), packed


def _notices(policy: Policy) -> Iterator[Problem]:
    yield from policy.notices
    open_ = "can fail open: some of its failures allow the action; `on_failure: closed` prevents that"
    for hook in filter(can_fail_open, policy.hooks):
        yield _notice(hook.source, open_, hook.name)
    for name, source in missing_variables(policy.hooks).items():
        yield _notice(source, missing_text(name))
    yield from _unreported(policy.hooks)


def _notice(source: Source, message: str, path: str = "") -> Problem:
    return Problem(file=source.file, line=source.line, path=path, message=message)


def _unreported(hooks: Iterable[Hook]) -> Iterator[Problem]:
    places = settings_here()
    settings, _ = read_scopes(places)
    for hook in hooks:
        whys = [why_not_reported(event, settings, places.project) for event in hook.events]
        # Many kinds also listen at events that nobody wrote down: one that is reported is enough for them.
        if whys[0] is not None and all(whys) and not str(hook.source.file).startswith(PACK_SOURCE):
            yield _notice(hook.source, whys[0], hook.name)


def schema(
    kind: Annotated[
        Literal["genesis", "hooks"], typer.Argument(help="genesis.key or hooks.toml.")
    ] = "genesis",
) -> int:
    """Print the JSON Schema of a policy file.

    An editor can use it to complete and check the file.
    """
    add_features_here()
    plugins = [one.type for one in plugin_kinds() if one.problem is None]
    document = genesis_schema(plugins) if kind == "genesis" else hooks_schema()
    typer.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    return 0


def lint_settings(
    file: Annotated[Path, typer.Argument(help="A settings file of Claude Code.", show_default=False)],
    as_json: Json = False,
) -> int:
    """Find out why Claude Code skips a settings file.

    Exit 1 when it skips the whole file.
    """
    if not file.exists():
        raise InterlockError(f"there is no file `{file}`; name a settings file")
    try:
        findings = lint(read_settings(file).document)
    except SettingsError as error:
        findings = [Finding(weight=Weight.VOID, path="-", message=str(error))]
    void = any(finding.weight is Weight.VOID for finding in findings)
    if as_json:
        print_json({"file": str(file), "void": void, "findings": findings})
    elif findings:
        typer.echo("\n".join(columns([(one.weight, one.path, one.message) for one in findings])))
    else:
        typer.echo(printable(f"{file}: no problems found"))
    return 1 if void else 0
