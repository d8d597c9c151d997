"""The help of the command line: which commands it shows, in which sections."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final, get_args

import typer

# What `interlock --help` shows, most used first, each with a line that fits a narrow terminal.
SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Get started": {
        "setup": "Find your agents, install the hooks, prove they work",
        "status": "See what is guarded and what waits for you",
        "doctor": "Find out what is wrong and how to fix it",
        "ui": "Open the dashboard",
    },
    "See and decide": {
        "log": "See the latest decisions; -f follows them",
        "show": "See one decision, request or commitment in full",
        "approve": "Approve what waits for you",
        "deny": "Deny what waits for you",
        "approvals": "List what waits for you, and approve it for longer",
    },
    "Policy": {
        "explain": "See what a command would do and what decides it",
        "check": "Find mistakes in your policy files",
        "test": "Run the tests of your policy",
        "replay": "Try another policy on the calls of the past",
        "packs": "See the policies that come with Interlock",
        "hooks": "See which hooks run, and try them",
        "trust": "Let the policy of a project run",
    },
    "Work": {
        "effort": "Start, log and finish a piece of work",
        "session": "See the sessions of agents; stop one or hand it over",
        "fleet": "Watch all agents live",
    },
    "Accountability": {
        "commitment": "See, claim and close what was promised",
        "receipts": "See recorded tool calls, and settle unfinished ones",
        "ledger": "Search, verify and export the whole record",
    },
    "Agents": {
        "install": "Install the hooks into an agent",
        "uninstall": "Remove the hooks from an agent",
    },
}
# What only `interlock help --all` shows beside these.
MORE: Final[Mapping[str, Mapping[str, str]]] = {
    "Get started": {"init": "Write a starter policy"},
    "See and decide": {
        "tail": "Watch decisions live",
        "grants": "See and revoke grants",
        "passphrase": "Set your own passphrase",
    },
    "Policy": {
        "suggest": "Propose grants for what you keep approving",
        "untrust": "Stop using the policy of a project",
    },
    "Work": {
        "task": "See tasks and the work done on them",
        "agents": "List the agents",
        "messages": "See what agents and people said",
        "watch": "Run an agent, and restart it when it stops",
        "run": "Start an agent whose hooks no project can turn off",
    },
    "Accountability": {"trust-score": "See how far an agent can be trusted, and why"},
    "Agents": {
        "import": "Turn the rules of another guard into a policy",
        "mcp": "Serve tools to agents over MCP",
        "lint-settings": "Find out why Claude Code skips a settings file",
    },
    "Plumbing": {
        "daemon": "Start and stop the process behind the hooks",
        "hook": "Answer one hook call",
        "rpc": "Send a request to the daemon",
        "schema": "Print the JSON Schema of a policy file",
        "paths": "See where Interlock keeps its files",
        "pause": "Let calls pass while the daemon cannot be reached",
        "status-line": "Print a line about a session",
        "file-suggestion": "Print paths that fit a query",
        "help": "Explain a command, or list them all",
    },
}
_OLDER: Final = "Other names (each also below `interlock commitment`; `genesis validate` is `check`)"
_ADDED: Final = "Added by plugins"
_WORDS: Final[Mapping[Any, str]] = {str: "TEXT", int: "N", float: "N", Path: "PATH"}
HELP_OPTIONS: Final = ["-h", "--help"]


def arranged(command: Any, *, everything: bool = False) -> Any:
    """The program with its commands in sections; those that its help shows come first."""
    order: dict[str, int] = {}
    for section in dict.fromkeys([*SECTIONS, *MORE]):
        shown = SECTIONS.get(section, {})
        for name, line in {**shown, **MORE.get(section, {})}.items():
            order[name] = len(order)
            found = command.commands.get(name)
            if found is not None:
                found.short_help, found.rich_help_panel = line, section
                found.hidden = not everything and name not in shown
    for name in command.commands.keys() - order.keys():
        found = command.commands[name]
        found.rich_help_panel = _OLDER if found.hidden else _ADDED
        found.hidden &= not everything
    command.commands = dict(sorted(command.commands.items(), key=lambda one: order.get(one[0], len(order))))
    _simplify(command)
    for option in command.get_params(_context(command)):  # the last line names them
        option.hidden = True
    return command


def _simplify(command: Any) -> None:
    """Say what to type for a value in a common word; a switch and an argument need none.

    A paragraph is as wide as the terminal, and not as its source.
    """
    if command.help:
        command.help = "\n\n".join(" ".join(text.split()) for text in cleandoc(command.help).split("\n\n"))
    for param in command.get_params(_context(command)):
        if param.param_type_name == "argument" or getattr(param, "is_flag", False):
            param.display_type_rich = _no_type
            param.metavar = param.metavar or _name_of(param)
        elif param.metavar is None:
            kind = param.type_descriptor.annotation
            param.metavar = _WORDS.get(next(iter(get_args(kind)), kind))
    for below in getattr(command, "commands", {}).values():
        _simplify(below)


def _name_of(param: Any) -> str | None:
    return str(param.name).strip("_").upper() if param.param_type_name == "argument" else None


def _no_type(ctx: Any) -> None:
    """For typer, which shows `<bool>` and the like."""


def _context(command: Any) -> typer.Context:
    return typer.Context(command, help_option_names=HELP_OPTIONS)


def wrong_use(error: typer.TyperException) -> str:
    """What typer found wrong in a line, in one sentence with the next step."""
    said = error.format_message().replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "interlock"
    option, near = getattr(error, "option_name", None), getattr(error, "possibilities", None)
    if option and near:
        return f"`{path}` has no option `{option}`; did you mean `{near[0]}`?"
    return f"{said[0].lower()}{said[1:].rstrip('.')}; see `{path} --help`"
