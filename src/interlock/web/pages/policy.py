"""The page Policy: the pipeline in force, how often each rule matched, and a box to try a command."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from interlock.daemon.policy_loader import Loaded
from interlock.effects.command import INLINE, Reading
from interlock.effects.descriptions import Branch, knowledge_of, locate_gap, notes, position, target_of, tree
from interlock.effects.reading import read_call, read_effects
from interlock.engine.rules_only import not_run
from interlock.errors import InterlockError
from interlock.events.decision import TraceRow
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import FALLBACK_FIELDS, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Outcome
from interlock.policy.policy import pipeline_rows
from interlock.web.page import Form, Page, render
from interlock.web.policies import ReadPolicies, policies_of
from interlock.web.queries.entries import indexed, seen_sessions
from interlock.web.queries.figures import SPANS, Rule, hook_figures, rules_of, window_of
from interlock.web.site import site_of

SESSION: Final = "try"


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """The call that a person tries."""

    tool: str
    text: str
    folder: str
    actor: str = ""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A command, with the commands inside it."""

    written: str
    notes: tuple[str, ...]
    inside: tuple[Node, ...]


class Consequence(msgspec.Struct, frozen=True, kw_only=True):
    """An effect of the call."""

    kind: str
    target: str
    known: str


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A part that could not be read, and its position."""

    kind: str
    why: str
    text: str
    place: str


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a tried call."""

    tried: Tried
    actor: str
    tree: tuple[Node, ...]
    effects: tuple[Consequence, ...]
    unread: tuple[Unread, ...]
    decision: str
    reason: str | None
    rule: str | None
    asked: tuple[TraceRow, ...]  # the rules that ran, in order
    silent: int  # rules that did not apply
    not_run: tuple[str, ...]  # hooks that run only for a real call


def outlook(policies: ReadPolicies, tried: Tried) -> Outlook:
    """Analyze a call and decide it by the rules."""
    if not tried.text.strip():
        raise InterlockError("there is no command to try; type one")
    if len(tried.text) > INLINE:
        raise InterlockError(
            f"{len(tried.text):,} characters are too many to try here; use `interlock hooks explain`"
        )
    loaded = policies.for_folder(tried.folder)
    if not loaded.usable:
        raise InterlockError(f"the policy does not load: {loaded.problem}")
    name = STANDARD_TOOLS.canonical(tried.tool)
    spec = STANDARD_TOOLS.spec(name)
    call = ToolCall(name=name, input={(spec.main if spec else None) or FALLBACK_FIELDS[0]: tried.text})
    actor = tried.actor or loaded.actors.of_main(None)
    event = Event(name=EventName.PRE_TOOL_USE, session_id=SESSION, cwd=tried.folder, actor=actor, tool=call)
    decision = policies.decide(event, loaded)
    reading = read_call(call, spec, tried.folder)
    effects = read_effects(reading, call, spec, tried.folder)
    asked = tuple(row for row in decision.trace if row.outcome is not Outcome.SKIPPED)
    found = (
        Consequence(kind=str(effect.kind), target=target_of(effect, tried.folder), known=knowledge_of(effect))
        for effect in effects
    )
    return Outlook(
        tried=tried,
        actor=actor,
        tree=_nodes(tree(reading.commands), tried.folder, tried.folder),
        effects=tuple(dict.fromkeys(found)),
        unread=_unread(reading, tried.text),
        decision=decision.outcome,
        reason=decision.reason,
        rule=decision.decided_by,
        asked=asked,
        silent=len(decision.trace) - len(asked),
        not_run=tuple(not_run(decision)),
    )


def _nodes(branches: Sequence[Branch], around: str | None, cwd: str) -> tuple[Node, ...]:
    return tuple(
        Node(
            written=branch.command.written,
            notes=tuple(notes(branch.command, around, cwd)),
            inside=_nodes(branch.inside, branch.command.cwd, cwd),
        )
        for branch in branches
    )


def _unread(reading: Reading, text: str) -> tuple[Unread, ...]:
    if not reading.gaps:
        return (Unread(kind="", why=reading.unread, text="", place=""),) if reading.unread else ()
    found = []
    for gap in reading.gaps:
        at = locate_gap(gap, text)
        line, column = (None, None) if at is None else position(at, text)
        where = "" if at is None else f"{line}:{column}"
        found.append(Unread(kind=str(gap.kind), why=gap.why, text=gap.text, place=where))
    return tuple(found)


_SHOWS: Final = {
    "": "All rules",
    "matched": "Rules that matched",
    "never": "Rules that never matched",
    "slow": "Slow rules",
}
_SESSIONS: Final = 200  # whose folders are offered
_TOOLS: Final = tuple(spec.name for spec in STANDARD_TOOLS.specs if spec.main is not None)


class PolicyView(msgspec.Struct, frozen=True, kw_only=True):
    """The policy of one folder, and the call tried on it."""

    folder: str
    folders: tuple[str, ...]
    revision: str
    problem: str
    notice: str
    window: str
    title: str
    spans: Mapping[str, str]
    show: str
    shows: Mapping[str, str]
    rules: tuple[Rule, ...]
    counts: Mapping[str, int]  # rules by the value of `show`
    lag: int
    tools: tuple[str, ...]
    tried: Tried
    typed: Markup  # the text, for the box
    outlook: Outlook | None = None
    refusal: str = ""


def show(request: Request) -> Response:
    folder = _folder(request.query_params.get("folder", ""))
    view = _view(request, folder, Tried(tool="Bash", text="", folder=folder))
    return render(request, "policy", view)


def try_call(request: Request, form: Form) -> Response:
    """Show what a command would do; by POST, so that the command stays out of the browser's history."""
    folder = _folder(form.get("folder", ""))
    tried = Tried(
        tool=form.get("tool", "Bash"),
        text=form.get("text", "").replace("\r\n", "\n"),  # browsers send `\r\n`
        folder=folder or str(Path.home()),
        actor=form.get("actor", "").strip(),
    )
    view = _view(request, folder, tried)
    try:
        found = outlook(policies_of(site_of(request).places), tried)
    except InterlockError as error:
        return render(request, "policy", msgspec.structs.replace(view, refusal=str(error)))
    return render(request, "policy", msgspec.structs.replace(view, outlook=found))


def _view(request: Request, folder: str, tried: Tried) -> PolicyView:
    site = site_of(request)
    policies = policies_of(site.places)
    loaded = policies.for_folder(folder)
    window = window_of(request.query_params.get("since"), dt.datetime.now(dt.UTC))
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        figures = hook_figures(index.connection, window)
        seen = seen_sessions(index.connection, limit=_SESSIONS)
        lag = index.lag
    rules = rules_of(pipeline_rows(loaded.engine.hooks), figures)
    chosen = request.query_params.get("show", "")
    chosen = chosen if chosen in _SHOWS else ""
    workspaces = (one.workspace for one in seen if one.workspace.startswith("/"))
    return PolicyView(
        folder=folder,
        folders=tuple(sorted({*policies.projects(), *workspaces})),
        revision=loaded.revision,
        problem=_problem(loaded),
        notice=loaded.notice or "",
        window=window.name,
        title=window.title,
        spans={name: span.title for name, span in SPANS.items()},
        show=chosen,
        shows=_SHOWS,
        rules=tuple(rule for rule in rules if _fits(rule, chosen)),
        counts={name: sum(_fits(rule, name) for rule in rules) for name in _SHOWS},
        lag=lag,
        tools=_TOOLS,
        tried=tried,
        # As typed, with invisible characters: the box is sent again.
        typed=Markup("\n") + escape(tried.text),
    )


def _problem(loaded: Loaded) -> str:
    if loaded.problem is None:
        return ""
    standing = "the last good revision stays in force" if loaded.usable else "every call is denied"
    return f"{loaded.problem}; {standing}"


def _fits(rule: Rule, shown: str) -> bool:
    return {"": True, "matched": not rule.never, "never": rule.never, "slow": rule.slow}[shown]


def _folder(text: str) -> str:
    """A folder to look up a policy; anything but an absolute path belongs to no project."""
    return text if text.startswith("/") and "\0" not in text else ""


PAGE = Page(name="policy", title="Policy", order=80, shows={"/policy": show}, does={"/policy/try": try_call})
