"""Laws of two states of which one will have come about: what is known after them was known in both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effects.shell.test_scope import STEPS, known, scope, take

from interlock.effects.reading import read_script
from interlock.effects.shell.control_flow import join
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.scope import MadeFile, Scope


def done(steps: list[tuple[str, str]], where: Scope) -> Scope:
    """A scope after these steps."""
    for step in steps:
        take(where, *step)
    return where


@given(STEPS, STEPS)
def test_what_is_known_afterwards_was_known_on_both_ways(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    """A value, an array or a folder that only one of them has is not known."""
    here = done(first, scope())
    before = here.remember()
    after = done(second, here.copy())
    done(second, here)

    join(here, before)

    old, new, now = known(before), known(after), known(here)
    for name in old.keys() - {"folders", "shadowed", "frozen", "functions"}:
        assert now[name] is None or now[name] == old[name] == new[name] or name == "PWD", name
    assert not here.folders or set(here.folders) >= {*before.folders, *after.folders}


@pytest.mark.deep
@given(STEPS, STEPS)
def test_nothing_is_shaken_twice(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
    """So a loop is read to its end: in the end each turn leaves things as it found them."""
    here = done(first, scope())
    for _ in range(8):
        before = here.remember()
        done(second, here)
        if not join(here, before):
            return
    pytest.fail("each turn still changes something")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("123")), max_size=6), st.integers(0, 6))
def test_what_was_replaced_since_is_told_as_it_was(writes: list[tuple[str, str]], first: int) -> None:
    """However often a file was written since then, and not if it is the same again or was not there."""
    here = scope()
    for name, text in writes[:first]:
        here.make(name, MadeFile(name=text))
    before, files = here.remember(), dict(here.files)
    for name, text in writes[first:]:
        here.make(name, MadeFile(name=text))

    changed = {path: made for path, made in files.items() if here.files[path] != made}
    assert here.replaced(before) == changed
    assert here.is_as(before) is not bool(changed)


def test_a_file_that_may_be_one_of_two_is_neither() -> None:
    """Whoever runs it runs what nobody knows, and may be either."""
    here = scope()
    here.make("f", MadeFile(content=Feed(FeedKind.TEXT, "rm -rf x")))
    before = here.remember()
    here.make("f", MadeFile(content=Feed(FeedKind.TEXT, "ls")))

    assert join(here, before)
    made = here.made("f")
    assert made is not None
    assert made.content == Feed(FeedKind.OPEN, "rm -rf x\nls")


@pytest.mark.req("case:C12")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x=a && git $x", ["a"]),
        ("true && x=a && git $x", ["a"]),
        ("true && x=a; git $x", ["$x"]),
        ("x=b; false && x=a || git $x", ["$x"]),
        ("x=b; f() { x=a; }; f; git $x", ["a"]),
        ("x=b; f() { return; x=a; }; f; git $x", ["$x"]),
        ("x=b; f() { local x=a; }; f; git $x", ["$x"]),
        ("x=b; f() { x=a; }; if true; then f; fi; git $x", ["$x"]),
        ("x=b; f() { x=a; }; for i in 1 2; do git $x; f; done", ["b", "$x"]),
        ("x=b; if true; then x=a; git $x; fi", ["a"]),
        ("x=b; if x=a; then git $x; fi", ["a"]),
        ("x=b; if false; then :; elif x=a; then :; fi; git $x", ["$x"]),
        ("set -- b; if true; then set -- a; fi; git $1", ["$1"]),
        ("set -- b; set -- a; git $1", ["a"]),
        ("x=b; printf '%s' \"$y\"; git $x", ["b"]),
    ],
)
def test_what_is_sure_is_followed_and_no_more(text: str, said: list[str]) -> None:
    """What surely ran before counts; what may have run leaves things open."""
    commands = [c.words for c in read_script(text, "/p", home="/h").commands if c.words]

    assert [words[1].text for words in commands if words[0].text == "git"] == said
