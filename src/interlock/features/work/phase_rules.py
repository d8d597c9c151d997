"""Which phase of a skill may come next, and the guard rules that advise at a tool call."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from interlock.errors import ConditionError
from interlock.features.work.records import Code, RefusedError
from interlock.policy.files.words import hint

if TYPE_CHECKING:
    from interlock.policy.conditions.condition import ValueCondition

LONGEST: Final = 200  # characters of a label
_LABEL: Final = re.compile(r"(\d{1,4})(?:\.([A-Z]|\d{1,4}[A-Z]?))?\s*:\s*(\S.*)", re.DOTALL)
_NUMBER: Final = re.compile(r"\d{1,4}(?:\.(?:[A-Z]|\d{1,4}[A-Z]?))?")
_FORM: Final = "write it as `2: Build` or `2.A: Build`"
_PhaseOrder: TypeAlias = tuple[int, int, str]


class Phase(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One phase, as a skill declares it."""

    number: str  # `2` or `2.A`
    name: str

    @property
    def label(self) -> str:
        """How it is written everywhere."""
        return f"{self.number}: {self.name}"

    @cached_property
    def place(self) -> _PhaseOrder:
        """Where it stands: its phase, then its part; a letter counts like its number in the alphabet."""
        major, _, part = self.number.partition(".")
        digits = part.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        letter = part[len(digits) :]
        if digits or not letter:
            return int(major), int(digits or 0), letter
        return int(major), ord(letter) - ord("A") + 1, ""

    @property
    def is_part(self) -> bool:
        """Whether it is `N.X`; `N.0` is the phase itself."""
        return self.place[1:] != (0, "")


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A change that is allowed."""

    label: str
    phases: tuple[str, ...]  # all labels of the skill afterwards
    appended: bool = False  # the phase is a new part, now among `phases`


def read_label(text: str) -> Phase | None:
    """A label in its one form; None for what is none."""
    match = _LABEL.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if match is None:
        return None
    major, part, name = match.groups()
    number = str(int(major)) if part is None else f"{int(major)}.{part}"
    return Phase(number=number, name=" ".join(name.split()))


def read_phase(value: Any) -> Phase | None:
    """A phase as a skill file writes it: a label, or a mapping with `label` and `name`."""
    if isinstance(value, str):
        return read_label(value)
    if not isinstance(value, Mapping):
        return None
    number = value.get("label", value.get("number"))
    if number is None and "major" in value:
        minor = value.get("minor") or 0
        number = f"{value['major']}.{minor}" if minor else value["major"]
    return read_label(f"{number}: {value.get('name', '')}")


def enter(
    declared: Sequence[Any], current: str | None, label: str, *, reason: str | None = None
) -> Step | None:
    """The change to `wanted`, or None when that is where the effort is; raise where it may not go.

    A skill that declares no phases may be in any. The next in order is free, and so is leaving a phase with
    its parts for the next one; a part that nobody declared joins the phase it belongs to. Anything else, back
    or forward, needs a reason.
    """
    phases = tuple(phase for phase in map(read_phase, declared) if phase is not None)
    here = read_label(current) if current else None
    target = _find_target(label, phases)
    if here is not None and here.label == target.label:
        return None
    if not phases:
        return Step(label=target.label, phases=())
    appended = target not in phases
    if appended:
        phases = _insert(phases, target)
    if not (reason and reason.strip()) and not _is_free(phases, here, target, new=appended):
        raise _not_sequential(phases, here, target)
    return Step(label=target.label, phases=tuple(phase.label for phase in phases), appended=appended)


def _find_target(text: str, phases: Sequence[Phase]) -> Phase:
    """The phase that is meant; its number alone will do where it is declared."""
    bare = text.strip()
    if _NUMBER.fullmatch(bare):
        declared = next((phase for phase in phases if phase.number == bare), None)
        if declared is not None:
            return declared
    read = read_label(text)
    if read is None:
        excerpt = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
        raise RefusedError(Code.UNKNOWN_PHASE, f"`{excerpt}` is not a phase", _FORM, phase=excerpt)
    return read


def _insert(phases: tuple[Phase, ...], target: Phase) -> tuple[Phase, ...]:
    """The phases with a new part in its place; raise when it belongs to none of them."""
    rival = next((phase for phase in phases if phase.place == target.place), None)
    if rival is not None:
        next_step = f"did you mean `{rival.label}`?"
        raise _unknown_phase(target, next_step)
    if not target.is_part or target.place[0] not in {phase.place[0] for phase in phases}:
        raise _unknown_phase(target, hint(target.label, [phase.label for phase in phases]))
    earlier = [n for n, phase in enumerate(phases) if phase.place < target.place]
    at = earlier[-1] + 1 if earlier else 0
    return (*phases[:at], target, *phases[at:])


def _is_free(phases: Sequence[Phase], here: Phase | None, target: Phase, *, new: bool) -> bool:
    if here is None:
        return target == phases[0]
    if new:
        return here.place[0] == target.place[0] and here.place < target.place
    return target in (_following(phases, here), _next_major(phases, here))


def _following(phases: Sequence[Phase], here: Phase) -> Phase | None:
    """The one after this; a phase the skill has since dropped still has its place among the others."""
    if here in phases:
        following = phases[phases.index(here) + 1 :]
    else:
        following = [phase for phase in phases if phase.place > here.place]
    return following[0] if following else None


def _next_major(phases: Sequence[Phase], here: Phase) -> Phase | None:
    """The first of the phases after this one and its parts: parts are ways to go, none has to be taken."""
    return next((phase for phase in phases if phase.place[0] > here.place[0]), None)


def _unknown_phase(target: Phase, next_step: str) -> RefusedError:
    return RefusedError(
        Code.UNKNOWN_PHASE, f"the skill has no phase `{target.label}`", next_step, phase=target.label
    )


def _not_sequential(phases: Sequence[Phase], here: Phase | None, target: Phase) -> RefusedError:
    expected = phases[0] if here is None else _following(phases, here) or _next_major(phases, here)
    where = f"`{here.label}`" if here else "the start"
    order = f"after {where} comes `{expected.label}`" if expected else f"{where} is the last phase"
    return RefusedError(
        Code.PHASE_NOT_SEQUENTIAL,
        f"{order}, so `{target.label}` is out of order",
        "go there first, or give a reason with --reason" if expected else "give a reason with --reason",
        expected=expected.label if expected else None,
        phase=target.label,
    )


FIELDS: Final = ("heartbeat_counter", "context_usage", "tool", "phase", "skill", "mode")
OPS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "gte": operator.ge,
    "gt": operator.gt,
    "lte": operator.le,
    "lt": operator.lt,
    "eq": operator.eq,
}
MOST: Final = 100  # rules of one effort


class FiredRule(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    rule_id: str
    payload: Any = None


def firing_rules(rules: Any, values: Mapping[str, Any]) -> tuple[FiredRule, ...]:
    """The rules that hold, in their order; one that cannot be read never does."""
    candidates = rules[:MOST] if isinstance(rules, list) else []
    return tuple(
        FiredRule(rule_id=rule["ruleId"], payload=rule.get("payload"))
        for rule in candidates
        if isinstance(rule, dict)
        and isinstance(rule.get("ruleId"), str)
        and _holds(rule.get("condition"), values)
    )


def problems(rules: Any) -> tuple[str, ...]:
    """What is wrong with rules that somebody is about to keep, one sentence each."""
    if not isinstance(rules, list):
        return ("`guards` is not a list; write `[{ruleId, condition, payload}]`",)
    sentences = [f"`guards` has {len(rules)} rules; write at most {MOST}"] if len(rules) > MOST else []
    sentences += [problem for n, rule in enumerate(rules) if (problem := _problem(f"guards[{n}]", rule))]
    return tuple(sentences)


def _holds(condition: Any, values: Mapping[str, Any]) -> bool:
    if not isinstance(condition, dict):
        return False
    if "cel" in condition:
        compiled = _compiled(condition["cel"]) if isinstance(condition["cel"], str) else None
        return compiled is not None and not isinstance(compiled, str) and compiled.holds(values)
    field, op, value = condition.get("field"), condition.get("op"), condition.get("value")
    compare = OPS.get(op) if isinstance(op, str) else None
    actual = values.get(field) if isinstance(field, str) and field in FIELDS else None
    if compare is None or actual is None or not _comparable(actual, value):
        return False
    return compare(actual, value)


def _comparable(actual: Any, value: Any) -> bool:
    """Numbers with numbers, texts with texts; a truth value is not a number here."""
    if isinstance(actual, bool) or isinstance(value, bool):
        return False
    if isinstance(actual, int | float):
        return isinstance(value, int | float)
    return isinstance(actual, str) and isinstance(value, str)


@lru_cache(maxsize=256)
def _compiled(text: str) -> ValueCondition | str:
    """The expression, or what is wrong with it."""
    from interlock.policy.conditions.condition import ValueCondition

    try:
        return ValueCondition(text, FIELDS)
    except ConditionError as error:
        return str(error)


def _problem(place: str, rule: Any) -> str | None:
    if not isinstance(rule, dict) or not isinstance(rule.get("ruleId"), str) or not rule["ruleId"].strip():
        return f"`{place}` has no `ruleId`; write `{{ruleId, condition, payload}}`"
    condition = rule.get("condition")
    if not isinstance(condition, dict):
        return f"`{place}` has no `condition`; write `{{field, op, value}}` or `{{cel}}`"
    if "cel" in condition:
        fault = _compiled(condition["cel"]) if isinstance(condition["cel"], str) else "it is not text"
        return f"`{place}.condition.cel`: {fault}" if isinstance(fault, str) else None
    for name, choices in (("field", FIELDS), ("op", tuple(OPS))):
        if condition.get(name) not in choices:
            value = str(condition.get(name))[:80]
            return f"`{place}.condition` has an unknown {name} `{value}`; {hint(value, choices)}"
    return None
