"""`interlock fleet` shows every agent; `interlock watch` runs one and restarts it when it stops."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.help import Group
from interlock.cli.output import printable
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError

fleet = typer.Typer(cls=Group, help="See every agent: who is working, who is waiting for you, who failed.")


@fleet.callback(invoke_without_command=True, epilog="Example: interlock fleet --once --all")
def show(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Print the table once and exit.")] = False,
    everybody: Annotated[
        bool, typer.Option("--all", help="Include agents that finished more than an hour ago.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one agent per line, once.")] = False,
) -> int:
    """See every agent: who is working, who is waiting for you, who failed.

    On a terminal the table is live until you press `q`; into a file or a pipe it is printed once.
    """
    if context.invoked_subcommand is None:
        from interlock.features.fleet.cli_text import show_fleet

        show_fleet(places_of(here()).database, once=once, everybody=everybody, as_json=as_json)
    return 0


@fleet.command(epilog="Example: interlock fleet tmux")
def tmux(
    once: Annotated[bool, typer.Option("--once", help="Colour the panes once and exit.")] = False,
    remove: Annotated[bool, typer.Option("--clear", help="Remove the colours from every pane.")] = False,
    socket: Annotated[
        str | None, typer.Option(metavar="PATH", help="The socket of another tmux server.")
    ] = None,
) -> int:
    """Colour tmux panes by the status of their agents.

    A pane counts as checked once you switch to it or type in it. The old colours come back when this ends.
    """
    from interlock.features.fleet.pane_colors import color_panes

    require_person("fleet tmux")
    color_panes(places_of(here()).database, socket, once=once, remove=remove)
    return 0


def watch(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND...",
            help="The command that starts the agent; `{prompt}` is replaced by its prompt.",
        ),
    ] = None,
    prompt: Annotated[str | None, typer.Option(help="The prompt of the first run.")] = None,
    restarts: Annotated[int, typer.Option(min=0, help="Restart at most this many times.")] = 20,
    pause: Annotated[
        float,
        typer.Option(
            min=0, help="Seconds to wait before restarting a run that was short; doubles each time."
        ),
    ] = 1.0,
    grace: Annotated[
        float,
        typer.Option(min=0, help="Seconds an agent with a full context window gets to exit on its own."),
    ] = 10.0,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="The agent's name; its efforts belong to this name.")
    ] = None,
) -> int:
    """Run an agent, and restart it when it stops too early.

    It is restarted when it crashes, stops before its effort is done or runs out of context.

    The next run gets the restart prompt in place of `{prompt}`, or of the prompt in a Claude Code command,
    or as the last argument. The watch ends when you quit the agent, press Ctrl-C, or its effort is finished.
    """
    from interlock.features.fleet.watch import Plan
    from interlock.features.fleet.watch import watch as run

    if not command:
        raise InterlockError("no command given; write it after `--`, as in `interlock watch -- claude`")
    places = places_of(here())
    start(places)  # before the agent, so that the daemon sees its first session start below this process
    plan = Plan(
        command=tuple(command), prompt=prompt, restarts=restarts, pause=pause, grace=grace, agent=agent
    )
    return run(
        plan,
        places.socket,
        places.database,
        say=lambda text: typer.echo(printable(f"interlock watch: {text}"), err=True),
    )


def add(app: typer.Typer) -> None:
    app.add_typer(fleet, name="fleet")
    app.command(epilog="Example: interlock watch --prompt 'Fix the tests' -- claude -p {prompt}")(watch)
