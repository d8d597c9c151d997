"""`interlock check` and `hooks lint`: rules that do nothing, too much, or not what they say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from interlock.cli.groups import group_named
from interlock.cli.json_output import print_json
from interlock.cli.output import colours, printable
from interlock.cli.policy.analysis_text import wrapped
from interlock.cli.policy.validate import broken_document, print_counts, valid_document
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, here, policy_sources
from interlock.errors import ConfigError
from interlock.events.short_text import plural
from interlock.features.lint.lint import count_in_ledger, lint
from interlock.features.lint.policy_files import Finding, Weight, read_policy_files
from interlock.policy.load import load_policy

_COLOUR = {Weight.ERROR: typer.colors.RED, Weight.WARNING: typer.colors.YELLOW}


def finding_lines(finding: Finding) -> list[str]:
    """Place, weight and rule; then the sentence and what to do."""
    weight = typer.style(finding.weight, fg=_COLOUR[finding.weight]) if colours() else str(finding.weight)
    head = printable(f"[{finding.code}] {finding.rule}")
    lines = [f"{printable(finding.place)}: {weight} {head}"]
    lines += wrapped(printable(finding.message), "  ", "  ")
    return lines + wrapped(printable(f"→ {finding.cure}"), "  ", "    ")


def summary(findings: Sequence[Finding]) -> str:
    """How many of each."""
    errors = sum(one.weight is Weight.ERROR for one in findings)
    warnings = len(findings) - errors
    return f"{plural(errors, 'error')}, {plural(warnings, 'warning')}" if findings else "no problems found"


_BROKEN = 2


def lint_hooks(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="Policy files to check on their own; default: all that are loaded here.", show_default=False
        ),
    ] = None,
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    ledger: Annotated[
        bool, typer.Option("--ledger", help="Also name the rules that no recorded call has matched.")
    ] = False,
    days: Annotated[int, typer.Option(min=1, help="How far --ledger looks back.")] = 30,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail the check too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> int:
    """Find rules that do nothing or let too much pass.

    It names rules that never match, shadow or contradict each other, or let too much pass.

    Exit 0 when clean, 1 with errors (with --strict also with warnings), 2 when the policy does not load.
    """
    sources = policy_sources([*(files or ()), *(config or ())], isolated=isolated or bool(files))
    try:
        policy = load_policy(sources, environ=os.environ)
    except ConfigError as error:
        _print_broken(error, as_json=as_json)
        return _BROKEN
    asked = count_in_ledger(here().database, days) if ledger else None
    findings = lint(read_policy_files(policy, sources), asked)
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
    typer.echo(summary(findings))


def _print_broken(error: ConfigError, *, as_json: bool) -> None:
    if as_json:
        print_json({"clean": False, "errors": error.problems, "findings": []})
    else:
        for problem in error.problems:
            typer.echo(printable(str(problem)), err=True)


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES",
            help="Policy files to check alone; by default all that apply here.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings fail too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Find mistakes in your policy files.

    It names what does not load, and rules that never match, contradict each other or let too much pass.
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
    return any(strict or one.weight is Weight.ERROR for one in findings)


def add(app: typer.Typer) -> None:
    """Give the program the commands that find what a policy does not mean."""
    app.command(epilog="Example: interlock check; interlock check .interlock/genesis.key --strict")(check)
    group_named(app, "hooks").command(
        "lint", epilog="Example: interlock hooks lint --config .interlock/genesis.key --strict"
    )(lint_hooks)
