"""The `if:` of a hook: a CEL expression over the event, compiled once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final, Protocol, final

from interlock.errors import ConditionError
from interlock.events.event import Event
from interlock.policy.conditions.syntax import (
    ROOTS,
    ConditionText,
    FieldPath,
    Regexes,
    as_re2,
    compile_regexes,
    rewrite,
    search_fields,
)
from interlock.policy.files.words import hint

# What each name has; of `actor` there is only the name itself.
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "event": (
        *("name", "session_id", "cwd", "host", "prompt", "permission_mode"),
        *("agent_id", "agent_type", "error", "extra"),
    ),
    "tool": ("name", "input", "use_id"),
    "actor": (),
    "session": ("id", "heartbeat_counter", "context_usage"),
    "effort": ("id", "skill", "mode", "phase", "ordinal", "task"),
    "commitment": (
        *("id", "state", "tier", "tags", "body", "requires_review", "owner", "evidence", "sent_back"),
    ),
}
# The fields below these are the hosts' and tools' own, and not listed anywhere.
_OPEN: Final = frozenset({("tool", "input"), ("event", "extra")})


# The field that is usually meant by the whole record; the actor is a text itself.
_USUAL_FIELD: Final = {
    "event": "name",
    "tool": "name",
    "session": "id",
    "effort": "skill",
    "commitment": "state",
}


def check_texts(roots: Iterable[str]) -> None:
    """Refuse a record in the place of a text, which it never equals."""
    for root in sorted(roots):
        if root in _USUAL_FIELD:
            raise ConditionError(
                f"`{root}` is not text; compare one of its fields, such as `{root}.{_USUAL_FIELD[root]}`"
            )


def check_fields(paths: Iterable[FieldPath]) -> None:
    """Refuse a field that no event can have."""
    for root, *fields in paths:
        if not fields:
            continue
        first, *further = fields
        known = FIELDS[root]
        if first not in known:
            cure = hint(first, known) if known else f"compare `{root}` itself"
            raise ConditionError(f"`{root}` has no field `{first}`; {cure}")
        if further and (root, first) not in _OPEN:
            whole = f"{root}.{first}"
            raise ConditionError(f"`{whole}` has no field `{further[0]}`; compare `{whole}` itself")


MAX_LENGTH: Final = 2_000
MAX_BUILT: Final = 200  # elements for `map` and `filter`, which copy all they have at each of them

_FUNCTIONS: Final = frozenset(
    {
        *("contains", "size", "startsWith", "endsWith", "matches", "has", "type", "dyn"),
        *("int", "uint", "double", "string", "bytes", "duration", "timestamp"),
        *("getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear"),
        *("getHours", "getMinutes", "getSeconds", "getMilliseconds"),
    }
)
_TYPES: Final = frozenset({"int", "uint", "double", "string", "bytes", "bool", "list", "map"})
_REASON: Final = re.compile(r"<input>:\d+:(\d+): (.*)")
_IDENTIFIER: Final = re.compile(r"[A-Za-z]\w*")


class Program(Protocol):
    """A compiled text."""

    def execute(self, context: dict[str, Any]) -> Any: ...

    def references(self) -> dict[str, list[str]]: ...


@final
class CelCondition:
    """A compiled condition."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise ConditionError(
                f"{len(text):,} characters are too long; a condition has at most {MAX_LENGTH:,}"
            )
        rewritten = rewrite(text)
        self._text: Final = text
        check_names(compiled_program(text).references(), rewritten.bound)
        check_texts(rewritten.as_text)
        check_fields((*rewritten.reads.values(), *rewritten.asks.values()))
        self._plain: Final = _Runnable(rewritten)
        self._quick: _Quick | None = None
        self._tried = False

    @property
    def text(self) -> str:
        return self._text

    def holds(self, event: Event) -> bool:
        """Evaluate on this event; raise ConditionError when there is no yes or no."""
        try:
            result = self._result(event)
        except ConditionError:
            raise
        except Exception as error:  # the native module raises half a dozen unrelated kinds
            raise ConditionError(f"the condition `{self._text}` failed: {_one_line(error)}") from error
        if not isinstance(result, bool):
            raise ConditionError(f"the condition `{self._text}` gave `{result}`; it must be true or false")
        return result

    def _result(self, event: Event) -> Any:
        if not self._tried:
            self._quick = _quick(self._text)  # two events compiling the same at once is harmless
            self._tried = True
        found = self._quick.found(event) if self._quick else None
        if self._quick is None or found is None:
            return self._run(self._plain, event, {})
        return self._run(self._quick, event, found)

    def _run(self, runnable: _Runnable, event: Event, found: dict[str, bool]) -> Any:
        values = runnable.values(event) | found
        if runnable.builds and _longest(values) > MAX_BUILT:
            raise ConditionError(
                f"the condition `{self._text}` visited more than {MAX_BUILT} elements; use `all` or `exists`"
            )
        return runnable.program.execute(values)


class _Runnable:
    """A program with the variables it needs."""

    def __init__(self, rewritten: ConditionText) -> None:
        self._reads: Final = tuple(rewritten.reads.items())
        self._asks: Final = tuple(rewritten.asks.items())
        self.builds: Final = rewritten.builds
        self.program: Final = compiled_program(rewritten.text)

    def values(self, event: Event) -> dict[str, Any]:
        """The fields it reads, of one event."""
        values: dict[str, Any] = {name: _field(event, path) for name, path in self._reads}
        values |= {name: _has(event, path) for name, path in self._asks}
        return values


class _Quick(_Runnable):
    """The same program with its expressions taken out, which are compiled already."""

    def __init__(self, rewritten: ConditionText, regexes: dict[FieldPath, Regexes]) -> None:
        super().__init__(rewritten)
        self._regexes: Final = regexes

    def found(self, event: Event) -> dict[str, bool] | None:
        """What its expressions say; None where CEL has to say it, since a field is not text."""
        return search_fields({path: _field(event, path) for path in self._regexes}, self._regexes)


def _quick(text: str) -> _Quick | None:
    rewritten = rewrite(text, as_re2)
    regexes = compile_regexes(rewritten.searches) if rewritten.searches else None
    return _Quick(rewritten, regexes) if regexes else None


def parse_condition(text: str) -> CelCondition:
    """Compile a condition; raise ConditionError with what is wrong in it."""
    return CelCondition(text)


@cache
def _compiler() -> Any:
    """Load the native module alone: the package around it imports a whole command line."""
    package = find_spec("cel")
    folders = package.submodule_search_locations if package else None
    for folder in folders or ():
        for suffix in EXTENSION_SUFFIXES:
            file = Path(folder) / f"cel{suffix}"
            if file.exists():
                spec = spec_from_file_location(
                    "cel.cel", file, loader=ExtensionFileLoader("cel.cel", str(file))
                )
                if spec is not None and spec.loader is not None:
                    module = module_from_spec(spec)
                    spec.loader.exec_module(module)
                    return module
    raise ConditionError("conditions need `common-expression-language`; install it")


def compiled_program(text: str) -> Program:
    """Compile a text as it is; raise ConditionError with what is wrong in it."""
    try:
        program: Program = _compiler().compile(text)
    except ConditionError:
        raise
    except Exception as error:  # the native module raises half a dozen unrelated kinds
        raise ConditionError(f"the condition `{text}` cannot be read: {_one_line(error)}") from error
    return program


def _one_line(error: Exception) -> str:
    """The first reason in a native message that may repeat the whole text many times."""
    reason = _REASON.search(str(error))
    if reason:
        return f"{reason[2].split(' expecting {')[0][:200]} (column {reason[1]})"
    return str(error).split(". ")[0].split("\n")[0][:200]


def check_names(
    references: dict[str, list[str]], bound: frozenset[str], roots: Sequence[str] = ROOTS
) -> None:
    """Refuse unknown names and functions."""
    for name in references["variables"]:
        if name not in bound and name not in _TYPES and name not in roots:
            raise ConditionError(f"unknown name `{name}`; {hint(name, roots)}")
    for name in references["functions"]:
        if _IDENTIFIER.fullmatch(name) and name not in _FUNCTIONS:
            raise ConditionError(f"unknown function `{name}`; {hint(name, sorted(_FUNCTIONS))}")


def _field(event: Event, path: FieldPath) -> Any:
    value = _ROOTS[path[0]](event)
    for key in path[1:]:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _has(event: Event, path: FieldPath) -> bool:
    parent = _field(event, path[:-1]) if len(path) > 1 else None
    return isinstance(parent, dict) and path[-1] in parent


def _longest(values: Any) -> int:
    """The length of the longest list or object, however deep inside."""
    longest, level = 0, [values]
    while level:
        longest = max(longest, *map(len, level))
        inner = (value for outer in level for value in (outer.values() if isinstance(outer, dict) else outer))
        level = [value for value in inner if isinstance(value, dict | list)]
    return longest


def _record(root: str, value: object) -> dict[str, Any] | None:
    """The fields of an event or a tool that conditions may read."""
    return None if value is None else {name: getattr(value, name) for name in FIELDS[root]}


def _commitment(event: Event) -> dict[str, Any] | None:
    return event.commitment or ({"id": event.commitment_id} if event.commitment_id else None)


_ROOTS: Final[dict[str, Callable[[Event], Any]]] = {
    "event": lambda event: _record("event", event),
    "tool": lambda event: _record("tool", event.tool),
    "actor": lambda event: event.actor,
    "session": lambda event: {"id": event.session_id, **(event.session or {})},
    "effort": lambda event: event.effort,
    "commitment": _commitment,
}


MAX_GUARD_LENGTH: Final = 500


@final
class ValueCondition:
    """A compiled expression; its values are texts, numbers, truth values and nulls."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        if len(text) > MAX_GUARD_LENGTH:
            raise ConditionError(f"{len(text):,} characters are too long; a guard has at most {MAX_LENGTH:,}")
        if rewrite(text).bound:
            raise ConditionError(f"a guard such as `{text}` has no lists to walk; compare its values instead")
        self._names: Final = tuple(names)
        self._program: Final = compiled_program(text)
        check_names(self._program.references(), frozenset(), names)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is true of these values; false where it cannot be evaluated, as for a null."""
        try:
            found = self._program.execute({name: values.get(name) for name in self._names})
        except Exception:  # noqa: BLE001 - the native module raises half a dozen unrelated kinds
            return False
        return found is True
