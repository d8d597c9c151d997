"""Every hook we ship, by the name policies use; imported only when a policy names it."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from interlock.builtin_hooks.kind import Builtin
from interlock.builtin_hooks.plugins import plugin_named

# The settings that families of hooks bring: each a `SettingsPart`.
SETTINGS: Final = ("builtin_hooks.model.settings:ASKED_MODEL",)

# The `type` that policies write → what it is for.
SHIPPED: Final[dict[str, str]] = {
    "local_context": "Gives LOCAL.md at the first prompt, and with the rules around a summary.",
    "nudge": "Suggests the agent or skill that a word of the prompt calls for.",
    "redirect": "Sends test, build and lint commands to the project's own toolchain.",
    "pre_checks": "Denies tools that are not to be used, and a Write without a path or content.",
    "work": "Keeps sessions, efforts and agents: a word every ten calls, a way back after a full window.",
    "schema_guard": "Stops calls that lack what their tool needs, with a call that fits, or puts them right.",
    "schema_hint": "Shows a call that fits after a tool refused one for its fields.",
    "recall": "Gives a session its instructions back around a summary, and when it goes on.",
    "promise": "Sends the agent back to its task until it has promised that all is done.",
    "secrets_out": "Takes secrets out of what tools give back before the model reads it.",
    "prompt": "Shows the event to a model, which objects, nudges or passes.",
    "agent": "Lets a model look around in the project, reading only, and object, nudge or pass.",
    "injection_scan": "Marks orders to a model that are hidden in web pages and files, and records them.",
    "format_output": "Takes colours, progress bars, repeats and blanks out of what commands print.",
    "artifacts": "Checks that a sub-agent left the files it was there for, and tells the main agent.",
    "input_sanitization": "Stops calls whose text is not what it looks like, and suggests the plain one.",
    "resource_check": "Holds calls that change something while the disk or the memory is nearly full.",
    "ledger_annotation": "Notes labels and facts, such as a ticket number, in the ledger beside a call.",
    "final_validation": "Looks at the files a turn wrote before it ends: they parse, no conflict is left.",
    "loop_guard": "Tells of, then denies, a call that is made again and again and brings nothing new.",
    "skills": "Lists the skills whose words a prompt has, and gives knowledge when it is asked for.",
    "commit_nudge": "Asks for a commit when changes lie uncommitted, at most every ten minutes.",
    "memory_nudge": "Asks that what was learned is written down, before a summary and late in a session.",
    "budget": "Ends a turn in good order after so many tool calls, minutes, steps or tokens.",
    "flow_report": "Writes down what a session did, what failed and what was held back, when it ends.",
    "notify": "Tells people of a moment by webhook, Slack, desktop or bell, without holding it up.",
    "failure_hints": "Tells after an error what worked after it before, or what it usually means.",
}

# And where it is: imported only when a policy names it.
MODULES: Final[dict[str, str]] = {
    "local_context": "builtin_hooks.context.local_context",
    "nudge": "builtin_hooks.context.nudge",
    "redirect": "builtin_hooks.toolchain.redirect",
    "pre_checks": "builtin_hooks.input.pre_checks",
    "work": "features.work.hook",
    "schema_guard": "builtin_hooks.schemas.guard_hook",
    "schema_hint": "builtin_hooks.schemas.hint_hook",
    "recall": "builtin_hooks.context.recall",
    "promise": "builtin_hooks.loops.promise",
    "secrets_out": "builtin_hooks.output.redact_output",
    "prompt": "builtin_hooks.model.prompt_hook",
    "agent": "builtin_hooks.model.agent_hook",
    "injection_scan": "builtin_hooks.output.injection_scan",
    "format_output": "builtin_hooks.output.format_output",
    "artifacts": "builtin_hooks.finish.artifacts",
    "input_sanitization": "builtin_hooks.input.input_sanitization",
    "resource_check": "builtin_hooks.input.resource_check",
    "ledger_annotation": "builtin_hooks.evidence.ledger_annotation",
    "final_validation": "builtin_hooks.finish.final_validation",
    "loop_guard": "builtin_hooks.loops.loop_guard",
    "skills": "builtin_hooks.context.skills",
    "commit_nudge": "builtin_hooks.finish.commit_nudge",
    "memory_nudge": "builtin_hooks.context.memory_nudge",
    "budget": "builtin_hooks.loops.budget",
    "flow_report": "features.session_reports.hook",
    "notify": "features.notifications.hook",
    "failure_hints": "features.remedies.hook",
}


def ours(kind: str) -> Builtin:
    """One of ours; raise KeyError when there is none."""
    if kind not in SHIPPED:
        raise KeyError(kind)
    found: Builtin = import_module(f"interlock.{MODULES[kind]}").BUILTIN
    return found


def builtin_named(kind: str) -> Builtin | None:
    """The hook of a kind, ours or a plugin's; raise PluginError when a plugin cannot be used.

    Installed plugins are looked for only when the name is none of ours: the search takes a while.
    """
    return ours(kind) if kind in SHIPPED else plugin_named(kind)
