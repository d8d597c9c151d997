"""`genesis_enforcement`: the hook that judges by the permissions of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from interlock.events.hook import Handler
from interlock.permissions.hook import GenesisEnforcement
from interlock.policy.format.approvers import Approvers
from interlock.policy.hook_kind import Builtin

if TYPE_CHECKING:
    from interlock.policy.compile.builtin_hooks import EntryContext


class EnforcementConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may say yes where the permissions cannot decide."""

    approvers: Approvers = []


def _make(options: EnforcementConfig, context: EntryContext) -> Handler:
    approvers = context.approvers(options.approvers)
    return GenesisEnforcement(context.bench.own, context.bench.others, approvers)


BUILTIN: Final = Builtin(
    kind="genesis_enforcement",
    about="Judges by the permissions of this file.",
    options=EnforcementConfig,
    make=_make,
    votes=True,
    tightens=True,
)
