"""`interlock test`: does the policy decide as its tests say?"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final
from xml.etree import ElementTree as ET

import msgspec
import typer

from interlock.cli.main import INTERRUPTED
from interlock.cli.output import colours, print_json, printable, width, wrapped
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, folder, here, load
from interlock.errors import ConfigError, InterlockError, Problem
from interlock.events.hook import Layer
from interlock.features.policy_tests.run import LoadedTests, Plan, Result, check_rules, load_tests, run_plans
from interlock.policy.locations import policy_files
from interlock.policy.policy import Policy

_INDENT = " " * 12


class Progress:
    """Prints a dot for each finished case, or a line with `verbose`."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose: Final = verbose
        self._file = ""
        self._room = 0

    def print(self, result: Result) -> None:
        if self._verbose:
            word = _colour("PASS" if result.passed else "FAIL", passed=result.passed)
            typer.echo(f"{word} {printable(f'{result.file}:{result.line} {result.name}')}")
        else:
            if result.file != self._file or self._room <= 0:
                lead = f"{printable(result.file)} " if result.file != self._file else "  "
                typer.echo(("\n" if self._file else "") + lead, nl=False)
                self._file, self._room = result.file, max(width() - len(lead) - 1, 1)
            typer.echo(_colour("." if result.passed else "F", passed=result.passed), nl=False)
            self._room -= 1
        sys.stdout.flush()

    def end(self) -> None:
        """End the line of dots."""
        if self._file and not self._verbose:
            typer.echo()


def failure_lines(result: Result) -> list[str]:
    """What was called, what was expected, what came, and what the rules said."""
    lines = ["", _colour("FAILED", passed=False) + printable(f" {result.file}:{result.line} {result.name}")]
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
    failed = sum(not result.passed for result in results)
    parts = [f"{len(results) - failed} passed"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{total - len(results)} not run"] if total > len(results) else []
    return _colour(", ".join(parts), passed=not failed and total == len(results)) + f" in {seconds:.1f} s"


def _colour(text: str, *, passed: bool) -> str:
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
        name=_escape(name),
        tests=str(len(results)),
        failures=str(failed),
        errors="0",
        time=f"{sum(result.seconds for result in results):.3f}",
    )
    for result in results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_escape(name),
            name=_escape(result.name),
            file=_escape(result.file),
            line=str(result.line),
            time=f"{result.seconds:.3f}",
        )
        if not result.passed:
            failure = ET.SubElement(case, "failure", message=_escape("; ".join(result.failures)))
            failure.text = _escape("\n".join(failure_lines(result)[2:]))


def _escape(text: str) -> str:
    return _FORBIDDEN.sub(lambda found: printable(found.group()), text)


_UNUSABLE = 2
_FOLDER = "tests"
_ENDINGS = frozenset({".yaml", ".yml"})


def run_tests(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of cases, or folders of them; default: the folder `tests` beside the policies.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Print a line for each case.")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the results as JUnit XML.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> int:
    """Run the tests of your policy.

    Exit 0 when all pass, 1 when one fails, 2 when tests or policy do not load.

    The tools are not run, but the hooks are: they may start commands and call webhooks.
    """
    try:
        plans = _plans(_find_files(files or []), config or [], isolated=isolated)
    except ConfigError as error:
        if as_json:
            print_json({"errors": error.problems})
        else:
            typer.echo("\n".join(printable(str(problem)) for problem in error.problems), err=True)
        return _UNUSABLE
    total = sum(len(plan.tests.record.cases) for plan in plans)
    progress = Progress(verbose=verbose)
    results: list[Result] = []
    begun, interrupted = time.monotonic(), False
    try:
        for result in run_plans(plans, folder(), os.environ):
            results.append(result)
            if not as_json:
                progress.print(result)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.monotonic() - begun
    if as_json:
        print_json(_document(results, total, seconds))
    else:
        progress.end()
        failed = [result for result in results if not result.passed]
        for result in failed:
            typer.echo("\n".join(failure_lines(result)))
        typer.echo(("\n" if failed else "") + summary(results, total, seconds))
    if junit is not None:
        write_junit(results, junit, seconds)
    if interrupted:
        return INTERRUPTED
    return 0 if all(result.passed for result in results) else 1


def _find_files(named: Sequence[Path]) -> list[Path]:
    """The files to run: those named, those in folders that are named, or those beside the policies."""
    if named:
        files_found = [file for path in named for file in (_in_folder(path) if path.is_dir() else [path])]
    else:
        places = here()
        files_found = _in_folder(_relative(places.project_config / _FOLDER)) + _in_folder(
            places.user_config / _FOLDER
        )
    if not files_found:
        where = ", ".join(f"`{path}`" for path in named) or "`.interlock/tests`"
        raise InterlockError(f"there are no tests in {where}; write a file `NAME.yaml` with `cases:`")
    return files_found


def _relative(path: Path) -> Path:
    """A path below this folder as it would be typed."""
    return path.relative_to(folder()) if path.is_relative_to(folder()) else path


def _in_folder(path: Path) -> list[Path]:
    return sorted(file for file in path.glob("*") if file.suffix in _ENDINGS) if path.is_dir() else []


def _plans(files: Sequence[Path], config: Sequence[str], *, isolated: bool) -> list[Plan]:
    """Load all tests and their policies before any case is run; all mistakes are told together."""
    plans: list[Plan] = []
    problems: list[Problem] = []
    loaded: dict[tuple[tuple[str, ...], bool], Policy] = {}
    for file in files:
        try:
            tests = load_tests(file)
            key = _policy_of(tests, config, isolated=isolated)
            if key not in loaded:
                loaded[key] = load(key[0], isolated=key[1], notes=True)
            plan = Plan(tests=tests, policy=loaded[key])
            check_rules(plan)
            plans.append(plan)
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(tuple(dict.fromkeys(problems)))
    return plans


def _policy_of(tests: LoadedTests, config: Sequence[str], *, isolated: bool) -> tuple[tuple[str, ...], bool]:
    """The files to load, and whether only they: what was typed, what the tests name, or what stands above."""
    if config:
        return tuple(config), isolated
    named = tests.record.policy
    if named:
        texts = [named] if isinstance(named, str) else named
        missing = [text for text in texts if not _resolve(text, tests.path)[1].exists()]
        if missing:
            message = f"there is no policy file `{missing[0]}`; name it from this file's folder"
            raise ConfigError((tests.document.problem(("policy",), message),))
        return tuple("".join(map(str, _resolve(text, tests.path))) for text in texts), True
    return tuple(_policies_beside(tests.path)), isolated


def _policies_beside(path: Path) -> Iterator[str]:
    """The policies in the folder above `tests`: whoever edits one tries it before it is trusted."""
    above = path.parent.parent if path.absolute().parent.name == _FOLDER else path.parent
    yield from map(str, policy_files(above))


def _resolve(text: str, file: Path) -> tuple[str, Path]:
    layer, colon, rest = text.partition(":")
    if colon and layer.upper() in Layer.__members__:
        return f"{layer}:", file.parent / rest
    return "", file.parent / text


def _document(results: Sequence[Result], total: int, seconds: float) -> dict[str, object]:
    failed = sum(not result.passed for result in results)
    return {
        "passed": len(results) - failed,
        "failed": failed,
        "not_run": total - len(results),
        "seconds": round(seconds, 3),
        "cases": [{"passed": result.passed, **msgspec.structs.asdict(result)} for result in results],
    }


def add(app: typer.Typer) -> None:
    app.command("test", epilog="Example: interlock test .interlock/tests --junit results.xml")(run_tests)
