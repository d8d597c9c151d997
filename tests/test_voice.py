"""The words people read: no phrase that makes a reader stop and work out what it means."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = ROOT / "src" / "interlock"

# Each phrase, and what to write instead.
PHRASES: Final = {
    r"\banew\b": "again",
    r"\bso-manieth\b": "a number",
    r"\bunless said\b": "default:",
    r"\bwhich is said\b|\bsaid otherwise\b": "by default",
    r"\blets? (it |them |that |calls? |the call |an action )?pass\b": "allow",
    r"\blooked through\b": "searched",
    r"\b(hears?|heard) of (it|them|that)\b": "is told",
    r"\bspeaks? of\b": "is about",
    r"\bof late\b": "in the last 24 hours",
    r"\bgood once\b": "works once",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bin vain\b": "without effect",
    r"\bof its own accord\b": "by itself",
    r"\d not asked\b": "did not match",
    r"\bIts end:": "Result:",
    r"\bchanges or opens the gate\b": "controls Interlock",
    r"\bbelongs to Interlock or to the hooks of its hosts\b": "is one of Interlock's own files",
    r"\bno model can be asked\b": "this hook needs a model",
    r"(?<!there )\b(is|are|was|were) no (JSON|number|text|list|mapping|path|name|time|file)\b": "is not",
    r"\bso (many|long) (as|at most|of)\b": "at most this many",
    r"\bSo (many|much|long|old|often)\b": "At most this many",
    r"\bhas come to an end\b": "has ended",
    r"\blies? (inside|outside|beside|below)\b": "is inside",
    r"\bas it stands\b": "as it is",
    r"\bstands (twice|there|on standard)\b": "is",
    r"\bis there already\b": "already exists",
    r"\bsay (so|it|which|what) by --": "name it with --",
    r"\b(give|write|choose|replace|raise|say) (it|them|that|one)? ?by --[a-z]": "with --",
    r"\b(gives?|given) it (of|for) good\b": "for ever",
    r"\bWhat a server sends would run before\b": "This runs code from the network",
}  # fmt: skip
_BAD: Final = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES))


def _code(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module, without the docstrings of what no person sees the help of."""
    tree = ast.parse(path.read_text())
    unseen = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and isinstance(node.body[0], ast.Expr)
        and not any("command" in ast.unparse(one) for one in getattr(node, "decorator_list", ()))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in unseen:
            yield node.lineno, " ".join(node.value.split())


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate(path.read_text().splitlines(), 1)


def _texts(part: str) -> Iterator[tuple[Path, int, str]]:
    """The texts of a part of the package, or of the documents."""
    if part == "docs":
        files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    else:
        kinds = (".py", ".html", ".key", ".js")
        files = [path for path in (PACKAGE / part).rglob("*") if path.suffix in kinds]
    for path in sorted(files):
        for line, text in _code(path) if path.suffix == ".py" else _lines(path):
            yield path, line, text


_PARTS: Final = sorted(
    str(path.relative_to(PACKAGE))
    for folder in (PACKAGE, PACKAGE / "features")
    for path in folder.iterdir()
    if path.is_dir() and path.name not in {"features", "__pycache__"}
)


@pytest.mark.parametrize("part", [*_PARTS, "docs"])
def test_no_text_has_a_phrase_a_reader_stops_at(part: str) -> None:
    """Help, errors, denials, settings, packs, pages and documents."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {hit.group()}"
        for path, line, text in _texts(part)
        for hit in _BAD.finditer(text)
    ]

    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "45 not asked: the call is not what they speak of",
        "The link is good once and for five minutes",
        "mend or switch it off",
        "ok hooks: all of them answered of late",
        "Its end: PostToolUse entry 127",
        "a group of ours unless said",
        "this changes or opens the gate",
    ],
)
def test_the_phrases_that_readers_stopped_at_are_found(text: str) -> None:
    """As they were once written."""
    assert _BAD.search(text)
