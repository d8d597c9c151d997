"""The hooks of the kernel and of these families, by the name policies use; features bring their own.

Names only: a hook is imported when a policy names it.
"""

from __future__ import annotations

from typing import Final

# The `type` that policies write, and where its `Builtin` is.
KINDS: Final[dict[str, str]] = {
    "genesis_enforcement": "policy.compile.programs:BUILTIN",
    "command": "policy.compile.programs:COMMAND",
    "webhook": "policy.compile.programs:WEBHOOK",
    "evidence_capture": "builtin_hooks.calls.evidence:EVIDENCE_CAPTURE",
    "deny": "builtin_hooks.basic:DENY",
    "ask": "builtin_hooks.basic:ASK",
    "modify": "builtin_hooks.basic:BUILTIN",
    "cleaning": "builtin_hooks.cleaning.hook:BUILTIN",
    "local_context": "builtin_hooks.context.local_context:LOCAL_CONTEXT",
    "nudge": "builtin_hooks.context.nudge:BUILTIN",
    "redirect": "builtin_hooks.toolchain.redirect:BUILTIN",
    "pre_checks": "builtin_hooks.calls.pre_checks:BUILTIN",
    "schema_guard": "builtin_hooks.schemas.hooks:GUARD",
    "schema_hint": "builtin_hooks.schemas.hooks:HINT",
    "recall": "builtin_hooks.context.local_context:RECALL",
    "promise": "builtin_hooks.turns.promise:BUILTIN",
    "secrets_out": "builtin_hooks.calls.changed_output:SECRETS_OUT",
    "prompt": "builtin_hooks.model.hooks:PROMPT",
    "agent": "builtin_hooks.model.hooks:AGENT",
    "injection_scan": "builtin_hooks.calls.injection_scan:BUILTIN",
    "format_output": "builtin_hooks.calls.changed_output:FORMAT_OUTPUT",
    "artifacts": "builtin_hooks.turns.artifacts:BUILTIN",
    "input_sanitization": "builtin_hooks.calls.input_sanitization:BUILTIN",
    "resource_check": "builtin_hooks.calls.resource_check:BUILTIN",
    "ledger_annotation": "builtin_hooks.calls.evidence:LEDGER_ANNOTATION",
    "final_validation": "builtin_hooks.turns.final_validation:BUILTIN",
    "loop_guard": "builtin_hooks.turns.loop_guard:BUILTIN",
    "skills": "builtin_hooks.context.skills:BUILTIN",
    "commit_nudge": "builtin_hooks.turns.reminders:COMMIT_NUDGE",
    "memory_nudge": "builtin_hooks.turns.reminders:MEMORY_NUDGE",
    "budget": "builtin_hooks.turns.budget:BUILTIN",
}

# What is explained with the format of policies itself, in the order people are told of it.
BASIC: Final = (
    "genesis_enforcement",
    "evidence_capture",
    "approval_gate",
    "deny",
    "ask",
    "cleaning",
    "modify",
    "command",
    "webhook",
    "completion",
    "trust_gate",
    "record_tool_use",
    "check_bash_side_effects",
)

# The settings that families of hooks bring: each a `SettingsPart`.
SETTINGS: Final = ("builtin_hooks.model.settings:ASKED_MODEL",)

# Functions from what an agent may not change to a hook that stands in every policy.
ALWAYS: Final = (
    "builtin_hooks.self_protection.hook:self_protection",
    "builtin_hooks.self_protection.hook:settings_change",
)
