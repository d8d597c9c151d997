"""Findings of a lint as lines for people."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from interlock.cli.output import colours, printable
from interlock.cli.policy.analysis_text import wrapped
from interlock.events.short_text import plural
from interlock.features.lint.policy_files import Finding, Weight

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
    return f"{plural(errors, 'error')}, {plural(warnings, 'warning')}" if findings else "nothing found"
