"""Code in other languages: the texts it gives to a shell, and the unknown code it runs."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from typing import Final

from interlock.effects.command import GapKind

_LONGEST: Final = 50_000  # characters; longer code is only searched for denied words

_NODE: Final = r"(?:execFile|exec|spawn)(?:Sync)?"
_STARTING: Final = {  # calls that start a program
    "python": r"(?:os|subprocess|sp|commands|pty)\.(?:system|popen|run|call|check_call|check_output|Popen"
    r"|getoutput|getstatusoutput|spawn)|(?<![\w.])(?:system|popen|Popen|check_call|check_output|getoutput)",
    "node": _NODE, "tsx": _NODE, "ts-node": _NODE, "bun": _NODE, "deno": _NODE,
    "perl": r"(?<![\w$.>:])(?:system|exec)",
    "ruby": r"(?<![\w$.])(?:system|exec|spawn|IO\.popen|Open3\.\w+)",
    "php": r"(?<![\w$>])(?:system|exec|shell_exec|passthru|popen|proc_open)",
    "lua": r"(?<!\w)(?:os\.execute|io\.popen)",
}  # fmt: skip
_SEVERAL_WORDS: Final = re.compile(r"spawn|execFile|Open3|(?<![.\w])(?:system|exec)\b(?!Sync)")
_QUOTED: Final = {
    "perl": re.compile(r"(?<![\\\w$])(?:qx|`)"),
    "ruby": re.compile(r"%x|`"),
    "php": re.compile("`"),
}
_CLOSING: Final = {"(": ")", "{": "}", "[": "]", "<": ">"}
_LITERAL: Final = re.compile(
    r"""(?P<raw>[rR]?)(?P<bytes>[bBuU]?)(?P<quote>'''|\"""|'|"|`)(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote)""",
    re.DOTALL,
)
_BLANK: Final = re.compile(r"\s*")
_ENDS: Final = re.compile(r"\s*(?:[,;)}\]]|\Z|\n|(?:if|unless|or|and|do)\b)")
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{4,6})\}?|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "\n": ""}
_FILLED: Final = re.compile(r"\$\{|#\{")  # replaced at run time

_EVALUATING: Final = r"(?<![\w$])(?:exec|eval|Function|compile|runInThisContext|runInNewContext)"
_RUNNING: Final = rf"(?:{'|'.join(dict.fromkeys(_STARTING.values()))}|{_EVALUATING})"
# Code without these words is not searched for calls, which saves 3 % of the work for plain commands.
_CALLS: Final = re.compile(
    r"system|[pP]open|proc_open|run|call|check_|getoutput|getstatus|spawn|exec|Open3|passthru|eval|Function"
    r"|compile"
)
_RUNS: Final = re.compile(_RUNNING)
_NESTED: Final = (  # what may be between such a call and its argument
    r"(?:(?:await\s+)?[\w.$]+\(\s*|__import__\([^()]*\)\.|require\([^()]*\)\.|[\w.]+\."
    r"|\[[^\[\]]*sh['\"],\s*['\"]-\w*c['\"],\s*)*"
)
_MADE_BY: Final = {
    GapKind.DECODED: r"(?:\w*b(?:16|32|64|85)decode|a85decode|fromhex|unhexlify|codecs\.decode|decompress"
    r"|marshal\.loads|atob|Buffer\.from\((?:[^()]|\([^()]*\))*['\"](?:base64|hex)|decode_base64|decode64"
    r"|base64_decode|gzinflate|gzuncompress|hex2bin|str_rot13)\b",
    GapKind.NETWORK: r"(?:requests\.\w+|urlopen|urllib\.\w+|httpx\.\w+|fetch|axios|Net::HTTP|URI\.open"
    r"|file_get_contents\(\s*['\"]https?:|LWP::\w+|HTTP::Tiny)(?!\w)",
    GapKind.OPEN: r"(?:sys\.stdin|input\(\s*\)|readFileSync\(\s*(?:0\b|['\"]/dev/stdin)|<STDIN>|STDIN\.read"
    r"|\$stdin)",
}  # fmt: skip
_RUN_AT_ONCE: Final = {
    kind: re.compile(rf"{_RUNNING}\s*\(\s*{_NESTED}{made}") for kind, made in _MADE_BY.items()
}
_KEPT: Final = {kind: re.compile(rf"\b(\w++)\s*+=\s*{_NESTED}{made}") for kind, made in _MADE_BY.items()}
_RUN_NAMED: Final = re.compile(rf"{_RUNNING}\s*\(\s*(?:[\w.]+\(\s*)*(?:\[[^\[\]]*-\w*c['\"],\s*)?(\w+)")

_ALIAS: Final = re.compile(r"\b(os|subprocess|pty|base64|requests)[ \t]+as[ \t]+(\w+)")
_TAKEN: Final = re.compile(r"\bfrom[ \t]+(os|subprocess|pty)[ \t]+import[ \t]+([\w, \t]+)")
_TAKEN_AS: Final = re.compile(r"(\w+)(?:[ \t]+as[ \t]+(\w+))?")

_FORKING: Final = re.compile(
    r"while\s*\(?\s*(?:1|True|true)\s*\)?\s*[:{]?\s*(?:os\.)?fork\b|\bfork\s+while\s+(?:1|true|fork)\b"
    r"|\bloop\s*(?:\{|do)\s*fork\b"
)

_POWERSHELL_RUNS: Final = re.compile(r"\b(?:iex|Invoke-Expression)\b|\[scriptblock\]::Create", re.IGNORECASE)
_POWERSHELL_MADE_BY: Final = {
    GapKind.DECODED: re.compile(r"FromBase64String", re.IGNORECASE),
    GapKind.NETWORK: re.compile(
        r"\b(?:iwr|irm|curl|wget|Invoke-WebRequest|Invoke-RestMethod)\b|\.Download(?:String|Data)\b",
        re.IGNORECASE,
    ),
}  # fmt: skip

_RUNNING_TEXT: Final = _STARTING.keys() | {"pwsh"}
_starting: Final = {name: re.compile(rf"(?:{calls})\s*\(?\s*") for name, calls in _STARTING.items()}


def texts_for_shells(language: str, code: str) -> Iterator[str]:
    """Yield the literal texts in code from which it starts programs."""
    starting = _starting.get(language)
    if starting is None or len(code) > _LONGEST:
        return
    if _CALLS.search(code) is not None:
        if language == "python":
            code = _by_own_names(code)
        for call in starting.finditer(code):
            text = _arguments(code, call.end(), several=_SEVERAL_WORDS.search(call.group()) is not None)
            if text:
                yield text
    for start in _QUOTED[language].finditer(code) if language in _QUOTED else ():
        mark = start.group()[-1] if start.group() == "`" else code[start.end() : start.end() + 1]
        begin = start.end() + (start.group() != "`")
        end = code.find(_CLOSING.get(mark, mark), begin) if mark else -1
        if end > begin and not _FILLED.search(code, begin, end):
            yield code[begin:end]


def foreign_source(language: str, code: str) -> GapKind | None:
    """Return where code gets the text it runs: from a decoder, another machine or its input."""
    if len(code) > _LONGEST or language not in _RUNNING_TEXT:
        return None
    if language == "pwsh":
        made_by = _POWERSHELL_MADE_BY if _POWERSHELL_RUNS.search(code) else {}
        return next((kind for kind, made in made_by.items() if made.search(code)), None)
    if language == "python":
        code = _by_own_names(code)
    if "fork" in code and _FORKING.search(code):
        return GapKind.ENDLESS
    runs = _CALLS.search(code) is not None and _RUNS.search(code) is not None
    for kind, at_once in _RUN_AT_ONCE.items() if runs else ():
        if at_once.search(code):
            return kind
        names = set(_KEPT[kind].findall(code))
        if names and not names.isdisjoint(_RUN_NAMED.findall(code)):
            return kind
    return None


def _by_own_names(code: str) -> str:
    """Replace aliases of modules and functions in Python code: `import subprocess as s`."""
    if " as " in code:
        for module, alias in _ALIAS.findall(code):
            code = re.sub(rf"(?<![\w.]){alias}\.", f"{module}.", code)
    for module, names in _TAKEN.findall(code) if "from" in code else ():
        for name, alias in _TAKEN_AS.findall(names):
            code = re.sub(rf"(?<![\w.]){alias or name}\(", f"{module}.{name}(", code)
    return code


def _arguments(code: str, at: int, *, several: bool) -> str:
    """Return the command in the first arguments of a call; empty if they are not literal."""
    listed = code[at : at + 1] == "["
    words: list[str] = []
    at += listed
    while (literal := _LITERAL.match(code, at)) is not None:
        text = literal["text"]
        if literal["quote"] in "`'\"" and _FILLED.search(text) and literal["quote"] != "'":
            return ""
        words.append(text if literal["raw"] else unescaped(text))
        at = literal.end()
        if not _ENDS.match(code, at):
            return ""
        if not (listed or several):
            break
        comma = _BLANK.match(code, at)
        at = comma.end() if comma else at
        if code[at : at + 1] != ",":
            break
        blank = _BLANK.match(code, at + 1)
        at = blank.end() if blank else at + 1
        if code[at : at + 1] == "[" and several and not listed:
            listed, at = True, at + 1
    else:
        if listed and code[at : at + 1] != "]":
            return ""  # a word is not literal
    return shlex.join(words) if listed or len(words) > 1 else "".join(words)


def unescaped(text: str) -> str:
    """Return a literal without its escapes, as far as the languages agree."""
    return _ESCAPE.sub(_letter, text) if "\\" in text else text


def _letter(match: re.Match[str]) -> str:
    byte, point, octal, letter = match.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    number = int(octal, 8) if octal else int(byte or point, 16)
    return chr(number) if number <= sys.maxunicode else ""


_LONGEST_CODE: Final = 10_000  # characters
_TURNS: Final = 4  # steps through names made of other names: `p = join(root, f)`
_MOST: Final = 8  # listings of one text
_BEFORE: Final = 200  # characters before a callback that may contain its list
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
# Code without these words is not searched for deletions, which saves 3 % of the work for plain commands.
_DELETING: Final = re.compile(r"unlink|rmSync|remove|delete|FileUtils|close|writeFileSync")
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
_QUOTED_NAME: Final = re.compile(r"['\"]([^'\"\n]+)['\"]")
_WORD: Final = re.compile(r"\w+")


def removals_in(code: str) -> Iterator[str]:
    """Yield a `find … -delete` for each folder that code lists and deletes from; `xargs rm` for its input."""
    if len(code) > _LONGEST_CODE or _DELETING.search(code) is None or _DELETES.search(code) is None:
        return
    if _EACH_LINE.search(code) is not None:
        yield "xargs rm"
        return
    listed = _names_of_lists(code)
    if not any(_is_listed(target, listed) for target in _deleted(code)):
        return
    if _ARRIVING.search(code) is not None:
        yield "xargs rm"
    constants = {match[1]: _find_text(match, "given") or "" for match in _CONSTANT.finditer(code)}
    endings = _endings(code)
    listings = [match for listing in _LISTING for match in listing.finditer(code)]
    commands = dict.fromkeys(_find_command(listing, constants, endings) for listing in listings)
    yield from list(filter(None, commands))[:_MOST]


def _deleted(code: str) -> Iterator[str]:
    """Yield what code deletes, as written."""
    for match in _DELETES.finditer(code):
        yield next(target for target in match.group("what", "opened", "over") if target is not None)
    for match in _OF_NAME.finditer(code):
        yield match[1]


def _names_of_lists(code: str) -> set[str]:
    """Return the names of lists of files, and of their elements."""
    pairs = [match.group(1, 2) for form in (_ASSIGNED, _OVER, _PERL_OVER) for match in form.finditer(code)]
    pairs += [match.group(3, 2) for match in _PHP_OVER.finditer(code)]
    pairs += [
        (match[1], code[max(0, match.start() - _BEFORE) : match.start()])
        for match in _CALLED_BACK.finditer(code)
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
    """Return globs for the endings that code selects from a list."""
    matches = [match for match in _ENDING.finditer(code) if not match["no"]]
    return tuple(f"*{text}" for match in matches for text in _QUOTED_NAME.findall(match[2]))


def _find_text(match: re.Match[str], group: str) -> str | None:
    return next((text for kind in "dsb" if (text := match[group + kind]) is not None), None)


def _find_command(listing: re.Match[str], constants: dict[str, str], endings: tuple[str, ...]) -> str:
    """Return the command that finds what a call lists; empty if the folder is unknown."""
    given, name = _find_text(listing, "given"), listing["name"]
    if name is not None and name not in constants:
        return ""
    path = given if given is not None else constants[name] if name is not None else "."
    if listing["none"] is not None and "home" in listing["none"]:
        path = "~"
    if listing.re is _BELOW:
        path = f"{path or '.'}/{_find_text(listing, 'glob') or '*'}"
    elif listing.re is _SHOWN:
        path = f"{path or '.'}/*"
    elif _WILD.search(path) is None:
        return ""  # one file
    folder, called = _parts(path)
    names = endings if called in _EVERYTHING else (called,)
    tests = " -o ".join(f"-name {shlex.quote(part)}" for part in names)
    where = folder if folder[:1] == "~" else shlex.quote(folder)
    return " ".join(
        part for part in ("find", where, f"'(' {tests} ')'" if names[1:] else tests, "-delete") if part
    )


def _parts(path: str) -> tuple[str, str]:
    """Split a glob into the folder it begins with and the last name."""
    parts = path.split("/")
    wild = next((at for at, part in enumerate(parts) if _WILD.search(part)), len(parts) - 1)
    folder = "/".join(parts[:wild])
    return folder or ("/" if path[:1] == "/" else "."), parts[-1]
