"""`interlock ui`: a link to the dashboard."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.json_output import print_json
from interlock.cli.people_only import require_person


def ui(
    port: Annotated[int, typer.Option(help="The port, on this machine only; 0: any free port.")] = 0,
    open_: Annotated[bool, typer.Option("--open", help="Open the link in your browser too.")] = False,
    key: Annotated[
        bool,
        typer.Option("--key", help="Print a key for programs instead: for the JSON API and /metrics."),
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the dashboard and end every login.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Print a link to the dashboard.

    The dashboard is started if it does not run.

    The link is valid once and for five minutes; each call gives another. A key is good for thirty days, and
    like every login it ends with the dashboard.
    """
    require_person("ui")
    found = (
        ask_daemon("ui.close") if stop else ask_daemon("ui.open", {"port": port, "key": key}, as_person=True)
    )
    if as_json:
        print_json(found)
    elif stop:
        typer.echo("the dashboard has stopped" if found["closed"] else "no dashboard runs")
    else:
        typer.echo(found["key"] if key else found["url"])
    if open_ and not stop and not key and not _shown(found["url"]):
        typer.echo("interlock: no browser could be started; open the link yourself", err=True)
    return 0


def _shown(url: str) -> bool:
    import webbrowser

    return webbrowser.open(url)
