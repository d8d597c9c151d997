"""The expressions by which the grammar tells its pieces apart."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.effect import Word

# A possessive `++` never gives back what it took: no text makes an expression try a second way. Only single
# characters are repeated so: a group is matched wrongly before Python 3.11.5. Where a group is repeated, what
# may follow it cannot begin one more turn of it, so giving turns back finds nothing, either.
# Every blank by its number: a set that names a class of characters is compared one by one.
_BLANKS: Final = r"\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_MEANING: Final = r"""'"\\$`;&|<>()*?\[{~#"""
PLAIN: Final = rf"[^{_MEANING}\x00-\x20{_BLANKS}]"
_QUOTED: Final = r"""'[^']*+'|"[^"\\$`]*+\""""
# A stretch of words in which nothing is expanded.
PLAIN_OR_BLANK: Final = rf"[^{_MEANING}\x00-\x08\x0a-\x1f{_BLANKS}]"
EASY_WORDS: Final = rf"{PLAIN_OR_BLANK}++(?:(?:{_QUOTED}){PLAIN_OR_BLANK}*+)*"
# A word that needs no shell to be known: nothing in it is expanded.
EASY: Final = rf"(?:{PLAIN}++|{_QUOTED})+"
_EASY: Final = re.compile(EASY)
_QUOTES: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def read_easy(text: str) -> tuple[tuple[Word, ...], int]:
    """A command of such words and how wide it stands there; no words where the first may be an assignment."""
    single, double = "'" in text, '"' in text
    if not (single or double):
        words = text.split()
    elif single and double:
        words = [_QUOTES.sub(_quoted_text, word) for word in _EASY.findall(text)]
    else:
        words = [word.replace("'" if single else '"', "") for word in _EASY.findall(text)]
    if "=" in words[0]:
        return (), 0
    return tuple(map(Word, words)), len(text.rstrip())


def _quoted_text(quotes: re.Match[str]) -> str:
    return quotes[1] if quotes[1] is not None else quotes[2]


SPACE: Final = re.compile(r"(?:[ \t]++|\\\n|#[^\n]*+)+")
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
WORD, PLAIN_COMMAND, FUNCTION = 1, 2, 3
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
is_easy: Final = re.compile(EASY_WORDS).fullmatch
beginning_at: Final = BEGINNING.match
keyword_at: Final = KEYWORD.match
next_keyword_at: Final = NEXT_KEYWORD.match
lines_at: Final = LINES.match
space_at: Final = SPACE.match
redirect_at: Final = REDIRECT.match
# A first word that is neither an assignment nor a redirect, and one more, in which nothing is expanded.
first_word_at: Final = re.compile(rf"([^={_MEANING}\x00-\x20{_BLANKS}]++)(?=[ \t\n;&|)]|\Z)").match
plain_word_at: Final = re.compile(rf"[ \t]++({PLAIN}++)(?=[ \t\n;&|)]|\Z)").match
