"""The positioned tree names its places as people do."""

from __future__ import annotations

import pytest

from interlock.policy.files.document import Document, Node, Path, path_text


@pytest.mark.req("M54")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("hooks", "pre_tool_use", 0, "type"), "hooks.pre_tool_use[0].type"),
        (("permissions", "actors", "agent:executor"), "permissions.actors.agent:executor"),
        (("set", "a.b"), 'set."a.b"'),
        (("", "x"), '"".x'),
    ],
)
def test_a_path_is_written_as_people_point(path: Path, text: str) -> None:
    """Keys are joined by dots, list places stand in brackets, odd keys in quotes."""
    assert path_text(path) == text


def test_a_problem_below_what_exists_stands_at_the_last_line_known() -> None:
    """A path that leads nowhere has the line of the last node on its way."""
    inner = Node(value={"b": Node(value=1, line=3, text="1")}, line=2)
    document = Document(file="f", root=Node(value={"a": inner}, line=1))

    assert document.problem(("a", "b"), "m").line == 3
    assert document.problem(("a", "missing", "deeper"), "m").line == 2
    assert document.problem(("a", "b", 0), "m").line == 3


@pytest.mark.parametrize(
    ("node", "found"),
    [
        (Node(value=True, line=1, text="on"), "the boolean `on`"),
        (Node(value=2.0, line=1, text="2.0"), "the number `2.0`"),
        (Node(value="", line=1), "an empty string"),
        (Node(value=None, line=1), "nothing"),
        (Node(value=[], line=1), "a list"),
        (Node(value="x" * 100, line=1, text="x" * 100), f"the string `{'x' * 60}…`"),
    ],
)
def test_what_was_found_is_named_with_its_kind(node: Node, found: str) -> None:
    """Messages show a value as it was written, with its kind, and never at length."""
    assert node.found == found
