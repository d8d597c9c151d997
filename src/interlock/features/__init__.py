"""Everything Interlock can do beside deciding: one folder a feature, one row here.

Names only: whoever needs a part (the daemon, the command line, the dashboard, the policy) imports it
when it is used. So a feature that nobody uses costs nothing, and deleting a folder deletes the feature.
"""

from __future__ import annotations

from typing import Final

from interlock.feature import Feature

FEATURES: Final = (
    Feature(name="notifications", service="service:NotificationService", hooks={"notify": "hook:BUILTIN"}),
    Feature(name="remedies", service="service:RemedyService", hooks={"failure_hints": "hook:BUILTIN"}),
    Feature(name="session_reports", service="service:SessionReports", hooks={"flow_report": "hook:BUILTIN"}),
    Feature(
        name="trust_scores",
        service="service:TrustScores",
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
        doctor="doctor:checks",
    ),
    Feature(name="policy_tests", commands="cli:add"),
    Feature(name="lint", commands="cli:add"),
    Feature(
        name="approvals",
        service="service:ApprovalService",
        needs=("notifications",),
        settings=("settings:APPROVAL", "standing_grants:STANDING_GRANTS"),
        commands="cli:add",
        settle="standing_grants:standing_answer",
        pages=("page:PAGE",),
        api=("web_api:ENDPOINTS",),
    ),
    Feature(
        name="commitments",
        service="service:CommitmentService",
        needs=("approvals",),
        settings=("compile:COMMITMENTS", "compile:VALIDATION", "compile:TIERS", "compile:DEFAULT_ACTOR"),
        commands="cli:add",
        pages=("page:PART",),
        api=("web_api:ENDPOINTS",),
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
    ),
    Feature(
        name="work",
        service="service:WorkService",
        hooks={"work": "hook:BUILTIN"},
        settings=("settings:WORK", "settings:AGENTS"),
        commands="cli:add",
        pages=("page:PAGE",),
        api=("web_api:ENDPOINTS",),
    ),
    Feature(
        name="fleet",
        service="service:FleetService",
        needs=("notifications", "work"),
        commands="cli:add",
        pages=("page:PAGE",),
        api=("web_api:ENDPOINTS",),
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
        doctor="doctor:checks",
    ),
)
