"""The socket's methods about commitments. The kernel says whether a person or an agent calls."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from interlock.daemon.caller_kind import Kind
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.policy_loader import Loaded
from interlock.errors import ApprovalError
from interlock.events.tool import JsonObject
from interlock.features.commitments.authors import claimed_name, own_name
from interlock.features.commitments.checks import GATE, CommitmentReviews, Review
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.commitments.policy import OPERATIONS, Validator
from interlock.features.commitments.records import Code, RefusedError, ValidatorResult, validators_failed
from interlock.features.commitments.run_validators import Submission, ValidatorRunner, max_seconds
from interlock.features.commitments.service import Caller, Commitments
from interlock.features.commitments.views import RecordedWork, list_commitments, row, show_record, tree

_CLAIM: Final = ("actor", "environment", "email")
_LONGEST: Final = 200
_SENDS_BACK: Final = frozenset({"reject", "reopen"})
GATED: Final = frozenset({"submit", "approve", "close"})

Answer = JsonObject | Awaitable[JsonObject]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """An operation that a known caller asks for."""

    op: str
    payload: JsonObject
    meta: JsonObject
    source_key: str | None
    caller: Caller
    loaded: Loaded

    @property
    def commitment(self) -> str:
        return str(self.payload.get("commitment") or self.payload.get("target") or "")


class CommitmentMethods:
    """Every operation is a method; the policy decides what agents may do."""

    def __init__(self, commitments: Commitments, context: DaemonContext) -> None:
        self._commitments: Final = commitments
        self._context: Final = context
        self._policies: Final = context.policies
        self._reviews: Final = context.services.find(CommitmentReviews)
        self._runner: Final = ValidatorRunner(os.environ, context.trust.trusts)
        self.recorded: Final = RecordedWork(context.places.database, context.redactor)

    @property
    def methods(self) -> Methods:
        return {
            **{f"commitments.{op}": partial(self._operate, op) for op in OPERATIONS},
            "commitments.list": self._list,
            "commitments.show": self._show,
            "commitments.tree": self._tree,
            "commitments.validators": self._validators,
        }

    def _operate(self, op: str, params: dict[str, Any]) -> Answer:
        return self.perform(op, params, *self._caller(params))

    def perform(self, op: str, params: dict[str, Any], caller: Caller, loaded: Loaded) -> Answer:
        """Do one operation for a known caller; an awaitable if something has to run or be checked first."""
        request = _request(op, params, caller, loaded)
        if self._reviews is not None and op in GATED and self._reviews.any_wanted(loaded):
            return self._pass_gates(self._reviews, request)
        return self._validate(request)

    async def _pass_gates(self, reviews: CommitmentReviews, request: Request) -> JsonObject:
        """Do it where gates may wait for an approval, and ask for it if nobody has been asked in time."""
        commitment = self._commitments.state(request.caller.workspace).commitments.get(request.commitment)
        if commitment is not None:
            await reviews.look(commitment, request.loaded, request.caller)
        try:
            result = self._validate(request)
            answer = await result if isinstance(result, Awaitable) else result
        except RefusedError as error:
            if error.about.get("constraint") == GATE and (reviews_due := await self._ask(reviews, request)):
                raise _needs_approval(request.commitment, reviews_due) from None
            raise
        if request.op == "submit" and (reviews_due := await self._ask(reviews, request)):
            answer["approvals"] = [review.name for review in reviews_due]
        return answer

    async def _ask(self, reviews: CommitmentReviews, request: Request) -> list[Review]:
        commitment = self._commitments.state(request.caller.workspace).commitments[request.commitment]
        if commitment.ended:
            return []
        submitted = request.op == "submit"
        reviews_due = await reviews.ask_about(commitment, request.loaded, request.caller, submitted=submitted)
        self._context.committer.commit()
        return reviews_due

    def _validate(self, request: Request) -> Answer:
        validators = self._wanted(request)
        return self._run_validators(request, validators) if validators else self._record(request)

    def _wanted(self, request: Request) -> tuple[Validator, ...]:
        policy = COMMITMENTS.get(request.loaded)
        return self._commitments.validators(
            request.op, request.payload, request.caller, policy, **self._conditions(request)
        )

    def _conditions(self, request: Request) -> dict[str, Any]:
        reviews, caller, loaded = self._reviews, request.caller, request.loaded
        review = reviews and (lambda commitment: reviews.of_commitment(commitment, loaded, caller))
        return {"meta": request.meta, "source_key": request.source_key, "review": review}

    def _validators(self, params: dict[str, Any]) -> JsonObject:
        """What would run before an operation, and for how long at most."""
        validators = self._wanted(_request(str(params["op"]), params, *self._caller(params)))
        rows = [{"validator": validator.word, "file": validator.file} for validator in validators]
        return {"validators": rows, "seconds": sum(map(max_seconds, validators))}

    async def _run_validators(self, request: Request, validators: tuple[Validator, ...]) -> JsonObject:
        caller, summary = request.caller, str(request.payload.get("summary") or "")
        work = Submission(
            op=request.op, commitment=request.commitment, workspace=caller.workspace, summary=summary
        )
        results = await self._runner.run(validators, work, caller.session_id or "")
        if not all(result.passed for result in results):
            self._commitments.note_results(request.commitment, caller, results)
            raise validators_failed(request.op, request.commitment, results)
        # The policy may have changed meanwhile: its validators must have passed, too.
        loaded = self._policies.for_folder(caller.workspace)
        return self._record(msgspec.structs.replace(request, loaded=loaded), results)

    def _record(self, request: Request, validated: Sequence[ValidatorResult] = ()) -> JsonObject:
        op, caller, policy = request.op, request.caller, COMMITMENTS.get(request.loaded)
        recorded = self._commitments.perform(
            op, request.payload, caller, policy, validated=validated, **self._conditions(request)
        )
        main = next(operation for operation in recorded if operation.op == op)
        if self._reviews is not None and op in _SENDS_BACK:
            reason = _get_text(main.payload, "reason")
            self._reviews.sent_back(request.commitment, request.loaded, caller.actor, reason)
            self._context.committer.commit()
        state = self._commitments.state(caller.workspace)
        commitment = state.commitments.get(main.id) or state.commitments.get(request.commitment)
        answer: JsonObject = {
            "id": main.id,
            "op": op,
            "actor": caller.actor,
            "workspace": caller.workspace,
            "recorded": [
                {"id": operation.id, "op": operation.op, "actor": operation.actor} for operation in recorded
            ],
        }
        if commitment is not None:
            answer["commitment"] = row(commitment, state, policy)
        if validated:
            answer["validators"] = [operation.document for operation in validated]
        return answer

    def _list(self, params: dict[str, Any]) -> JsonObject:
        workspace, loaded = self._workspace(params)
        state = self._commitments.state(workspace)
        return {
            "workspace": workspace,
            "commitments": list_commitments(state, COMMITMENTS.get(loaded), params),
        }

    def _show(self, params: dict[str, Any]) -> Answer:
        workspace, loaded = self._workspace(params)
        document = show_record(self._commitments.state(workspace), COMMITMENTS.get(loaded), str(params["id"]))
        return self._add_work(document, str(params["id"])) if "commitment" in document else document

    async def _add_work(self, document: JsonObject, name: str) -> JsonObject:
        return {**document, **await self.recorded.under(name)}

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

    def _caller(self, params: dict[str, Any]) -> tuple[Caller, Loaded]:
        workspace, loaded = self.workspace(params)
        claim = {name: params.get(name) for name in _CLAIM}
        standing = self._context.agents.standing(params[PEER])
        if standing.kind is Kind.PERSON and not params.get("mark"):
            try:
                who = self._context.identities.identify(params)
            except ApprovalError as error:
                sentence, _, step = str(error).partition("; ")
                raise RefusedError(Code.PERMISSION_DENIED, sentence, step) from error
            actor = own_name(claim, COMMITMENTS.get(loaded).default_actor, who.name, known=who.known)
            session, how = _get_text(params, "session"), who.how if actor == who.name else None
            return Caller(actor=actor, workspace=workspace, session_id=session, authenticated_by=how), loaded
        session = standing.session or None
        actor = loaded.actors.of_main(self._context.sessions.chosen(session) if session else None)
        claimed = claimed_name(claim)
        other = claimed[:_LONGEST] if claimed is not None and claimed != actor else None
        caller = Caller(
            actor=actor, workspace=workspace, person=False, session_id=session, claimed_actor=other
        )
        return caller, loaded


def _request(op: str, params: dict[str, Any], caller: Caller, loaded: Loaded) -> Request:
    return Request(
        op=op,
        payload=_mapping(params, "payload"),
        meta=_mapping(params, "meta"),
        source_key=_get_text(params, "source_key"),
        caller=caller,
        loaded=loaded,
    )


def _needs_approval(name: str, reviews: Sequence[Review]) -> RefusedError:
    names = " and ".join(review.name for review in reviews)
    why = "; ".join(review.before for review in reviews if review.before)
    return RefusedError(
        Code.CONSTRAINT_VIOLATED,
        f"`{name}` needs approval {names} first{f' ({why})' if why else ''}",
        f"ask a person to run `interlock approve {reviews[0].name}`",
        constraint=GATE,
        approval=reviews[0].name,
    )


def _get_text(params: dict[str, Any], name: str) -> str | None:
    value = params.get(name)
    if value is not None and not isinstance(value, str):
        raise RefusedError(Code.INVALID_OP, f"`{name}` is not text", "write it as text", field=name)
    return value or None


def _mapping(params: dict[str, Any], name: str) -> JsonObject:
    value = params.get(name)
    if value is not None and not isinstance(value, dict):
        raise RefusedError(Code.INVALID_OP, f"`{name}` is not a mapping", "write it as an object", field=name)
    return value or {}
