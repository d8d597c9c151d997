"""`interlock trust` and `interlock untrust`: a person's word for a project's policy."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.people_only import require_person
from interlock.cli.policy.trust_text import as_document, as_text
from interlock.cli.policy_source import folder as typed_in
from interlock.cli.policy_source import here, trust_list
from interlock.cli.setup.hook_variables import keep_variables
from interlock.errors import InterlockError
from interlock.policy.projects import policy_folders
from interlock.policy.trust import Trust, TrustList, TrustState

Folder = Annotated[
    Path | None,
    typer.Argument(
        help="The folder that holds .interlock or .mentu; default: the nearest one, from here upwards.",
        show_default=False,
    ),
]


def trust(
    folder: Folder = None,
    show: Annotated[bool, typer.Option("--show", help="Only show what would be trusted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Let the policy of a project run.

    It shows what the policy would run and what changed, and asks first.

    A change of one byte, in a policy file or in a script it names, makes it wait for the next confirmation.
    """
    if not show:
        require_person("trust", passphrase=True)
    trusted = trust_list(here())
    root = _root(folder, trusted)
    state = trusted.state_of(root)
    record, policy = trusted.propose(root, os.environ)
    document = as_document(state, record, policy)
    if not as_json:
        typer.echo(as_text(state, record, policy))
    if show:
        return _said(document, state, as_json=as_json)
    if state.status is not Trust.TRUSTED:
        if not (yes or _confirmed()):
            typer.echo("nothing was changed", err=True)
            return 1
        # Exactly what was shown: the files are not read a second time.
        trusted.store.write(record)
        keep_variables(quiet=as_json)
        state = trusted.state_of(root)
    return _said(document, state, as_json=as_json)


def untrust(
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Stop using the policy of a project."""
    require_person("untrust", passphrase=True)
    trusted = trust_list(here())
    root = _root(folder, trusted)
    known = trusted.untrust(root)
    if as_json:
        print_json({"root": root, "untrusted": known})
    else:
        typer.echo(printable(f"{root}: {'no longer trusted' if known else 'was not trusted'}"))
    return 0


def _root(named: Path | None, trusted: TrustList) -> str:
    where = os.path.realpath(named or typed_in())
    if named is not None:
        # A person who names the policy's own folder means the project around it.
        return os.path.dirname(where) if os.path.basename(where) in {".interlock", ".mentu"} else where
    found = policy_folders(where, trusted.store.roots())
    if not found:
        raise InterlockError(f"there is no policy in `{where}` or above; name the project's folder")
    return found[-1]


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise InterlockError(
            "nobody can confirm this here; review it with `interlock trust --show`, then add --yes"
        )
    return typer.confirm("Use this policy from now on?", err=True)


def _said(document: dict[str, Any], state: TrustState, *, as_json: bool) -> int:
    if as_json:
        print_json({**document, "state": state.status})
    elif state.status is Trust.TRUSTED:
        typer.echo(printable(f"{state.root} is trusted in its current form"))
    return 0
