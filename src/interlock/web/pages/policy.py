"""The page Policy: the pipeline in force, what each rule matched of late, and a box to try a command."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from interlock.daemon.policy_loader import Loaded
from interlock.errors import InterlockError
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.policy.policy import pipeline_rows
from interlock.web.auth.form import Form
from interlock.web.page import Page, render
from interlock.web.policies import ReadPolicies, policies_of
from interlock.web.queries.figures import SPANS, window_of
from interlock.web.queries.hooks import Rule, hook_figures, rules_of
from interlock.web.queries.index import indexed, seen_sessions
from interlock.web.site import site_of
from interlock.web.trying import Outlook, Tried, outlook

_SHOWS: Final = {
    "": "All rules",
    "matched": "Rules that matched",
    "never": "Rules that never matched",
    "slow": "Slow rules",
}
_SESSIONS: Final = 200  # of which the projects are offered
_TOOLS: Final = tuple(spec.name for spec in STANDARD_TOOLS.specs if spec.main is not None)


class PolicyView(msgspec.Struct, frozen=True, kw_only=True):
    """The policy of one folder, and what was tried on it."""

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
    counts: Mapping[str, int]  # by what of them is shown
    lag: int
    tools: tuple[str, ...]
    tried: Tried
    typed: Markup  # the text once more, to go on with it
    outlook: Outlook | None = None
    refusal: str = ""


def show(request: Request) -> Response:
    """The policy of a folder."""
    folder = _folder(request.query_params.get("folder", ""))
    view = _view(request, folder, Tried(tool="Bash", text="", folder=folder))
    return render(request, "policy", view)


def try_call(request: Request, form: Form) -> Response:
    """The same with what a command would do; by a form, no command belongs into a history."""
    folder = _folder(form.get("folder", ""))
    tried = Tried(
        tool=form.get("tool", "Bash"),
        text=form.get("text", "").replace("\r\n", "\n"),  # as browsers send every line
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
    return PolicyView(
        folder=folder,
        folders=_folders(policies, [one.workspace for one in seen]),
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
        # As it was typed and not as an approver sees it: what goes back into the box is sent again.
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
    """A folder as policies are found by it; what is not a whole path is nobody's project."""
    return text if text.startswith("/") and "\0" not in text else ""


def _folders(policies: ReadPolicies, seen: list[str]) -> tuple[str, ...]:
    found = {*policies.projects(), *(folder for folder in seen if folder.startswith("/"))}
    return tuple(sorted(found))


PAGE = Page(name="policy", title="Policy", order=80, shows={"/policy": show}, does={"/policy/try": try_call})
