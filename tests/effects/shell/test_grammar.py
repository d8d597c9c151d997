"""Laws of commands: every character is accounted for, or the reading stops and says where."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.effects.oracle.corpus import load
from tests.effects.shell.bash import accepts

from interlock.effects.shell.context import TextSpan
from interlock.effects.shell.grammar import Grammar, plain_commands
from interlock.effects.shell.syntax import Block, BlockKind, Chain, Function, Node, Pipe, ShellWord, Simple

TOKENS = st.sampled_from(
    [
        *("a", "b", "'c'", '"d"', "x=1", "$x", "${x}", "$(a)", "`a`", "<(a)", "$((1))", "{a,b}", "*", "~"),
        *(
            "\\",
            "'",
            '"',
            "$(",
            ")",
            "(",
            "{",
            "}",
            ";",
            ";;",
            "&",
            "&&",
            "|",
            "||",
            ">",
            ">>",
            "<",
            "<<<",
            "#",
        ),
        *("if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "case", "esac"),
        *("function", "f()", "[[", "]]", "x=("),
    ]
)
TEXTS = st.lists(st.tuples(TOKENS, st.sampled_from([" ", " ", "", "\n"])), max_size=9).map(
    lambda pairs: "".join(token + space for token, space in pairs)
)
WORDS = st.sampled_from(["a", "-b", "'c d'", '"e;f"', "g\\ h", "$i", "$(j k)", "{l,m}", "n*", "x=1"])
OPERATORS = st.sampled_from([" ; ", ";", "\n", " && ", "||", " | ", "|&", " & ", "\n\n", " \\\n && "])
# Bash does not take `>2>&1` and `a | ! b`; read as more than would run, they do no harm.
LOOSER = re.compile(r"[<>]\s*\d+[<>]|\|&?\s*!|\)#")


def texts(node: Simple) -> list[str]:
    """The words of a command."""
    return [word.text for word in node.plain] + [word.text for word in node.words or ()]


def placed(text: str, node: Simple) -> tuple[ShellWord, ...]:
    """Where the words of a command stand."""
    return TextSpan(text, node.start, node.end, node.words or (), plain=len(node.plain)).spans or ()


def simples(nodes: tuple[Node, ...] | list[Node]) -> Iterator[Simple]:
    """The simple commands in their order."""
    for node in nodes:
        if isinstance(node, Simple):
            yield node
        elif isinstance(node, Pipe):
            yield from simples(node.parts)
        elif isinstance(node, Chain):
            yield from simples((node.first, *(part for _, part in node.rest)))
        elif isinstance(node, Block):
            yield from (simple for body in node.bodies for simple in simples(body.items))
        elif isinstance(node, Function):
            yield from simples((node.body,))


def whole(text: str) -> list[Node]:
    """The nodes of a text that is read to its end."""
    nodes, stuck = Grammar(text).read()
    assert stuck is None, stuck
    return nodes


@pytest.mark.req("C01", "X12")
@given(
    st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=4), OPERATORS), min_size=1, max_size=5),
    st.booleans(),
)
def test_every_character_is_in_one_word_or_operator(
    lines: list[tuple[list[str], str]], redirected: bool
) -> None:
    """Words do not overlap, come in order, and between them stand only blanks and operators."""
    more = [*lines, (["z"], "")]
    text = "".join("p " + " ".join(words) + (" >f 2>&1" if redirected else "") + end for words, end in more)

    found = list(simples(whole(text)))
    spans = sorted(
        (place.start, place.end)
        for node in found
        for place in (*placed(text, node), *(redirect.target for redirect in node.redirects))
    )

    assert len(found) == len(more)
    assert [len(texts(node)) for node in found] == [len(words) + 1 for words, _ in more]
    position, between = 0, ""
    for start, end in spans:
        assert position <= start < end
        between += text[position:start]
        position = end
    assert re.fullmatch(r"(?:[\s;&|<>]|\\\n|2(?=>))*", between + text[position:])


@pytest.mark.deep
@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_what_bash_refuses_is_refused(text: str) -> None:
    """A text that is read to its end is one that bash accepts."""
    assume(not LOOSER.search(text))
    _, stuck = Grammar(text).read()

    assert stuck is not None or accepts(text)


def test_a_sign_right_after_an_array_begins_no_comment() -> None:
    """`x=(a)#` is one word, so what stands behind it runs."""
    _, stuck = Grammar("x=(a)#; b").read()

    assert stuck is not None or len(list(simples(whole("x=(a)#; b")))) == 2


def test_a_negation_inside_a_pipe_is_no_program() -> None:
    """Some shells run what follows `!` there, bash refuses it."""
    nodes, stuck = Grammar("a | ! b").read()

    assert stuck is not None or [texts(node)[0] for node in simples(nodes)] == ["a", "b"]


@given(st.text("ab'\"\\$`(){}[]<>*?~#!@:-=+1 \n\t|&;"))
def test_every_text_is_read_or_stops_at_a_place(text: str) -> None:
    """No text makes the grammar do anything else."""
    _, stuck = Grammar(text).read()

    assert stuck is None or stuck.why


@pytest.mark.req("case:C20")
@pytest.mark.parametrize(
    "mistake", ["$(", "'", "if a; then", ")", "}", ";;", "&& x", "| x", "done", "a (b)", "coproc ! a"]
)
def test_what_was_whole_before_a_mistake_is_kept(mistake: str) -> None:
    """The commands above a mistake are read, and the mistake is named."""
    nodes, stuck = Grammar(f"a 1\nb 2; c 3\n{mistake}").read()

    assert [texts(node)[0] for node in simples(nodes)][:3] == ["a", "b", "c"]
    assert stuck is not None
    assert stuck.position >= len("a 1\nb 2; c 3\n")


@pytest.mark.req("C01")
def test_operators_give_the_shape() -> None:
    """Lists, chains, pipes and what runs in the background are told apart."""
    chain, pipe, background = whole("a && b || c; d | e |& f; g &")

    assert isinstance(chain, Chain)
    assert [operator for operator, _ in chain.rest] == ["&&", "||"]
    assert isinstance(pipe, Pipe)
    assert len(pipe.parts) == 3
    assert isinstance(background, Block)
    assert background.kind is BlockKind.BACKGROUND


@pytest.mark.req("case:C18")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a #b; c", 1),
        ("a # b\nc", 2),
        ("a#b; c", 2),
        ("a '#' b; c", 2),
        ("#a\n#b\nc", 1),
        ("a \\\n b", 1),
        ("a\\\nb", 1),
    ],
)
def test_comments_and_joined_lines_separate_as_they_should(text: str, count: int) -> None:
    """A comment begins only where a word could, and ends with its line."""
    assert len(list(simples(whole(text)))) == count


@pytest.mark.req("case:C15")
@pytest.mark.parametrize(
    "operator", [">", ">>", ">|", "&>", "&>>", ">&", "<", "<>", "<<<", "<&", "2>", "10>>"]
)
def test_every_redirect_has_its_operator_and_target(operator: str) -> None:
    """With or without a blank, before, between and after the words."""
    for text in (f"a b {operator}f", f"a {operator} f b", f"{operator} f a b"):
        (node,) = simples(whole(text))
        (redirect,) = node.redirects

        assert texts(node) == ["a", "b"]
        assert redirect.operator == operator.lstrip("0123456789")
        assert redirect.target.text == "f"
        assert text[redirect.start : redirect.end].lstrip(operator).strip() == "f"


@pytest.mark.req("case:C15")
@pytest.mark.parametrize("text", ["a {PATH}>f", "a >!f", "a >! f", "b $(a >!f)"])
def test_what_shells_read_differently_is_doubted(text: str) -> None:
    """It is read the way of bash, and said to be doubtful."""
    grammar = Grammar(text)
    _, stuck = grammar.read()

    assert stuck is None
    assert grammar.doubts


@pytest.mark.parametrize(
    ("text", "names", "words"),
    [
        *(("x=1", ["x"], 0), ("x=1 y=2 a", ["x", "y"], 1), ("a x=1", [], 2), ("x+=1", ["x"], 0)),
        *(("x[1]=a b", ["x"], 1), ("x=(a b)", ["x"], 0), ("'x=1'", [], 1), ("x\\=1", [], 1)),
        *(("declare x=(a)", ["x"], 2), ("x= a", ["x"], 1)),
    ],
)
def test_assignments_are_those_before_the_program(text: str, names: list[str], words: int) -> None:
    """Quoted, or after the program, `x=1` is a word."""
    (node,) = simples(whole(text))

    assert [assignment.name for assignment in node.assignments] == names
    assert len(texts(node)) == words


@pytest.mark.req("case:C12")
@pytest.mark.parametrize(
    "text", ["f() { a; }", "f () { a; }", "function f { a; }", "function f() (a)", "f()\n{ a; }"]
)
def test_every_way_to_define_a_function_is_read(text: str) -> None:
    """With its name and body."""
    (node,) = whole(text)

    assert isinstance(node, Function)
    assert node.name == "f"
    assert [texts(simple)[0] for simple in simples((node.body,))] == ["a"]


@pytest.mark.req("case:C17")
def test_the_number_of_commands_is_limited() -> None:
    """A text of far too many commands stops as a limit."""
    nodes, stuck = Grammar("a;" * 25_000).read()

    assert stuck is not None
    assert stuck.limit
    assert 0 < len(nodes) < 25_000


@pytest.mark.req("case:C17")
@pytest.mark.parametrize(
    "opening", ["$(", "(", "{ ", "if ", "while ", "`\\`", "<(", '"$(', "case a in a) ", "f(){ "]
)
def test_the_depth_is_limited(opening: str) -> None:
    """Five hundred of anything inside one another is refused, not an exception."""
    _, stuck = Grammar("a " + opening * 500 if opening[0] in '$`<"' else opening * 500).read()

    assert stuck is not None


PLAIN_PIECES = st.sampled_from(
    [
        "a",
        "7z",
        "if",
        "time",
        "'x y'",
        '"z"',
        "''",
        " ",
        "\t",
        " && ",
        "&&",
        "&",
        "=",
        "-2",
        "}",
        "!",
        ";",
        ">",
        "#",
    ]
)


def check_plain(text: str) -> None:
    """What is read without the grammar is what the grammar reads."""
    plain = plain_commands(text)
    assert plain is None or Grammar(text).read() == ([plain], None)


@given(st.lists(PLAIN_PIECES, max_size=9).map("".join))
@settings(max_examples=300)
def test_plain_commands_are_what_the_grammar_reads(text: str) -> None:
    check_plain(text)


def test_most_everyday_commands_are_plain_and_read_alike() -> None:
    texts = [row.text for row in load("benign")]
    for text in texts:
        check_plain(text)
    assert sum(plain_commands(text) is not None for text in texts) > len(texts) / 3


@pytest.mark.parametrize(
    "text", ["", " ls", "if a", "A=1 b", "a; b", "a > b", "a $x", "a &&", "a && fi", "a # b"]
)
def test_what_is_more_than_plain_words_is_left_to_the_grammar(text: str) -> None:
    assert plain_commands(text) is None
