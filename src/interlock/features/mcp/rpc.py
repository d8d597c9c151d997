"""The tools of `interlock mcp`, answered here: the kernel says whose session calls, the host's report who."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import PEER, Methods
from interlock.daemon.policy_loader import Loaded
from interlock.effects.classification.book import NO_BOOK, CallBook
from interlock.engine.rules_only import RulesOnlyEngine
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.tool_table import OWN, STANDARD_TOOLS
from interlock.features.approvals.service import ApprovalService
from interlock.features.commitments.records import IMPORTED, KNOWN, Code, RefusedError, operation_of
from interlock.features.commitments.service import Caller, CommitmentService
from interlock.features.mcp.dry_run import DryRun
from interlock.features.mcp.tools import CALL
from interlock.ledger.entry import Entry
from interlock.policy.files.words import hint
from interlock.redaction.redactor import Redactor
from interlock.search.question import Fact, Question, excerpt, fact_word, parse_question, texts_of
from interlock.search.search import search_among
from interlock.store.database import open_to_read

# Of its own session; what guards others (alarms, refusals, gaps) is not among it.
OF_SESSION: Final = frozenset({"decision", "evidence", "approval", *KNOWN})
OF_WORKSPACE: Final = frozenset({*KNOWN, IMPORTED})
OPS: Final = tuple(sorted(OF_SESSION | OF_WORKSPACE))
_SHOWN: Final = 160
# Members that are short, of use to a model, and tell nothing of how the gate works.
_MEMBERS: Final = (
    *("event", "tool", "decision", "reason", "decided_by", "kind", "approval", "state", "by"),
    *("body", "commitment", "target", "source", "evidence", "duplicate_of", "summary", "tags", "refs"),
)
_TELLING: Final = ("body", "input", "prompt", "data", "call", "summary", "reason", "state", "commitment")
_LONGEST: Final = 2_000


class SearchArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    text: str | None = None
    op: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 10
    before: Annotated[int, msgspec.Meta(ge=1)] | None = None


class OwnEntries:
    """Searches in a thread: the index may have to be brought up to date first."""

    def __init__(self, database: Path, redactor: Redactor) -> None:
        self._database: Final = database
        self._redactor: Final = redactor

    async def search(
        self, arguments: SearchArguments, session: str | None, workspace: str | None
    ) -> JsonObject:
        """The newest entries this agent may see, without secrets."""
        question = parse_question(arguments.text) if arguments.text else None
        place = self._redactor.name(workspace) if workspace is not None else None

        def may_give(entry: Entry) -> bool:
            return may_see(entry, session, place) and arguments.op in {None, entry.op}

        def find() -> JsonObject:
            facts = _facts(arguments.op, session)
            limit, before = arguments.limit, arguments.before
            with closing(open_to_read(self._database)) as ledger:
                page = search_among(
                    self._database, ledger, facts, question, may_give, limit=limit, before=before
                )
            document: JsonObject = {"entries": [_describe_entry(entry, question) for entry in page.entries]}
            if page.before is not None:
                document["before"] = page.before
            # What counts as a secret may have grown since it was recorded.
            clean: JsonObject = msgspec.json.decode(self._redactor.body(msgspec.json.encode(document)))
            return clean

        return await asyncio.to_thread(find)


def may_see(entry: Entry, session: str | None, workspace: str | None) -> bool:
    """Whether an entry is the session's own, or an operation in the workspace."""
    if session and entry.session_id == session and entry.op in OF_SESSION:
        # A call of these very tools is recorded twice, and what it did says more.
        return entry.op in KNOWN or not (entry.tool or "").startswith(OWN)
    if workspace is None or entry.op not in OF_WORKSPACE:
        return False
    operation = operation_of(entry)
    return operation is not None and operation.workspace == workspace


def _facts(op: str | None, session: str | None) -> list[str]:
    if op is not None:
        return [fact_word(Fact.OP, op)]
    of_session = [fact_word(Fact.SESSION, session)] if session else []
    return [*of_session, *(fact_word(Fact.OP, name) for name in sorted(OF_WORKSPACE))]


def _describe_entry(entry: Entry, question: Question | None) -> JsonObject:
    body = entry.body
    inner = body.get("entry")
    if entry.op == IMPORTED and isinstance(inner, dict):
        payload = inner.get("payload")
        body = {**body, **(payload if isinstance(payload, dict) else {})}
    facts = {name: value for name in _MEMBERS if (value := body.get(name))}
    facts = {name: value[:_LONGEST] if isinstance(value, str) else value for name, value in facts.items()}
    content = next((body[name] for name in _TELLING if body.get(name)), None)
    text = excerpt(entry, question)[0] if question else next(texts_of({"": content}), "")[:_SHOWN]
    return {
        "seq": entry.seq,
        "id": entry.id,
        "ts": entry.ts,
        "op": entry.op,
        "actor": entry.actor,
        **facts,
        "text": text,
    }


OPERATIONS: Final = ("capture", "commit", "claim", "submit", "approve", "reject", "close")
_NO_CALL: Final = "interlock:not-made"  # the id of a call that is described, not made
_ENVELOPE: Final = frozenset({"source_key", "author_type", "audit", "intent"})


class CallArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call that is described, not made."""

    tool: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    input: dict[str, Any]


class ToolCaller(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls a tool, and from where."""

    session: str | None  # by the kernel's word; None: no agent that reports to us is above the server
    cwd: str
    reported: Event | None  # the host's report of exactly this call

    def actor(self, loaded: Loaded, chosen: str | None) -> str:
        """The sub-agent that was reported, else the session's main agent; never a person."""
        return self.reported.actor if self.reported else loaded.actors.of_main(chosen)


class AgentTools:
    """One method for all tools; whoever uses it counts as an agent."""

    def __init__(self, context: DaemonContext) -> None:
        book = context.services.find(CallBook) or NO_BOOK
        rules = RulesOnlyEngine(context.tools, context.once, context.reader, book)
        tickets = context.need(ApprovalService).tickets
        self._commitments: Final = context.need(CommitmentService).operations
        self._policies: Final = context.policies
        self._agents: Final = context.agents
        self._sessions: Final = context.sessions
        self._ahead: Final = DryRun(rules, tickets, context.tools, context.committer.commit)
        self._entries: Final = OwnEntries(context.places.database, context.redactor)
        self._tools: Final[dict[str, Callable[[JsonObject, ToolCaller], Any]]] = {
            **{op: partial(self._operate, op) for op in OPERATIONS},
            "search": self._search,
            "explain": self._explain,
            "request_approval": self._request,
        }

    @property
    def methods(self) -> Methods:
        return {CALL: self._call}

    def _call(self, params: dict[str, Any]) -> Any:
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or name not in self._tools:
            raise RefusedError(
                Code.INVALID_OP, f"there is no tool `{name}`", hint(str(name), self._tools), field="name"
            )
        if not isinstance(arguments, dict):
            raise RefusedError(Code.INVALID_OP, "the arguments are not an object", "write `{…}`")
        session = self._agents.above(params[PEER])
        reported = self._sessions.callers.take(session, params.get("use_id"), name, arguments)
        cwd = reported.cwd if reported else params.get("cwd")
        if not isinstance(cwd, str) or not cwd.startswith("/"):
            raise RefusedError(Code.NO_WORKSPACE, f"`{cwd}` is not a folder", "start the server in a folder")
        return self._tools[name](arguments, ToolCaller(session=session, cwd=cwd, reported=reported))

    def _chosen(self, caller: ToolCaller) -> str | None:
        return self._sessions.chosen(caller.session) if caller.session else None

    def _operate(self, op: str, arguments: JsonObject, caller: ToolCaller) -> Any:
        workspace, loaded = self._commitments.workspace({"cwd": caller.cwd})
        author = Caller(
            actor=caller.actor(loaded, self._chosen(caller)),
            workspace=workspace,
            person=False,
            session_id=caller.session or None,
        )
        params = {
            "payload": {key: value for key, value in arguments.items() if key not in _ENVELOPE},
            "meta": _meta(arguments),
            "source_key": arguments.get("source_key"),
        }
        return self._commitments.perform(op, params, author, loaded)

    def _search(self, arguments: JsonObject, caller: ToolCaller) -> Any:
        query = _read(arguments, SearchArguments)
        if query.op is not None and query.op not in OPS:
            raise RefusedError(
                Code.INVALID_OP, f"you cannot search for `{query.op}`", hint(query.op, OPS), field="op"
            )
        workspace = self._policies.marked(caller.cwd)
        return _with_codes(self._entries.search(query, caller.session, workspace))

    def _explain(self, arguments: JsonObject, caller: ToolCaller) -> Any:
        return _with_codes(self._ahead.explain(*self._event(arguments, caller)))

    def _request(self, arguments: JsonObject, caller: ToolCaller) -> Any:
        if caller.session is None:
            raise RefusedError(
                Code.PERMISSION_DENIED,
                "the agent that runs this server has no Interlock hooks, so an approval would never "
                "apply to one of its calls",
                "install the hooks for the agent with `interlock install`",
            )
        return _with_codes(self._ahead.request(*self._event(arguments, caller)))

    def _event(self, arguments: JsonObject, caller: ToolCaller) -> tuple[Event, Loaded]:
        """The call as its host would report it, and the policy it would meet."""
        call = _read(arguments, CallArguments)
        base = caller.reported or Event(name=EventName.PRE_TOOL_USE)
        loaded = self._policies.for_folder(caller.cwd, base.project)
        event = msgspec.structs.replace(
            base,
            session_id=caller.session or "",
            cwd=caller.cwd,
            actor=caller.actor(loaded, self._chosen(caller)),
            tool=ToolCall(name=STANDARD_TOOLS.canonical(call.tool), input=call.input, use_id=_NO_CALL),
        )
        return self._sessions.enrich(event, loaded), loaded


T = TypeVar("T", CallArguments, SearchArguments)


def _read(arguments: JsonObject, shape: type[T]) -> T:
    try:
        return msgspec.convert(arguments, shape)
    except msgspec.ValidationError as error:
        text = str(error)
        sentence = text[:1].lower() + text[1:]
        names = ", ".join(f"`{name}`" for name in shape.__struct_fields__)
        raise RefusedError(Code.INVALID_OP, sentence, f"the arguments are {names}") from error


def _meta(arguments: JsonObject) -> JsonObject:
    """What is kept of the author and of where the work comes from."""
    provenance = {name: arguments[name] for name in ("intent", "audit") if arguments.get(name)}
    meta: JsonObject = {"provenance": provenance} if provenance else {}
    if arguments.get("author_type"):
        meta["author_type"] = arguments["author_type"]
    return meta


async def _with_codes(work: Coroutine[Any, Any, JsonObject]) -> JsonObject:
    """What cannot be done is a refusal with a code, like every other."""
    try:
        return await work
    except RefusedError:
        raise
    except InterlockError as error:
        sentence, _, step = str(error).partition("; ")
        raise RefusedError(Code.INVALID_OP, sentence, step or "try again") from error
