"""`interlock commitment list`, `show` and `tree`: how everything stands."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from interlock.cli.agent_request import Json, answered, place
from interlock.errors import InterlockError
from interlock.features.commitments.cli_text import branches, details, table
from interlock.features.commitments.records import Status
from interlock.policy.files.suggest import hint

commitment = typer.Typer(help="See what is owed and how it stands.", no_args_is_help=True)

_STATES: Final = tuple(str(one) for one in Status)


@commitment.command("list", epilog="Example: interlock commitment list --state open")
def list_(
    state: Annotated[str | None, typer.Option(help=f"Only in this state: {', '.join(_STATES)}.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only of this owner.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    as_json: Json = False,
) -> int:
    """Print the commitments of this project, the oldest first."""
    if state is not None and state not in _STATES:
        raise InterlockError(f"unknown state `{state}`; {hint(state, _STATES)}")

    def say(found: dict[str, Any]) -> str:
        return "\n".join(table(found["commitments"])) if found["commitments"] else "no commitments"

    wanted = {"state": state, "owner": owner, "tag": tag}
    return answered("commitments.list", {**place(), **wanted}, say, as_json=as_json)


@commitment.command(epilog="Example: interlock commitment show cmt_1a2b3c4d")
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="A commitment, memory or publication.")],
    as_json: Json = False,
) -> int:
    """Print one record with everything tied to it."""
    return answered(
        "commitments.show",
        {**place(), "id": name},
        lambda found: "\n".join(details(found)),
        as_json=as_json,
    )


@commitment.command(epilog="Example: interlock commitment tree")
def tree(
    name: Annotated[str | None, typer.Argument(metavar="ID", help="Begin here.", show_default=False)] = None,
    as_json: Json = False,
) -> int:
    """Draw memories, the commitments made from them, and their evidence, as a tree."""

    def say(found: dict[str, Any]) -> str:
        return "\n".join(branches(found["tree"])) or "nothing was captured here yet"

    return answered("commitments.tree", {**place(), "id": name}, say, as_json=as_json)
