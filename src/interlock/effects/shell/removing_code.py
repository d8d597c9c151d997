"""What a program text of another language deletes of the files it lists, as the `find` that does the same."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

_LONGEST: Final = 10_000  # characters
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
    if len(code) > _LONGEST or _DELETES.search(code) is None:
        return
    if _EACH_LINE.search(code) is not None:
        yield "xargs rm"
        return
    listed = _names_of_lists(code)
    if not any(_is_listed(one[0], listed) for one in _deleted(code)):
        return
    if _ARRIVING.search(code) is not None:
        yield "xargs rm"
    constants = {one[1]: _text(one, "given") or "" for one in _CONSTANT.finditer(code)}
    endings = _endings(code)
    found = (_found(one, constants, endings) for listing in _LISTING for one in listing.finditer(code))
    yield from list(dict.fromkeys(one for one in found if one))[:_MOST]


def _deleted(code: str) -> Iterator[tuple[str]]:
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


def _found(listing: re.Match[str], constants: dict[str, str], endings: tuple[str, ...]) -> str:
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
