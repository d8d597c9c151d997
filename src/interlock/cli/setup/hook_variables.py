"""The variables of a person's shell that hooks may have: kept when that person sets things up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

import typer

from interlock.cli.output import printable
from interlock.cli.people_only import standing_here
from interlock.cli.policy_source import here, trust_list
from interlock.daemon.caller_kind import Kind
from interlock.daemon.paths import places_of
from interlock.errors import ConfigError, InterlockError
from interlock.events.hook import Hook, Layer, Source
from interlock.hosts.host import Check, fail, ok, warn
from interlock.policy.hook_variables import (
    FILE,
    names_used,
    read_hook_environment,
    save_hook_environment,
)
from interlock.policy.load import load_policy
from interlock.policy.trust import accepted_files

RENEW = "interlock daemon start"


def keep_variables(*, quiet: bool = False) -> None:
    """Keep what the hooks of managed, user and trusted project policies ask for, when a person is here."""
    places = places_of(here())
    if standing_here(os.environ, places).kind is not Kind.PERSON:
        return
    try:
        wanted = _wanted()
    except (ConfigError, InterlockError):  # a policy with mistakes: whoever looks at it says so
        return
    missing = save_hook_environment(places.state / FILE, wanted, os.environ)
    if not quiet:
        for name in missing:
            typer.echo(printable(f"note: {wanted[name]}: {missing_text(name)}"), err=True)


def missing_text(name: str) -> str:
    """What is said of a variable that nobody has given."""
    return (
        f"this hook needs the variable `{name}`, which is not set; set it and run `{RENEW}` in the same shell"
    )


def missing_variables(hooks: Iterable[Hook]) -> dict[str, Source]:
    """Those of the hooks' variables that the daemon would not have, by what is kept and set now."""
    try:
        kept: Mapping[str, str] = read_hook_environment(here().state / FILE)
    except InterlockError:
        kept = {}
    return {
        name: source
        for name, source in names_used(hooks).items()
        if name not in kept and not os.environ.get(name)
    }


def check_variables() -> Iterator[Check]:
    """The daemon has every variable that a hook asks for."""
    try:
        kept = read_hook_environment(here().state / FILE)
    except InterlockError as error:
        yield fail("variables", str(error), RENEW)
        return
    try:
        wanted = _wanted()
    except (ConfigError, InterlockError):  # the check of the policy says so
        return
    lacking = [name for name in wanted if name not in kept]
    for name in lacking:
        set_it = "" if os.environ.get(name) else f"export {name}=VALUE; "
        detail = f"the hook at {wanted[name]} needs `{name}`, and the daemon does not have it"
        yield warn("variables", detail, f"{set_it}{RENEW}")
    if wanted and not lacking:
        yield ok("variables", ", ".join(wanted))


def _wanted() -> dict[str, Source]:
    files = [file for file in here().policies() if file[0] <= Layer.USER]
    found = names_used(load_policy(files, environ=os.environ).hooks)
    store = trust_list(here()).store
    for record in filter(None, map(store.read, store.roots())):
        # Also where the files differ now: once they are again what was trusted, the hooks need the values.
        policy = load_policy(accepted_files(record), environ=os.environ)
        for name, source in names_used(policy.hooks).items():
            found.setdefault(name, source)
    return found
