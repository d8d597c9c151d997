"""Results of policy tests as JUnit XML, which build servers read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from interlock.cli.output import printable
from interlock.errors import InterlockError
from interlock.features.policy_tests.run import Result
from interlock.features.policy_tests.text import failure_lines

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
        raise InterlockError(f"cannot write `{file}`: {reason}; name another file by --junit") from error


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
