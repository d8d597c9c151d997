"""Shell text as the commands it would run, or unread."""

from __future__ import annotations

import pytest

from interlock.reading.shell import _MAX_TEXT, _TOKEN, read_shell


def parts(text: str) -> list[str]:
    """The simple commands of a text that was read whole."""
    reading = read_shell(text)
    assert reading.unread is None, reading.unread
    return [spellings[0] for spellings in reading.allow]


@pytest.mark.req("C01")
@pytest.mark.parametrize("joint", [";", "&&", "||", "|", "|&", "&", "\n"])
@pytest.mark.parametrize("space", ["", " "])
def test_a_chain_is_split_at_every_joint(joint: str, space: str) -> None:
    """Each simple command is a part of its own, with or without spaces around the joint."""
    assert parts(f"git status{space}{joint}{space}rm -rf build") == ["git status", "rm -rf build"]


@pytest.mark.parametrize(
    "text", ["echo 'a; rm -rf /'", 'echo "a && rm -rf /"', "echo a\\;b", "echo 'a\nb'", "echo a#b"]
)
def test_data_is_not_code(text: str) -> None:
    """Joints inside quotes, escapes and words split nothing."""
    assert parts(text) == [text]


def test_a_comment_ends_with_its_line() -> None:
    """What stands after it on the next line runs."""
    assert parts("git log # ; rm x\nrm -rf x") == ["git log", "rm -rf x"]


def test_a_continued_line_is_joined() -> None:
    """Backslash and newline are nothing to the shell."""
    assert parts("rm \\\n-rf x") == ["rm -rf x"]


@pytest.mark.parametrize(
    "text", ["make 2>&1", "make >/dev/null 2>&1", "make &> /dev/null", "make 2>&1 | cat"]
)
def test_harmless_redirects_are_read(text: str) -> None:
    """Duplicated descriptors and /dev/null write nothing anywhere."""
    assert read_shell(text).unread is None


@pytest.mark.parametrize(
    "text",
    [
        "echo $(rm -rf x)",
        "echo `rm -rf x`",
        'echo "$(rm -rf x)"',
        'echo "`rm -rf x`"',
        "cat <(rm x)",
        "echo ${v@P}",
        "echo ${!v}",
        'echo "${v:=x}"',
        "echo $'\\x72m'",
        "$X -rf x",
        '"$X" -rf x',
        "${X} -rf x",
        "(rm -rf x)",
        "{ rm -rf x; }",
        "{rm,-rf,x}",
        "if true; then rm x; fi",
        "while true; do rm x; done",
        "! rm x",
        "[[ x =~ y ]]",
        "f() { rm x; }",
        "echo x > f",
        "echo x >| f",
        "echo x >&f",
        "echo x >&1f",
        "echo x >>f",
        "cat < f",
        "sh <<< 'rm x'",
        "cat <<EOF\nx\nEOF",
        "echo x 2>/dev/nullx",
        "echo 'unclosed",
        'echo "unclosed',
        "echo \\",
        "ls\rrm x",
        "ls\0rm x",
        "ls\x0crm x",
        "rm\u00a0-rf\u00a0x",
    ],
)
def test_what_is_beyond_a_plain_chain_is_unread(text: str) -> None:
    """The reader says so instead of guessing."""
    assert read_shell(text).unread


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A=1 rm -rf x", "rm -rf x"),
        ("A=1 B=2 rm -rf x", "rm -rf x"),
        ("A+=1 rm -rf x", "rm -rf x"),
        ("a[0]=1 rm -rf x", "rm -rf x"),
        ("rm   -rf\tx", "rm -rf x"),
        ("rm -rf x 2>&1", "rm -rf x"),
        ("2>/dev/null rm -rf x", "rm -rf x"),
    ],
)
def test_denies_also_see_the_command_without_what_stands_before_it(text: str, plain: str) -> None:
    """Assignments, spaces and harmless redirects hide no command; allows see the text as written."""
    reading = read_shell(text)

    assert plain in reading.deny
    assert text in reading.deny
    assert reading.allow == ((text,),)


def test_a_text_that_is_too_long_is_unread_whole() -> None:
    """Past the limit nothing is split and nothing allowed."""
    assert read_shell("a" * _MAX_TEXT).unread is None
    assert read_shell("a" * (_MAX_TEXT + 1)).unread


@pytest.mark.parametrize("text", ["", "   ", "# only a comment", ";;"])
def test_a_text_without_commands_has_no_parts(text: str) -> None:
    """There is nothing an allow list could match."""
    assert read_shell(text).allow == ()


@pytest.mark.parametrize(
    "text",
    [
        "a;" * 20_000,
        "'x" * 9_999,
        '"a\\"' * 9_999,
        "$a" * 20_000,
        "\\b" * 20_000,
        "1>" * 9_999,
        "#\n" * 9_999,
        "> " * 9_999,
    ],
    ids=lambda text: repr(text[:4]),
)
def test_every_character_is_consumed_once(text: str) -> None:
    """Tokens are counted, not seconds: they follow each other without gap or overlap and cover the text."""
    position = count = 0
    while token := _TOKEN.match(text, position):
        assert token.start() == position < token.end()
        position, count = token.end(), count + 1

    assert position == len(text)
    assert count <= len(text)
    read_shell(text)
