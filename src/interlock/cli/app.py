"""The command line: the commands of its own, then those of every feature."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple

import typer

from interlock.feature import own_features
from interlock.version import __version__


class Command(NamedTuple):
    """One command of the frame, or one group of them, and where it is."""

    name: str
    place: str  # `module:name`, below this folder
    example: str = ""  # a group has none: its commands do
    settings: dict[str, Any] | None = None


COMMANDS: Final = (
    Command("genesis", "policy.validate:genesis"),
    Command("hooks", "policy.group:hooks"),
    Command("packs", "policy.packs:packs"),
    Command("daemon", "daemon.daemon:daemon"),
    Command("setup", "setup.setup:setup", "interlock setup --yes"),
    Command("init", "setup.init:init", "interlock init --project"),
    Command("install", "setup.install:install", "interlock install claude-code --dry-run"),
    Command("uninstall", "setup.uninstall:uninstall", "interlock uninstall claude-code"),
    Command("doctor", "setup.doctor:doctor", "interlock doctor --json"),
    Command(
        "lint-settings",
        "setup.lint_settings:lint_settings",
        "interlock lint-settings ~/.claude/settings.json",
    ),
    Command(
        "import",
        "setup.import_policy:import_",
        "interlock import claude-code --dry-run; interlock import nah --out nah.key",
    ),
    Command("trust", "policy.trust:trust", "interlock trust --show"),
    Command("untrust", "policy.trust:untrust", "interlock untrust ~/src/app"),
    Command("pause", "setup.pause:pause", "interlock pause 15m"),
    Command("hook", "host.hook_fallback:hook", "interlock hook claude-code < event.json"),
    Command("status-line", "host.status_line:status_line", "interlock status-line < session.json"),
    Command(
        "file-suggestion",
        "host.file_suggestion:file_suggestion",
        'interlock file-suggestion <<< \'{"query": "src"}\'',
    ),
    Command("log", "log:log", "interlock log --decision deny --since 1d"),
    Command("tail", "log:tail", "interlock tail --decision deny"),
    Command("ui", "daemon.ui:ui", "interlock ui --open"),
    Command(
        "run",
        "setup.run:run",
        "interlock run -- claude; interlock run -- claude -p 'Fix the tests'",
        {"allow_interspersed_args": False},
    ),
    Command("paths", "setup.paths:paths", "interlock paths --json"),
    Command("rpc", "daemon.rpc:rpc", "interlock rpc hooks.stop - < event.json"),
    Command("schema", "policy.schema:schema", "interlock schema hooks > hooks.schema.json"),
)


def app_for(word: str) -> typer.Typer:
    """The program as far as a command line needs it that begins with `word`.

    Loading every feature takes longer than most commands of the frame, which are whole without them.
    """
    own = next((one for one in COMMANDS if one.name == word and one.example), None)
    if own is None:
        return make_app()
    app = _empty()
    _add(app, own)
    return app


@cache
def make_app() -> typer.Typer:
    """The whole program."""
    app = _empty()
    for command in COMMANDS:
        _add(app, command)
    for feature in own_features().values():
        if feature.commands is not None:
            feature.load(feature.commands)(app)
    from interlock.cli.added_commands import add_commands  # noqa: PLC0415 - reads policies, which few commands need

    add_commands(app)
    return app


def _empty() -> typer.Typer:
    app = typer.Typer(
        name="interlock",
        result_callback=_exit,
        help="The hooks engine for coding agents: one policy, every agent, every decision explained.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Start with: interlock init; interlock hooks simulate --tool Bash --args 'rm -rf ~'",
    )
    app.callback()(_root)
    return app


def _add(app: typer.Typer, command: Command) -> None:
    module, _, name = command.place.partition(":")
    found = getattr(import_module(f"interlock.cli.{module}"), name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=command.name)
    else:
        epilog = f"Example: {command.example}"
        app.command(command.name, epilog=epilog, context_settings=command.settings)(found)


def _exit(code: int, **_: object) -> None:
    """A command's return value is its exit code."""
    raise typer.Exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"interlock {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """The hooks engine for coding agents: one policy, every agent, every decision explained."""
