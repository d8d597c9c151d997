"""Laws of loops over globs: what a body does to its variable it does to the files of the glob."""

from __future__ import annotations

import pytest

from interlock.effects.effect import Effect, EffectKind
from interlock.effects.reading import read_script


def effects(text: str, kind: EffectKind) -> set[str]:
    """The targets of effects of one kind."""
    return {effect.target for effect in read_script(text, "/p", home="/h").effects if effect.kind is kind}


@pytest.mark.req("X11")
@pytest.mark.parametrize(
    ("text", "kind", "targets"),
    [
        ('for f in src/*; do rm "$f"; done', EffectKind.DELETE, {"src/*"}),
        ("for f in src/* lib/?.c; do rm $f; done", EffectKind.DELETE, {"src/*", "lib/?.c"}),
        ('for f in *; do cat "secrets/${f}"; done', EffectKind.READ, {"secrets/*"}),
        (
            'for f in a/*; do :; cat "$f"; done; for f in b/*; do cat "$f"; done',
            EffectKind.READ,
            {"a/*", "b/*"},
        ),
        ('for f in a/*; do echo x > "$f.bak"; done', EffectKind.WRITE, {"a/*.bak"}),
        ("for f in 'a\\b'/*; do cat \"$f\"; done", EffectKind.READ, {"a\\b/*"}),
        ('for f in ~/.ssh/*; do g=$f; cat "$g"; done', EffectKind.READ, {"/h/.ssh/*"}),
        ('for f in 1 2 3 4 5 6 7 8 .env; do cat "$f"; done', EffectKind.READ, {".env"}),
        (f'for f in {"a " * 2_000} .env; do cat "$f"; done', EffectKind.READ, {".env"}),
        ("for f in 1 2 3 4 5 6 7 8 ~/.ssh/*; do cat $f; done", EffectKind.READ, {"/h/.ssh/*"}),
        ('s() { cat "$1"; }; for f in .e*; do s "$f"; done', EffectKind.READ, {".e*"}),
    ],
)
def test_a_loop_over_a_glob_does_to_its_files_what_the_body_does(
    text: str, kind: EffectKind, targets: set[str]
) -> None:
    """However often the same body stands in a text, and through whatever else where the glob leads away."""
    assert effects(text, kind) >= targets


@pytest.mark.parametrize(
    "text",
    [
        'for f in src/*; do cat "$foo"; done',
        'for f in src/*; do :; done; cat "$f"',
        'for f in "src/*"; do echo "$f"; done',
    ],
)
def test_nothing_else_is_done_to_the_files_of_a_glob(text: str) -> None:
    """Another variable, a command behind the loop and a word that is not a glob are left alone."""
    assert "src/*" not in effects(text, EffectKind.READ)


def test_what_a_glob_stands_for_is_not_known() -> None:
    """So that a pattern for one of its files is met, too."""
    text = 'for f in src/*; do rm "$f"; done'

    assert Effect(EffectKind.DELETE, "src/*", "/p", False, 'rm "$f"') in read_script(text, "/p").effects


def test_a_word_that_is_nothing_is_no_glob() -> None:
    """An empty value stays one where its parts are told apart by another sign than blanks."""
    assert effects('IFS=:; d=; for f in $d; do cat "$f"; done', EffectKind.READ) == {"$f"}


@pytest.mark.parametrize(
    ("body", "each"),
    [
        ('rm "$d"', True),
        ('[ -d "$d" ] && rm "a/${d}/b"', True),
        ('rm "$d" "$x"', False),
        ('rm "$d"/*', False),
        ('d=src; rm "$d"', False),
        ('read -r d; rm "$d"', False),
        ('printf -vd src; rm "$d"', False),
    ],
)
def test_a_command_of_a_loop_says_that_it_is_read_for_each_word(body: str, each: bool) -> None:
    """Only where the loop alone sets the variable, and nothing else in the command is open."""
    commands = read_script(f"for d in a b; do {body}; done", "/p", home="/h").commands

    assert any(one.in_turn for one in commands) is each


@pytest.mark.parametrize("words", ["a $x", "*", "a b c d e f g h i", "$(ls)"])
def test_a_loop_over_more_than_few_words_is_not_read_for_each(words: str) -> None:
    """One word that is not known is enough."""
    commands = read_script(f'for d in {words}; do rm "$d"; done', "/p", home="/h").commands

    assert not any(one.in_turn for one in commands)
