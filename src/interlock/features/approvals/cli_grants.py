"""`interlock grants`: the standing answers, and taking them back."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.people_only import require_person
from interlock.features.approvals.cli_text import grants_table

grants = typer.Typer(help="See and take back standing approvals.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON, one grant a line.")]


@grants.callback()
def for_people() -> None:
    """See and take back standing approvals."""
    require_person("grants")


@grants.command("list", epilog="Example: interlock grants list --all")
def list_grants(
    everything: Annotated[bool, typer.Option("--all", help="Also those that are over.")] = False,
    as_json: Json = False,
) -> int:
    """Print the grants in force, the oldest first."""
    found = ask_daemon("grants.list", {"all": everything})
    if as_json:
        for row in found["grants"]:
            print_json(row)
    elif found["grants"]:
        typer.echo("\n".join(grants_table(found["grants"], found["now"])))
    else:
        typer.echo("nothing is granted")
    return 0


@grants.command(epilog="Example: interlock grants revoke gr_3")
def revoke(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Grants, as in gr_3.")],
    as_json: Json = False,
) -> int:
    """Take grants back; from now on the same calls are asked about again."""
    results = ask_daemon("grants.revoke", {"ids": ids}, as_person=True)["results"]
    for one in results:
        if as_json:
            print_json(one)
        elif "error" in one:
            typer.echo(printable(f"interlock: {one['error']}"), err=True)
        else:
            typer.echo(printable(f"{one['id']} is revoked by {one['by']}"))
    return 1 if any("error" in one for one in results) else 0
