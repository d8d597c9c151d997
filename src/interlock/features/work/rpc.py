"""The state of the work, asked for on the socket; the kernel says whether a person or an agent asks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from interlock.daemon.jsonrpc import Methods
from interlock.errors import StoreError
from interlock.features.work.efforts.files import append_entry
from interlock.features.work.efforts.guard_rules import problems
from interlock.features.work.efforts.handover import read_payload
from interlock.features.work.efforts.next_worker import NextWorker
from interlock.features.work.efforts.operations import EffortOperations, StartedEffort
from interlock.features.work.efforts.recovery_text import recovery_for
from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.rpc_callers import Asked, WorkCallers, effort_in, text_in
from interlock.features.work.skills.project_skills import WorkSkills
from interlock.features.work.store import WorkStore
from interlock.features.work.views import as_plain, effort_row, session_row
from interlock.ledger.writer import LedgerWriter

Params = dict[str, Any]


class WorkMethods:
    """What changes something; each is recorded with who did it, and files are written after that."""

    def __init__(
        self,
        work: WorkStore,
        ledger: LedgerWriter,
        callers: WorkCallers,
        commit: Callable[[], bool],
        next_worker: NextWorker,
    ) -> None:
        self._work: Final = work
        self._ledger: Final = ledger
        self._callers: Final = callers
        self._commit: Final = commit
        self._next_worker: Final = next_worker
        self._operations: Final = EffortOperations(work)
        self._skills: Final = WorkSkills(work)

    @property
    def methods(self) -> Methods:
        """By name."""
        found: dict[str, Callable[[Params], Any]] = {
            "work.effort.start": self._start,
            "work.effort.resume": self._resume,
            "work.effort.finish": self._finish,
            "work.effort.phase": self._phase,
            "work.session.dehydrate": self._dehydrate,
            "work.log": self._log,
        }
        return {name: said(method) for name, method in found.items()}

    def _start(self, params: Params) -> Any:
        asked = self._callers.asked(params)
        task_dir = self._callers.folder(asked, text_in(params, "task", required=True))
        metadata = params.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            raise RefusedError(Code.VALIDATION_ERROR, "`metadata` is no object", "write it as one")
        if metadata and not asked.doer.person:
            raise RefusedError(
                Code.VALIDATION_ERROR, "an effort's metadata is for people to set", "leave it out"
            )
        _check_guards(metadata or {})
        with self._work.step():
            begun = self._operations.start(
                asked.doer,
                project_dir=asked.project_dir,
                task_dir=task_dir,
                skill=text_in(params, "skill", required=True),
                mode=text_in(params, "mode") or None,
                title=text_in(params, "title") or None,
                metadata=metadata,
            )
            problem = self._skills.take_in(begun.effort)
            self._record(asked, "effort.start", _about(begun))
        self._lasting()
        _make_folder(begun.task.dir_path)
        return {**self._begun(begun, asked), "skill_problem": problem}

    def _resume(self, params: Params) -> Any:
        asked = self._callers.asked(params)
        task = text_in(params, "task")
        task_dir = self._callers.folder(asked, task) if task else None
        with self._work.step():
            begun = self._operations.resume(asked.doer, effort_in(params), task_dir)
            problem = self._skills.take_in(begun.effort)
            self._record(asked, "effort.resume", _about(begun))
        self._lasting()
        recovery = recovery_for(self._work, begun.effort, begun.session)
        return {**self._begun(begun, asked), "recovery": recovery, "skill_problem": problem}

    def _finish(self, params: Params) -> Any:
        asked, keywords = self._callers.asked(params), params.get("keywords") or []
        if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
            raise RefusedError(Code.VALIDATION_ERROR, "`keywords` is no list of texts", "write it as one")
        with self._work.step():
            effort = self._operations.finish(asked.doer, effort_in(params), keywords)
            self._record(asked, "effort.finish", {"effort": effort.id, "skill": effort.skill})
        self._lasting()
        return {"effort": effort_row(self._work, effort)}

    def _phase(self, params: Params) -> Any:
        asked = self._callers.asked(params)
        label, reason = text_in(params, "label", required=True), text_in(params, "reason") or None
        with self._work.step():
            meant = self._operations.effort_of(asked.doer, effort_in(params))
            self._skills.take_in(meant)
            effort, change = self._operations.enter(
                asked.doer,
                label,
                effort_id=meant.id,
                proof=params.get("proof"),
                reason=reason,
            )
            told = {"effort": effort.id, "phase": effort.current_phase, "reason": reason}
            self._record(asked, "effort.phase", {**told, "changed": change is not None})
        self._lasting()
        return {"effort": effort_row(self._work, effort), "change": as_plain(change) if change else None}

    def _log(self, params: Params) -> Any:
        asked, text = self._callers.asked(params), text_in(params, "text", required=True)
        with self._work.step():
            logged = self._operations.log(asked.doer, text, effort_in(params))
            self._record(asked, "log", {"effort": logged.effort.id, "path": str(logged.path)})
        self._lasting()
        append_entry(logged.path, logged.entry)
        heading = next(line for line in logged.entry.splitlines() if line.startswith("## ["))
        return {"effort": logged.effort.id, "path": str(logged.path), "heading": heading}

    def _dehydrate(self, params: Params) -> Any:
        asked = self._callers.asked(params)
        payload = read_payload(params.get("payload"))
        with self._work.step():
            session = self._operations.dehydrate(asked.doer, payload)
            self._record(asked, "session.dehydrate", {"session": session.id, "effort": session.effort_id})
        self._lasting()
        return {"session": session_row(session)}

    def _begun(self, begun: StartedEffort, asked: Asked) -> dict[str, Any]:
        session = session_row(begun.session) if begun.session else None
        about = {"effort": effort_row(self._work, begun.effort), "task": as_plain(begun.task)}
        return {**about, "session": session, **self._next_worker.next_steps(begun, asked.doer.agent_id)}

    def _record(self, asked: Asked, deed: str, body: dict[str, Any]) -> None:
        known = {name: value for name, value in body.items() if value is not None}
        entry = {"deed": deed, "session_id": asked.doer.host_session_id or "", **known}
        self._ledger.append("work", asked.actor, asked.project_dir, entry)

    def _lasting(self) -> None:
        if not self._commit():
            raise ValueError("it could not be recorded, so nothing was changed; try again in a moment")


def said(method: Callable[[Params], Any]) -> Callable[[Params], Any]:
    """What the store cannot do is an answer, too."""

    def answered(params: Params) -> Any:
        try:
            return method(params)
        except StoreError as error:
            raise ValueError(str(error)) from error

    return answered


def _check_guards(metadata: dict[str, Any]) -> None:
    """A rule that can never hold would be kept without a word."""
    wrong = problems(metadata["guards"]) if "guards" in metadata else ()
    if wrong:
        sentence, _, next_step = wrong[0].partition("; ")
        raise RefusedError(Code.VALIDATION_ERROR, sentence, next_step or "correct it", field="guards")


def _about(begun: StartedEffort) -> dict[str, Any]:
    effort = begun.effort
    told = {"effort": effort.id, "skill": effort.skill, "mode": effort.mode, "task": begun.task.dir_path}
    return {**told, "session": begun.session.id if begun.session else None}


def _make_folder(path: str) -> None:
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RefusedError(
            Code.VALIDATION_ERROR,
            f"the effort has begun, but `{path}` cannot be made: {error.strerror or error}",
            "make the folder yourself",
            path=path,
        ) from error
