"""The hooks that stand in one file each: found by name here, imported only when a policy names them."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from interlock.builtin.builtin import Builtin
from interlock.builtin.plugins import plugin_named

# Kind → what it is for. The kind is also the name of its module in this folder.
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


def ours(kind: str) -> Builtin:
    """One of ours; raise KeyError when there is none."""
    if kind not in SHIPPED:
        raise KeyError(kind)
    found: Builtin = import_module(f"interlock.builtin.{kind}").BUILTIN
    return found


def builtin_named(kind: str) -> Builtin | None:
    """The hook of a kind, ours or a plugin's; raise PluginError when a plugin cannot be used.

    Installed plugins are looked for only when the name is none of ours: the search takes a while.
    """
    return ours(kind) if kind in SHIPPED else plugin_named(kind)
