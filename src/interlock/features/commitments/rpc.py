"""The socket's methods about commitments. The kernel says whether a person or an agent calls."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any, Final

from interlock.daemon.caller_kind import Kind
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.people_only import Identity
from interlock.daemon.policy_loader import Loaded
from interlock.errors import ApprovalError
from interlock.events.tool import JsonObject
from interlock.features.commitments.authors import claimed, own_name
from interlock.features.commitments.checks import GATE, CommitmentReviews, Review
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.policy import OPERATIONS, Validator
from interlock.features.commitments.records import Code, Commitment, RefusedError
from interlock.features.commitments.run_validators import HandedIn, ValidatorRunner, longest
from interlock.features.commitments.service import Caller, Commitments
from interlock.features.commitments.validation import ValidatorResult, failing
from interlock.features.commitments.views import Recorded, listed, row, show_record, tree

_CLAIM: Final = ("actor", "environment", "email")
_LONGEST: Final = 200
_SENDS_BACK: Final = frozenset({"reject", "reopen"})
GATED: Final = frozenset({"submit", "approve", "close"})

Answer = JsonObject | Awaitable[JsonObject]


class CommitmentMethods:
    """Every operation is a method; the policy decides what agents may do."""

    def __init__(self, commitments: Commitments, context: DaemonContext) -> None:
        self._commitments: Final = commitments
        self._policies: Final = context.policies
        self._agents: Final = context.agents
        self._sessions: Final = context.sessions
        self._reviews: Final = context.services.find(CommitmentReviews)
        self._validating: Final = ValidatorRunner(os.environ, context.trust.trusts)
        self.recorded: Final = Recorded(context.places.database, context.redactor)
        self._commit: Final = context.committer.commit
        self._identities: Final = context.identities

    @property
    def methods(self) -> Methods:
        return {
            **{f"commitments.{op}": partial(self._perform, op) for op in OPERATIONS},
            "commitments.list": self._list,
            "commitments.show": self._show,
            "commitments.tree": self._tree,
            "commitments.validators": self._validators,
        }

    def _perform(self, op: str, params: dict[str, Any]) -> Answer:
        caller, loaded = self._caller(params)
        return self.perform(op, params, caller, loaded)

    def perform(self, op: str, params: dict[str, Any], caller: Caller, loaded: Loaded) -> Answer:
        """Do one operation for a known caller; an awaitable if something has to run or be checked first."""
        reviews = self._reviews
        if reviews is not None and op in GATED and reviews.any_wanted(loaded):
            return self._gated(reviews, op, params, caller, loaded)
        return self._performed(op, params, caller, loaded)

    async def _gated(
        self, reviews: CommitmentReviews, op: str, params: dict[str, Any], caller: Caller, loaded: Loaded
    ) -> JsonObject:
        """Perform where gates may wait for an approval, and ask for it if nobody has been asked in time."""
        name = str((_mapping(params, "payload")).get("commitment") or "")
        commitment = self._commitments.state(caller.workspace).commitments.get(name)
        if commitment is not None:
            await reviews.look(commitment, loaded, caller)
        try:
            done = self._performed(op, params, caller, loaded)
            answer = await done if isinstance(done, Awaitable) else done
        except RefusedError as error:
            if error.about.get("constraint") != GATE:
                raise
            if asked := await self._ask_reviews(reviews, op, name, caller, loaded):
                error = waits_for(name, asked)
            raise error from None
        if op == "submit" and (asked := await self._ask_reviews(reviews, op, name, caller, loaded)):
            answer["approvals"] = [one.name for one in asked]
        return answer

    async def _ask_reviews(
        self, reviews: CommitmentReviews, op: str, name: str, caller: Caller, loaded: Loaded
    ) -> list[Review]:
        commitment = self._commitments.state(caller.workspace).commitments[name]
        if commitment.ended:
            return []
        handed_in = op == "submit"
        asked = await reviews.ask_about(
            commitment, loaded, caller, after_no=handed_in, unasked=handed_in or caller.person
        )
        self._commit()
        return asked

    def _performed(self, op: str, params: dict[str, Any], caller: Caller, loaded: Loaded) -> Answer:
        wanted = self._validators_for(op, params, caller, loaded)
        if wanted:
            return self._validated(op, params, caller, wanted)
        return self._do(op, params, caller, loaded)

    def _validators_for(
        self, op: str, params: dict[str, Any], caller: Caller, loaded: Loaded
    ) -> tuple[Validator, ...]:
        payload = _mapping(params, "payload")
        return self._commitments.validators(
            op, payload, caller, COMMITMENTS.get(loaded), **self._around(params, caller, loaded)
        )

    def _around(self, params: dict[str, Any], caller: Caller, loaded: Loaded) -> dict[str, Any]:
        reviews = self._reviews
        return {
            "meta": _mapping(params, "meta"),
            "source_key": _get_text(params, "source_key"),
            "review": reviews and (lambda commitment: reviews.of_commitment(commitment, loaded, caller)),
        }

    def _validators(self, params: dict[str, Any]) -> JsonObject:
        """What would run before an operation, and for how long at most."""
        caller, loaded = self._caller(params)
        found = self._validators_for(str(params["op"]), params, caller, loaded)
        named = [{"validator": one.word, "file": one.file} for one in found]
        return {"validators": named, "seconds": sum(longest(one) for one in found)}

    async def _validated(
        self, op: str, params: dict[str, Any], caller: Caller, wanted: tuple[Validator, ...]
    ) -> JsonObject:
        payload = _mapping(params, "payload")
        name, summary = str(payload["commitment"]), str(payload.get("summary") or "")
        work = HandedIn(op=op, commitment=name, workspace=caller.workspace, summary=summary)
        results = await self._validating.run(wanted, work, caller.session_id or "")
        if not all(one.passed for one in results):
            self._commitments.note_results(name, caller, results)
            raise failing(op, name, results)
        # The policy may have changed meanwhile: its validators must have passed, too.
        loaded = self._policies.for_folder(caller.workspace)
        return self._do(op, params, caller, loaded, results)

    def _do(
        self,
        op: str,
        params: dict[str, Any],
        caller: Caller,
        loaded: Loaded,
        validated: Sequence[ValidatorResult] = (),
    ) -> JsonObject:
        recorded = self._commitments.perform(
            op,
            _mapping(params, "payload"),
            caller,
            COMMITMENTS.get(loaded),
            validated=validated,
            **self._around(params, caller, loaded),
        )
        asked = next(one for one in recorded if one.op == op)
        if self._reviews is not None and op in _SENDS_BACK:
            reason = _get_text(asked.payload, "reason")
            self._reviews.sent_back(_about(asked.payload), loaded, caller.actor, reason)
            self._commit()
        state = self._commitments.state(caller.workspace)
        about = state.commitments.get(asked.id) or state.commitments.get(_about(asked.payload))
        answer: JsonObject = {
            "id": asked.id,
            "op": op,
            "actor": caller.actor,
            "workspace": caller.workspace,
            "recorded": [{"id": one.id, "op": one.op, "actor": one.actor} for one in recorded],
        }
        if isinstance(about, Commitment):
            answer["commitment"] = row(about, state, COMMITMENTS.get(loaded))
        if validated:
            answer["validators"] = [one.document for one in validated]
        return answer

    def _list(self, params: dict[str, Any]) -> JsonObject:
        workspace, loaded = self._workspace(params)
        state = self._commitments.state(workspace)
        return {"workspace": workspace, "commitments": listed(state, COMMITMENTS.get(loaded), params)}

    def _show(self, params: dict[str, Any]) -> Answer:
        workspace, loaded = self._workspace(params)
        found = show_record(self._commitments.state(workspace), COMMITMENTS.get(loaded), str(params["id"]))
        return self._with_work(found, str(params["id"])) if "commitment" in found else found

    async def _with_work(self, found: JsonObject, name: str) -> JsonObject:
        return {**found, **await self.recorded.under(name)}

    def _tree(self, params: dict[str, Any]) -> JsonObject:
        workspace, loaded = self._workspace(params)
        state = self._commitments.state(workspace)
        return {
            "workspace": workspace,
            "tree": tree(state, COMMITMENTS.get(loaded), _get_text(params, "id")),
        }

    def _workspace(self, params: dict[str, Any]) -> tuple[str, Loaded]:
        """The caller's workspace: the project around its folder, by its real path."""
        cwd = params.get("cwd")
        root = self._policies.marked(cwd) if isinstance(cwd, str) and cwd.startswith(os.sep) else None
        if root is None:
            raise RefusedError(
                Code.NO_WORKSPACE,
                f"`{cwd}` belongs to no project",
                "run it in a repository, or make the folder a project with `mkdir .interlock`",
            )
        return root, self._policies.for_folder(root)

    def workspace(self, params: dict[str, Any]) -> tuple[str, Loaded]:
        """The caller's workspace and its policy; refuse if the policy does not load."""
        workspace, loaded = self._workspace(params)
        if not loaded.usable:
            raise RefusedError(
                Code.PERMISSION_DENIED,
                f"the policy does not load: {loaded.problem}",
                "correct it; `interlock genesis validate` shows where",
            )
        return workspace, loaded

    def _who(self, params: dict[str, Any]) -> Identity:
        try:
            return self._identities.identify(params)
        except ApprovalError as error:
            sentence, _, step = str(error).partition("; ")
            raise RefusedError(Code.PERMISSION_DENIED, sentence, step) from error

    def _caller(self, params: dict[str, Any]) -> tuple[Caller, Loaded]:
        workspace, loaded = self.workspace(params)
        claim = {name: params.get(name) for name in _CLAIM}
        found = self._agents.standing(params[PEER])
        session = found.session
        if found.kind is Kind.PERSON and not params.get("mark"):
            who = self._who(params)
            actor = own_name(claim, COMMITMENTS.get(loaded).default_actor, who.name, known=who.known)
            named, how = _get_text(params, "session"), who.how if actor == who.name else None
            return Caller(actor=actor, workspace=workspace, session_id=named, authenticated_by=how), loaded
        actor = loaded.actors.of_main(self._sessions.chosen(session) if session else None)
        said = claimed(claim)
        other = said[:_LONGEST] if said is not None and said != actor else None
        return Caller(
            actor=actor,
            workspace=workspace,
            person=False,
            session_id=session or None,
            claimed_actor=other,
        ), loaded


def waits_for(name: str, asked: Sequence[Review]) -> RefusedError:
    """Refuse an operation that waits for an approval."""
    names = " and ".join(one.name for one in asked)
    why = "; ".join(one.before for one in asked if one.before)
    return RefusedError(
        Code.CONSTRAINT_VIOLATED,
        f"`{name}` needs approval {names} first{f' ({why})' if why else ''}",
        f"ask for `interlock approve {asked[0].name}`",
        constraint=GATE,
        approval=asked[0].name,
    )


def _about(payload: JsonObject) -> str:
    return str(payload.get("commitment") or payload.get("target") or "")


def _get_text(params: dict[str, Any], name: str) -> str | None:
    value = params.get(name)
    if value is not None and not isinstance(value, str):
        raise RefusedError(Code.INVALID_OP, f"`{name}` is not text", "write it as text", field=name)
    return value or None


def _mapping(params: dict[str, Any], name: str) -> JsonObject:
    value = params.get(name)
    if value is not None and not isinstance(value, dict):
        raise RefusedError(Code.INVALID_OP, f"`{name}` is not a mapping", "write it as text", field=name)
    return value or {}
