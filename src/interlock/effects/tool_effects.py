"""What a call of a tool other than a shell does to the world."""

from __future__ import annotations

import os
import os.path
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any, Final

from interlock.effects.effect import Effect, EffectKind
from interlock.effects.paths.path import socket_host
from interlock.effects.tool_fields import (
    UNKNOWN,
    effects_of_actions,
    effects_of_name,
    effects_on_field,
    file_path,
    may_name_path,
    names_path,
    names_prose,
    names_url,
    split_words,
    url_hosts,
)
from interlock.events.tool import JsonObject, SubjectKind, ToolCall, ToolSpec

_LINE: Final = re.compile(
    r"""^[ \t]*(?:
      \*\*\*[ ](?P<verb>Add|Create|Update|Delete|Move)[ ](?:File:|to:)[ ]*(?P<file>[^\r\n]+)
    | (?P<mark>---|\+\+\+)[ ](?P<side>[^\r\n]+)
    | (?P<move>rename|copy)[ ](?P<way>from|to)[ ](?P<moved>[^\r\n]+)
    | diff[ ]--git[ ](?P<pair>[^\r\n]+)
    )""",
    re.VERBOSE | re.MULTILINE,
)
_STAMP: Final = re.compile(r"\t.*$")
_PAIR: Final = re.compile(r'"?a/(?P<old>.*?)"? "?b/(?P<new>.*?)"?')
_MOVES: Final = {
    ("rename", "from"): EffectKind.DELETE,
    ("rename", "to"): EffectKind.WRITE,
    ("copy", "from"): EffectKind.READ,
    ("copy", "to"): EffectKind.WRITE,
}

FileEffect = tuple[EffectKind, str]


def patch_files(text: str) -> tuple[FileEffect, ...]:
    """Return what a patch in either notation does to which file."""
    effects: dict[FileEffect, None] = {}
    old = ""
    for line in _LINE.finditer(text):
        if line["verb"]:
            kind = EffectKind.DELETE if line["verb"] == "Delete" else EffectKind.WRITE
            effects[kind, line["file"].strip()] = None
        elif line["mark"]:
            name = _STAMP.sub("", line["side"]).strip().strip('"')
            effects.update(_line_effects(line["mark"], name, old))
            old = name
        elif line["move"]:
            effects[_MOVES[line["move"], line["way"]], line["moved"].strip().strip('"')] = None
        elif (pair := _PAIR.fullmatch(line["pair"].strip())) is not None:
            effects[EffectKind.WRITE, pair["new"]] = None
    return tuple(effects)


def _line_effects(mark: str, name: str, old: str) -> dict[FileEffect, None]:
    """Return the effects of one side of a file's change; an empty new side deletes the old one."""
    if name != "/dev/null":
        return dict.fromkeys((EffectKind.WRITE, path) for path in _with_and_without_prefix(name))
    if mark == "+++" and old:
        return dict.fromkeys((EffectKind.DELETE, path) for path in _with_and_without_prefix(old))
    return {}


def _with_and_without_prefix(name: str) -> tuple[str, ...]:
    """Return `a/x` and `x`: some programs strip one folder."""
    return (name, name[2:]) if name[:2] in {"a/", "b/"} and len(name) > len("a/") else (name,)


READ, WRITE, NETWORK = EffectKind.READ, EffectKind.WRITE, EffectKind.NETWORK

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_URL_IN_TEXT: Final = re.compile(r"(?:https?|wss?|ftp)://[^\s\"'<>`]+", re.IGNORECASE)
# A path in a field of any name: from the root, the home or the folder above, without spaces.
_PATH_SHAPE: Final = re.compile(r"(?:~[\w-]*|\.{1,2}|\$HOME|\$\{HOME\}|/[^/\s]+)/\S*")
_SPACE: Final = re.compile(r"\s")
_MAX_PATH: Final = 4_096
_MAX_SCHEME: Final = 40
_MAX_DEPTH: Final = 32

_SEARCHES: Final = frozenset(
    "grep grep_search search_file_content search_files ripgrep rg search_code".split()
)
_SEARCH_GLOBS: Final = frozenset("glob include include_pattern file_pattern glob_pattern globs".split())
_WEB_SEARCHES: Final = frozenset("web_search google_web_search websearch search_web".split())
# Tools whose `command` field alone selects what they do.
_EDITORS: Final = frozenset("str_replace_based_edit_tool str_replace_editor text_editor memory".split())

_TOO_DEEP: Final = object()  # stands for what is nested past the limit

Leaf = tuple[str, Any]  # the name of the nearest field, and a value that is no object or list


def effects_of_call(
    call: ToolCall, spec: ToolSpec | None, cwd: str, project: str | None = None
) -> tuple[Effect, ...]:
    """Return the effects of one call, by the tool's table entry or by its name and fields.

    An unknown tool counts as reading and writing the paths in its fields.
    """
    if spec is None:
        return tuple(dict.fromkeys(_effects_of_unlisted(call, cwd, project)))
    if spec.kind is SubjectKind.SHELL:
        return _addresses(call.input.get("ws"), spec.name)
    known = _LISTED.get(spec.name)
    if known is not None:
        return tuple(dict.fromkeys(known(call.input, cwd, spec.name)))
    if spec.kind is SubjectKind.PATH and spec.main is not None:
        kinds = effects_of_name(spec.name) or UNKNOWN
        return tuple(e for kind in kinds for e in _on_field(call.input, spec.main, kind, cwd, spec.name))
    return ()


def _files(kind: EffectKind, field: str) -> Callable[[JsonObject, str, str], Iterator[Effect]]:
    return lambda fields, cwd, by: _on_field(fields, field, kind, cwd, by)


def _on_field(fields: JsonObject, field: str, kind: EffectKind, cwd: str, by: str) -> Iterator[Effect]:
    """Yield the effect on a tool's main field, or on other path fields if the host names it differently."""
    values = [value for _, value in _leaves({field: fields.get(field)})]
    values = values or [value for name, value in _leaves(fields) if names_path(name)]
    for value in values:
        yield _on_path(kind, value, cwd, by) if isinstance(value, str) else _somewhere(kind, by)
    if not values:
        yield _somewhere(kind, by)


def _somewhere(kind: EffectKind, by: str) -> Effect:
    """Return the effect of a call whose path is missing or no text: it may be anywhere."""
    return Effect(kind, "", known=False, by=by)


def _on_path(kind: EffectKind, path: str, cwd: str, by: str) -> Effect:
    host = socket_host(path)
    if host is not None:
        return Effect(NETWORK, host, by=by)
    from_uri = file_path(path)
    return Effect(kind, path if from_uri is None else from_uri, base=cwd or None, by=by)


def _grep(fields: JsonObject, cwd: str, by: str) -> Iterator[Effect]:
    """Yield what a search reads: its folder or file, and the files its globs name."""
    globs = [value for name, value in _leaves(fields) if name in _SEARCH_GLOBS and isinstance(value, str)]
    for folder in _folders(fields):
        yield _on_path(READ, folder or cwd, cwd, by)
        start = os.path.join(cwd, folder)
        for name in (file for glob in globs for file in searched_files(start, glob)):
            yield Effect(READ, os.path.join(start, name), base=cwd or None, by=by)


def _glob(fields: JsonObject, cwd: str, by: str) -> Iterator[Effect]:
    """Yield what a listing reads: the folder where its pattern begins."""
    pattern = fields.get("pattern")
    for folder in _folders(fields):
        if isinstance(pattern, str):
            yield _on_path(READ, search_root(folder or cwd, pattern), cwd, by)
        yield _on_path(READ, folder or cwd, cwd, by)


def _folders(fields: JsonObject) -> tuple[str, ...]:
    """Return the folders of a search; an empty text stands for the one it starts in."""
    folders = (value for name, value in _leaves(fields) if names_path(name) and isinstance(value, str))
    return tuple(dict.fromkeys(folders)) or ("",)


def _web_fetch(fields: JsonObject, _: str, by: str) -> Iterator[Effect]:
    effects = _addresses(fields.get("url"), by)
    yield from effects
    if not effects:
        yield Effect(NETWORK, "*", known=False, by=by)


def _web_search(_: JsonObject, __: str, by: str) -> Iterator[Effect]:
    yield Effect(NETWORK, "*", known=False, by=by)  # any site


def _resource(fields: JsonObject, cwd: str, by: str) -> Iterator[Effect]:
    for _, value in _leaves({"uri": fields.get("uri")}):
        if isinstance(value, str) and file_path(value) is not None:
            yield _on_path(READ, value, cwd, by)
        elif isinstance(value, str) and value.lower().startswith(("http:", "https:")):
            yield from _addresses(value, by)


_LISTED: Final[dict[str, Callable[[JsonObject, str, str], Iterator[Effect]]]] = {
    "Read": _files(READ, "file_path"),
    "NotebookRead": _files(READ, "notebook_path"),
    "Artifact": _files(READ, "file_path"),
    "Write": _files(WRITE, "file_path"),
    "Edit": _files(WRITE, "file_path"),
    "MultiEdit": _files(WRITE, "file_path"),
    "NotebookEdit": _files(WRITE, "notebook_path"),
    "LS": _files(READ, "path"),
    "Glob": _glob,
    "Grep": _grep,
    "WebFetch": _web_fetch,
    "WebSearch": _web_search,
    "ReadMcpResourceTool": _resource,
}


def _effects_of_unlisted(call: ToolCall, cwd: str, project: str | None) -> Iterator[Effect]:
    listed = _LISTED.get(call.name)
    if listed is not None:
        yield from listed(call.input, cwd, call.name)
        return
    name = call.name.rpartition("__")[2]
    # An MCP server may run in the folder where the session began.
    for base in dict.fromkeys((cwd, project or cwd)):
        yield from _by_name(name, call, base)


def _by_name(name: str, call: ToolCall, base: str) -> Iterator[Effect]:
    words, plain = split_words(name), name.lower()
    if plain in _WEB_SEARCHES:
        yield from _web_search(call.input, base, call.name)
    if plain in _SEARCHES:
        yield from _grep(call.input, base, call.name)
    kinds, actions = effects_of_name(name), effects_of_actions(call.input)
    if plain in _EDITORS:
        kinds = actions or UNKNOWN
    elif actions:
        kinds = tuple(dict.fromkeys((*(kinds or UNKNOWN), *actions)))
    patching = not {"patch", "diff"}.isdisjoint(words)
    for leaf in _leaves(call.input):
        yield from _on_leaf(leaf, kinds, base, call.name)
        yield from _patch_effects(leaf[1], base, call.name, patching=patching)


def _on_leaf(leaf: Leaf, kinds: tuple[EffectKind, ...], base: str, by: str) -> Iterator[Effect]:
    field, value = leaf
    if not isinstance(value, str):
        if value is _TOO_DEEP or names_path(field):
            yield from (_somewhere(kind, by) for kind in effects_on_field(field, kinds))
        return
    is_url = names_url(field) or ("://" in value[:_MAX_SCHEME] and _URL.fullmatch(value))
    if is_url and file_path(value) is None:
        yield from _addresses(value, by)
    elif names_path(field) or names_url(field) or _looks_like_path(field, value):
        yield from (_on_path(kind, value, base, by) for kind in effects_on_field(field, kinds))
    elif field == "prompt":
        yield from (effect for url in _URL_IN_TEXT.findall(value) for effect in _addresses(url, by))


def _looks_like_path(field: str, value: str) -> bool:
    if len(value) > _MAX_PATH or names_prose(field):
        return False
    if may_name_path(field) and not _SPACE.search(value):
        return True
    return _PATH_SHAPE.fullmatch(value) is not None or file_path(value) is not None


def _patch_effects(value: Any, base: str, by: str, *, patching: bool) -> Iterator[Effect]:
    if isinstance(value, str) and (patching or "*** Begin Patch" in value):
        yield from (Effect(kind, file, base=base or None, by=by) for kind, file in patch_files(value))


def _addresses(value: Any, by: str) -> tuple[Effect, ...]:
    texts = [text for _, text in _leaves({"url": value}) if isinstance(text, str)]
    return tuple(Effect(NETWORK, host, by=by) for text in texts for host in url_hosts(text))


def _leaves(fields: JsonObject) -> Iterator[Leaf]:
    """Yield every value in a call's input with the name of the nearest field."""
    waiting: list[tuple[str, Any, int]] = [("", fields, 0)]
    while waiting:
        name, value, depth = waiting.pop()
        if isinstance(value, dict) and depth < _MAX_DEPTH:
            waiting += [
                (key if isinstance(key, str) else "", inner, depth + 1)
                for key, inner in reversed(value.items())
            ]
        elif isinstance(value, (list, tuple)) and depth < _MAX_DEPTH:
            waiting += [(name, inner, depth + 1) for inner in reversed(value)]
        elif isinstance(value, (dict, list, tuple)):
            yield name, _TOO_DEEP
        elif value is not None:
            yield name, value


_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_WILD: Final = re.compile(r"[*?\[]")
_SEPARATORS: Final = re.compile(r"[,\s]+")
_MAX_FORMS: Final = 64
_MAX_ENTRIES: Final = 2_000


def searched_files(folder: str, glob: str) -> tuple[str, ...]:
    """Return the paths, from the folder, that a glob of file names lets a search read.

    A wildcard expands to nothing and to the files of the folder itself, not deeper: a search prints hidden
    files if a glob names them.
    """
    paths: dict[str, None] = {}
    for form in _forms(glob):
        name = form.removeprefix("!")
        if name != form or not name:
            continue
        if _WILD.search(name):
            paths.update(dict.fromkeys((*_emptied_files(name), *_files_present(folder, name))))
        else:
            paths[name] = None
    return tuple(paths)


def search_root(folder: str, pattern: str) -> str:
    """Return the folder where a search by path pattern begins: the part before the first wildcard."""
    literal = re.split(r"[*?\[{]", pattern, maxsplit=1)[0]
    start = literal if literal == pattern else literal.rpartition("/")[0] + "/" * (literal == "/")
    if literal != pattern and literal.startswith("/") and not start:
        start = "/"
    return os.path.join(folder, start) if start else folder


def _forms(glob: str) -> list[str]:
    """Expand the braces of a glob and split its lists."""
    forms: list[str] = [glob]
    expanded: list[str] = []
    while forms and len(expanded) + len(forms) <= _MAX_FORMS:
        form = forms.pop()
        braces = _BRACES.search(form)
        if braces is None:
            expanded.append(form)
            continue
        before, after = form[: braces.start()], form[braces.end() :]
        forms += [before + choice + after for choice in braces[1].split(",")]
    return [part for form in (*expanded, *forms) for part in (form, *_SEPARATORS.split(form)) if part]


def _emptied_files(name: str) -> Iterator[str]:
    bare = re.sub(r"\*+/", "", name)
    bare = re.sub(r"[*?]", "", re.sub(r"\[([^]]?)[^]]*\]", r"\1", bare))
    if bare.strip("/."):
        yield bare


def _files_present(folder: str, name: str) -> Iterator[str]:
    plain = re.sub(r"^(?:\*+/)+", "", name)
    if "/" in plain:
        return
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= _MAX_ENTRIES:
                    return
                if fnmatchcase(entry.name, plain) and not entry.is_dir():
                    yield entry.name
    except (OSError, ValueError):
        return
