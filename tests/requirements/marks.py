"""The `req` marks written in test files, read from their text so that no selection of tests hides any."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Mark(NamedTuple):
    """One id named by one mark; None where the mark's argument is not written out."""

    id: str | None
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.id or 'not a written-out id'}"


def _is_req(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="req", value=ast.Attribute(attr="mark")):
            return True
        case _:
            return False


def _ignored(tree: ast.AST) -> set[int]:
    """The nodes inside decorators of functions that are not tests: a mark there marks nothing."""
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    decorators = (d for f in functions if not f.name.startswith("test") for d in f.decorator_list)
    return {id(node) for decorator in decorators for node in ast.walk(decorator)}


def marks_in(text: str, file: str) -> Iterator[Mark]:
    """Give the marks of one test file: on functions and classes, in `pytestmark`, on parameters."""
    tree = ast.parse(text, file)
    ignored = _ignored(tree)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _is_req(node.func)) or id(node) in ignored:
            continue
        for argument in node.args or [node]:
            written = argument.value if isinstance(argument, ast.Constant) else None
            yield Mark(written if isinstance(written, str) else None, file, argument.lineno)


def marks_under(root: Path) -> tuple[Mark, ...]:
    """Give the marks of every test file below a folder."""
    files = sorted(root.rglob("test_*.py"))
    return tuple(
        mark for file in files for mark in marks_in(file.read_text("utf-8"), str(file.relative_to(root)))
    )
