"""`interlock trust` and `interlock untrust`: a person's word for a project's policy."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from interlock.cli.output import columns, print_json, printable
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import folder as typed_in
from interlock.cli.policy_source import here, trust_list
from interlock.cli.setup.hook_variables import keep_variables
from interlock.errors import InterlockError
from interlock.events.hook import Hook
from interlock.handlers.command import CommandHandler
from interlock.handlers.webhook import WebhookHandler
from interlock.policy.hook_variables import names_used
from interlock.policy.locations import policy_folders
from interlock.policy.named_files import dynamic_words
from interlock.policy.policy import Policy
from interlock.policy.trust import Trust, TrustList, TrustRecord, TrustState


def trust_document(state: TrustState, record: TrustRecord, policy: Policy) -> dict[str, Any]:
    """The proposal as JSON values."""
    return {
        "root": record.root,
        "state": state.status,
        "files": dict(_files(record)),
        "programs": dict(_programs(record)),
        "runs": [{"type": kind, "runs": text, "source": source} for kind, text, source in _runs(policy)],
        "variables": list(names_used(policy.hooks)),
        "unfollowed": _unfollowed(policy),
        "changes": list(state.changes),
        "diff": "\n".join(_diff(state.record, record)),
    }


def trust_text(state: TrustState, record: TrustRecord, policy: Policy) -> str:
    """The proposal: every file with its digest, everything that would run, and what is different."""
    runs = columns(list(_runs(policy)))
    lines = [
        printable(f"{record.root}: {state.status}"),
        *_part("files", columns([(name, f"sha256:{digest}") for name, digest in _files(record)])),
        *_part("programs", columns(list(_programs(record)))),
        *_part("would run", runs),
        *_part("variables its hooks would get", list(names_used(policy.hooks))),
        *_part("known only when it runs", [printable(word) for word in _unfollowed(policy)]),
        *_part("since it was trusted", [printable(change) for change in state.changes]),
        *(printable(line) for line in _diff(state.record, record)),
    ]
    if not runs:
        lines.append(f"runs no programs: {len(policy.hooks)} rules that only judge or change calls")
    return "\n".join(lines)


def _part(title: str, lines: list[str]) -> list[str]:
    return [f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _files(record: TrustRecord) -> Iterator[tuple[str, str]]:
    yield from ((file.name, file.digest) for file in record.files)
    # By the path it leads to: several words may name one file.
    found = {one.path: one.digest for one in record.named if one.path and one.digest}
    yield from ((path.removeprefix(f"{record.root}/"), digest) for path, digest in found.items())


def _programs(record: TrustRecord) -> Iterator[tuple[str, str]]:
    yield from ((one.word, one.path) for one in record.named if one.path and not one.digest)


def _runs(policy: Policy) -> Iterator[tuple[str, str, str]]:
    for hook in policy.hooks:
        text = _run_text(hook)
        if text is not None:
            yield hook.handler.kind, text, str(hook.source)


def _run_text(hook: Hook) -> str | None:
    match hook.handler:
        case CommandHandler(command=command):
            return command
        case WebhookHandler(url=url, method=method):
            return f"{method} {url}"
    return None


def _unfollowed(policy: Policy) -> list[str]:
    commands = [hook.handler.command for hook in policy.hooks if isinstance(hook.handler, CommandHandler)]
    return list(dict.fromkeys(word for command in commands for word in dynamic_words(command)))


def _diff(before: TrustRecord | None, after: TrustRecord) -> Iterator[str]:
    """Every change of content since the last time, as a unified diff."""
    if before is None:
        return
    old, new = dict(_contents(before)), dict(_contents(after))
    for name in dict.fromkeys((*old, *new)):
        titles = (f"trusted/{name}", f"now/{name}")
        yield from difflib.unified_diff(_lines(old.get(name)), _lines(new.get(name)), *titles, lineterm="")


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "backslashreplace").split("\n")


def _contents(record: TrustRecord) -> Iterator[tuple[str, bytes]]:
    yield from ((file.name, file.content) for file in record.files)
    for one in record.named:
        if one.path and one.content is not None:
            yield one.path.removeprefix(f"{record.root}/"), one.content


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

    If a policy file, or a script that it names, changes by even one byte, you must confirm it again.
    """
    if not show:
        require_person("trust", passphrase=True)
    trusted = trust_list(here())
    root = _root(folder, trusted)
    state = trusted.state_of(root)
    record, policy = trusted.propose(root, os.environ)
    document = trust_document(state, record, policy)
    if not as_json:
        typer.echo(trust_text(state, record, policy))
    if show:
        return _print_state(document, state, as_json=as_json)
    if state.status is not Trust.TRUSTED:
        if not (yes or _confirmed()):
            typer.echo("nothing was changed", err=True)
            return 1
        # Exactly what was shown: the files are not read a second time.
        trusted.store.write(record)
        keep_variables(quiet=as_json)
        state = trusted.state_of(root)
    return _print_state(document, state, as_json=as_json)


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


def _print_state(document: dict[str, Any], state: TrustState, *, as_json: bool) -> int:
    if as_json:
        print_json({**document, "state": state.status})
    elif state.status is Trust.TRUSTED:
        typer.echo(printable(f"{state.root} is trusted in its current form"))
    return 0
