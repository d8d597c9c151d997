"""Every address of the API; the routes and the document that tells of them are made of this list."""

from __future__ import annotations

from typing import Final

from interlock.features.approvals import web_api as approvals
from interlock.features.work.page_queries import WorkTask
from interlock.web.api import entries, figures, queries
from interlock.web.api.endpoint import Endpoint
from interlock.web.queries.timeline import Timeline

ENDPOINTS: Final = (
    Endpoint(
        path="/decisions",
        name="decisions",
        summary="Decisions, the newest first.",
        query=queries.DecisionsQuery,
        gives=entries.EntriesPage,
        answer=entries.decisions,
    ),
    Endpoint(
        path="/decisions/{name}",
        name="decision",
        summary="One decision with every hook that was asked, by its seq or id.",
        gives=entries.DecidedCall,
        answer=entries.decision,
    ),
    Endpoint(
        path="/ledger",
        name="ledger",
        summary="Entries of the ledger, the newest first.",
        query=queries.EntriesQuery,
        gives=entries.EntriesPage,
        answer=entries.entries,
    ),
    Endpoint(
        path="/ledger/{name}",
        name="entry",
        summary="One entry with its proof, by its seq or id.",
        gives=entries.ProvedEntry,
        answer=entries.entry,
    ),
    Endpoint(
        path="/sessions",
        name="sessions",
        summary="Sessions, the one that did something last first.",
        query=queries.ListQuery,
        gives=entries.SessionsPage,
        answer=entries.sessions,
    ),
    Endpoint(
        path="/timeline",
        name="timeline",
        summary="The moments of one session, oldest first.",
        query=queries.TimelineQuery,
        gives=Timeline,
        answer=entries.timeline,
    ),
    Endpoint(
        path="/approvals",
        name="approvals",
        summary="Requests that wait for a person, and the last that do no more.",
        gives=approvals.ApprovalsFound,
        answer=approvals.approvals,
    ),
    Endpoint(
        path="/approvals/{name}/approve",
        name="approve",
        summary="Say yes to a request.",
        body=approvals.Approve,
        gives=approvals.Answered,
        answer=approvals.approve,
    ),
    Endpoint(
        path="/approvals/{name}/deny",
        name="deny",
        summary="Say no to a request.",
        body=approvals.Deny,
        gives=approvals.Answered,
        answer=approvals.deny,
    ),
    Endpoint(
        path="/hooks",
        name="hooks",
        summary="What every hook did: calls, votes, failures and durations.",
        query=queries.HooksQuery,
        gives=figures.HooksFound,
        answer=figures.hooks,
    ),
    Endpoint(
        path="/policy",
        name="policy",
        summary="The pipeline in force in a folder, with what each rule matched.",
        query=queries.PolicyQuery,
        gives=figures.PolicyFound,
        answer=figures.policy,
    ),
    Endpoint(
        path="/fleet",
        name="fleet",
        summary="Agents, those first that need a person most.",
        query=queries.FleetQuery,
        gives=figures.FleetFound,
        answer=figures.fleet,
    ),
    Endpoint(
        path="/work",
        name="work",
        summary="Tasks, the last active first.",
        gives=figures.WorkFound,
        answer=figures.tasks,
    ),
    Endpoint(
        path="/tasks/{name}",
        name="task",
        summary="One task by its number, with its efforts and their sessions.",
        gives=WorkTask,
        answer=figures.task,
    ),
    Endpoint(
        path="/commitments",
        name="commitments",
        summary="What is owed, the last changed first.",
        query=queries.CommitmentsQuery,
        gives=figures.CommitmentsFound,
        answer=figures.commitments,
    ),
)
