"""What the doctor looks at in hooks: plugins that cannot be used, and hooks that failed of late."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from interlock.cli.ledger import connected
from interlock.cli.output import short
from interlock.cli.policy_source import here
from interlock.errors import StoreError
from interlock.hosts.check import Check, ok, warn
from interlock.policy.compile.hook_catalog import plugin_kinds
from interlock.search.hook_failures import HookFailures, hook_failures
from interlock.store.errors import explain

_SHOWN: Final = 5


def check_plugins() -> Iterator[Check]:
    """Installed plugins can be imported, and their names are their own."""
    for kind in plugin_kinds():
        if kind.problem:
            yield warn("plugin", kind.problem, "a policy that names it does not load")
        else:
            yield ok("plugin", f"{kind.type} of {kind.origin}")


def check_hooks() -> Iterator[Check]:
    """No hook raised or timed out among what the ledger tells of late."""
    if not here().database.exists():
        return
    try:
        with connected() as connection:
            found = hook_failures(connection)
    except StoreError as error:
        yield warn("hooks", str(error), "interlock ledger verify")
        return
    except sqlite3.Error as error:
        yield warn("hooks", f"the ledger cannot be read: {explain(error)}", "interlock ledger verify")
        return
    if not found:
        yield ok("hooks", "all of them answered of late")
    for one in found[:_SHOWN]:
        yield warn("hooks", _told(one), "see its rows in `interlock ledger list`, and mend or switch it off")


def _told(one: HookFailures) -> str:
    times = "once" if one.count == 1 else f"{one.count} times"
    return f"`{one.hook}` ({one.type}) failed {times}, last {one.last}: {short(one.reason)}"
