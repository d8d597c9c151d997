"""Laws of compound commands: each has its bodies, and none is read half."""

from __future__ import annotations

import re

import pytest
from tests.effects.shell.bash import accepts

from interlock.effects.shell.grammar import Grammar
from interlock.effects.shell.syntax import Block, BlockKind, Simple

BLOCKS = [
    ("{ a; b; }", BlockKind.GROUP, 1),
    ("( a ; b )", BlockKind.SUBSHELL, 1),
    ("if a; then b; fi", BlockKind.BRANCH, 2),
    ("if a ; then b ; elif c ; then d ; else e ; fi", BlockKind.BRANCH, 5),
    ("while a; do b; done", BlockKind.LOOP, 2),
    ("until a\ndo b\ndone", BlockKind.LOOP, 2),
    ("for x in 1 2 3; do a; done", BlockKind.LOOP, 1),
    ("for x\ndo a\ndone", BlockKind.LOOP, 1),
    ("for x in 1; { a; }", BlockKind.LOOP, 1),
    ("for ((i=0; i<3; i++)); do a; done", BlockKind.LOOP, 1),
    ("select x in 1 2; do a; done", BlockKind.LOOP, 1),
    ("case $x in a) b ;; (c|d) e ;& f) g ;;& *) h ;; esac", BlockKind.BRANCH, 4),
    ("case x in esac", BlockKind.BRANCH, 0),
    ("[[ -f a && ( b == c* || d =~ ^(e|f)$ ) ]]", BlockKind.TEST, 0),
    ("(( x + 1 > 2 ))", BlockKind.TEST, 0),
]
TEXTS = [text for text, _, _ in BLOCKS]


@pytest.mark.parametrize(("text", "kind", "bodies"), BLOCKS)
def test_a_block_has_its_kind_and_bodies(text: str, kind: BlockKind, bodies: int) -> None:
    """Every body is there, in order, and the block ends where its text does."""
    nodes, stuck = Grammar(text).read()

    assert stuck is None
    (block,) = nodes
    assert isinstance(block, Block)
    assert (block.kind, len(block.bodies), block.start, block.end) == (kind, bodies, 0, len(text))
    for body in block.bodies:
        assert all(isinstance(item, Simple) for item in body.items)


@pytest.mark.deep
@pytest.mark.req("case:C20")
@pytest.mark.parametrize("text", TEXTS)
def test_a_block_cut_short_is_read_only_where_bash_takes_it(text: str) -> None:
    """At whatever word a block breaks off, it is refused unless bash accepts the rest as a whole text."""
    for cut in [found.start() for found in re.finditer(r"[\s;()]", text)]:
        _, stuck = Grammar(text[:cut]).read()

        assert stuck is not None or accepts(text[:cut]), text[:cut]


@pytest.mark.req("case:C15")
@pytest.mark.parametrize("text", TEXTS)
def test_redirects_after_a_block_belong_to_it(text: str) -> None:
    """Not to the last command inside."""
    nodes, stuck = Grammar(f"{text} > f 2>&1").read()

    assert stuck is None
    (block,) = nodes
    assert isinstance(block, Block)
    assert [redirect.target.text for redirect in block.redirects] == ["f", "1"]


@pytest.mark.parametrize("inner", TEXTS)
@pytest.mark.parametrize(
    "outer",
    [
        "{ %s; }",
        "( %s )",
        "if %s; then a; fi",
        "if a; then %s; else %s; fi",
        "while a; do %s; done",
        "for x in 1; do %s; done",
        "case x in a) %s ;; esac",
        "f() { %s; }",
        "a && %s || b",
        "a | %s",
        'a "$( %s )"',
        "%s &",
    ],
)
def test_blocks_stand_in_blocks(outer: str, inner: str) -> None:
    """A block may stand wherever a command does."""
    _, stuck = Grammar(outer.replace("%s", inner)).read()

    assert stuck is None


@pytest.mark.parametrize(
    "text",
    [
        *("{ }", "()", "{ a }", "((a", "[[ ]", "[[ a ]", "f() a", "function"),
        *("if; then a; fi", "if a; then fi", "if a then b; fi", "if a; then b; else fi"),
        *("while a; do done", "while; do a; done", "for x in a do b; done", "for ((;;); do a; done"),
        *("case in a) b;; esac", "case a in b c) d;; esac", "case a in b) c", "for 1 in a; do b; done"),
    ],
)
def test_a_block_that_is_wrong_is_refused(text: str) -> None:
    """Empty bodies, missing words and wrong ends stop the reading."""
    _, stuck = Grammar(text).read()

    assert stuck is not None


def test_two_parentheses_are_a_sum_or_a_subshell() -> None:
    """What can only be commands is read as commands, what could be both is refused."""
    (counted,), _ = Grammar("((1 + x))").read()
    (nested,), _ = Grammar("((a -b); c)").read()
    _, stuck = Grammar("((a b))").read()

    assert isinstance(counted, Block)
    assert counted.kind is BlockKind.TEST
    assert isinstance(nested, Block)
    assert nested.kind is BlockKind.SUBSHELL
    assert stuck is not None
