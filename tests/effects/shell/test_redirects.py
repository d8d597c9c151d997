"""Laws of redirects: what they write, read and feed is said."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import FOLDER, HOME, effects, kinds, ran, read

from interlock.effects.command import GapKind
from interlock.effects.effect import Effect, EffectKind

READ, WRITE, DELETE, NETWORK = EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE, EffectKind.NETWORK


@pytest.mark.req("case:C15")
@pytest.mark.parametrize("operator", [">", ">>", ">|", "&>", "&>>", ">&", "1>", "2>>", "<>", "1<>"])
def test_every_way_to_write_a_file_is_a_write(operator: str) -> None:
    """From the folder the command is in."""
    (found,) = [effect for effect in read(f"echo x {operator} f").effects if effect.kind is WRITE]

    assert (found.target, found.base, found.known) == ("f", FOLDER, True)


@pytest.mark.req("case:C15")
@pytest.mark.parametrize(
    "text", ["> f", "x=1 > f", "{ a; } > f", "(a) > f", "if a; then b; fi > f", "f() { a; } > f; f"]
)
def test_a_redirect_of_anything_is_a_write(text: str) -> None:
    """Of nothing, an assignment, a block or a function."""
    script = read(text)

    assert "write f" in effects(text, WRITE)
    assert any(effect.target == "f" for command in script.commands for effect in command.writes)
    assert not all(command.transparent for command in script.commands)


def test_a_redirect_of_an_old_loop_is_a_write() -> None:
    """Braces instead of `do … done` change nothing."""
    assert effects("for x in 1; { echo a; } > f", WRITE) == ["write f"]


@pytest.mark.parametrize(
    "text", ["a 2>&1", "a >&2", "a 2>&-", "a >/dev/null", "a &>/dev/null", "a 2>/dev/stderr", "a <&3"]
)
def test_streams_and_copies_write_nothing(text: str) -> None:
    """They neither have an effect nor count as writes."""
    assert effects(text, WRITE) == []
    assert read(text).commands[0].writes == ()


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("~/.bashrc", f"{HOME}/.bashrc"),
        ("'~/x'", "./~/x"),
        ("$HOME/x", f"{HOME}/x"),
        ('"a b"', "a b"),
        ("//etc/x", "/etc/x"),
    ],
)
def test_a_target_is_the_file_that_is_meant(target: str, shown: str) -> None:
    """Quotes and homes are resolved."""
    assert effects(f"echo x > {target}", WRITE) == [f"write {shown}"]


def test_a_target_that_is_not_settled_is_not_known() -> None:
    """It stands as written."""
    assert effects('echo x > "$d/f"', WRITE) == ["write ?$d/f"]
    assert effects("d=a; echo x > $d/f", WRITE) == ["write a/f"]


@pytest.mark.req("case:C16")
def test_a_target_starts_in_the_folder_the_text_went_to() -> None:
    """Every folder it may be, or none when it is not known."""
    for text, bases in [
        ("cd sub && echo x > f", ["/project/sub"]),
        ("cd sub; echo x > f", ["/project/sub", "/project"]),
        ('cd "$d" && echo x > f', [None]),
        ("pushd sub && echo x > f", ["/project/sub"]),
        ("(cd sub); echo x > f", ["/project"]),
    ]:
        assert [effect.base for effect in read(text).effects if effect.kind is WRITE] == bases


def test_input_is_a_read() -> None:
    """From a file, not from the text itself."""
    assert effects("a < f", READ) == ["read f"]
    assert effects("a <<< f", READ) == []
    assert effects("a 0<> f", READ, WRITE) == ["write f", "read f"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo x > /dev/tcp/e.example/80", "network e.example"),
        ("exec 3<>/dev/tcp/e.example/80", "network e.example"),
        ("cat < /dev/udp/e.example/53", "network e.example"),
        ('echo x > "/dev/tcp/$h/80"', "network $h"),
    ],
)
def test_a_connection_is_the_network(text: str, told: str) -> None:
    """Bash opens these names itself."""
    assert told in effects(text, NETWORK)


@pytest.mark.req("C04")
@pytest.mark.parametrize(
    "text", ["sh <<< 'rm x'", "bash 0<<< 'rm x'", "sh <<E\nrm x\nE", "x='rm x'; sh <<< \"$x\""]
)
def test_what_is_fed_to_a_shell_is_read(text: str) -> None:
    """From a word or from lines."""
    assert "rm x" in ran(text)
    assert not kinds(text)


def test_a_copy_from_an_unknown_descriptor_is_unread() -> None:
    """Only numbers are known."""
    assert kinds("a <&$x") == {GapKind.SYNTAX}


def test_an_effect_says_which_command_has_it() -> None:
    """As it stands in the text."""
    (found,) = [effect for effect in read("a; echo x > f; b").effects if effect.kind is WRITE]

    assert found == Effect(WRITE, "f", FOLDER, known=True, by="echo x > f")


@pytest.mark.parametrize("text", ["curl -o /dev/null u", "x | tee /dev/stderr", "dd if=a of=/dev/null"])
def test_a_stream_that_a_program_is_given_is_no_file(text: str) -> None:
    """As it is none behind a `>`, and the option is no more than the program."""
    assert not effects(text, WRITE)
    assert read(text).commands[-1].marked == read(text).commands[-1].written


@pytest.mark.parametrize(
    "text", ["mv a /dev/null", "rm /dev/null", "curl -o /dev/nullx u", "x | tee /dev/stderr b"]
)
def test_what_replaces_a_stream_or_is_named_alike_is_a_file(text: str) -> None:
    """A move puts another file in its place."""
    assert effects(text, WRITE) or effects(text, DELETE)


@pytest.mark.req("C03")
@pytest.mark.parametrize(
    "text",
    [
        "x=rm; x=ls < f; $x",
        "x=rm; export x=ls > /d/f; $x",
        "x=rm; { x=ls; } <&7; $x",
        "x=rm; if x=ls; then :; fi < $f; $x",
        "set -- rm; set -- ls > /dev/tty; $1",
    ],
)
def test_what_cannot_open_its_file_may_not_run(text: str) -> None:
    """Whether a file can be opened is only known then."""
    assert kinds(text) == {GapKind.OPEN}


@pytest.mark.req("case:C23")
@pytest.mark.parametrize("end", ["> /dev/null", "2>&1", "<<< x", "2> /dev/null < /dev/null", ">&2"])
def test_what_can_always_be_opened_leaves_no_doubt(end: str) -> None:
    """Everyday redirects of builtins."""
    assert not kinds(f"x=rm; export x=ls {end}; $x")
