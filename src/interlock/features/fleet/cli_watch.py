"""`interlock watch -- COMMAND`: an agent that ended, crashed or ran out of room is started again."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.output import printable
from interlock.cli.policy_source import here
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError


def watch(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND...", help="What starts the agent; `{prompt}` is where its prompt goes."
        ),
    ] = None,
    prompt: Annotated[str | None, typer.Option(help="What the first run is asked to do.")] = None,
    restarts: Annotated[int, typer.Option(min=0, help="At most so many restarts.")] = 20,
    pause: Annotated[
        float,
        typer.Option(min=0, help="Seconds before the first restart of one that ended soon; they double."),
    ] = 1.0,
    grace: Annotated[
        float, typer.Option(min=0, help="Seconds an agent whose window is full has to end by itself.")
    ] = 10.0,
    agent: Annotated[
        str | None, typer.Option(metavar="NAME", help="The agent's name, which its efforts are found by.")
    ] = None,
) -> int:
    """Run an agent, and start it again when it crashed, ended before its effort did, or its window is full.

    The next run gets the restart prompt in place of `{prompt}`, or of the prompt that a command of Claude
    Code has, or as its last word. Leaving the agent yourself, Ctrl-C, and a finished effort end the watch.
    """
    from interlock.features.fleet.child import Runner  # noqa: PLC0415 - only this command starts processes
    from interlock.features.fleet.session_remains import RemainsReader  # noqa: PLC0415 - the store and the ledger, for this command only
    from interlock.features.fleet.watch import Plan  # noqa: PLC0415 - with the two above
    from interlock.features.fleet.watch import watch as go_on  # noqa: PLC0415 - the same

    if not command:
        raise InterlockError("say what to run: `interlock watch -- claude`")
    places = places_of(here())
    start(places)  # before the agent, so that its first session is seen to be below this process
    plan = Plan(command=tuple(command), prompt=prompt, restarts=restarts, pause=pause, agent=agent)
    return go_on(plan, RemainsReader(places.socket, places.database), Runner(grace=grace), _say)


def _say(text: str) -> None:
    typer.echo(printable(f"interlock watch: {text}"), err=True)
