"""Globs: `*`, `?` and everything else is itself."""

from __future__ import annotations

import pytest

from interlock.patterns.glob import GlobSet, as_written, command_denial_expression, glob_expression


def matches(glob: str, text: str) -> bool:
    return GlobSet([("it", glob_expression(glob))]).hits(text) == ["it"]


def denies(glob: str, text: str) -> bool:
    return GlobSet([("it", command_denial_expression(glob))]).hits(text) == ["it"]


@pytest.mark.req("M27", "M30")
@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("git *", "git commit -m 'fix'", True),
        ("git *", "git", False),
        ("git *", "agit x", False),
        ("src/*", "src/a/b/c.ts", True),
        ("*", "", True),
        ("*", "a\nb\n", True),
        ("a*b", "a\n/ b", True),
        ("a*b", "a b c", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("a?c", "a\nc", True),
        ("a?c", "aéc", True),
        ("?", "😀", True),
        ("", "", True),
        ("", "x", False),
        ("Git *", "git x", False),
        ("é*", "éa", True),
        ("**", "x", True),
        ("x", "x\n", False),
    ],
)
def test_a_star_is_any_run_and_a_question_mark_one_character(glob: str, text: str, expected: bool) -> None:
    """Both ends are anchored, letter case counts, newlines are characters like others."""
    assert matches(glob, text) is expected


@pytest.mark.req("M27", "M30")
@pytest.mark.parametrize(
    "text", [*".+^${}()|[]\\-#&~!<>=:/,;'\"`% \t\n", "\\d", "[a-z]", "a|b", "(?i)x", "\\Q", "x{2}"]
)
def test_characters_of_regular_expressions_are_themselves(text: str) -> None:
    """A glob matches its own text and nothing it would mean as a regular expression."""
    assert matches(text, text)
    assert not matches(text, text + "x")
    assert not matches(text, "q")


@pytest.mark.req("M28")
@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("* --force", "git push --force", True),
        ("* --force", "git push --force origin", True),
        ("* --force", "git push --force=yes", True),
        ("* --force", "git push --force-with-lease", False),
        ("* --force", "git push --no-force", False),
        ("* --force", "--force", False),
        ("git push --force", "git push origin --force x", True),
        ("git push --force", "git push", False),
        ("git push *", "git push", True),
        ("git push *", "git push origin", True),
        ("git push *", "git pushx", False),
        ("git push *", "git push\torigin", True),
        ("rm -rf *", "rm -rf /", True),
        ("* *", "x", False),
        ("*.sh", "x.sh", True),
    ],
)
def test_a_denied_command_is_met_with_and_without_what_follows(glob: str, text: str, expected: bool) -> None:
    """A final flag stands anywhere, a final ` *` may be nothing, and words end where they end."""
    assert denies(glob, text) is expected


@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("echo *", "echo x", True),
        ("echo *", "echo x \ue000 f", False),
        ("echo ?? f", "echo \ue000  f", False),
        ("echo * > *", "echo x \ue000 f", True),
        ("echo * >> *", "echo x \ue000> f", True),
        ("echo * > *", "echo x > f", True),
        ("find *", "find . \ue001-delete", False),
        ("find * -delete", "find . \ue001-delete", True),
        ("find *-delete", "find . \ue001-delete", False),
        ("find * -delete *", "find . \ue001-delete \ue001-exec x", False),
        ("dd *", "dd \ue001of=x", False),
        ("dd of=*", "dd \ue001of=x", True),
        ("git push *", "git push", False),
    ],
)
def test_a_wildcard_of_an_allow_covers_no_mark(glob: str, text: str, expected: bool) -> None:
    """What is marked has to be written out."""
    assert as_written(glob)(text) is expected


@pytest.mark.req("D17")
@pytest.mark.parametrize("length", [12, 24, 48])
def test_many_stars_do_not_explode(length: int) -> None:
    """What is measured: that the answer comes at all. A backtracking matcher would not end in hours."""
    glob = "*a" * length + "*b"

    assert not matches(glob, "a" * 100_000)
    assert matches(glob, "a" * 100_000 + "b")


@pytest.mark.deep
def test_ten_thousand_long_patterns_compile_and_match() -> None:
    """Sets are split where the engine's memory for one of them ends, and no pattern is lost."""
    globs = [f"tool-{n} --with-a-rather-long-and-distinct-option-{n * 7919:012d} *" for n in range(10_000)]
    patterns = GlobSet((glob, glob_expression(glob)) for glob in globs)

    for n in (0, 1, 3_999, 4_000, 7_777, 9_999):
        assert patterns.hits(globs[n].replace("*", "x y")) == [globs[n]]
    assert patterns.hits("tool-1 --with") == []


@pytest.mark.deep
def test_a_few_very_long_patterns_compile_too() -> None:
    """Length counts like number."""
    globs = [f"{n:04d}" * 1_000 for n in range(200)]
    patterns = GlobSet((glob, glob_expression(glob)) for glob in globs)

    assert patterns.hits(globs[137]) == [globs[137]]


def test_no_patterns_hit_nothing() -> None:
    """An empty set is a set."""
    assert GlobSet([]).hits("x") == []
