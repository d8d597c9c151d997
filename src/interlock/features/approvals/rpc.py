"""The socket's methods about approvals. People call them; the kernel says who they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.people_only import Identity, for_people
from interlock.errors import ApprovalError, InterlockError, UnknownIdError
from interlock.events.text import first_few, visible
from interlock.features.approvals.answering import Answers
from interlock.features.approvals.grants import Grant, NewGrant
from interlock.features.approvals.render import render_request, summary
from interlock.features.approvals.requests import ApprovalStore, Request
from interlock.features.approvals.work_requests import WorkRequests, content_of

_MOST: Final = 100  # answers in one request
_LISTED: Final = 10  # files
_HIDDEN: Final = frozenset({"call", "id", "seen", "told"})


class ApprovalMethods:
    """The methods about approvals and grants; none of them is for agents."""

    def __init__(
        self,
        context: DaemonContext,
        store: ApprovalStore,
        answers: Answers,
        work: WorkRequests,
        answered: Callable[[str], object],
    ) -> None:
        self._context: Final = context
        self._store: Final = store
        self._answers: Final = answers
        self._work: Final = work
        self._commit: Final = context.committer.commit
        self._answered: Final = answered  # releases a call that waits for this answer

    @property
    def methods(self) -> Methods:
        methods: Methods = {
            "approvals.list": self._list,
            "approvals.show": self._show,
            "approvals.approve": self._approve,
            "approvals.deny": self._deny,
            "grants.list": self._list_grants,
            "grants.show": self._show_grant,
            "grants.revoke": self._revoke,
        }
        agents, note = self._context.agents, self._context.committer.note
        return {
            name: for_people(name, method, agents, note, lambda params: {"approval": _ids_text(params)})
            for name, method in methods.items()
        }

    def _refused(self, command: str, reason: str, **more: object) -> None:
        body = {"command": command, "reason": reason, "decision": "deny", **more}
        self._context.committer.note("refused", body)

    def _list(self, params: dict[str, Any]) -> Any:
        self._store.expire()
        self._commit()
        requests = self._store.requests
        rows = requests.newest() if params.get("all") is True else requests.waiting()
        return {"now": self._store.now(), "approvals": [self._row(request) for request in rows]}

    def _show(self, params: dict[str, Any]) -> Any:
        request = self._answers.get(str(params["id"]))
        self._commit()
        rendered = render_request(request, self._store.tools)
        content = msgspec.json.decode(request.call)
        row = {**self._row(request), "call": content, "shown": rendered.lines, "now": self._store.now()}
        return self._with_content(request, row) if request.of_work and request.seen else row

    async def _with_content(self, request: Request, row: dict[str, Any]) -> dict[str, Any]:
        """Add what a person should know about the files that an answer covers."""
        content = content_of(request.seen or "")
        changed = await self._work.changed(request)
        more = [f"uncommitted files: {_first_few(content.files)}"] if content and content.files else []
        if changed:
            more.append(f"warning: changed since the request: {_first_few(changed)}")
        return {**row, "shown": [*row["shown"], *more]}

    def _row(self, request: Request) -> dict[str, Any]:
        try:
            line = summary(request, self._store.tools)
        except ApprovalError as error:
            line = str(error)
        plain: dict[str, Any] = msgspec.to_builtins(request)
        rest = {name: value for name, value in plain.items() if name not in _HIDDEN}
        return {"id": request.name, "summary": line, **rest}

    def _approve(self, params: dict[str, Any]) -> Any:
        want = msgspec.convert(params.get("grant"), NewGrant | None)
        note, who = _note(params), self._who("approvals.approve", params)
        try:
            self._context.passphrase.check(params.get("passphrase"))
        except InterlockError as error:
            self._refused("approvals.approve", str(error), approval=_ids_text(params), by=who.name)
            raise

        contents: dict[str, str | None] = {}  # by request about work: what its project contains

        def approve(name: str) -> dict[str, Any]:
            request, grant = self._answers.approve(
                name, who.name, note=note, want=want, project_content=contents.get(name), how=who.how
            )
            renamed = {"asked_anew": request.name} if request.name != name else {}
            return {"state": request.state, "grant": grant.name if grant else None, **renamed}

        async def look_first() -> Any:
            for name, folder in folders.items():
                contents[name] = await self._work.project_content(folder)
            return self._each("approvals.approve", params, approve, who)

        folders = {}
        for name in _names(params):
            with suppress(ApprovalError):  # reported when it is answered
                request = self._work.get(name)
                if request is not None and request.of_work:
                    folders[request.name] = request.content.cwd
        return look_first() if folders else self._each("approvals.approve", params, approve, who)

    def _deny(self, params: dict[str, Any]) -> Any:
        note, who = _note(params), self._who("approvals.deny", params)

        def deny(name: str) -> dict[str, Any]:
            return {"state": self._answers.deny(name, who.name, note=note, how=who.how).state}

        return self._each("approvals.deny", params, deny, who)

    def _who(self, command: str, params: dict[str, Any]) -> Identity:
        try:
            return self._context.identities.identify(params)
        except ApprovalError as error:
            self._refused(command, str(error), approval=_ids_text(params))
            raise

    def _list_grants(self, params: dict[str, Any]) -> Any:
        grants = self._store.grants
        rows = grants.newest() if params.get("all") is True else grants.standing(self._store.now())
        return {"now": self._store.now(), "grants": [_grant_row(grant) for grant in rows]}

    def _show_grant(self, params: dict[str, Any]) -> Any:
        return {**_grant_row(self._answers.get_grant(str(params["id"]))), "now": self._store.now()}

    def _revoke(self, params: dict[str, Any]) -> Any:
        who = self._who("grants.revoke", params)

        def revoke(name: str) -> dict[str, Any]:
            self._answers.revoke(name, who.name)
            return {"state": "revoked"}

        return self._each("grants.revoke", params, revoke, who)

    def _each(
        self, command: str, params: dict[str, Any], act: Callable[[str], dict[str, Any]], who: Identity
    ) -> Any:
        """Answer several requests independently. A result is on disk before it is reported."""
        results = []
        for name in _names(params):
            try:
                result = act(name)
            except InterlockError as error:
                self._refused(command, str(error), approval=name, by=who.name)
                unknown = {"unknown": True} if isinstance(error, UnknownIdError) else {}
                results.append({"id": name, "error": str(error), **unknown})
                continue
            self._store.after_commit(partial(self._answered, name))
            if self._commit():
                results.append({"id": name, "by": who.name, **result})
            else:
                results.append({"id": name, "error": f"{name}: the answer could not be recorded; try again"})
        return {"results": results}


def _first_few(names: Iterable[str]) -> str:
    return first_few(map(visible, names), _LISTED)


def _names(params: dict[str, Any]) -> list[str]:
    names = params["ids"]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("`ids` must be a list of names such as `ap_7`")
    if len(names) > _MOST:
        raise ValueError(f"answer at most {_MOST} requests at a time, not {len(names)}")
    return list(dict.fromkeys(names))


def _ids_text(params: dict[str, Any]) -> str:
    return str(params.get("ids") or params.get("id") or "")[:200]


def _note(params: dict[str, Any]) -> str | None:
    note = params.get("note")
    if note is not None and not isinstance(note, str):
        raise ValueError("`note` must be text")
    return note


def _grant_row(grant: Grant) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(grant)
    approval = f"ap_{grant.approval}" if grant.approval else None
    return {**plain, "id": grant.name, "approval": approval}
