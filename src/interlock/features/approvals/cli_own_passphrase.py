"""`interlock passphrase`: a passphrase of one person's own, where several use one login."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.json_output import print_json
from interlock.cli.passphrase import set_passphrase
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError


def passphrase(
    person: Annotated[str, typer.Argument(metavar="PERSON", help="You, as in human:rashid.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Set your own passphrase: from then on it says who you are when you answer agents.

    You stand in `settings.people` with the login you use here. The old one is asked for first.
    """
    require_person("passphrase", terminal=True)
    people = ask_daemon("person.people")["people"]
    if person not in people:
        known = " or ".join(people) or "nobody"
        raise InterlockError(
            f"`{person}` does not use this login by `settings.people` ({known} does); add the login there"
        )
    set_passphrase(places_of(here()).state, person)
    if as_json:
        print_json({"person": person, "passphrase": True})
    else:
        typer.echo(f"{person} has a passphrase")
    return 0
