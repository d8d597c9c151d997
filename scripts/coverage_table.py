#!/usr/bin/env python3
"""Write docs/coverage.md: what departs from the documents, and which tests hold which requirement.

Run by `make coverage-table`.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.requirements.departures import DEPARTURES, DOCUMENTS, Departure
from tests.requirements.ids import IN_SCOPE, KNOWN

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "coverage.md"
HEAD = """\
# What the five documents ask for, and how Interlock meets it

Written by `make coverage-table` from the `req` marks of the tests and from
`tests/requirements/departures.toml`; do not edit.

Interlock unites five published descriptions of hooks. Each line of them has an id, by which the tests
name it. The letter says which one:

"""
MARKS = """\
## Which tests hold which requirement
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


def page(tests: Mapping[str, set[str]]) -> str:
    """Give the page: what the ids mean, what departs from the documents, which tests hold which id."""
    about = [f"- `{letter}`: {document}" for document, letter in DOCUMENTS.items()]
    more = [
        "- `X`: where two of them contradict each other",
        "- two digits (`C01`, `L03`, `Z12`): commands and situations that a policy has to judge rightly",
        "",
    ]
    return HEAD + "\n".join([*about, *more, *departures(DEPARTURES), *table(tests, IN_SCOPE, KNOWN)]) + "\n"


def departures(known: Sequence[Departure]) -> Iterator[str]:
    """Give the lines about what Interlock does otherwise, document by document."""
    yield from ("## What departs from a document", "")
    yield from ("Every other line is met as it is written; the tests below hold it.", "")
    for document in DOCUMENTS:
        yield from (f"### {document}", "")
        yield from ("| requirement | the document | Interlock | why |", "|---|---|---|---|")
        for one in known:
            if one.document == document:
                cells = (", ".join(one.requirements), one.says, one.does, one.because)
                yield f"| {' | '.join(cells)} |"
        yield ""


def table(tests: Mapping[str, set[str]], in_scope: Sequence[str], known: Sequence[str]) -> Iterator[str]:
    """Give a summary, what is missing, and one row for each id that a test names."""
    missing = [name for name in in_scope if name not in tests]
    yield MARKS
    yield f"In scope: {len(in_scope)} ids, {len(in_scope) - len(missing)} of them named by a test."
    yield ""
    if missing:
        yield from (f"Missing: {', '.join(missing)}.", "")
    yield from ("| id | tests |", "|---|---|")
    order = {name: place for place, name in enumerate(known)}
    for name in sorted(tests, key=lambda name: (order.get(name, len(order)), name)):
        yield f"| {name} | {'<br>'.join(f'`{test}`' for test in sorted(tests[name]))} |"


def main() -> None:
    """Collect, write, say what was written."""
    tests = collect()
    TABLE.write_text(page(tests), encoding="utf-8")
    covered = sum(name in tests for name in IN_SCOPE)
    sys.stdout.write(f"{TABLE.relative_to(ROOT)}: {covered} of {len(IN_SCOPE)} ids in scope\n")


if __name__ == "__main__":
    main()
