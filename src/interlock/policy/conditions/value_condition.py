"""A CEL expression over a few plain values by name, as a guard rule has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from interlock.errors import ConditionError
from interlock.policy.conditions.condition import check_names, compiled_program
from interlock.policy.conditions.syntax import rewrite

MAX_LENGTH: Final = 500


@final
class ValueCondition:
    """A compiled expression; its values are texts, numbers, truth values and nulls."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        if len(text) > MAX_LENGTH:
            raise ConditionError(f"{len(text):,} characters are too long; a guard has at most {MAX_LENGTH:,}")
        if rewrite(text).bound:
            raise ConditionError(f"a guard such as `{text}` has no lists to walk; compare its values instead")
        self._names: Final = tuple(names)
        self._program: Final = compiled_program(text)
        check_names(self._program.references(), frozenset(), names)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is true of these; what cannot be said of them, as of a null, is not."""
        try:
            found = self._program.execute({name: values.get(name) for name in self._names})
        except Exception:  # noqa: BLE001 the native module raises half a dozen unrelated kinds
            return False
        return found is True
