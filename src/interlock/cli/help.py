"""Groups of commands, and the help: which commands it shows, in which sections."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final, get_args

import typer
from typer.core import TyperGroup

from interlock.errors import InterlockError
from interlock.policy.files.words import hint

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
# What `interlock help --all` shows in addition.
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
LIST: Final = "list"  # the command of a group that runs when none is named


def arranged(command: Any, *, everything: bool = False) -> Any:
    """Put the commands of the program into sections, those that the help shows first."""
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
    for option in command.get_params(_context(command)):  # the last line of the help names them
        option.hidden = True
    return command


def _simplify(command: Any) -> None:
    """Name the type of a value with a common word, or not at all, and unwrap the paragraphs of the source."""
    if command.help:
        command.help = "\n\n".join(" ".join(text.split()) for text in cleandoc(command.help).split("\n\n"))
    if LIST in getattr(command, "commands", {}):
        command.help += f"\n\nWithout a command it runs `{LIST}`."
    for param in command.get_params(_context(command)):
        if param.param_type_name == "argument" or getattr(param, "is_flag", False):
            param.display_type_rich = _no_type
            if param.param_type_name == "argument":
                param.metavar = param.metavar or str(param.name).strip("_").upper()
        elif param.metavar is None:
            kind = param.type_descriptor.annotation
            param.metavar = _WORDS.get(next(iter(get_args(kind)), kind))
    for below in getattr(command, "commands", {}).values():
        _simplify(below)


def _no_type(ctx: Any) -> None:
    """Replace what typer would show: `<bool>` and the like."""


def _context(command: Any) -> typer.Context:
    return typer.Context(command, help_option_names=HELP_OPTIONS)


def wrong_use(error: typer.TyperException, program: Any, arguments: Sequence[str]) -> str:
    """Say what typer found wrong in one sentence, with the next step."""
    path = "interlock"
    for word in arguments:
        program = getattr(program, "commands", {}).get(word)
        if program is None:
            break
        path += f" {word}"
    see, said = f"see `{path} --help`", error.format_message()
    tried = ((pattern.fullmatch(said), sentence) for pattern, sentence in _WRONG_USE)
    found, sentence = next(((match, sentence) for match, sentence in tried if match), (None, ""))
    if found is None:
        return f"{said[0].lower()}{said[1:].rstrip('.')}; {see}"
    near = getattr(error, "possibilities", None)
    rest = arguments[path.count(" ") :]
    if (
        path.endswith(" explain")
        and sentence in {_NO_OPTION, _EXTRA}
        and not (near or rest[0].startswith("-"))
    ):
        return f"quote the command: `{path} {shlex.quote(' '.join(rest))}`"
    parts = found.groupdict(default="")
    words = parts.get("words", "").strip("'").split("', '")
    see = f"did you mean `{near[0]}`?" if near else see
    return sentence.format(path=path, see=see, hint=hint(parts.get("word", ""), words), **parts)


_NO_OPTION: Final = "`{path}` has no option `{option}`; {see}"
_EXTRA: Final = "`{extra}` is not expected here; quote a value that has spaces, or {see}"
_NAME: Final = r"Invalid value for '(?:[^:]+' / ')?(?P<name>[^:']+)': "
# What typer says, and what we say instead; the first that fits.
_WRONG_USE: Final = tuple(
    (re.compile(pattern, re.DOTALL), sentence)
    for pattern, sentence in (
        (r"No such option: (?P<option>\S+).*", _NO_OPTION),
        (r"Got unexpected extra argument\(s\) \((?P<extra>.*)\)", _EXTRA),
        (r"Option '(?P<option>.+)' requires an argument\.", "`{option}` needs a value; {see}"),
        (r"Option '(?P<option>.+)' does not take a value\.", "`{option}` takes no value; {see}"),
        (r"Missing \w+ '(?P<name>[^']+)'.*", "{name} is missing; {see}"),
        (
            _NAME + r"Value error, '(?P<word>.*)' is not one of (?P<words>'.+')\.",
            "`{word}` is not a value of {name}; {hint}",
        ),
        (_NAME + "Input should be a valid integer.*", "{name} must be a whole number; {see}"),
        (_NAME + "Input should be a valid number.*", "{name} must be a number; {see}"),
        (
            _NAME + r"Input should be greater than or equal to (?P<least>\S+)",
            "{name} must be at least {least}; {see}",
        ),
        (
            _NAME + r"Input should be less than or equal to (?P<most>\S+)",
            "{name} must be at most {most}; {see}",
        ),
    )
)


class Group(TyperGroup):
    """A group that lists when no command is named, and suggests the nearest command for a wrong word."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        options_only = all(word.startswith("-") and word not in HELP_OPTIONS for word in args[:1])
        if LIST in self.commands and options_only and not ctx.resilient_parsing:
            args = [LIST, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        if not word.startswith("-") and self.get_command(ctx, word) is None and not ctx.resilient_parsing:
            raise InterlockError(f"`{ctx.command_path}` has no command `{word}`; {hint(word, self.commands)}")
        return super().resolve_command(ctx, args)


def group(about: str) -> typer.Typer:
    """A group of commands. Without a command it lists, or prints its help where it has no `list`."""
    return typer.Typer(cls=Group, help=about, no_args_is_help=True)


def make_group(app: typer.Typer, name: str, about: str = "") -> typer.Typer:
    """The group of this name, created if nobody has done so yet."""
    for found in app.registered_groups:
        if found.name == name and found.typer_instance is not None:
            return found.typer_instance
    made = group(about)
    app.add_typer(made, name=name)
    return made
