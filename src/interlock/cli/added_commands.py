"""Commands and checks of features from other distributions, once a managed or user policy names them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import typer

from interlock.cli.output import printable
from interlock.cli.policy_source import here
from interlock.errors import InterlockError, PluginError
from interlock.feature import Feature, added_features
from interlock.hosts.host import Check, fail, ok
from interlock.policy.extensions import use_features_of


def add_features_here() -> None:
    """Use the features that the managed and the user policy of this machine name."""
    with suppress(InterlockError):  # the current folder is gone: a command that needs it says so
        use_features_of(path for layer, path in here().layers if layer.trusted)


def add_commands(app: typer.Typer) -> None:
    """Add their commands. A broken feature stops no other command, and no feature replaces a command."""
    add_features_here()
    for feature in added_features():
        try:
            own = _commands_of(feature)
        except PluginError as error:
            typer.echo(printable(f"note: {error}"), err=True)
            continue
        taken = {one.name for one in app.registered_commands} | {one.name for one in app.registered_groups}
        app.registered_commands += [one for one in own.registered_commands if one.name not in taken]
        app.registered_groups += [one for one in own.registered_groups if one.name not in taken]


def check_features() -> Iterator[Check]:
    """Check that all parts of every named feature can be loaded."""
    for feature in added_features():
        try:
            _commands_of(feature)
            for address in feature.addresses:
                feature.load(address)
        except PluginError as error:
            yield fail("feature", str(error), "correct it, or remove it from `settings.features`")
        else:
            yield ok("feature", f"{feature.name} of {feature.distribution}")


def _commands_of(feature: Feature) -> typer.Typer:
    own = typer.Typer()
    if feature.commands is not None:
        feature.call(feature.commands, own)
    return own
