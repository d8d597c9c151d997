"""Laws of lists: a variable that a loop reads stands for the names that are printed."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import ran, read

from interlock.effects.effect import EffectKind


@pytest.mark.parametrize(
    ("text", "stands_for"),
    [
        ('git ls-files | while read f; do rm "$f"; done', "$(git ls-files)"),
        ("git ls-files -z | while IFS= read -r -d '' f; do rm \"$f\"; done", "$(git ls-files -z)"),
        ('git ls-files | grep x | sort | while read f; do rm "${f}"; done', "$(git ls-files)"),
        ('git ls-files | sed s/a/b/ | while read f; do rm "$f"; done', "$(sed s/a/b/)"),
        ('while read a f; do rm "$f"; done < <(git ls-files | sort)', "$(git ls-files)"),
        ('until ! read f; do rm "$f"; done < list', "$(cat list)"),
        ('while read; do rm "$REPLY"; done < list', "$(cat list)"),
        ('while read f <&3; do rm "$f"; done', "$(…)"),
        ('for f in $(git ls-files); do rm "$f"; done', "$(git ls-files)"),
        ('for f in `git ls-files`; do rm "$f"; done', "$(git ls-files)"),
        ('x=$(git ls-files); for f in $x; do rm "$f"; done', "$(git ls-files)"),
        ("x=$(git ls-files); rm $x", "$(git ls-files)"),
        ('mapfile -t a < <(git ls-files); rm "${a[@]}"', "$(git ls-files)"),
        ('mapfile -t a < <(git ls-files); rm "${a[1]}"', "$(git ls-files)"),
        ('read -ra a < list; rm "${a[@]}"', "$(cat list)"),
        ('d() { rm "$1"; }; git ls-files | while read f; do d "$f"; done', "$(git ls-files)"),
        ("git ls-files | sh -c 'while read f; do rm \"$f\"; done'", "$(git ls-files)"),
        ("git ls-files | xargs sh -c 'rm \"$@\"' _", "$(…)"),
        ("find . -exec sh -c 'for f; do rm \"$f\"; done' _ {} +", "$(…)"),
        ('git ls-files | while read f; do rm "${f%.c}"; done', "$(git ls-files)"),
        ('git ls-files | while read f; do rm "$f.o"; done', "$(git ls-files).o"),
    ],
)
def test_a_variable_stands_for_what_is_printed(text: str, stands_for: str) -> None:
    """Whatever reads the names, and through filters that change none of them."""
    assert ran(text)[-1] == f"rm ?{stands_for}"


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ('while read f; do rm "$f"; done', "rm ?$f"),  # nothing says what it reads
        ('x=$(git rev-parse HEAD); rm "$x"', "rm ?$x"),  # one name
        ("x=$(mktemp); rm $x", "rm ?$x"),  # a file of its own
        ("for i in $(seq 3); do rm $i; done", "rm ?$i"),  # numbers
        ('for f in $(git ls-files); do :; done; f=a; rm "$f"', "rm a"),  # another value by then
        ('for f in $(git ls-files); do f=b; rm "$f"; done', "rm b"),
    ],
)
def test_a_variable_with_one_name_is_no_list(text: str, last: str) -> None:
    """One that is not read in a loop, counts, or has another value by then."""
    assert ran(text)[-1] == last


def test_a_loop_reads_the_few_lines_that_are_written_out() -> None:
    """For each of them the body is read."""
    assert "rm /a" in ran("printf '%s\\n' /a /b | while read f; do rm \"$f\"; done")
    assert "rm /b" in ran("while read f; do rm \"$f\"; done <<'X'\n/a\n\n/b\nX\n")


@pytest.mark.parametrize(
    "text",
    [
        "find / -name k -exec cat {} \\;",
        "find / -name k | xargs cat",
        "cat $(find / -name k 2>/dev/null)",
        'find / -name k | while read f; do cat "$f"; done',
        'for f in $(find / -name k); do cat "$f"; done',
    ],
)
def test_what_find_prints_is_read_where_it_is_used(text: str) -> None:
    """There and anywhere below."""
    targets = {effect.target for effect in read(text).effects if effect.kind is EffectKind.READ}

    assert {"/k", "/**/k"} <= targets


def test_an_option_is_not_looked_for_in_a_substitution() -> None:
    """`$(git ls-files)` holds no `-f`; behind one there may be an option."""
    assert read("sed -i s/a/b/ $(git ls-files)").gaps == ()
    assert read('sort "$v"-of x').gaps
