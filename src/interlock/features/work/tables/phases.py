"""The phases efforts go through, one after the other."""

from __future__ import annotations

from typing import Any, ClassVar, final

from interlock.features.work.phase_rules import enter
from interlock.features.work.tables.base import Table, as_json
from interlock.features.work.tables.efforts import Efforts, finished
from interlock.features.work.tables.records import Effort, PhaseChange
from interlock.features.work.tables.sessions import Sessions
from interlock.features.work.tables.skills import Skills
from interlock.features.work.tables.tasks import Tasks


@final
class Phases(Table):
    """Each change is kept with its proof, and counts as a sign of life."""

    file: ClassVar = "work_phases"

    def enter(
        self, effort: Effort, label: str, *, proof: Any = None, reason: str | None = None
    ) -> PhaseChange | None:
        """Go to a phase; None when the effort is in it already, RefusedError when it may not."""
        if not effort.active:
            raise finished(effort)
        step = enter(self.declared(effort), effort.current_phase, label, reason=reason)
        if step is None:
            return None
        efforts = Efforts(self._connection, self._clock)
        if step.appended:
            efforts.set_metadata(effort.id, {**effort.metadata, "phases": list(step.phases)})
        efforts.set_phase(effort.id, step.label)
        Sessions(self._connection, self._clock).reset_effort(effort.id)
        return self._one(
            PhaseChange,
            "add",
            effort_id=effort.id,
            label=step.label,
            proof=None if proof is None else as_json(proof),
            reason=reason,
            now=self._now(),
        )

    def declared(self, effort: Effort) -> list[Any]:
        """The phases of an effort: its own, where it has added some, else those of its skill."""
        own = effort.metadata.get("phases")
        if isinstance(own, list):
            return own
        task = Tasks(self._connection, self._clock).get(effort.task_id)
        skill = Skills(self._connection, self._clock).get(task.project_id, effort.skill)
        return list(skill.phases) if skill else []

    def of_effort(self, effort_id: int) -> list[PhaseChange]:
        """The phases an effort entered, the first one first."""
        return self._all(PhaseChange, "of_effort", effort_id=effort_id)
