"""Laws of what is known at one place: a copy is its own, and doubt only grows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.effect import Word
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.names import names_in
from interlock.effects.shell.scope import MadeFile, Scope
from interlock.effects.shell.syntax import Simple

NAMES = st.sampled_from(["x", "y", "HOME", "PWD", "PATH"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["assign", "array", "define", "enter", "forget", "freeze", "remember", "lose", "shadow"]
        ),
        NAMES,
    ),
    max_size=8,
)


def scope() -> Scope:
    """A scope in one folder."""
    return Scope(("/p",), "/h")


def take(where: Scope, step: str, name: str) -> None:
    """Do one thing in a scope."""
    if step == "assign":
        where.assign(name, "1")
    elif step == "array":
        where.keep_arrays({name: (Word("1"), Word("2"))})
    elif step == "define":
        where.define(name, "f() { ls; }", Simple(0, 0))
    elif step == "remember":
        where.remember()
    elif step == "enter":
        where.enter(name)
    elif step == "forget":
        where.forget({name})
    elif step == "freeze":
        where.freeze(name)
    elif step == "shadow":
        where.shadow([name])
    else:
        where.lost = True


def known(where: Scope) -> dict[str, object]:
    """All that a scope says."""
    values: dict[str, object] = {name: where.value(name) for name in ("x", "y", "HOME", "PWD", "PATH")}
    arrays: dict[str, object] = {
        f"{name}[@]": where.array(name) for name in ("x", "y", "HOME", "PWD", "PATH")
    }
    return (
        values
        | arrays
        | {"folders": where.folders, "shadowed": set(where.shadowed), "frozen": set(where.frozen)}
        | {"functions": dict(where.functions)}
    )


@given(STEPS, STEPS)
def test_a_copy_changes_nothing_of_its_origin(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    """Nor does the origin change its copy."""
    origin = scope()
    for step in first:
        take(origin, *step)
    before = known(origin)
    copy = origin.copy()

    assert known(copy) == before
    for step in second:
        take(copy, *step)
    assert known(origin) == before
    after = known(copy)
    for step in second:
        take(origin, *step)
    assert known(copy) == after


@given(STEPS, STEPS)
def test_what_is_remembered_stays_as_it_was(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    """Whatever is set later, and whether anything was is not missed."""
    here = scope()
    for step in first:
        take(here, *step)
    remembered = here.remember()
    before = known(remembered)
    for step in second:
        take(here, *step)

    assert known(remembered) == before
    lost = here.lost != remembered.lost or here.folders != remembered.folders
    assert not here.is_as(remembered) or lost or (known(here) | {"frozen": 0}) == (before | {"frozen": 0})


def test_one_disk_is_shared_by_all() -> None:
    """What a process of its own writes is there for the others."""
    origin = scope()
    origin.copy().make("f", MadeFile(name="rm"))

    assert origin.made("/p/f") == MadeFile(name="rm")


@given(st.text("ab/.", min_size=1, max_size=8))
def test_a_made_file_is_found_by_every_spelling(path: str) -> None:
    """A path and the same path from the root are one file."""
    here = scope()
    here.make(path, MadeFile(content=Feed(FeedKind.TEXT, "x")))

    for spelling in (path, f"./{path}" if path[0] != "/" else path, here.places(path)[0]):
        assert here.made(spelling) is not None


@pytest.mark.req("case:C16")
@pytest.mark.parametrize(
    ("steps", "folders"),
    [
        (["a"], ("/p/a",)),
        (["a", "b"], ("/p/a/b",)),
        (["a", ".."], ("/p",)),
        (["/q", "r"], ("/q/r",)),
        ([".."], ("/",)),
    ],
)
def test_a_folder_is_joined_with_the_one_before(steps: list[str], folders: tuple[str, ...]) -> None:
    """Relative steps start where the last one ended."""
    here = scope()
    for step in steps:
        here.enter(step)

    assert here.folders == folders


@pytest.mark.req("case:C16")
def test_an_unknown_folder_stays_unknown_until_an_absolute_one() -> None:
    """A relative step from nowhere leads nowhere."""
    here = scope()
    here.enter(None)
    here.enter("a")
    assert (here.folders, here.folder) == ((), None)

    here.enter("/q")
    assert here.folder == "/q"


@pytest.mark.parametrize("why", ["linked", "CDPATH"])
def test_links_and_search_paths_make_every_step_unknown(why: str) -> None:
    """A name may lead elsewhere."""
    here = scope()
    if why == "linked":
        here.linked = True
    else:
        here.assign("CDPATH", "/q")
    here.enter("a")

    assert here.folders == ()


@given(st.lists(st.sampled_from(["/a", "/b", "/c", "d", ".."]), max_size=10))
def test_doubt_keeps_every_folder_it_may_be(steps: list[str]) -> None:
    """Until they are too many, and then none is said."""
    here = scope()
    for step in steps:
        before = here.folders
        here.enter(step)
        after = here.folders
        here.perhaps(before)
        assert here.folders == () or set(here.folders) == {*before, *after}


def test_values_are_those_this_text_settles() -> None:
    """Its own variables, the home, the folder, blanks; nothing from outside."""
    here = scope()
    here.assign("x", "1")
    here.parameters = (Word("f"), Word("a"))

    assert [here.value(name) for name in ("x", "HOME", "PWD", "IFS")] == ["1", "/h", "/p", " \t\n"]
    assert [here.value(name) for name in ("0", "1", "2")] == ["f", "a", ""]
    assert [here.value(name) for name in ("PATH", "y", "?")] == [None, None, None]


def test_frozen_and_forgotten_names_have_no_value() -> None:
    """An assignment may fail, or mean something else."""
    here = scope()
    here.freeze("x")
    here.assign("x", "1")
    here.assign("y", "1")
    here.forget({"y"})

    assert (here.value("x"), here.value("y")) == (None, None)


def test_after_foreign_code_nothing_is_known() -> None:
    """Not even what is set later."""
    here = scope()
    here.lost = True
    here.assign("x", "1")

    assert [here.value(name) for name in ("x", "HOME", "PWD", "IFS")] == [None] * 4


@pytest.mark.parametrize("text", ["x=2", "read x", "((x++))", "for x in a", "let x", "unset x", "f; x=1"])
def test_what_a_text_may_set_is_forgotten(text: str) -> None:
    """Only using a variable does not make it unknown."""
    here = scope()
    here.assign("x", "1")
    here.forget_any(names_in("echo $x ${x} $xy xy"))
    assert here.value("x") == "1"

    here.forget_any(names_in(text))
    assert here.value("x") is None
