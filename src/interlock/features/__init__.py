"""Everything Interlock can do beside deciding: one folder for each feature, one row here.

A row is a `Feature`. It holds names only, each `module:name` below the feature's folder. Whoever needs a part
(the daemon, the command line, the dashboard, the policy) imports it when it is used. So a feature that nobody
uses costs nothing, and deleting a folder deletes the feature.

The parts, all optional:

`settings`   `SettingsPart` objects (`policy/settings_part.py`), each one key of a policy: the record of what
             one file may write there, and a function that merges what the files of all layers say.
`hooks`      `Builtin` objects (`policy/hook_kind.py`) by the `type` that policies write: the record of the
             options, and a function that makes a handler of them.
`service`    A class or function that is called once in the daemon, with a `DaemonContext`
             (`daemon/extension.py`), in the order of this table. The object it gives takes part wherever it
             has the methods of a protocol of that module; nothing is registered:
                 people_methods    answer requests on the socket that only a person may make
                 methods           answer requests on the socket that anybody may make
                 watches           run beside the calls until the daemon ends
                 close             end what is under way
                 hook_services     be asked by hooks, by the protocol they know it by
                 standing_hooks    add hooks to every policy
                 enrich            add to an event what its session is working on
                 settle ...        answer a call that asks (only one service can)
                 at_turn           speak when a session begins, a prompt is given or a turn ends
                 before_record     write something together with the decision
                 session_ended     learn of a session whose agent has gone
                 before_removal    carry over what is still needed of old ledger entries
                 shipped           copy ledger entries elsewhere
                 status            add to `interlock daemon status`
                 parts             leave some of this to other objects
`commands`   A function that gets the `typer.Typer` of the command line and adds commands to it.
`waiting`    A function that gets the `Places` and yields the id and a line of what a person has to answer.
`shows`      Functions by a regular expression of IDs: `interlock show ID` calls the one that matches.
`doctor`     A function that gets a `DoctorContext` (`cli/setup/doctor_checks.py`) and yields each `Check`.
`settle`     A function that answers an ask by the policy alone, for `interlock explain`.
`pages`      `Page` objects of the dashboard, and `Part` objects that stand at the end of another page
             (`web/page.py`). Their templates are in the feature's folder `templates/`.
`api`        Lists of `Endpoint` objects of the JSON API (`web/api/endpoint.py`).
`needs`      The features it imports. They stand above it in this table.

Another distribution can bring a feature, too, by an entry point of the group `interlock.features`. It is used
when `settings.features` of a managed or user policy names it, and not even looked for before; a project's
policy cannot name one, since a feature runs inside the daemon. It has no migrations: it keeps its data in
files below `DaemonContext.places.state`. `examples/freeze_feature` is a complete one.
"""

from __future__ import annotations

from typing import Final

from interlock.feature import Feature

FEATURES: Final = (
    Feature(name="notifications", service="service:NotificationService", hooks={"notify": "hook:BUILTIN"}),
    Feature(name="remedies", service="service:Remedies", hooks={"failure_hints": "hook:BUILTIN"}),
    Feature(name="session_reports", service="service:SessionReports", hooks={"flow_report": "hook:BUILTIN"}),
    Feature(
        name="trust_scores",
        service="scores:Scores",
        hooks={"trust_gate": "hook:BUILTIN"},
        commands="cli:add",
    ),
    Feature(name="ledger_tools", service="service:LedgerTools", commands="cli:add"),
    Feature(
        name="team_ledger",
        service="service:TeamLedgerService",
        needs=("ledger_tools",),
        settings=("settings:TEAM_LEDGER", "settings:FLEET_LEDGER"),
        commands="cli:add",
        doctor="cli:checks",
    ),
    Feature(name="policy_tests", commands="cli:add"),
    Feature(name="lint", commands="cli:add"),
    Feature(
        name="approvals",
        service="service:ApprovalService",
        needs=("notifications",),
        settings=("settings:APPROVAL", "settings:STANDING_GRANTS"),
        commands="cli:add",
        shows={r"ap_\w+": "cli:show", r"gr_\w+": "cli:show_grant"},
        waiting="cli_text:waiting",
        settle="settings:standing_answer",
        pages=("page:PAGE",),
        api=("page:ENDPOINTS",),
    ),
    Feature(
        name="commitments",
        service="service:CommitmentService",
        needs=("approvals",),
        settings=("compile:COMMITMENTS", "compile:VALIDATION", "compile:TIERS", "compile:DEFAULT_ACTOR"),
        commands="cli:add",
        shows={r"(cmt|mem|pub)_\w+": "cli:show"},
        waiting="cli_text:waiting",
        pages=("page:PART",),
        api=("page:ENDPOINTS",),
    ),
    Feature(
        name="receipts",
        service="service:ReceiptService",
        hooks={
            "record_tool_use": "hook:RECORD_TOOL_USE",
            "check_bash_side_effects": "hook:CHECK_BASH_SIDE_EFFECTS",
        },
        settings=("settings:TOOL_POLICIES",),
        commands="cli:add",
        shows={r"tc_\w+": "cli:show"},
    ),
    Feature(
        name="work",
        service="service:WorkService",
        hooks={"work": "hook:BUILTIN"},
        settings=("settings:WORK", "settings:AGENTS"),
        commands="cli:add",
        shows={r"e[0-9]+": "cli_effort:show"},
        pages=("page:PAGE",),
        api=("page:ENDPOINTS",),
    ),
    Feature(
        name="fleet",
        service="service:FleetService",
        needs=("notifications", "work"),
        commands="cli:add",
        pages=("page:PAGE",),
        api=("page:ENDPOINTS",),
    ),
    Feature(
        name="gates",
        service="service:GateService",
        hooks={"approval_gate": "approval_gate:BUILTIN", "completion": "completion:BUILTIN"},
        needs=("approvals", "commitments"),
        commands="cli:add",
    ),
    Feature(name="learning", needs=("approvals",), commands="cli:add"),
    Feature(
        name="mcp",
        service="service:McpService",
        needs=("approvals", "commitments"),
        commands="cli:add",
        doctor="cli:checks",
    ),
)
