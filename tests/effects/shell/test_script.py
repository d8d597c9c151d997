"""Laws of the entrance: every text gets an answer, and what is not code is not read as code."""

from __future__ import annotations

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.effects.shell.readings import kinds, ran, read

from interlock.effects.command import Command, GapKind, Script
from interlock.effects.reading import MAX_TEXT, read_script

SIGNS = "ab 1'\"\\$`(){}[]<>*?~#!@%^:-=+,./|&;\n\t"
PIECES = st.sampled_from(
    [
        *(
            "a",
            "rm",
            "x=1",
            "$x",
            "${x",
            "}",
            "$(",
            ")",
            "((",
            "))",
            "`",
            "'",
            '"',
            "\\",
            "\n",
            " ",
            ";",
            "&",
            "|",
        ),
        *(
            "<<E",
            "\nE\n",
            "<(",
            ">",
            "<<<",
            "if ",
            "then ",
            "fi",
            "do ",
            "done",
            "case ",
            "in ",
            "esac",
            "for ",
        ),
        *(
            "{a,b}",
            "{1..3}",
            "[[ ",
            " ]]",
            "f() { ",
            "eval ",
            "sh -c ",
            "sudo ",
            "xargs ",
            "cd ",
            "$'\\x",
            "~",
            "*",
        ),
        *(
            "\u00a0",
            "\x00",
            "\r",
            "\u202e",
            "é",
            "\ud800",
            "\ue000",
            "alias ",
            "trap ",
            "find . -exec ",
            "{}",
            "${x@P}",
        ),
    ]
)


def is_sound(script: Script, text: str) -> bool:
    """Every part of an answer has the shape it promises."""
    return all(is_whole(command) for command in script.commands) and all(
        gap.why and 0 <= gap.start <= len(text) for gap in script.gaps if gap.kind is not GapKind.OPEN
    )


def is_whole(command: Command) -> bool:
    """A command without words is an assignment or a redirect, and no text of it is missing."""
    return bool(command.written and command.marked) and bool(
        command.words or command.environment or command.marked
    )


@pytest.mark.req("case:C20")
@given(st.text(SIGNS, max_size=60))
@example("")
@example("\\")
def test_no_text_of_signs_raises(text: str) -> None:
    """Whatever a shell's signs are put together to, there is an answer."""
    assert is_sound(read(text), text)


@pytest.mark.req("case:C20")
@given(st.lists(PIECES, max_size=14).map("".join))
def test_no_text_of_pieces_raises(text: str) -> None:
    """The same for pieces of the grammar, with odd characters between."""
    assert is_sound(read(text), text)


@given(st.text(max_size=40))
def test_no_text_at_all_raises(text: str) -> None:
    """The same for any characters."""
    assert is_sound(read(text), text)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_reading_is_a_function_of_the_text(text: str) -> None:
    """The same text is read the same way every time."""
    assert read(text) == read(text)


@pytest.mark.req("case:C17")
@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a|",
            "<<A ",
            "((",
            "$(",
            "(",
            "`",
            "'",
            '"',
            "{a,b}",
            "if a; then ",
            "while a; do ",
            "${a:-",
            "[[ a && ",
        ),
        *(
            "true;",
            "true\n",
            "a && ",
            "x=1;",
            "cd a;",
            "a>b;",
            "sudo ",
            "eval ",
            "f(){ ",
            "f(){ f; };f;",
            "x=( ",
            "<(a ",
        ),
        *(
            "cat <<A\nA\n",
            "echo $(a);",
            "case a in a) ",
            "$((",
            "$'\\x41'",
            "\\\n",
            "#\n",
            "~",
            "{}",
            "bash -c ",
        ),
    ],
)
def test_a_long_text_of_one_shape_has_an_answer(unit: str) -> None:
    """Thousands of the same sign are read, or unread with a reason."""
    text = unit * (20_000 // len(unit))

    found = read(text)
    assert is_sound(found, text)
    assert len(found.commands) <= 5_000


@pytest.mark.req("case:C17")
def test_values_do_not_grow_without_end() -> None:
    """A text that doubles a value again and again does not fill the memory."""
    found = read("x=aaaaaaaa;" + "x=$x$x;" * 14 + "p $x")

    assert len(found.commands[-1].words[-1].text) < 100_000


@pytest.mark.req("case:C17")
def test_more_than_the_longest_text_is_a_limit() -> None:
    """Not one character of it is read, all of it is in the gap."""
    longest = "a " * (MAX_TEXT // 2)

    assert not kinds(longest)
    (gap,) = read(longest + "b").gaps
    assert (gap.kind, gap.text) == (GapKind.LIMIT, longest + "b")
    assert read(longest + "b").commands == ()


@pytest.mark.req("case:C17")
def test_too_many_commands_are_a_limit_and_those_before_are_kept() -> None:
    """Sixty are read to the last; far too many keep the first."""
    assert ran("true;" * 60 + "curl u")[-1] == "curl u"

    found = read("rm -rf x;" + "".join(f"p {number};" for number in range(6_000)))
    assert {gap.kind for gap in found.gaps} == {GapKind.LIMIT}
    assert [word.text for word in found.commands[0].words] == ["rm", "-rf", "x"]


@pytest.mark.req("case:C17")
@pytest.mark.parametrize(
    "text",
    [
        "true;" * 20_000,
        "f() { g;g;g;g;g;g;g;g;g; }; g() { f;f;f;f;f;f;f;f;f; }; f",
        "x=(" + "a " * 15_000 + ");" + 'p "${x[@]}";' * 500,
        "set -- " + "a " * 15_000 + ";" + 'p "$@";' * 500,
        "p " + "{1..199} " * 11_000,
        "eval " * 20_000,
        "".join(f"f{number}() {{ p; }};" for number in range(8_000)),
        "((" * 20 + "a" * 80_000 + "))" * 20,
    ],
)
def test_a_text_that_would_take_too_long_is_a_limit(text: str) -> None:
    """Also a short one, and one that says the same over and over."""
    found = read("rm -rf x;" + text)

    assert GapKind.LIMIT in {gap.kind for gap in found.gaps}
    assert [word.text for word in found.commands[0].words] == ["rm", "-rf", "x"]


@pytest.mark.req("case:C17")
@pytest.mark.parametrize(
    "text", ["( " * 500 + "a b" + " )" * 500, "a $(" * 500 + ")" * 500, "{ " * 500 + "a" + "; }" * 500]
)
def test_nesting_without_end_is_a_limit(text: str) -> None:
    """With the whole of it in the gap, so that a denied word in it is found."""
    (gap,) = read(text).gaps

    assert (gap.kind, gap.text) == (GapKind.LIMIT, text)


@pytest.mark.req("case:C17")
def test_texts_inside_texts_without_end_are_a_limit() -> None:
    """What a shell is told to tell a shell."""
    assert GapKind.LIMIT in kinds("eval " * 40 + "rm x")


@pytest.mark.req("case:C18")
@pytest.mark.parametrize(
    "character", ["\x00", "\x07", "\x0c", "\r", "\x1b", "\x7f", "\x85", "\u2028", "\ue000", "\ue001"]
)
def test_a_control_character_anywhere_is_unread(character: str) -> None:
    """Also in quotes, comments and lines for a program; a mark cannot be forged."""
    for text in (
        f"echo a{character}b",
        f"echo 'a{character}b'",
        f"# {character}",
        f"cat <<E\n{character}\nE",
    ):
        assert GapKind.SYNTAX in kinds(text)


@pytest.mark.req("case:C18")
def test_tabs_and_lines_are_no_control_characters() -> None:
    """A text of several lines with tabs is an everyday text."""
    assert ran("a\tb\n\n\tc") == ["a b", "c"]
    assert not kinds("a\tb\n\n\tc")


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        "echo 'rm -rf /'",
        'echo "rm -rf /"',
        "printf '%s\\n' 'rm -rf /'",
        "grep -rn 'curl | sh; rm -rf /' docs",
        "git log --grep='rm -rf'",
        "git commit -m 'say why: rm -rf /; curl x | sh'",
        "git commit -m \"$(cat <<'E'\nrm -rf / $(curl x)\nE\n)\"",
        "cat > notes.md <<'E'\nrm -rf /\n$(curl x | sh)\nE",
        "# rm -rf /",
        "ls # rm -rf /",
        "x='rm -rf /'",
        "jq '.a | .rm' f",
        "awk '{print $1}' rm",
        "sed -n '/rm -rf/p' f",
        "case rm in rm) ls;; esac",
        "for rm in rm; do ls; done",
        "[[ rm == curl ]]",
        "cat rm curl",
        "ls rm -rf",
        "echo a\\; rm -rf x",
        "gh pr create --body 'run rm -rf / | sh'",
    ],
)
def test_data_is_not_code(text: str) -> None:
    """A program's name in quotes, messages, patterns, comments or names of files starts nothing."""
    assert not [line for line in ran(text) if line.split()[0] in {"rm", "curl", "sh"}]
    assert not kinds(text)


@pytest.mark.req("case:C20", "C01")
@pytest.mark.parametrize("mistake", ["if a; then", "echo $(a", "'", "done", "a (b)", "$(rm y", "case x in"])
def test_an_unread_text_keeps_what_was_read_before(mistake: str) -> None:
    """The commands above a mistake count, and the gap holds all that follows them."""
    found = read(f"rm -rf x\nls\n{mistake} curl u\n")

    assert [c.words[0].text for c in found.commands][:2] == ["rm", "ls"]
    assert any("curl u" in gap.text and gap.kind is GapKind.SYNTAX for gap in found.gaps)


@pytest.mark.req("case:C11", "case:C18")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "rm -rf x",
            "r\\m -rf x",
            "'r'm -rf x",
            "$'\\x72m' -rf x",
            "/bin/rm -rf x",
            "{rm,-rf,x}",
            "rm${IFS}-rf${IFS}x",
        ),
        *(
            '"rm" "-rf" "x"',
            "rm \\\n-rf x",
            "rm\t-rf\tx",
            "r''m -rf x",
            "c=rm; $c -rf x",
            "git log #\nrm -rf x",
        ),
        *(
            "$(echo rm) -rf x",
            "r$(echo m) -rf x",
            "x=-rf; rm $x x",
            "command rm -rf x",
            "   rm -rf x   ",
            "rm -rf x;",
        ),
    ],
)
def test_every_spelling_of_a_command_is_the_command(text: str) -> None:
    """Quotes, escapes, blanks, braces and known variables hide nothing."""
    found = read(text).commands[-1]

    assert [word.text.removeprefix("/bin/") for word in found.words] == ["rm", "-rf", "x"]
    assert all(word.fixed for word in found.words)


def test_the_folder_and_the_home_are_those_given() -> None:
    """Without them the folder is not known and the home is that of this process."""
    assert read_script("cat ~/a", "/p", home="/h").commands[0].words[1].text == "/h/a"
    assert read_script("cat ~/a").commands[0].words[1].text == f"{os.environ['HOME']}/a"
    assert read_script("ls").commands[0].cwd is None
    assert read_script("ls", "/p").commands[0].cwd == "/p"
