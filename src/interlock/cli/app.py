"""The command line: its own commands, then those of every feature."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import typer

from interlock.cli.help import HELP_OPTIONS, Group, arranged, wrong_use
from interlock.errors import InterlockError
from interlock.feature import own_features
from interlock.version import __version__

OLDER: Final = frozenset({"genesis"})  # another command has replaced it
WRONG_USE: Final = 2


class Command(NamedTuple):
    name: str
    place: str  # `module:name`, below this folder
    example: str = ""  # empty for a group, whose commands have examples
    settings: dict[str, Any] | None = None


COMMANDS: Final = (
    Command("genesis", "policy.validate:genesis"),
    Command("hooks", "policy.hooks:hooks"),
    Command("explain", "policy.explain:explain", "interlock explain 'cd /srv && sudo rm -rf $x'"),
    Command("packs", "policy.packs:packs"),
    Command("daemon", "daemon:daemon"),
    Command("setup", "setup.setup:setup", "interlock setup --yes"),
    Command("init", "setup.init:init", "interlock init --project"),
    Command("install", "setup.install:install", "interlock install claude-code --dry-run"),
    Command("uninstall", "setup.uninstall:uninstall", "interlock uninstall claude-code"),
    Command("doctor", "setup.doctor:doctor", "interlock doctor --json"),
    Command(
        "lint-settings",
        "policy.validate:lint_settings",
        "interlock lint-settings ~/.claude/settings.json",
    ),
    Command(
        "import",
        "setup.import_policy:import_",
        "interlock import claude-code --dry-run; interlock import nah --add",
    ),
    Command("trust", "policy.trust:trust", "interlock trust --show"),
    Command("untrust", "policy.trust:untrust", "interlock untrust ~/src/app"),
    Command("pause", "daemon:pause", "interlock pause 15m"),
    Command("hook", "hook_fallback:hook", "interlock hook claude-code < event.json"),
    Command("status-line", "status_line:status_line", "interlock status-line < session.json"),
    Command(
        "file-suggestion",
        "file_suggestion:file_suggestion",
        'interlock file-suggestion <<< \'{"query": "src"}\'',
    ),
    Command("status", "status:status", "interlock status --json"),
    Command("log", "log:log", "interlock log --decision deny --since 1d"),
    Command("show", "show:show", "interlock show 17; interlock show ap_7"),
    Command("tail", "log:tail", "interlock tail --decision deny"),
    Command("ui", "daemon:ui", "interlock ui --open"),
    Command(
        "run",
        "setup.run:run",
        "interlock run -- claude; interlock run -- claude -p 'Fix the tests'",
        {"allow_interspersed_args": False},
    ),
    Command("paths", "setup.init:paths", "interlock paths --json"),
    Command("rpc", "daemon:rpc", "interlock rpc hooks.stop - < event.json"),
    Command("help", "app:help_", "interlock help approvals list; interlock help --all"),
    Command("schema", "policy.validate:schema", "interlock schema hooks > hooks.schema.json"),
)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    return _run(_app_for(next(iter(arguments), "")), arguments)


def _run(app: typer.Typer, arguments: Sequence[str], *, everything: bool = False) -> int:
    program = arranged(typer.main.get_command(app), everything=everything)
    try:
        code: int | None = program.main(list(arguments), prog_name="interlock", standalone_mode=False)
    except typer.TyperException as error:
        if not error.format_message():
            return WRONG_USE  # only the program or a group was named, and its help was printed
        raise InterlockError(wrong_use(error, program, arguments)) from error
    except typer.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise InterlockError("no answer was given, so nothing was changed") from error
    return code or 0


def help_(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND...", help="The command to explain.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="List every command.")] = False,
) -> int:
    """Explain a command, or list every command."""
    return _run(make_app(), [*(words or ()), "--help"], everything=everything)


def _app_for(word: str) -> typer.Typer:
    """The program with only the command `word`, if that is one of ours.

    Loading every feature takes longer than most of our commands, which do not need them.
    """
    own = next((one for one in COMMANDS if one.name == word and one.example), None)
    return make_app() if own is None else _with(own)


@cache
def make_app() -> typer.Typer:
    """The whole program."""
    app = _with(*COMMANDS)
    for feature in own_features().values():
        if feature.commands is not None:
            feature.load(feature.commands)(app)
    from interlock.cli.added_commands import add_commands  # noqa: PLC0415 - reads policies, which few commands need

    add_commands(app)
    return app


def _with(*commands: Command) -> typer.Typer:
    app = typer.Typer(
        name="interlock",
        cls=Group,
        result_callback=_exit,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": HELP_OPTIONS},
    )
    app.callback()(_root)
    for command in commands:
        module, _, name = command.place.partition(":")
        found = getattr(import_module(f"interlock.cli.{module}"), name)
        hidden = command.name in OLDER
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=command.name, hidden=hidden)
        else:
            epilog = f"Example: {command.example}"
            app.command(command.name, epilog=epilog, hidden=hidden, context_settings=command.settings)(found)
    return app


def _exit(code: int, **_: object) -> None:
    """Exit with what the command returned."""
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
    """Decide what coding agents may do: allow, deny or ask, by your policy.

    More: `interlock help COMMAND`, `interlock help --all`, `interlock --version`
    """
