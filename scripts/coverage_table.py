#!/usr/bin/env python3
"""Write docs/coverage.md: which tests hold which requirement. Run by `make coverage-table`."""

from __future__ import annotations

import contextlib
import io
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.requirements.ids import IN_SCOPE, KNOWN

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "coverage.md"
HEAD = """\
# Which tests hold which requirement

Written by `make coverage-table` from the `req` marks of the tests; do not edit.
"""


class MarkCollector:
    """A pytest plugin that notes, for each id, the tests whose marks name it."""

    def __init__(self) -> None:
        self.tests: defaultdict[str, set[str]] = defaultdict(set)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Read the marks of every collected test; the parameters of one test count as one."""
        for item in session.items:
            for mark in item.iter_markers("req"):
                for name in mark.args:
                    self.tests[name].add(item.nodeid.partition("[")[0])


def collect() -> Mapping[str, set[str]]:
    """Let pytest collect, run nothing, and give the tests of each id."""
    collector = MarkCollector()
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = pytest.main(
            ["--collect-only", "-p", "no:cacheprovider", f"--rootdir={ROOT}", str(ROOT / "tests")],
            plugins=[collector],
        )
    if code != pytest.ExitCode.OK:
        sys.exit(f"{said.getvalue()}\nthe tests cannot be collected; run `make test` and try again")
    return collector.tests


def table(tests: Mapping[str, set[str]], in_scope: Sequence[str], known: Sequence[str]) -> str:
    """Give the page: a summary, what is missing, and one row for each id that a test names."""
    missing = [name for name in in_scope if name not in tests]
    covered = len(in_scope) - len(missing)
    lines = [HEAD, f"In scope: {len(in_scope)} ids, {covered} of them named by a test.", ""]
    if missing:
        lines += [f"Missing: {', '.join(missing)}.", ""]
    lines += ["| id | tests |", "|---|---|"]
    order = {name: place for place, name in enumerate(known)}
    for name in sorted(tests, key=lambda name: (order.get(name, len(order)), name)):
        lines.append(f"| {name} | {'<br>'.join(f'`{test}`' for test in sorted(tests[name]))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Collect, write, say what was written."""
    tests = collect()
    TABLE.write_text(table(tests, IN_SCOPE, KNOWN), encoding="utf-8")
    covered = sum(name in tests for name in IN_SCOPE)
    sys.stdout.write(f"{TABLE.relative_to(ROOT)}: {covered} of {len(IN_SCOPE)} ids in scope\n")


if __name__ == "__main__":
    main()
