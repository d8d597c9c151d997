"""Finds the table entry of a program by any of its names, and parses it (notation: `tables/__init__.py`)."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

import msgspec

from interlock.effects.programs.program import HANDED_ON, OPTION_SIGNS, Option, Program, Role
from interlock.effects.programs.roles import LITTLE, ROLES_BY_TEXT
from interlock.effects.programs.tables import every_table

_MARKS = re.compile(
    r"(?P<name>.[^\s=!>;]*)(?:=(?P<how>[?^]?)(?P<roles>[a-z,]*))?(?P<closed>;)?(?P<power>!)?(?:>(?P<operands>[a-z]+))?"
)
_STYLES = frozenset(("gnu", "single", "pairs", "bundled", "none"))
_TRUTHS = frozenset("transparent interpreter shell fetches scripts more decodes device".split())
_ACTING = frozenset(("power", "does", "calms", "shows"))
_SHOWING = frozenset(("--help", "--version", "-help", "-version"))
_PUNCTUATION = frozenset(("(", ")", "!", ",", ":::", ":::+", "::::", "::::+"))


class SpecError(ValueError):
    """A table entry breaks the notation."""


class _Draft(NamedTuple):
    """What has been parsed of one program so far."""

    options: dict[str, Option]
    fields: dict[str, object]
    does: list[Role]


def parse_spec(name: str, spec: str, parent: Program | None = None) -> Program:
    """Parse the spec of a program; a subcommand inherits the options of its parent."""
    draft = _Draft({}, {}, [])
    if parent is not None:
        draft.fields["style"] = parent.style
        draft.does.extend(parent.does)
        if parent.mixed:
            draft.options.update(parent.options)
    for entry in spec.replace("\n", "|").split("|"):
        if text := entry.strip():
            _read_entry(draft, name, text)
    draft.fields["does"] = tuple(dict.fromkeys(draft.does))
    longs = tuple(sorted(option for option in draft.options if option.startswith("--")))
    program = Program(name=name, options=draft.options, longs=longs, **draft.fields)  # type: ignore[arg-type] # by name
    runs_others = program.runs or program.transparent or program.scripts
    roles = {*program.operands, program.rest, *program.last}
    runs_code = not roles.isdisjoint(HANDED_ON)
    return msgspec.structs.replace(
        program,
        hands_on=program.interpreter or name in ROLES_BY_TEXT or runs_code or _hands_on_values(program),
        unusual=runs_others or program.shell or program.device,
        even=not program.operands and not program.last and name not in LITTLE and name not in ROLES_BY_TEXT,
        signs=OPTION_SIGNS.union(option[0] for option in draft.options),
        steady=program.mixed and not program.runs and program.rest is not Role.SHELL,
        passes_on=runs_others or program.shell or program.interpreter or runs_code or Role.COMMAND in roles,
    )


def _hands_on_values(program: Program) -> bool:
    """Return whether the value of an option, or an operand after it, could be run."""
    roles: set[Role | None] = set()
    for option in program.options.values():
        roles |= {option.value, option.operands, *option.then, *(role for _, role in option.turns)}
        roles |= {case.value for _, case in option.cases}
    return not roles.isdisjoint(HANDED_ON)


def _read_entry(draft: _Draft, name: str, text: str) -> None:
    head, _, value = text.partition(":")
    if text in _TRUTHS:
        draft.fields[text] = True
    elif text == "options-first":
        draft.fields["mixed"] = False
    elif head == "operands":
        draft.fields.update(_operands(name, value.split()))
    elif head == "style" and value in _STYLES:
        draft.fields["style"] = value
    elif head == "start" and value:
        draft.fields["start"] = value
    elif head == "subcommands":
        draft.fields["depth"] = int(value or 1)
    elif head == "does":
        draft.does.append(_role(name, value))
    elif head == "case":
        _add_case(draft, name, value.split())
    else:
        option = _option(name, text.split(), pairs=draft.fields.get("style") == "pairs")
        draft.options.update(dict.fromkeys(option.names, option))


def _operands(name: str, roles: list[str]) -> dict[str, object]:
    if roles == ["none"]:
        return {"rest": None}
    runs = any(role.rstrip("*") == Role.COMMAND for role in roles)
    starred = [at for at, role in enumerate(roles) if role.endswith("*")]
    if len(starred) > 1 or not roles:
        raise SpecError(f"`{name}`: operands need roles, at most one of them with `*`")
    if not starred:
        return {"operands": tuple(_role(name, role) for role in roles), "rest": None, "runs": runs}
    star = starred[0]
    return {
        "operands": tuple(_role(name, role) for role in roles[:star]),
        "rest": _role(name, roles[star][:-1]),
        "last": tuple(_role(name, role) for role in roles[star + 1 :]),
        "runs": runs,
    }


def _option(name: str, words: list[str], *, pairs: bool) -> Option:
    names: list[str] = []
    fields: dict[str, object] = {}
    turns: list[tuple[str, Role]] = []
    for word in words:
        head, _, value = word.partition(":")
        if word in ("drops", "ends", "calms", "shows"):
            fields[word] = True
        elif head == "does" and value:
            fields["does"] = _role(name, value)
        elif head == "turns" and value:
            other, _, role = value.partition("=")
            turns.append((other, _role(name, role)))
        else:
            names.append(_read_marks(fields, name, word, bare=pairs))
    if not names:
        raise SpecError(f"`{name}`: an option needs a name in `{' '.join(words)}`")
    if not _SHOWING.isdisjoint(names) and (fields.get("attached") or "value" not in fields):
        fields["shows"] = True
    plain = not turns and fields.keys() <= _ACTING
    further = {name for name, value in fields.items() if value} - {"value", "attached"}
    only_text = fields.get("value") is Role.TEXT and not turns and not further
    idle = _ACTING.isdisjoint(fields) and ("value" not in fields or only_text)
    fields.update(plain=plain, idle=idle)
    return Option(names=tuple(names), turns=tuple(turns), **fields)  # type: ignore[arg-type] # by name


def _read_marks(fields: dict[str, object], name: str, word: str, *, bare: bool) -> str:
    if word in _PUNCTUATION:
        return word
    if "value" in fields:
        raise SpecError(f"`{name}`: the mark belongs after the last name, not before `{word}`")
    match = _MARKS.fullmatch(word)
    if match is None or not (bare or word[0] in "-+" or match["name"] in _PUNCTUATION):
        raise SpecError(f"`{name}`: `{word}` is neither an option nor a known entry")
    if match["roles"] is not None:
        value, *then = (_role(name, role or "text") for role in match["roles"].split(","))
        fields.update(value=value, then=tuple(then), attached=match["how"] == "?", late=match["how"] == "^")
    if match["closed"]:
        fields["closed"] = True
    if match["power"]:
        fields["power"] = True
    if match["operands"]:
        fields["operands"] = _role(name, match["operands"])
    return match["name"]


def _add_case(draft: _Draft, name: str, words: list[str]) -> None:
    given, start, mark = words if len(words) == len(("option", "start", "role")) else ("", "", "")
    option = draft.options.get(given)
    if option is None:
        raise SpecError(f"`{name}`: a case needs a known option, a prefix and a role: `{' '.join(words)}`")
    mark, _, operands = mark.partition(">")
    value, change = _role(name, mark.removesuffix("!")), _role(name, operands) if operands else None
    special = Option(names=option.names, value=value, power=mark.endswith("!"), operands=change)
    cases = (*option.cases, ("|" if start == "PIPE" else start, special))
    changed = msgspec.structs.replace(option, cases=cases, idle=False)
    draft.options.update(dict.fromkeys(option.names, changed))


def _role(name: str, text: str) -> Role:
    try:
        return Role(text)
    except ValueError:
        raise SpecError(f"`{name}`: `{text}` is not a role") from None


_VERSIONED: Final = re.compile(r"([a-z+]+?)-?[0-9][0-9.]*(?:-(?:dev|config))?")
_OF_FILE_SYSTEMS: Final = frozenset({"mkfs", "fsck"})  # `mkfs.ext4`
_MAX_CACHED: Final = 4096  # names; made-up ones must not fill the memory
_LONGEST_CACHED: Final = 60  # characters of an unknown name
_known: Final[dict[str, Program]] = {}
_unknown: Final[set[str]] = set()


def find_program(name: str) -> Program | None:
    """Return the entry for a program given by name or path, or for `program subcommand`."""
    if (known := _known.get(name)) is not None:
        return known
    if name in _unknown:
        return None
    entry = _find(name)
    if entry is None:
        if len(_unknown) < _MAX_CACHED and len(name) <= _LONGEST_CACHED:
            _unknown.add(name)
        return None
    program = _parsed(entry)
    if len(_known) < _MAX_CACHED:
        _known[name] = program
    return program


def main_name(name: str) -> str | None:
    """Return the name a program has in the table, without parsing its entry."""
    entry = _find(name)
    return None if entry is None else _index()[entry][0]


def find_subcommand(name: str) -> Program | None:
    """Return the entry for exactly this `program subcommand`."""
    return _known.get(name) or (find_program(name) if name in _index() else None)


def known_alike(name: str) -> str | None:
    """Return the known program that a case-insensitive file system runs for an unknown name."""
    low = base_name(name).lower()
    if low == base_name(name) or (name[:1] != "/" and "/" in name) or _find(low) is None:
        return None
    return low if _find(name) is None else None


def base_name(name: str) -> str:
    """Return a program's name without its folders and `.exe`."""
    base = name.rpartition("/")[2] if "/" in name else name
    return base[:-4] if "." in base and base[-4:].lower() == ".exe" else base


def _find(name: str) -> str | None:
    """Return the table key for a name: itself, its last part, without a version, without the GNU `g`."""
    index = _index()
    if name in index:
        return name
    base = base_name(name)
    if base in index:
        return base
    if " " in base:
        return None
    if (match := _VERSIONED.fullmatch(base)) is not None and match[1] in index:
        return match[1]
    if base[:1] == "g" and base[1:] in _gnu_names():
        return base[1:]
    family, dot, _ = base.partition(".")
    return family if dot and family in _OF_FILE_SYSTEMS else None


@cache
def _parsed(key: str) -> Program:
    name, spec = _index()[key]
    above, _, _ = key.rpartition(" ")
    parent = find_program(above) if above else None
    return parse_spec(name, spec, parent)


@cache
def _index() -> dict[str, tuple[str, str]]:
    """Map every name to its main name and spec; in a key, `a,b` share a spec and `a=b` are one program."""
    index: dict[str, tuple[str, str]] = {}
    for table in every_table():
        for key, spec in table.items():
            above, space, names = key.rpartition(" ")
            for alike in names.split(","):
                first, *others = alike.split("=")
                family = first.partition(".")[0]
                main = family if family in _OF_FILE_SYSTEMS else first
                for name in (first, *others):
                    index[above + space + name] = (above + space + main, spec)
    return index


@cache
def _gnu_names() -> frozenset[str]:
    """Return the programs that package managers also install with a `g` in front."""
    return frozenset(
        """awk base64 basename cat chgrp chmod chown cp cut date dd df dirname du echo egrep env expand
        expr fgrep find fold grep head id install join kill link ln ls make md5sum mkdir mkfifo
        mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk printenv printf readlink
        realpath rm rmdir sed seq sha1sum sha256sum sha512sum shred shuf sleep sort split stat
        stdbuf stty sum sync tac tail tar tee test time timeout touch tr true truncate tsort
        tty uname unexpand uniq unlink uptime wc which who whoami xargs yes""".split()
    )


_ADDRESS: Final = re.compile(
    r"(?:.*@)?\s*(?:(?:git\+)?[a-z][a-z0-9+.-]*://|git@|(?:github|gitlab|bitbucket|gist|git|sourcehut|codeberg):)",
    re.IGNORECASE | re.DOTALL,
)
_SHORT: Final = re.compile(r"[A-Za-z0-9][\w-]*/[\w.-]+(?:#.*)?")
# These read `owner/name` as a GitHub repository.
_WITH_SHORT: Final = frozenset(
    ("npx", "bunx", "npm exec", "npm init", "pnpm dlx", "pnpm create", "yarn dlx", "yarn create", "bun x")
)


def is_address(text: str, program: str) -> bool:
    """Return whether the program would fetch a package from there: `git+https://…`, `github:a/b`, `x@https://…`."""
    if "/" not in text and ":" not in text:  # a fast answer for nearly all names
        return False
    if _ADDRESS.match(text) is not None:
        return not text.startswith("file:")
    return program in _WITH_SHORT and _SHORT.fullmatch(text) is not None
