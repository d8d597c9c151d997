"""The hooks of one policy revision, sorted by the moment they are bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interlock.events.decision import TraceRow
from interlock.events.event import Event
from interlock.events.hook import Dialect, Hook
from interlock.events.source import Layer
from interlock.events.tool import ToolTable
from interlock.events.verdict import Outcome, Vote
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import Everything


class Bound:
    """A hook with all that can be known about it before any event comes."""

    __slots__ = (
        "asks", "carried", "condition", "fires", "hook", "judges", "key", "labelled", "quiet", "rejudges",
        "runs_once", "silent", "skipped", "texts", "unbound",
    )  # fmt: skip

    def __init__(self, hook: Hook) -> None:
        self.hook: Final = hook
        self.key: Final = hook.key if hook.once else ""
        self.judges: Final = hook.handler.judges and not hook.observe
        self.rejudges: Final = self.judges and hook.rejudge and not hook.shadow
        # Programs and webhooks of `hooks.toml` may do more than judge, and expect to run once for a call.
        self.carried: Final = bool(getattr(hook.handler, "judges_carried", False))
        self.runs_once: Final = hook.once or hook.dialect is Dialect.HOOKS_TOML
        texts = frozenset(pattern.text for pattern in hook.matcher.patterns)
        self.texts: Final = texts if hook.matcher.by_patterns_alone else None
        # Whether it looks for patterns before anything else: by its matcher, or as a rule that is its own.
        matcher: object = hook.matcher
        own = matcher is hook.handler and bool(hook.handler.patterns)
        self.asks: Final = self.texts is not None or own
        self.skipped: Final = _skipped(hook)
        # None: always, as most hooks without patterns do.
        self.fires: Final = None if isinstance(matcher, Everything) else hook.matcher.fires
        self.condition: Final = hook.condition
        # Whether its matcher alone says that it applies.
        self.unbound: Final = self.texts is None and hook.condition is None and not self.key
        self.quiet: Final = hook.quiet
        self.silent: Final = hook.shadow or hook.observe  # neither votes nor, in a shadow, is heard
        self.labelled: Final = hook.source.layer > Layer.USER  # its words are a project's


class Group:
    """Hooks that follow one another and are found by their patterns alone, or one that is not."""

    __slots__ = ("bound", "skipped", "texts")

    def __init__(self, bound: Sequence[Bound]) -> None:
        self.bound: Final = tuple(bound)
        # All their patterns: where none of them hits, no hook of the group applies.
        self.texts: Final = _all_texts(bound)
        self.skipped: Final = tuple(one.skipped for one in bound if not one.hook.quiet)


def _all_texts(bound: Sequence[Bound]) -> frozenset[str] | None:
    texts = [one.texts for one in bound if one.texts is not None]
    return frozenset().union(*texts) if len(texts) == len(bound) else None


def _groups(bound: Sequence[Bound]) -> tuple[Group, ...]:
    found: list[list[Bound]] = []
    for one in bound:
        if found and one.texts is not None and found[-1][-1].texts is not None:
            found[-1].append(one)
        else:
            found.append([one])
    return tuple(map(Group, found))


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


class Revision:
    """One loaded policy; an event is decided under exactly one of them."""

    def __init__(self, hooks: Sequence[Hook], name: str, tools: ToolTable) -> None:
        self.name: Final = name
        self.hooks: Final = tuple(hooks)
        matched = [pattern for hook in hooks for pattern in hook.matcher.patterns]
        asked = [pattern for hook in hooks for pattern in hook.handler.patterns]
        self.book: Final = PatternIndex([*matched, *asked], tools)
        self._bound: Final[dict[str, list[Bound]]] = {}
        for hook in hooks:
            for event in dict.fromkeys(hook.events):
                self._bound.setdefault(event, []).append(Bound(hook))
        self._groups: Final = {event: _groups(bound) for event, bound in self._bound.items()}
        # The moments at which some hook does not answer at once.
        self.waiting: Final = frozenset(
            event for hook in hooks if not hook.handler.instant for event in hook.events
        )
        # Those at which all do, and the first asks at once which patterns hit.
        self.asking: Final = (
            frozenset(event for event, bound in self._bound.items() if bound[0].asks) - self.waiting
        )

    def bound_to(self, event_name: str) -> Sequence[Bound]:
        """The hooks for a moment, in the order they run."""
        return self._bound.get(event_name, ())

    def groups(self, event_name: str) -> Sequence[Group]:
        """The same hooks, with those together that can be passed over at once."""
        return self._groups.get(event_name, ())

    def view(self, event: Event) -> LocalCallView:
        """The event as this revision's hooks see it."""
        return LocalCallView(event, self.book)
