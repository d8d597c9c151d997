"""The hooks of one policy revision, sorted by the moment they are bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interlock.events.decision import TraceRow
from interlock.events.event import Event
from interlock.events.hook import Dialect, Hook, Layer
from interlock.events.tool import ToolTable
from interlock.events.verdict import Outcome, Vote
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import Everything


class BoundHook:
    """A hook with all that can be known about it before any event comes."""

    __slots__ = (
        "condition", "fires", "hook", "judges", "judges_carried", "key", "labelled", "rejudges", "runs_once",
        "silent", "skipped", "texts",
    )  # fmt: skip

    def __init__(self, hook: Hook) -> None:
        self.hook: Final = hook
        self.key: Final = hook.key if hook.once else ""
        self.judges: Final = hook.handler.judges and not hook.observe
        self.rejudges: Final = self.judges and hook.rejudge and not hook.shadow
        # Programs and webhooks of `hooks.toml` may do more than judge, and expect to run once for a call.
        self.judges_carried: Final = bool(getattr(hook.handler, "judges_carried", False))
        self.runs_once: Final = hook.once or hook.dialect is Dialect.HOOKS_TOML
        texts = frozenset(pattern.text for pattern in hook.matcher.patterns)
        self.texts: Final = texts if hook.matcher.by_patterns_alone else None
        self.skipped: Final = _skipped(hook)
        matcher: object = hook.matcher
        # None: always, as most hooks without patterns do.
        self.fires: Final = None if isinstance(matcher, Everything) else hook.matcher.fires
        self.condition: Final = hook.condition
        self.silent: Final = hook.shadow or hook.observe  # neither votes nor, in a shadow, is heard
        self.labelled: Final = hook.source.layer > Layer.USER  # its words are a project's


class HookGroup:
    """Hooks that follow one another and are found by their patterns alone, or one that is not."""

    __slots__ = ("bound", "skipped", "texts")

    def __init__(self, bound: Sequence[BoundHook]) -> None:
        self.bound: Final = tuple(bound)
        texts = [one.texts for one in bound if one.texts is not None]
        # All their patterns: where none of them hits, no hook of the group applies.
        self.texts: Final = frozenset().union(*texts) if len(texts) == len(bound) else None
        self.skipped: Final = tuple(one.skipped for one in bound if not one.hook.quiet)


def _groups(bound: Sequence[BoundHook]) -> tuple[HookGroup, ...]:
    found: list[list[BoundHook]] = []
    for one in bound:
        if found and one.texts is not None and found[-1][-1].texts is not None:
            found[-1].append(one)
        else:
            found.append([one])
    return tuple(map(HookGroup, found))


def _skipped(hook: Hook) -> TraceRow:
    """The row of a hook that did not apply; one that ran differs only in what it said."""
    return TraceRow(
        hook=hook.name,
        type=hook.handler.kind,
        matcher=hook.matcher.text,
        source=str(hook.source),
        vote=Vote.ABSTAIN,
        outcome=Outcome.SKIPPED,
        shadow=hook.shadow,
    )


class Pipeline:
    """One loaded policy; an event is decided under exactly one of them."""

    def __init__(self, hooks: Sequence[Hook], name: str, tools: ToolTable) -> None:
        self.name: Final = name
        self.hooks: Final = tuple(hooks)
        matched = [pattern for hook in hooks for pattern in hook.matcher.patterns]
        asked = [pattern for hook in hooks for pattern in hook.handler.patterns]
        self.book: Final = PatternIndex([*matched, *asked], tools)
        self._bound: Final[dict[str, list[BoundHook]]] = {}
        for hook in hooks:
            for event in dict.fromkeys(hook.events):
                self._bound.setdefault(event, []).append(BoundHook(hook))
        # The same hooks, with those together that can be passed over at once.
        self.groups: Final = {event: _groups(bound) for event, bound in self._bound.items()}
        # The moments at which some hook does not answer at once.
        self.waiting: Final = frozenset(
            event for hook in hooks if not hook.handler.instant for event in hook.events
        )

    def bound_to(self, event_name: str) -> Sequence[BoundHook]:
        """The hooks for a moment, in the order they run."""
        return self._bound.get(event_name, ())

    def view(self, event: Event) -> LocalCallView:
        """The event as these hooks see it."""
        return LocalCallView(event, self.book)
