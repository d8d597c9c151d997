"""Expansions: `${…}`, what arithmetic does with its text, and the quote `$'…'`."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from interlock.effects.shell.syntax import Expansion, Part, StuckError, Text, Variable

if TYPE_CHECKING:
    from interlock.effects.shell.scan import Scanner


_QUOTES: Final = frozenset("\"'\\")
_SET: Final = re.compile(r"([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=")
_SIGNS: Final = re.compile(r"\w\[|[\"'\\][\[\]][\"']?|[\[\]]|\$\(|`|\$\{[\s|]")
_CHANGES: Final = re.compile(r"(?<![=<>!])=(?!=)|<<=|>>=|\+\+|--")
# A name whose length alone is asked for (`${#x}`) is not evaluated.
_NAMES: Final = re.compile(r"(?<!\{#)\b[A-Za-z_]\w*")


def set_in(text: str) -> tuple[str, ...]:
    """The variables that a text sets where it is counted with."""
    return tuple(_SET.findall(text)) if "=" in text else ()


def names_counted(text: str) -> tuple[str, ...]:
    """The variables that arithmetic evaluates."""
    return tuple(_NAMES.findall(text))


def runs_in(text: str) -> bool:
    """Whether a shell that counts with this text runs a command in it: `a[$(…)]`."""
    if "[" not in text:
        return False
    depth = 0  # of subscripts, and of brackets in them; quoted ones are none
    for sign in _SIGNS.findall(text):
        if sign[0] in _QUOTES:
            continue
        if sign[-1] == "[":
            depth += 1 if depth or len(sign) > 1 else 0
        elif sign == "]":
            depth -= 1 if depth else 0
        elif depth:
            return True
    return False


def sets_variable(text: str) -> bool:
    """Whether arithmetic that stands in a text itself sets a variable."""
    return _CHANGES.search(text) is not None


_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_PARAMETER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+|[0-9]++|[@*#?$!-]")
_OPERATOR: Final = re.compile(r":[-+=?]|[-+=?]|##?|%%?|//?|/[#%]|\^\^?|,,?|:(?![-+=?])|@[A-Za-z]\}")
_IN_BRACES: Final = re.compile(r"[^}$`\"\\'<>]++")
_SLICE: Final = re.compile(r":(?![-+=?])")
_HARMLESS_TRANSFORM: Final = frozenset("QEAaUuLKk")


def read_braced(scan: Scanner, parts: list[Part], *, quoted: bool) -> None:
    """Take `${…}` with whatever stands in it."""
    start = scan.position
    scan.position += 2
    prefix = scan.text[scan.position : scan.position + 1]
    length = prefix == "#" and scan.text[scan.position + 1 : scan.position + 2] not in {"}", ""}
    indirect = prefix == "!" and scan.text[scan.position + 1 : scan.position + 2] not in {"}", ""}
    scan.position += length or indirect
    parameter = _PARAMETER.match(scan.text, scan.position)
    if parameter is None:
        raise StuckError("expansion that Interlock cannot read", start)
    name, scan.position = parameter.group(), parameter.end()
    inner: list[Part] = []
    keys = _read_subscript(scan, inner)
    sliced = _SLICE.match(scan.text, scan.position) is not None
    operator = scan.position
    if scan.text.startswith("}", scan.position) and not (length or indirect or inner or keys):
        scan.position += 1
        parts.append(Variable(name, scan.text[start : scan.position], quoted))
        return
    assigns = _operation(scan, name, inner, quoted=quoted)
    hides = refers = None
    written = scan.text[start : scan.position]
    if sliced:  # what says where to cut is counted
        keys += scan.text[operator : scan.position]
    if indirect and keys not in {"@", "*"} and not written.endswith(("*}", "@}")):
        hides = f"`{written}` names a variable through another one"
        refers = name if not keys and not assigns else None
    if assigns and runs_in(written):
        refers, hides = None, f"arithmetic would run the value of `{assigns}`"
    if written.endswith("@P}"):
        refers, hides = None, f"`{written}` runs the variable's value"
    parts.append(
        Expansion(
            written=written, quoted=quoted, parts=tuple(inner), assigns=assigns, hides=hides, refers=refers,
            counts=tuple(_NAME.findall(keys)) if keys else (),
        )
    )  # fmt: skip


def _read_subscript(scan: Scanner, parts: list[Part]) -> str:
    """Move over `[…]` after a name; what stands in it, or nothing."""
    if not scan.text.startswith("[", scan.position):
        return ""
    start = scan.position + 1
    scan.position = start
    while scan.position < len(scan.text) and scan.text[scan.position] != "]":
        character = scan.text[scan.position]
        if character in "$`\"'\\":
            scan.part(character, parts)
        elif character in "@*" or character.isalnum() or character in "_+-*/% .:":
            scan.position += 1
        else:
            raise StuckError("subscript that Interlock cannot read", start)
    if scan.position >= len(scan.text):
        raise StuckError("subscript without an end", start)
    scan.position += 1
    return scan.text[start : scan.position - 1]


def _operation(scan: Scanner, name: str, parts: list[Part], *, quoted: bool) -> str | None:
    """Move over the operator and word of `${name…}` and its brace; the name it may assign."""
    if scan.text.startswith("}", scan.position):
        scan.position += 1
        return None
    if scan.text[scan.position : scan.position + 2] in {"*}", "@}"}:  # `${!prefix*}`
        scan.position += 2
        return None
    operator = _OPERATOR.match(scan.text, scan.position)
    if operator is None:
        raise StuckError("expansion that Interlock cannot read", scan.position)
    word = operator.group()
    if word.startswith("@"):
        if word[1] not in _HARMLESS_TRANSFORM | {"P"}:
            raise StuckError(f"unknown transformation `{word[:2]}`", scan.position)
        scan.position = operator.end()
        return None
    scan.position = operator.end()
    _until_brace(scan, parts, quoted=quoted)
    return name if word in {"=", ":="} else None


def _until_brace(scan: Scanner, parts: list[Part], *, quoted: bool) -> None:
    while scan.position < len(scan.text):
        character = scan.text[scan.position]
        if character == "}":
            scan.position += 1
            return
        if quoted and (character == "'" or scan.text.startswith("$'", scan.position)):
            # Literal in `"${x:-'}"` for one shell, a quote for another.
            raise StuckError("quote inside a quoted expansion", scan.position)
        if character in "$`\"\\'" or (not quoted and scan.goes_on(character)):
            scan.part(character, parts)
        elif run := _IN_BRACES.match(scan.text, scan.position):
            scan.position = run.end()
            parts.append(Text(run.group()))
        else:
            scan.position += 1
            parts.append(Text(character))
    raise StuckError("unclosed expansion", scan.position)


_PIECE: Final = re.compile(
    r"""(?P<text>[^'\\]++)
      | \\(?:
            x(?P<hex>[0-9A-Fa-f]{1,2})
          | u(?P<short>[0-9A-Fa-f]{1,4})
          | U(?P<long>[0-9A-Fa-f]{1,8})
          | (?P<octal>[0-7]{1,3})
          | c(?P<control>[A-Za-z@\[\]^_])
          | (?P<letter>[^xuUc])
        )
      | (?P<end>')
    """,
    re.VERBOSE | re.DOTALL,
)
_BYTES: Final = frozenset({"hex", "octal"})
_LETTERS: Final = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip


def decode_ansi_c(text: str, start: int) -> tuple[str, int]:
    """The value of the quote whose content begins at `start`, and where it ends; -1 when it has none."""
    characters: list[str] = []
    high: list[bool] = []  # for each piece that is not ASCII: whether it was written as a byte
    position = start
    while match := _PIECE.match(text, position):
        position = match.end()
        if match["end"]:
            whole = _join("".join(characters), high)
            return ("", -1) if whole is None else (whole, position)
        characters.append(_character(match))
        if not characters[-1].isascii():
            high.append(match.lastgroup in _BYTES)
    return "", -1


def _join(whole: str, high: list[bool]) -> str | None:
    """The value up to a NUL, with which a shell ends it, bytes put together as UTF-8."""
    whole = whole.partition("\0")[0]
    if not any(high):
        return whole
    if not all(high):
        return None  # characters beside bytes: what the shell makes of it depends on its settings
    try:
        return whole.encode("latin-1").decode()
    except UnicodeError:
        return None


def _character(match: re.Match[str]) -> str:
    if match["text"]:
        return match["text"]
    for digits in ("hex", "short", "long"):
        if match[digits]:
            code = int(match[digits], 16)
            return chr(code) if code <= sys.maxunicode else "\ufffd"
    if match["octal"]:
        return chr(int(match["octal"], 8) & 0xFF)
    if match["control"]:
        return chr(ord(match["control"][0]) & 0x1F)
    return _LETTERS.get(match["letter"], "\\" + match["letter"])


_RANGE: Final = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.-?\d{1,6})?|([A-Za-z])\.\.([A-Za-z])")
_MAX_WORDS: Final = 200
_MAX_BRACES: Final = 30

# A part of a word, or one of its unquoted characters.
_Item = str | Part


class _OddError(Exception):
    """Braces that are not plain lists or ranges, or make too many words."""


def brace_words(parts: tuple[Part, ...]) -> list[tuple[Part, ...]] | None:
    """The words that braces make of one; None when there are too many, or shells may not agree."""
    items: list[_Item] = []
    for part in parts:
        items.extend(part.text if type(part) is Text and not part.quoted else (part,))
    if "," not in items and ".." not in "".join(item for item in items if isinstance(item, str)):
        return [parts]
    if items.count("{") != items.count("}") or items.count("{") > _MAX_BRACES:
        return None
    try:
        words = [_join_items(word) for word in _expand_items(items)]
    except _OddError:
        return None
    return None if any(_names_another(word) for word in words) else words


def _expand_items(items: list[_Item]) -> list[list[_Item]]:
    if "{" not in items:
        return [items]
    opened = items.index("{")
    alternatives, after = _alternatives(items, opened)
    tails = _expand_items(items[after:])
    if len(alternatives) * len(tails) > _MAX_WORDS:
        raise _OddError
    return [
        [*items[:opened], *middle, *rest]
        for middle in alternatives
        for rest in tails
    ]  # fmt: skip


def _alternatives(items: list[_Item], opened: int) -> tuple[list[list[_Item]], int]:
    """What stands between the commas of the braces opened here, and where they end."""
    depth, start = 0, opened + 1
    pieces: list[list[_Item]] = []
    for index in range(opened + 1, len(items)):
        item = items[index]
        if item == "{":
            depth += 1
        elif item == "}" and depth:
            depth -= 1
        elif item == "}" and pieces:
            pieces.append(items[start:index])
            return [word for piece in pieces for word in _expand_items(piece)], index + 1
        elif item == "}":
            return _range(items[start:index]), index + 1
        elif item == "," and not depth:
            pieces.append(items[start:index])
            start = index + 1
    raise _OddError


def _range(items: list[_Item]) -> list[list[_Item]]:
    text = "".join(item for item in items if isinstance(item, str))
    match = _RANGE.fullmatch(text)
    if match is None or not all(isinstance(item, str) for item in items):
        raise _OddError
    first, last = (ord(match[3]), ord(match[4])) if match[3] else (int(match[1]), int(match[2]))
    if abs(last - first) > _MAX_WORDS or text.count("..") > 1:
        raise _OddError
    step = 1 if last >= first else -1
    numbers = range(first, last + step, step)
    width = _width(match[1] or "", match[2] or "")
    return [list(chr(n) if match[3] else f"{n:0{width}}") for n in numbers]


def _width(first: str, last: str) -> int:
    """How wide numbers are written: as wide as the widest, when one begins with a zero."""
    padded = any(len(end.lstrip("-")) > 1 and end.lstrip("-").startswith("0") for end in (first, last))
    return max(len(first), len(last)) if padded else 1


def _names_another(parts: tuple[Part, ...]) -> bool:
    """Whether braces brought letters to the end of a name: `$x{a,b}` is `$xa $xb`."""
    return any(
        type(before) is Variable
        and not before.quoted
        and before.written == f"${before.name}"
        and type(after) is Text
        and not after.quoted
        and (after.text[:1].isalnum() or after.text[:1] == "_")
        for before, after in pairwise(parts)
    )


def _join_items(items: list[_Item]) -> tuple[Part, ...]:
    parts: list[Part] = []
    run: list[str] = []
    for item in items:
        if isinstance(item, str):
            run.append(item)
            continue
        if run:
            parts.append(Text("".join(run)))
            run = []
        parts.append(item)
    return (*parts, Text("".join(run))) if run else tuple(parts)
