"""How recording hooks are written in a policy, and the handlers they stand for."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from interlock.effects.classification.book import NO_BOOK, CallBook
from interlock.effects.classification.classes import Repeat, RunScope
from interlock.events.hook import Handler
from interlock.features.receipts.hook import CheckBashSideEffects, RecordToolUse
from interlock.features.receipts.settings import TOOL_POLICIES
from interlock.policy.compile.context import Bench


class RecordConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of a call that was made before, and within what."""

    repeat: Annotated[
        Repeat,
        Meta(description="Said of an exact repeat of a call that succeeded or whose end is not known."),
    ] = Repeat.ALLOW
    scope: Annotated[
        RunScope, Meta(description="Where a call counts as made before: in its session, or in its project.")
    ] = RunScope.SESSION


class NothingToChoose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hook that is as it is."""


def recording_handler(chosen: RecordConfig | None, bench: Bench) -> Handler:
    """The handler of `record_tool_use`, or without a choice that of `check_bash_side_effects`."""
    book, classifier = bench.services.find(CallBook) or NO_BOOK, TOOL_POLICIES.of(bench).classifier()
    if chosen is None:
        return CheckBashSideEffects(book=book, classifier=classifier)
    return RecordToolUse(book=book, classifier=classifier, repeat=chosen.repeat, scope=chosen.scope)
