"""Everything Interlock can do beside deciding: one folder a feature, one row here.

Names only: whoever needs a part (the daemon, the command line, the dashboard, the policy) imports it
when it is used. So a feature that nobody uses costs nothing, and deleting a folder deletes the feature.
"""

from __future__ import annotations

from typing import Final

from interlock.feature import Feature

FEATURES: Final = (
    Feature(name="notifications", hooks={"notify": "hook:BUILTIN"}),
    Feature(name="remedies", hooks={"failure_hints": "hook:BUILTIN"}),
    Feature(name="session_reports", hooks={"flow_report": "hook:BUILTIN"}, needs=("notifications",)),
    Feature(name="trust_scores", hooks={"trust_gate": "hook:BUILTIN"}, commands="cli:add"),
    Feature(name="ledger_tools", commands="cli:add"),
    Feature(
        name="team_ledger",
        needs=("ledger_tools",),
        settings=("settings:TEAM_LEDGER", "settings:FLEET_LEDGER"),
        commands="cli:add",
        doctor="doctor:checks",
    ),
    Feature(name="policy_tests", commands="cli:add"),
    Feature(name="lint", commands="cli:add"),
    Feature(
        name="approvals",
        needs=("notifications",),
        settings=("rules:APPROVAL", "standing_grants:STANDING_GRANTS"),
        commands="cli:add",
        settle="standing:standing_answer",
        pages=("page:PAGE",),
        api=("web_api:ENDPOINTS",),
    ),
    Feature(
        name="commitments",
        needs=("approvals",),
        settings=("compile:COMMITMENTS", "compile:VALIDATION", "compile:TIERS", "compile:DEFAULT_ACTOR"),
        commands="cli:add",
        pages=("page:PART",),
        api=("web_api:ENDPOINTS",),
    ),
    Feature(
        name="receipts",
        hooks={
            "record_tool_use": "hook:RECORD_TOOL_USE",
            "check_bash_side_effects": "hook:CHECK_BASH_SIDE_EFFECTS",
        },
        settings=("settings:TOOL_POLICIES",),
        commands="cli:add",
    ),
    Feature(
        name="work",
        hooks={"work": "hook:BUILTIN"},
        settings=("settings:WORK", "settings:AGENTS"),
        commands="cli:add",
        pages=("page:PAGE",),
        api=("web_api:ENDPOINTS",),
    ),
    Feature(
        name="fleet",
        needs=("work",),
        commands="cli:add",
        pages=("page:PAGE",),
        api=("web_api:ENDPOINTS",),
    ),
    Feature(
        name="gates",
        hooks={"approval_gate": "approval_gate:BUILTIN", "completion": "completion:BUILTIN"},
        needs=("approvals", "commitments", "trust_scores"),
        commands="cli:add",
    ),
    Feature(name="learning", needs=("approvals",), commands="cli:add"),
    Feature(name="mcp", needs=("approvals", "commitments"), commands="cli:add", doctor="doctor:checks"),
)
