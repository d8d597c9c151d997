"""Laws of here-documents: their lines are data, except where the shell expands them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effects.shell.readings import kinds, ran

from interlock.effects.shell.grammar import Grammar
from interlock.effects.shell.syntax import Part, Simple, Substitution, Text

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12), max_size=5)
QUOTED = st.sampled_from(["'END'", '"END"', "\\END", "E'N'D"])


def bodies(text: str) -> list[list[Part]]:
    """The parts of every here-document of the first command."""
    nodes, stuck = Grammar(text).read()
    assert stuck is None, stuck
    node = nodes[0]
    assert isinstance(node, Simple)
    return [redirect.body for redirect in node.redirects if redirect.body is not None]


@pytest.mark.req("case:C23")
@given(LINES, QUOTED)
def test_a_quoted_end_keeps_every_line_as_it_stands(lines: list[str], end: str) -> None:
    """Whatever quote is used, nothing in the lines is expanded."""
    lines = [line for line in lines if line != "END"]
    body = "".join(line + "\n" for line in lines)

    ((part,),) = bodies(f"a <<{end}\n{body}END\n")
    assert part == Text(body, quoted=True)


@given(LINES)
def test_plain_lines_are_the_same_with_a_plain_end(lines: list[str]) -> None:
    """Without `$`, backticks and backslashes there is nothing to expand."""
    lines = [line for line in lines if line != "END" and not set("$`\\") & set(line)]
    body = "".join(line + "\n" for line in lines)

    (parts,) = bodies(f"a <<END\n{body}END")
    assert "".join(part.text for part in parts if isinstance(part, Text)) == body


@pytest.mark.req("C02")
def test_a_plain_end_lets_substitutions_run() -> None:
    """In both spellings, unless escaped."""
    (parts,) = bodies("a <<END\n$(b) `c` \\$(d) \\`e\\`\nEND\n")

    assert [part.written for part in parts if isinstance(part, Substitution)] == ["$(b)", "`c`"]


def test_tabs_are_taken_off_only_when_asked() -> None:
    """`<<-` finds its end behind tabs, `<<` does not."""
    assert bodies("a <<-'E'\n\tx\n\t\tE\n") == [[Text("x\n", quoted=True)]]
    assert bodies("a <<'E'\n\tx\n\tE\nE\n") == [[Text("\tx\n\tE\n", quoted=True)]]


def test_two_on_one_line_follow_one_another() -> None:
    """In the order they were announced, and the text goes on behind the last."""
    text = "a <<'X' <<'Y'; b\n1\nX\n2\nY\nc\n"

    assert bodies(text) == [[Text("1\n", quoted=True)], [Text("2\n", quoted=True)]]
    assert ran(text) == ["a", "b", "c"]


@pytest.mark.req("case:C20")
@pytest.mark.parametrize(
    "text",
    ["a <<E", "a <<E\nx", "a <<E\nx\n E\n", "a <<E\nx\nE \n", "a <<$x\ny\n$x\n", "a <<", "a <<''\nx\n\n"],
)
def test_a_document_without_its_end_is_refused(text: str) -> None:
    """The end is a line of its own, known beforehand."""
    _, stuck = Grammar(text).read()

    assert stuck is not None


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        "cat <<E\nrm -rf /\nE",
        "cat <<'E'\n$(rm -rf /)\nE",
        "git commit -F - <<E\nrm -rf /\nE",
        "cat > f <<E\nrm -rf /\nE",
        "git commit -m \"$(cat <<'E'\nrm -rf /\nE\n)\"",
        'while read l; do echo "$l"; done <<E\nrm x\nE',
    ],
)
def test_lines_for_a_program_that_only_reads_are_no_commands(text: str) -> None:
    """Data is not code."""
    assert not [command for command in ran(text) if command.startswith("rm")]
    assert not kinds(text)


@pytest.mark.req("C04")
@pytest.mark.parametrize(
    "text",
    [
        "sh <<E\nrm -rf x\nE",
        "bash <<'E'\nrm -rf x\nE",
        "cat <<E | sh\nrm -rf x\nE",
        "sudo sh <<E\nrm -rf x\nE",
        "bash -s <<E\nrm -rf x\nE",
        "cat <<E\n$(rm -rf x)\nE",
    ],
)
def test_lines_for_a_shell_are_commands(text: str) -> None:
    """So are substitutions in lines that are expanded."""
    assert "rm -rf x" in ran(text)
