"""`interlock lint-settings`: mistakes that make an agent skip its own settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import columns, printable
from interlock.errors import InterlockError
from interlock.hosts.claude_code.lint import lint
from interlock.hosts.claude_code.lint_handler import Finding, Weight
from interlock.hosts.claude_code.settings import SettingsError, read_settings


def lint_settings(
    file: Annotated[Path, typer.Argument(help="A settings file of Claude Code.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Find out why Claude Code skips a settings file.

    Exit 1 when it skips the whole file.
    """
    if not file.exists():
        raise InterlockError(f"there is no file `{file}`; name a settings file")
    findings = _findings(file)
    void = any(finding.weight is Weight.VOID for finding in findings)
    if as_json:
        print_json({"file": str(file), "void": void, "findings": findings})
    elif findings:
        typer.echo("\n".join(columns([(one.weight, one.path, one.message) for one in findings])))
    else:
        typer.echo(printable(f"{file}: no problems found"))
    return 1 if void else 0


def _findings(file: Path) -> list[Finding]:
    try:
        return lint(read_settings(file).document)
    except SettingsError as error:
        return [Finding(weight=Weight.VOID, path="-", message=str(error))]
