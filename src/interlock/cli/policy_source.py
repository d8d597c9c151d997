"""Where a command is typed, and the policy it is about."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import typer

from interlock.cli.output import printable
from interlock.errors import InterlockError
from interlock.events.hook import Layer
from interlock.hosts.launching import locate_installed
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy
from interlock.policy.locations import Locations, layer_of, locate
from interlock.policy.policy import Policy
from interlock.policy.trust import FOLDER, TrustList, policy_paths, project_files

CONFIG_HELP = (
    "Also load this policy file; may be repeated. Its folder decides its layer, or write `LAYER:FILE` "
    "(managed, user, project, session)."
)
ISOLATED_HELP = "Load only the files named by --config."


def folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise InterlockError("the current folder no longer exists; change to another one") from error


def here() -> Locations:
    """The places of this user and folder."""
    return locate_installed(os.environ, home=Path.home(), cwd=folder(), uid=os.getuid())


def by_rule() -> Locations:
    """The same, but with the socket where this version would install it."""
    return locate(os.environ, home=Path.home(), cwd=folder(), uid=os.getuid())


def load(config: Sequence[str], *, isolated: bool = False, notes: bool = False) -> Policy:
    """Load managed, user and trusted project policies and the named files; with `notes` print what is odd."""
    policy = load_policy(policy_sources(config, isolated=isolated), environ=os.environ)
    for notice in policy.notices if notes else ():
        typer.echo(printable(f"note: {notice}"), err=True)
    return policy


def policy_sources(config: Sequence[str], *, isolated: bool = False) -> list[tuple[Layer, Path | PolicyText]]:
    """The files to load: managed, the user's, the trusted projects' and those that were named."""
    named = named_files(config)
    # A file that is named and also inherited is loaded once.
    known = {path.resolve() for _, path in named}
    return [*([] if isolated else _inherited(here(), known)), *named]


def named_files(config: Sequence[str]) -> list[tuple[Layer, Path]]:
    """The files that were named, each with its layer: from its prefix, or else from its place."""
    locations = here()
    return [_parse_source(text, locations) for text in config]


def trust_list(locations: Locations) -> TrustList:
    return TrustList(locations.state / FOLDER)


def _inherited(locations: Locations, known: set[Path]) -> list[tuple[Layer, Path | PolicyText]]:
    own = [file for file in locations.policies() if file[0] <= Layer.USER]
    files: list[tuple[Layer, Path | PolicyText]] = [file for file in own if file[1].resolve() not in known]
    for state in trust_list(locations).states_above(os.path.realpath(folder())):
        # Somebody who names a project's file on the command line knows that it waits for trust.
        if state.notice and known.isdisjoint(map(Path, policy_paths(state.root))):
            typer.echo(printable(f"note: {state.notice}"), err=True)
        files += [file for file in project_files(state) if file[1].shown not in known]
    return files


def _parse_source(text: str, locations: Locations) -> tuple[Layer, Path]:
    prefix, colon, rest = text.partition(":")
    if colon and prefix.upper() in Layer.__members__:
        return Layer[prefix.upper()], Path(rest)
    path = Path(text)
    if not path.exists():
        raise InterlockError(f"there is no policy file `{text}`; check the path")
    # A link counts by its own place and by its target: either makes it a project's file.
    return max(layer_of(path.absolute(), locations), layer_of(path.resolve(), locations)), path
