"""The page Ledger: search entries, show one with its proof, verify the chain and sign its end."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.errors import InterlockError, LedgerError
from interlock.ledger.reader import Filter
from interlock.ledger.verify import Verdict, verify
from interlock.policy.files.words import duration
from interlock.search.question import Question, parse_question
from interlock.store.clock import timestamp
from interlock.web.page import Form, Page, missing, render, seq_of
from interlock.web.queries.differences import without_diff
from interlock.web.queries.entries import Found, indexed, page_of, proved
from interlock.web.site import site_of

SINCE: Final = {"1h": "last hour", "1d": "last 24 hours", "7d": "last 7 days", "30d": "last 30 days"}
DECISIONS: Final = ("allow", "ask", "deny")
_FOLDED: Final = ("session", "actor", "tool", "rule", "op")
_FIELDS: Final = (*_FOLDED, "decision")
_PAGE: Final = 50
_LONGEST: Final = 500  # characters of one field
_verifying: Final = threading.Lock()  # one at a time, because each reads everything


class LedgerView(msgspec.Struct, frozen=True, kw_only=True):
    """The filters, and a page of the entries that match."""

    asked: Mapping[str, str]
    rows: tuple[Found, ...]
    older: str | None  # where the next page is
    lag: int  # entries that cannot be searched yet
    problem: str = ""
    decisions: tuple[str, ...] = DECISIONS
    since: Mapping[str, str] = msgspec.field(default_factory=lambda: SINCE)

    @property
    def narrowed(self) -> bool:
        """Whether a filter is set that the form folds away."""
        return any(self.asked.get(name) for name in _FOLDED)


class EntryView(msgspec.Struct, frozen=True, kw_only=True):
    facts: Mapping[str, str]
    session: str | None
    decided: bool  # it has a trace of its own
    holds: bool
    proof: Mapping[str, str]
    body: tuple[str, ...]
    diff: tuple[str, ...]


class VerifiedView(msgspec.Struct, frozen=True, kw_only=True):
    """What verifying the chain found, and what it cannot know."""

    broken: bool
    lines: tuple[str, ...]
    unknown: tuple[str, ...]
    seconds: str


def show(request: Request) -> Response:
    asked = {name: request.query_params.get(name, "").strip()[:_LONGEST] for name in (*_FIELDS, "q", "since")}
    site, before = site_of(request), seq_of(request.query_params.get("before"))
    question, problem = _question(asked["q"])
    if problem:
        return render(request, "ledger", LedgerView(asked=asked, rows=(), older=None, lag=0, problem=problem))
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        found = page_of(ledger, index, _filter(asked), question, limit=_PAGE, before=before)
        lag = index.lag
    view = LedgerView(asked=asked, rows=found.entries, older=_older(asked, found.before), lag=lag)
    return render(request, "ledger", view)


def show_entry(request: Request) -> Response:
    """Show one entry, by its seq or id."""
    with missing(LedgerError), site_of(request).reading() as ledger:
        found = proved(ledger, request.path_params["name"])
    entry, standing = found.entry, found.standing
    body, diff = without_diff(entry.body)
    facts = {"id": entry.id, "kind": entry.op, "time": entry.ts, "actor": entry.actor}
    facts |= {"project": entry.workspace, "event": entry.event or "", "tool": entry.tool or ""}
    proof = {"previous hash": entry.prev_hash.hex(), "hash": entry.hash.hex(), **standing.words(entry)}
    view = EntryView(
        facts={"seq": str(entry.seq), **{name: value for name, value in facts.items() if value}},
        session=entry.session_id,
        decided=entry.op == "decision",
        holds=standing.holds,
        proof=proof,
        # In ASCII, as in the terminal: no text in it can change how the rest looks.
        body=tuple(json.dumps(body, indent=2, ensure_ascii=True).splitlines()),
        diff=tuple(diff),
    )
    return render(request, "ledger_entry", view)


def check(request: Request, _: Form) -> Response:
    """Verify every entry and signature, in this process so that no call waits."""
    if not _verifying.acquire(blocking=False):
        raise HTTPException(409, "the ledger is already being checked; wait until that ends")
    try:
        begun = time.monotonic()
        with site_of(request).reading() as ledger:
            verdict = Verdict(found=verify(ledger))
        seconds = time.monotonic() - begun
    finally:
        _verifying.release()
    view = VerifiedView(
        broken=verdict.code != 0,
        lines=tuple(verdict.lines()),
        unknown=tuple(verdict.unknown) if verdict.code == 0 else (),
        seconds=f"{seconds:.1f} s",
    )
    return render(request, "ledger_verified", view)


def checkpoint(request: Request, _: Form) -> Response:
    """Have the daemon sign the end of the chain, as a file to store elsewhere."""
    made = site_of(request).ask("ledger.checkpoint", {})
    name = f"interlock-checkpoint-{made['seq']}.json"
    return Response(
        json.dumps(made, sort_keys=True) + "\n",
        media_type="application/json",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


def _question(text: str) -> tuple[Question | None, str]:
    if not text:
        return None, ""
    try:
        return parse_question(text), ""
    except InterlockError as error:
        return None, str(error)


def _filter(asked: Mapping[str, str]) -> Filter:
    span = asked["since"]
    since = timestamp(time.time() - duration(span)) if span in SINCE else None
    return Filter(**{name: asked[name] or None for name in _FIELDS}, since=since)


def _older(asked: Mapping[str, str], before: int | None) -> str | None:
    if before is None:
        return None
    given = {name: value for name, value in asked.items() if value}
    return f"/ledger?{urlencode({**given, 'before': before})}"


PAGE = Page(
    name="ledger",
    title="Ledger",
    order=60,
    shows={"/ledger": show, "/ledger/{name}": show_entry},
    does={"/ledger/verify": check, "/ledger/checkpoint": checkpoint},
)
