"""The expressions by which the grammar tells its pieces apart."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.shell.easy import EASY_WORDS

SPACE_START: Final = frozenset(" \t\\#")
SPACE: Final = re.compile(r"(?:[ \t]++|\\\n|#[^\n]*+)+")
LINES_START: Final = SPACE_START | {"\n"}
LINES: Final = re.compile(r"[ \t\n]*+(?:(?:\\\n|#[^\n]*+)[ \t\n]*+)*")
KEYWORD_START: Final = frozenset("itefwudcs{}![]")
# The usual characters behind such a word are asked for first.
_KEYWORD_TEXT: Final = (
    r"(?:i[fn]|t(?:hen|ime)|e(?:l(?:if|se)|sac)|f(?:i|or|unction)|while|until|do|done|c(?:ase|oproc)|select"
    r"|[{}!]|\[\[|\]\])(?:(?=[ \n;])|(?=(?:\\\n)*(?:[\s;&|()]|[<>](?!\()|\Z)))"
)
KEYWORD: Final = re.compile(_KEYWORD_TEXT)
NEXT_KEYWORD: Final = re.compile(rf"{LINES.pattern}({_KEYWORD_TEXT})")
# What the beginning of a command was found to be, by its last group: a word of the grammar, a whole command
# of words that the shell only takes apart, or the name of a function.
WORD, PLAIN, FUNCTION = 1, 2, 3
_COMMAND_END: Final = r"(?:(?=[\n;|)]|&(?!>)|\Z)|#(?<=[ \t]#)[^\n]*+)"
BEGINNING: Final = re.compile(
    rf"{LINES.pattern}"
    rf"(?:({_KEYWORD_TEXT})|({EASY_WORDS})(?:{_COMMAND_END}|(\([ \t]*+\)))|)"
)
# Where a redirect leads, when it is plain: neither the `!` nor the `-` that means something else to some.
EASY_TARGET: Final = re.compile(r"[ \t]*+([\w./][\w./-]*+)(?=[ \t\n;&|)]|\Z)", re.ASCII)
FUNCTION_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_:.-]*+")
REDIRECT_START: Final = frozenset("<>&{0123456789")
REDIRECT: Final = re.compile(
    r"(?:\d+|\{(?P<name>[A-Za-z_]\w*)\})?(?P<operator><<<|<<-?|<>|>>|>\||<&|>&|[<>](?!\())|(?P<both>&>>?)"
)
ASSIGNMENT: Final = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?P<key>\[(?:[\w$@*+\-\"' ./:]|\$\{#\w+(?:\[[@*]\])?\})*\])?(?P<add>\+)?="
)
ELEMENT: Final = re.compile(r"[A-Za-z_]\w*\[")
# By these names, since to ask an expression of another module for its method takes long each time.
beginning_at: Final = BEGINNING.match
keyword_at: Final = KEYWORD.match
next_keyword_at: Final = NEXT_KEYWORD.match
lines_at: Final = LINES.match
space_at: Final = SPACE.match
redirect_at: Final = REDIRECT.match
