"""What is about to be trusted, for people and for scripts."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from interlock.cli.output import columns, printable
from interlock.events.hook import Hook
from interlock.handlers.command import CommandHandler
from interlock.handlers.webhook import WebhookHandler
from interlock.policy.hook_variables import names_used
from interlock.policy.named_files import unfollowed
from interlock.policy.policy import Policy
from interlock.policy.trust import TrustRecord, TrustState


def as_document(state: TrustState, record: TrustRecord, policy: Policy) -> dict[str, Any]:
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


def as_text(state: TrustState, record: TrustRecord, policy: Policy) -> str:
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
    return list(dict.fromkeys(word for command in commands for word in unfollowed(command)))


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
