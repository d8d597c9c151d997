"""`interlock doctor`: is everything in place, and does a bad call really get denied?"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from interlock.cli.added_commands import add_features_here, check_features
from interlock.cli.output import colours, print_json, printable, screen_width
from interlock.cli.policy_source import CONFIG_HELP, by_rule, folder, here
from interlock.cli.setup.doctor_checks import (
    DoctorContext,
    check_client,
    check_daemon,
    check_doubles,
    check_history,
    check_launch,
    check_path,
    check_plugins,
    check_policy,
    check_program,
    check_shim,
    find_doubles,
)
from interlock.cli.setup.hook_variables import check_variables
from interlock.cli.setup.install import settings_here
from interlock.daemon.paths import places_of
from interlock.events.names import EventName
from interlock.feature import features
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.claude_code.doctor import check_settings, our_entries, read_scopes
from interlock.hosts.claude_code.read import HOST
from interlock.hosts.claude_code.self_test import self_test
from interlock.hosts.host import Check, State, fail
from interlock.hosts.launching import install_place, token_for

_MARKS: Final = {
    State.OK: ("ok", typer.colors.GREEN),
    State.WARN: ("!", typer.colors.YELLOW),
    State.FAIL: ("fail", typer.colors.RED),
}
_NARROW: Final = 40  # columns of a terminal that is too small to indent in


def doctor(
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP, show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> int:
    """Find out what is wrong and how to fix it.

    Exit 1 when a check fails.
    """
    checks = list(_checks(config or []))
    healthy = all(check.state is not State.FAIL for check in checks)
    if as_json:
        print_json({"healthy": healthy, "checks": checks})
    else:
        for check in checks:
            typer.echo(_line(check, max(len(one.what) for one in checks)))
        typer.echo(f"\n{_summary(checks)}")
    return 0 if healthy else 1


def _line(check: Check, room: int) -> str:
    """One check; a terminal that is too narrow for it gets the rest indented."""
    mark, colour = _MARKS[check.state]
    text = printable(check.text)
    head = f"{mark:<4}  {check.what:<{room}}  "
    width = screen_width()
    if width is not None and width > len(head) + _NARROW:
        lines = textwrap.wrap(text, width - len(head), break_long_words=False, break_on_hyphens=False)
        text = f"\n{' ' * len(head)}".join(lines)
    return (typer.style(mark, fg=colour) if colours() else mark) + head[len(mark) :] + text


def _summary(checks: list[Check]) -> str:
    wrong = [check for check in checks if check.state is not State.OK]
    if not wrong:
        return f"All {len(checks)} checks passed."
    names = ", ".join(dict.fromkeys(check.what for check in wrong))
    return f"{len(wrong)} {'problem' if len(wrong) == 1 else 'problems'}: {names}."


def _checks(config: list[str]) -> Iterator[Check]:
    places, settings_places = places_of(here()), settings_here()
    installed = install_place(os.environ, home=Path.home(), cwd=folder())
    add_features_here()
    settings, unreadable = read_scopes(settings_places)
    # First of all: it also starts a daemon that only nobody has needed yet.
    entries = our_entries(settings, settings_places.project)
    commands = dict.fromkeys(entry.command for entry in entries if entry.event == EventName.PRE_TOOL_USE)
    tested = [self_test(command, folder()) for command in commands]
    yield from unreadable
    doubles = find_doubles(settings, settings_places.project)
    yield from check_settings(settings, settings_places, installed, token_for(here().state), doubles)
    if entries or installed.folder.exists():  # else nothing is installed, so none of this is missed
        yield from check_shim(installed)
        yield from check_program(installed, places_of(by_rule()))
        yield from check_launch(installed, places_of(by_rule()))
        yield from check_daemon(places, installed)
    yield from check_policy(config)
    yield from check_doubles(settings, doubles)
    yield from check_variables()
    yield from check_plugins()
    yield from check_features()
    yield from check_history(HOSTS[HOST], installed=bool(tested))
    yield from check_client(os.environ)
    yield from check_path(os.environ, installed)
    context = DoctorContext(places=places, settings=settings_places, installed=installed)
    yield from _checks_of_features(context)
    yield from tested


def _checks_of_features(context: DoctorContext) -> Iterator[Check]:
    for feature in features():
        if feature.doctor is None:
            continue
        try:
            yield from feature.load(feature.doctor)(context)
        except Exception as error:
            if not feature.package:
                raise
            why = f"the check itself failed ({type(error).__name__}: {error})"
            yield fail("feature", f"{feature.name}: {why}", f"fix or uninstall `{feature.distribution}`")
