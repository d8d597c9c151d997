"""Program text for an interpreter: noted, and searched for what it gives to a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final, NamedTuple

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.programs.little_code import LITTLE, is_plain_code
from interlock.effects.programs.program import Program
from interlock.effects.shell.called_code import foreign_source, texts_for_shells, unescaped
from interlock.effects.shell.context import CommandContext, Texts
from interlock.effects.shell.feed import Feed, FeedKind
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.make_settings import MAKES, recipes_in
from interlock.effects.shell.place import Place
from interlock.effects.shell.scope import Scope

_NUMBER: Final = re.compile(r"\$\(\([\w\s${}#+*/%-]*\)\)|\$[#?]|\$\{#\w+\}", re.ASCII)
# As it stands in the text, where nothing that was quoted can be taken for a number.
_CODE: Final = re.compile(rf'"((?:[^"\\$`]++|{_NUMBER.pattern})*)"', re.ASCII)


def is_plain_but_for_numbers(
    word: Word, words: tuple[Word, ...], place: Place, entry: Program | None
) -> bool:
    """Whether nothing is open in a word of code but numbers, and it only transforms what it is given."""
    spans = place.spans
    if entry is None or entry.name not in LITTLE or spans is None or len(spans) != len(words):
        return False
    at = next((at for at, one in enumerate(words) if one is word), None)
    found = None if at is None else _CODE.fullmatch(place.text, spans[at].start, spans[at].end)
    return found is not None and is_plain_code(entry.name, Word(_NUMBER.sub("1", found[1])))


_LONGEST: Final = 20_000
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_SYSTEM: Final = re.compile(r"(?<!\w)system\s*\(")
_PRINTED: Final = re.compile(rf"\|\s*({_STRING})(?=\s*(?:[;}}\n)]|\Z))")
_READ: Final = re.compile(rf"({_STRING})\s*\|\s*getline")
_PIECE: Final = re.compile(
    rf"\s+|(?P<string>{_STRING})|(?P<field>\$\w+|\$\([^()]*\))|(?P<other>[^\s()\"]+|[()])"
)

_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*\)")


class ShellText(NamedTuple):
    """One text that a shell gets."""

    text: str
    fed: bool = False  # it finds on its input what the program prints


def texts_of_awk(code: str) -> Iterator[ShellText]:
    """Each text; `$1` stands in it for what only the run decides."""
    if len(code) > _LONGEST:
        return
    for call in _SYSTEM.finditer(code):
        named = _NAMED.match(code, call.end())
        given = _value_of(named[1], code) if named else None
        if named and given is None:  # set from outside: `awk -v cmd=…`
            yield ShellText("$1")
        else:
            yield ShellText(
                _join_strings(code, call.end(), 1) if given is None else _join_strings(given, 0, 0)
            )
    for printed in _PRINTED.finditer(code):
        yield ShellText(unescaped(printed[1][1:-1]), fed=True)
    for read in _READ.finditer(code):
        yield ShellText(unescaped(read[1][1:-1]))


def _join_strings(code: str, at: int, depth: int) -> str:
    """Strings and what stands between them, to the end of the call, or of the value at depth 0."""
    parts: list[str] = []
    while (piece := _PIECE.match(code, at)) is not None:
        at = piece.end()
        depth += (piece["other"] == "(") - (piece["other"] == ")")
        if depth == 0 and piece["other"] == ")":
            break
        if piece["string"] is not None:
            parts.append(unescaped(piece["string"][1:-1]))
        elif piece["field"] is not None:
            parts.append("$1")
        elif (given := _value_of(piece["other"] or "", code)) is not None:
            parts.append(_join_strings(given, 0, 0))
    return "".join(parts)


def _value_of(name: str, code: str) -> str | None:
    """What a variable is set to: `cmd = "rm " $1; system(cmd)`."""
    if not name.isidentifier():
        return None
    found = re.search(rf"(?<![\w$]){name}[ \t]*=(?!=)([^;\n}}]*)", code)
    return found[1] if found else None


_WAYS: Final = {
    GapKind.DECODED: "decoded text",
    GapKind.NETWORK: "text from another machine",
    GapKind.OPEN: "its input",
    GapKind.ENDLESS: "itself without end",
}
_CHARACTERS: Final = 16  # of code to look through: as much work as one word


def note_code(
    code: str,
    name: str,
    entry: Program | None,
    context: CommandContext,
    child: Scope,
    found: Findings,
    texts: Texts,
) -> None:
    """Note program text for the interpreter of this name, and read what it gives to a shell."""
    found.gap(GapKind.CODE, f"program text for `{name}`", code, folders=child.folders)
    language = entry.name.partition(" ")[0] if entry is not None else ""
    found.spend(len(code) // _CHARACTERS)
    via = (*context.via, name)
    if language == "awk":
        source = context.feed if context.feed.kind is FeedKind.OPEN else Feed(FeedKind.OPEN, code)
        for one in texts_of_awk(code):
            inside = child.copy()
            inside.input = source if one.fed else None
            if one.text.lstrip()[:1] == "$":  # a field of what it is given, as a command
                found.gap(source.source, f"`{name}` runs {_WAYS[GapKind.OPEN]}", code)
            else:
                texts.read_text(one.text, inside, via)
        return
    for text in recipes_in(code) if name in MAKES else texts_for_shells(language, code):
        texts.read_text(text, child.copy(), via)
    for text in removals_in(code):
        texts.read_text(text, child.copy(), via)
    if (kind := foreign_source(language, code)) is not None:
        found.gap(kind, f"`{name}` runs {_WAYS[kind]}", code)


_LONGEST_CODE: Final = 10_000  # characters
_TURNS: Final = 4  # names that are made of other names: `p = join(root, f)`
_MOST: Final = 8  # listings of one text
_BEFORE: Final = 200  # characters before a callback, in which its list stands
_WILD: Final = re.compile(r"[*?\[{]")
_EVERYTHING: Final = frozenset({"", "*", "**"})

_TEXT: Final = r"""(?:[rRbBuU]{0,2}(?:"(?P<{0}d>[^"\n$]*)"|'(?P<{0}s>[^'\n$]*)'|`(?P<{0}b>[^`\n$]*)`))"""
_MADE: Final = r"(?:[\w.]+\(\s*){0,3}"  # `os.path.expanduser(`, `Path(`
_GIVEN: Final = rf"(?:{_MADE}{_TEXT.replace('{0}', 'given')}|(?:[$@]?(?P<name>\w+)\s*[,)\]])|(?P<none>\)))"
_GLOBBED: Final = re.compile(
    r"(?:(?:(?<![\w.])(?:glob\.)?i?glob|\bglobSync|\bglob\.sync)\s*\(\s*|\bDir(?:\.glob)?\s*[\[(]\s*|\bglob\s+(?=['\"]))"
    + _GIVEN
)
_BELOW: Final = re.compile(
    rf"(?:Path\(\s*(?:{_TEXT.replace('{0}', 'given')}\s*)?\)|\b(?P<name>\w+)"
    r"|(?P<none>Path\.(?:cwd|home)\(\)))"
    rf"\s*\.(?:r?glob\(\s*{_TEXT.replace('{0}', 'glob')}|iterdir\(\s*\))"
)
_SHOWN: Final = re.compile(
    r"(?:\bos\.(?:walk|listdir|scandir)|\breaddir(?:Sync)?|\bscandir|\bDir\.(?:children|each_child|entries))"
    r"\s*\(\s*" + _GIVEN
)
_ARRIVING: Final = re.compile(
    r"\bsys\.stdin\b|\bfileinput\.|\bSTDIN\b|\$stdin\b|\bARGF\b|\bprocess\.stdin\b|<>"
    r"|\b(?:check_output|getoutput|popen|execSync)\(|\.stdout\b"
)
_LISTING: Final = (_GLOBBED, _BELOW, _SHOWN)

_DELETES: Final = re.compile(
    r"(?<![\w$])(?:os\.(?:remove|unlink)|(?:\w+\.)?(?:unlinkSync|rmSync|unlink)|File\.(?:delete|unlink)"
    r"|FileUtils\.rm(?:_f)?|Deno\.remove(?:Sync)?)\b(?P<what>[^\n;]*)"
    r"|\bopen\((?P<opened>[^\n,]*),\s*['\"]w['\"]\s*\)\.close"
    r"|\bwriteFileSync\((?P<over>[^\n,]*),\s*(?:''|\"\")\s*\)"
)
_OF_NAME: Final = re.compile(r"\b(\w+)\.unlink\b")
_EACH_LINE: Final = re.compile(r"\bunlink\b\s*(?:\(?\s*\$_\s*\)?)?\s*(?=[;}]|\Z|if\b)")  # `perl -ne`
_ASSIGNED: Final = re.compile(r"\b(\w+)\s*=(?![=>~])\s*([^\n;]+)")
_OVER: Final = re.compile(
    r"\bfor(?:each)?\b\s*\(?\s*(?:const|let|var|my)?\s*([$@\w, ()]+?)\s+(?:in|of)\s+([^\n]*)"
)
_PERL_OVER: Final = re.compile(r"\bfor(?:each)?\s+(?:my\s+)?(\$\w+)\s*\(([^\n{]*)")
_PHP_OVER: Final = re.compile(r"()\bforeach\s*\(([^\n]*?)\s+as\s+\$(\w+)")
_CALLED_BACK: Final = re.compile(
    r"(?:\.(?:forEach|map)\b\s*\(\s*(?:async\s+)?(?:function\s*)?\(?|(?:\bdo|\{)\s*\|)\s*(\w+)"
)
_CONSTANT: Final = re.compile(rf"\b(\w+)\s*=\s*{_MADE}{_TEXT.replace('{0}', 'given')}\)*\s*(?=[;,\n]|\Z)")
_ENDING: Final = re.compile(r"(?P<no>(?:not\s+|!)[\w.]*)?\.(?:endswith|endsWith|end_with\?)\(([^)\n]*)\)")
_QUOTED: Final = re.compile(r"['\"]([^'\"\n]+)['\"]")
_WORD: Final = re.compile(r"\w+")


def removals_in(code: str) -> Iterator[str]:
    """The `find` of each folder a text lists and deletes from; `xargs rm` for what arrives."""
    if len(code) > _LONGEST_CODE or _DELETES.search(code) is None:
        return
    if _EACH_LINE.search(code) is not None:
        yield "xargs rm"
        return
    listed = _names_of_lists(code)
    if not any(_is_listed(one[0], listed) for one in _find_deletions(code)):
        return
    if _ARRIVING.search(code) is not None:
        yield "xargs rm"
    constants = {one[1]: _text(one, "given") or "" for one in _CONSTANT.finditer(code)}
    endings = _endings(code)
    found = (_find_command(one, constants, endings) for listing in _LISTING for one in listing.finditer(code))
    yield from list(dict.fromkeys(one for one in found if one))[:_MOST]


def _find_deletions(code: str) -> Iterator[tuple[str]]:
    for one in _DELETES.finditer(code):
        yield (next(part for part in (one["what"], one["opened"], one["over"]) if part is not None),)
    for one in _OF_NAME.finditer(code):
        yield (one[1],)


def _names_of_lists(code: str) -> set[str]:
    """The names that stand for what is listed, or for one of it."""
    pairs = [(one[1], one[2]) for which in (_ASSIGNED, _OVER, _PERL_OVER) for one in which.finditer(code)]
    pairs += [(one[3], one[2]) for one in _PHP_OVER.finditer(code)]
    pairs += [
        (one[1], code[max(0, one.start() - _BEFORE) : one.start()]) for one in _CALLED_BACK.finditer(code)
    ]
    listed: set[str] = set()
    for _ in range(_TURNS):
        before = len(listed)
        for targets, made_of in pairs:
            if _is_listed(made_of, listed):
                listed.update(_WORD.findall(targets))
        if len(listed) == before:
            break
    return listed


def _is_listed(written: str, listed: set[str]) -> bool:
    if not listed.isdisjoint(_WORD.findall(written)) or _ARRIVING.search(written) is not None:
        return True
    return any(listing.search(written) for listing in _LISTING)


def _endings(code: str) -> tuple[str, ...]:
    """How the names end that are picked out of a list."""
    found = [one for one in _ENDING.finditer(code) if not one["no"]]
    return tuple(f"*{text}" for one in found for text in _QUOTED.findall(one[2]))


def _text(found: re.Match[str], group: str) -> str | None:
    return next((text for kind in "dsb" if (text := found[group + kind]) is not None), None)


def _find_command(listing: re.Match[str], constants: dict[str, str], endings: tuple[str, ...]) -> str:
    """The command that finds what a call lists, or nothing where nobody knows the folder."""
    given, name = _text(listing, "given"), listing["name"]
    if name is not None and name not in constants:
        return ""
    path = given if given is not None else constants[name] if name is not None else "."
    if listing["none"] is not None and "home" in listing["none"]:
        path = "~"
    if listing.re is _BELOW:
        path = f"{path or '.'}/{_text(listing, 'glob') or '*'}"
    elif listing.re is _SHOWN:
        path = f"{path or '.'}/*"
    elif _WILD.search(path) is None:
        return ""  # one file
    folder, called = _parts(path)
    names = endings if called in _EVERYTHING else (called,)
    tests = " -o ".join(f"-name {shlex.quote(one)}" for one in names)
    where = folder if folder[:1] == "~" else shlex.quote(folder)
    return " ".join(
        one for one in ("find", where, f"'(' {tests} ')'" if names[1:] else tests, "-delete") if one
    )


def _parts(path: str) -> tuple[str, str]:
    """The folder a glob begins with, and what is called so below it."""
    parts = path.split("/")
    wild = next((at for at, part in enumerate(parts) if _WILD.search(part)), len(parts) - 1)
    folder = "/".join(parts[:wild])
    return folder or ("/" if path[:1] == "/" else "."), parts[-1]
