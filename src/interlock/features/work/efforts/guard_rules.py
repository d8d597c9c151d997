"""Guard rules of an effort: which of them hold at a tool call; they advise and block nothing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from interlock.errors import ConditionError
from interlock.policy.files.words import hint

if TYPE_CHECKING:
    from interlock.policy.conditions.condition import ValueCondition

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
    """A rule that holds now."""

    rule_id: str
    payload: Any = None


def firing_rules(rules: Any, values: Mapping[str, Any]) -> tuple[FiredRule, ...]:
    """The rules that hold, in their order; one that cannot be read never does."""
    listed = rules[:MOST] if isinstance(rules, list) else []
    return tuple(
        FiredRule(rule_id=rule["ruleId"], payload=rule.get("payload"))
        for rule in listed
        if isinstance(rule, dict)
        and isinstance(rule.get("ruleId"), str)
        and _holds(rule.get("condition"), values)
    )


def problems(rules: Any) -> tuple[str, ...]:
    """What is wrong with rules that somebody is about to keep, one sentence each."""
    if not isinstance(rules, list):
        return ("`guards` is not a list; write `[{ruleId, condition, payload}]`",)
    found = [f"`guards` has {len(rules)} rules; write at most {MOST}"] if len(rules) > MOST else []
    found += [problem for n, rule in enumerate(rules) if (problem := _problem(f"guards[{n}]", rule))]
    return tuple(found)


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
        found = _compiled(condition["cel"]) if isinstance(condition["cel"], str) else "it is not text"
        return f"`{place}.condition.cel`: {found}" if isinstance(found, str) else None
    for name, known in (("field", FIELDS), ("op", tuple(OPS))):
        if condition.get(name) not in known:
            said = str(condition.get(name))[:80]
            return f"`{place}.condition` has an unknown {name} `{said}`; {hint(said, known)}"
    return None
