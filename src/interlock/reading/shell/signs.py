"""The expressions by which the grammar tells its pieces apart."""

from __future__ import annotations

import re
from typing import Final

from interlock.reading.shell.easy import EASY_WORDS, easy_word

SPACE_START: Final = frozenset(" \t\\#")
SPACE: Final = re.compile(r"(?:[ \t]++|\\\n|#[^\n]*+)+")
LINES_START: Final = SPACE_START | {"\n"}
LINES: Final = re.compile(r"(?:[ \t\n]++|\\\n|#[^\n]*+)+")
KEYWORD_START: Final = frozenset("itefwudcs{}![]")
_KEYWORD_TEXT: Final = (
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|in|function|time|coproc"
    r"|[{}!]|\[\[|\]\])(?=(?:\\\n)*(?:[\s;&|()]|[<>](?!\()|\Z))"
)
KEYWORD: Final = re.compile(_KEYWORD_TEXT)
NEXT_KEYWORD: Final = re.compile(rf"(?:{LINES.pattern})?({_KEYWORD_TEXT})")
# A whole command of words that the shell only takes apart, and what may follow it.
_PLAIN_COMMAND: Final = rf"({EASY_WORDS})(?=[\n;|)]|&(?!>)|\Z)"
LINES_ONLY, WORD, PLAIN = 1, 2, 3  # what the beginning of a command was found to be, by its group
BEGINNING: Final = re.compile(rf"({LINES.pattern})?(?:({_KEYWORD_TEXT})|{_PLAIN_COMMAND})?")
# Where a redirect leads, when it is plain: neither the `!` nor the `-` that means something else to some.
EASY_TARGET: Final = re.compile(r"[ \t]*+([\w./][\w./-]*+)(?=[ \t\n;&|)]|\Z)", re.ASCII)
EASY_WORD: Final = re.compile(r"[ \t]*+(" + easy_word(r"\s;&|)") + r"|\[(?=[ \t]))[ \t]*+")
REDIRECT: Final = re.compile(
    r"(?:\d+|\{[A-Za-z_]\w*\})?(?P<operator><<<|<<-?|<>|>>|>\||<&|>&|[<>](?!\())|(?P<both>&>>?)"
)
ASSIGNMENT: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<key>\[[\w$@*+\-\"' ]*\])?(?P<add>\+)?=")
ELEMENT: Final = re.compile(r"[A-Za-z_]\w*\[")
