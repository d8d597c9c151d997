"""Results of policy tests, printed like a test runner does."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import typer

from interlock.cli.output import colours, printable
from interlock.cli.policy.analysis_text import width, wrapped
from interlock.errors import InterlockError
from interlock.features.policy_tests.run import Result

_INDENT = " " * 12


class Progress:
    """Tells of each case as it is done: a dot, or with `verbose` a line."""

    def __init__(self, *, verbose: bool, quiet: bool = False) -> None:
        self._verbose = verbose
        self._quiet = quiet
        self._file = ""
        self._room = 0

    def tell(self, result: Result) -> None:
        """One more case is done."""
        if self._quiet:
            return
        if self._verbose:
            word = _coloured("PASS" if result.passed else "FAIL", passed=result.passed)
            typer.echo(f"{word} {printable(f'{result.file}:{result.line} {result.name}')}")
        else:
            self._dot(result)
        sys.stdout.flush()

    def _dot(self, result: Result) -> None:
        if result.file != self._file or self._room <= 0:
            lead = f"{printable(result.file)} " if result.file != self._file else "  "
            typer.echo(("\n" if self._file else "") + lead, nl=False)
            self._file, self._room = result.file, max(width() - len(lead) - 1, 1)
        typer.echo(_coloured("." if result.passed else "F", passed=result.passed), nl=False)
        self._room -= 1

    def end(self) -> None:
        """End the line of dots."""
        if self._file and not self._verbose:
            typer.echo()


def failure_lines(result: Result) -> list[str]:
    """What was called, what was expected, what came, and what the rules said."""
    lines = ["", _coloured("FAILED", passed=False) + printable(f" {result.file}:{result.line} {result.name}")]
    actual = [result.actual["decision"] or ""]
    actual += [f"by {result.actual['rule']}"] if result.actual["rule"] else []
    expected = [result.expected["decision"]]
    expected += [f"by {result.expected['rule']}"] if "rule" in result.expected else []
    expected += [f"because of `{result.expected['reason']}`"] if "reason" in result.expected else []
    for label, text in (
        ("call", result.call),
        ("expected", " ".join(expected)),
        ("actual", " ".join(actual)),
    ):
        lines += wrapped(printable(text), f"  {label + ':':<10}", _INDENT)
    for row in result.trace:
        lines += wrapped(printable(row), f"  {'trace:':<10}", _INDENT)
    return lines


def summary(results: Sequence[Result], total: int, seconds: float) -> str:
    """How many passed, failed and were not reached."""
    failed = sum(not one.passed for one in results)
    parts = [f"{len(results) - failed} passed"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{total - len(results)} not run"] if total > len(results) else []
    return _coloured(", ".join(parts), passed=not failed and total == len(results)) + f" in {seconds:.1f} s"


def _coloured(text: str, *, passed: bool) -> str:
    return typer.style(text, fg=typer.colors.GREEN if passed else typer.colors.RED) if colours() else text


# What XML 1.0 has no way to write.
_FORBIDDEN: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(results: Sequence[Result], file: Path, seconds: float) -> None:
    """Write one suite a file of tests."""
    root = ET.Element("testsuites", name="interlock", time=f"{seconds:.3f}")
    for name in dict.fromkeys(result.file for result in results):
        _suite(root, name, [result for result in results if result.file == name])
    try:
        ET.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        raise InterlockError(f"cannot write `{file}`: {reason}; name another file with --junit") from error


def _suite(root: ET.Element, name: str, results: Sequence[Result]) -> None:
    failed = sum(not result.passed for result in results)
    suite = ET.SubElement(
        root,
        "testsuite",
        name=_text(name),
        tests=str(len(results)),
        failures=str(failed),
        errors="0",
        time=f"{sum(result.seconds for result in results):.3f}",
    )
    for result in results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_text(name),
            name=_text(result.name),
            file=_text(result.file),
            line=str(result.line),
            time=f"{result.seconds:.3f}",
        )
        if not result.passed:
            failure = ET.SubElement(case, "failure", message=_text("; ".join(result.failures)))
            failure.text = _text("\n".join(failure_lines(result)[2:]))


def _text(text: str) -> str:
    return _FORBIDDEN.sub(lambda found: printable(found.group()), text)
