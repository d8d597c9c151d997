"""Telling `sed` and `awk` code that only transforms its input from code that runs, reads or writes more."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.program import Role

LITTLE: Final = frozenset(("sed", "awk"))  # programs whose code is looked at

_LONGEST: Final = 4000  # characters; longer code is not looked at

_SED_SIMPLE: Final = frozenset("pPdDnNgGhHxzl=qQ{}")
_SED_ADDRESS: Final = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n\[]|\\.|\[[^\]\n]*\])*/[IM]*)")
_SED_SECOND: Final = re.compile(r"\s*,\s*(?:[+~]?\d+|\$|/(?:[^/\\\n\[]|\\.|\[[^\]\n]*\])*/[IM]*)")
_SED_FLAGS: Final = re.compile(r"[gpiIMm0-9]*")
_SED_LABEL: Final = re.compile(r"\s*[A-Za-z0-9_]*\s*(?=[;}\n]|$)")
_SED_NUMBER: Final = re.compile(r"\s*\d*")

_AWK_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n|\#[^\n]*) | (?P<string>"(?:[^"\\\n]|\\.)*") | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+) | (?P<mark>\|\||&&|[<>=!+\-*%^]=|\+\+|--|!~|[^\w\s"])
      | (?P<line>\n)""",
    re.VERBOSE,
)
_AWK_REGEX: Final = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?[^\]\n]*\])*/")
_AWK_POWERS: Final = frozenset(
    "system getline close fflush ARGV ARGC PROCINFO load include extension readfile".split()
)
_AWK_WORDS: Final = re.compile(r"\w+")
_AWK_STREAM: Final = re.compile(r'>[ \t]*"/dev/std(?:err|out)"[ \t]*(?=[;}\n]|\Z)')
_AWK_KEYWORDS: Final = frozenset("in return print printf case else do exit".split())


def is_plain_code(program: str, code: Word) -> bool:
    """True when this program text surely does nothing but transform what the program was given."""
    if not code.fixed or len(code.text) > _LONGEST:
        return False
    return is_plain_sed(code.text) if program == "sed" else is_plain_awk(code.text)


def after_suffix(code: Word) -> Role:
    """What the word behind `sed -i ''` is: the script of one sed; to another a file, which stays as it is."""
    return Role.READ if is_plain_code("sed", code) else Role.CODE


def is_plain_sed(text: str) -> bool:
    """True for scripts of substitutions and other commands that touch no file and run nothing."""
    at = 0
    while at < len(text):
        if text[at] in " \t\n;":
            at += 1
            continue
        at = _sed_command(text, _sed_addresses(text, at))
        if at < 0:
            return False
    return True


def _sed_addresses(text: str, at: int) -> int:
    first = _SED_ADDRESS.match(text, at)
    if first is not None:
        at = first.end()
        if (second := _SED_SECOND.match(text, at)) is not None:
            at = second.end()
    while at < len(text) and text[at] in " \t!":
        at += 1
    return at


def _sed_command(text: str, at: int) -> int:
    """The place after one command, -1 when it is none that is known to be harmless."""
    letter = text[at : at + 1] or "?"
    after = -1
    if letter in _SED_SIMPLE:
        number = _SED_NUMBER.match(text, at + 1) if letter in "qQl" else None
        after = number.end() if number is not None else at + 1
    elif letter in "sy":
        after = _sed_substitution(text, at)
    elif letter in "bt:T":
        label = _SED_LABEL.match(text, at + 1)
        after = label.end() if label is not None else -1
    elif letter in "aic":
        after = _sed_text(text, at + 1)
    elif letter == "#":
        end = text.find("\n", at)
        after = end if end >= 0 else len(text)
    return after


def _sed_text(text: str, at: int) -> int:
    """The place after text to insert: to the end of the line that no backslash continues."""
    while (end := text.find("\n", at)) >= 0:
        line = text[at:end]
        if (len(line) - len(line.rstrip("\\"))) % 2 == 0:
            return end
        at = end + 1
    return len(text)


def _sed_substitution(text: str, at: int) -> int:
    mark = text[at + 1 : at + 2]
    if mark in ("", "\\", "\n"):
        return -1
    place = at + 2
    for part in (0, 1):
        place = _sed_part(text, place, mark, brackets=part == 0 and text[at] == "s")
        if place < 0:
            return -1
    if text[at] == "y":
        return place
    flags = _SED_FLAGS.match(text, place)
    end = flags.end() if flags is not None else place
    return end if text[end : end + 1] in ("", ";", "}", "\n", " ", "\t") else -1


def _sed_part(text: str, at: int, mark: str, *, brackets: bool) -> int:
    """The place after the next mark; where a bracket hides one, programs differ, so it is not plain."""
    opened = False
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 2
            continue
        if letter == mark:
            return -1 if opened else at + 1
        if brackets and letter == "[" and not opened:
            opened = "]" in text[at + 2 :]
            at += 1 if text[at + 1 : at + 2] == "]" else 0
        elif letter == "]":
            opened = False
        at += 1
    return -1


def is_plain_awk(text: str) -> bool:
    """True for programs without commands, pipes, redirects and further files."""
    if _has_power(text):
        return False
    at = braces = parens = 0
    operand = False  # whether a `/` here divides
    while at < len(text):
        if text[at] == "/" and not operand and (regex := _AWK_REGEX.match(text, at)) is not None:
            at, operand = regex.end(), True
            continue
        if text[at] == ">" and (stream := _AWK_STREAM.match(text, at)) is not None:
            at, operand = stream.end(), True
            continue
        token = _AWK_TOKEN.match(text, at)
        if token is None or _awk_redirects(token[0], braces, parens):
            return False
        if token[0] == "/" and text[:at].rstrip(" \t")[-1:] == ")" and '"' in text[at:]:
            return False  # `if (x) /"/` is not a division: strings could begin elsewhere than they seem to
        at = token.end()
        piece = token[0]
        braces += (piece == "{") - (piece == "}")
        parens += (piece in "([") - (piece in ")]") if token.lastgroup == "mark" else 0
        if token.lastgroup != "space":
            operand = token.lastgroup in ("string", "number") or piece in (")", "]", "$", "++", "--")
            operand = operand or (token.lastgroup == "word" and piece not in _AWK_KEYWORDS)
    return True


def _has_power(text: str) -> bool:
    """True where a word that runs or reads more stands anywhere, even in what looks like a string."""
    for word in _AWK_WORDS.findall(text):
        if word in _AWK_POWERS:
            return True
        if word[0].isdigit() and any(power in word for power in _AWK_POWERS):  # `1system(…)` is two words
            return True
    return False


def _awk_redirects(piece: str, braces: int, parens: int) -> bool:
    """True for a pipe, an indirect call, and a `>` where it is not a comparison."""
    return piece in ("|", "@", "\\") or (piece == ">" and braces > 0 and parens == 0)
