"""The compact notation in which the tables describe a program.

Entries stand between `|` or line breaks. About the program as a whole:

    operands:text read*     the first is text, all others are paths it reads
    operands:read* write    the last one is written
    operands:env* command   NAME=value words, then a command
    operands:none           it takes none
    style:single            -long options; also `pairs`, `bundled`, `none`
    options-first           the first operand ends the options
    start:.                 the path it works on when no operand names one
    subcommands, subcommands:2, does:network, transparent, interpreter, shell, fetches, scripts, more, decodes
    device

About one option, its names first, the mark directly behind the last one:

    -r -R --recursive       no value
    -n --lines=             a value; `=read` with its role; `=write,text` two values
    --color=?               a value that is only ever attached
    -c=^shell               its value is the first operand
    -exec=command;          a command up to `;`
    -delete!                more than the name of the program says
    -i=?!>write             with it, the operands are written
    -e=code drops           further words: drops, ends, calms, shows, does:ROLE, turns:-f=ROLE
                            (--help and --version do so by themselves)
    case:-o proxycommand shell!   option -o, when its value begins with that (lower case; `*x`: contains x;
                                  `=x`: is x; `#`: is a version; `PIPE`: begins with `|`); `>edit`
                                  behind it: the role of the operands then
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from interlock.effects.programs.little_code import LITTLE
from interlock.effects.programs.program import HANDED_ON, OPTION_SIGNS, Option, Program, Role
from interlock.effects.programs.roles import ROLES_BY_TEXT

_MARKS = re.compile(
    r"(?P<name>.[^\s=!>;]*)(?:=(?P<how>[?^]?)(?P<roles>[a-z,]*))?(?P<closed>;)?(?P<power>!)?(?:>(?P<operands>[a-z]+))?"
)
_STYLES = frozenset(("gnu", "single", "pairs", "bundled", "none"))
_TRUTHS = frozenset("transparent interpreter shell fetches scripts more decodes device".split())
_ACTING = frozenset(("power", "does", "calms", "shows"))
_SHOWING = frozenset(("--help", "--version", "-help", "-version"))
_PUNCTUATION = frozenset(("(", ")", "!", ",", ":::", ":::+", "::::", "::::+"))


class SpecError(ValueError):
    """An entry of our tables that does not follow the notation."""


class _Draft(NamedTuple):
    """What has been read of one program so far."""

    options: dict[str, Option]
    fields: dict[str, object]
    does: list[Role]


def parse_spec(name: str, spec: str, parent: Program | None = None) -> Program:
    """The program that a spec describes; a subcommand keeps what its parent's options mean everywhere."""
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
    acts = not (runs_others or program.shell or program.interpreter)
    roles = {*program.operands, program.rest, *program.last}
    return msgspec.structs.replace(
        program,
        hands_on=_hands_on(program),
        unusual=runs_others or program.shell or program.device,
        even=not program.operands and not program.last and name not in LITTLE and name not in ROLES_BY_TEXT,
        signs=OPTION_SIGNS.union(option[0] for option in draft.options),
        steady=program.mixed and not program.runs and program.rest is not Role.SHELL,
        passes_on=not acts or not roles.isdisjoint(HANDED_ON | {Role.COMMAND}),
    )


def _hands_on(program: Program) -> bool:
    """Whether any word could be text, code or a file that is run."""
    roles = {*program.operands, program.rest, *program.last}
    for option in program.options.values():
        roles |= {option.value, option.operands, *option.then, *(role for _, role in option.turns)}
        roles |= {case.value for _, case in option.cases}
    return program.interpreter or program.name in ROLES_BY_TEXT or not roles.isdisjoint(HANDED_ON)


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
