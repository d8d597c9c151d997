"""`record_tool_use` and `check_bash_side_effects`: record calls before they run, and how they ended."""

from __future__ import annotations

import os.path
from typing import Annotated, Any, Final, final

import msgspec

from interlock.effects.classification.book import NO_BOOK, CallBook, CallNote, Earlier
from interlock.effects.classification.classify import (
    Classifier,
    Repeat,
    Replay,
    RunScope,
    is_shell,
    unread_programs,
)
from interlock.effects.effect import Effect, EffectKind
from interlock.events.hook import CallView, Handler, Hook
from interlock.events.names import EventName, snake_case
from interlock.events.rule import Rule
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin

# Both ends of a call: a hook that sees only one would leave every call open. A host that denies a call
# after us ends it too.
ENDS: Final = (
    EventName.PRE_TOOL_USE,
    EventName.POST_TOOL_USE,
    EventName.POST_TOOL_USE_FAILURE,
    EventName.PERMISSION_DENIED,
)


class Recording(Rule):
    """Base of the recording hooks; as a `Rule`, it runs again if the input changes after it."""

    def __init__(
        self,
        *,
        book: CallBook = NO_BOOK,
        classifier: Classifier | None = None,
        repeat: Repeat = Repeat.ALLOW,
        scope: RunScope = RunScope.SESSION,
    ) -> None:
        self._book: Final = book
        self._classifier: Final = classifier or Classifier()
        self._repeat: Final = repeat
        self._scope: Final = scope

    def _note(self, view: CallView, tool: ToolCall, effects: JsonObject | None = None) -> CallNote:
        return CallNote(
            event=view.event,
            call=self._classifier.classify(tool, view),
            scope=self._scope,
            repeat=self._repeat,
            effects=effects or {},
        )


_MOST: Final = 50  # targets of one kind
_NOWHERE: Final = frozenset({"", "*"})


def side_effects(view: CallView) -> JsonObject:
    """The targets by kind of effect, in the order of the text, and what could not be read."""
    targets_by_kind: dict[str, dict[str, None]] = {}
    for effect in view.effects:
        word = _classify(effect)
        if word is not None:
            targets_by_kind.setdefault(word, {})[_target(effect, view.event.cwd)] = None
    unknown = unread_programs(view)
    if unknown and view.unread is None:
        targets_by_kind["unknown"] = dict.fromkeys(unknown)
    data: JsonObject = {word: list(targets)[:_MOST] for word, targets in targets_by_kind.items()}
    if view.unread is not None:
        data["unread"] = view.unread
    return data


def _target(effect: Effect, cwd: str) -> str:
    """The target as seen from the call's folder: `touch rel` after `cd docs` is `docs/rel`."""
    target = effect.target
    if target in _NOWHERE:
        return "?"
    if effect.kind is EffectKind.NETWORK or target.startswith(("/", "~")) or not effect.base:
        return target
    path = os.path.normpath(f"{effect.base}/{target}")
    inside = path.startswith(f"{cwd.rstrip('/')}/")
    return os.path.relpath(path, cwd) if inside else path


def _classify(effect: Effect) -> str | None:
    if effect.kind is EffectKind.WRITE:
        return "creates" if _is_new(effect) else "writes"
    if effect.kind is EffectKind.DELETE:
        return "deletes"
    return "network" if effect.kind is EffectKind.NETWORK else None


def _is_new(effect: Effect) -> bool:
    """Whether the target does not exist yet; an unknown target may be anything."""
    if not effect.known or effect.target in _NOWHERE:
        return False
    path = os.path.expanduser(effect.target)
    if not os.path.isabs(path) and effect.base is None:
        return False
    return not os.path.lexists(os.path.join(effect.base or "/", path))


DETECTED: Final = "Idempotent tool call detected."
_VOTES: Final = {Repeat.DENY: Vote.DENY, Repeat.ASK: Vote.ASK}


@final
class RecordToolUse(Recording):
    """Records both ends of a call; a repeat is denied or asked about if the policy says so."""

    kind: Final = "record_tool_use"

    def fingerprint(self) -> Any:
        return [str(self._repeat), str(self._scope)]

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.tool is None:
            return NO_OPINION
        if event.name != EventName.PRE_TOOL_USE:
            self._book.close(self._note(view, event.tool))
            return NO_OPINION
        effects = side_effects(view) if is_shell(event.tool.name) else {}
        note = self._note(view, event.tool, effects)
        earlier, call = self._book.prepare(note), note.call
        source = f"{call.matched} {call.rule}".strip()
        data = {"side_effect": str(call.effect), "replay": str(call.replay), "told_by": source}
        evidence = Evidence(kind="tool_call", data=data, ledger=False)
        if earlier is None or call.replay is not Replay.EXACT or self._repeat is Repeat.ALLOW:
            return Verdict(evidence=evidence)
        return Verdict(vote=_VOTES[self._repeat], reason=_describe_repeat(earlier), evidence=evidence)


def _describe_repeat(earlier: Earlier) -> str:
    when = f" at {earlier.at}" if earlier.at else ""
    if earlier.status == "succeeded":
        receipt = f" Its receipt: {earlier.receipt}" if earlier.receipt else ""
        return f"{DETECTED} This exact call succeeded{when} ({earlier.name}).{receipt}"
    if not earlier.name:
        return f"{DETECTED} The same call is being decided right now; wait until it ends."
    return (
        f"{DETECTED} This exact call started{when} ({earlier.name}) and its end is not known: it may have "
        "happened. Check whether it took effect; a person can settle it with `interlock receipts resolve "
        f"{earlier.name} --succeeded`, `--failed` or `--retry`."
    )


@final
class CheckBashSideEffects(Recording):
    """Records shell commands that change something; it ignores all other calls."""

    kind: Final = "check_bash_side_effects"

    def fingerprint(self) -> Any:
        return str(self._scope)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.tool is None or not is_shell(event.tool.name):
            return NO_OPINION
        effects = side_effects(view)
        if not effects:
            return NO_OPINION
        note = self._note(view, event.tool, effects)
        if event.name != EventName.PRE_TOOL_USE:
            self._book.close(note)
            return NO_OPINION
        self._book.prepare(note)
        data = {**effects, "side_effect": str(note.call.effect)}
        return Verdict(evidence=Evidence(kind="side_effects", data=data, ledger=False))


class RecordConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens to repeated calls."""

    repeat: Annotated[
        Repeat, about("What happens to an exact repeat of a call that succeeded or whose end is not known.")
    ] = Repeat.ALLOW
    scope: Annotated[
        RunScope, about("Where a call counts as repeated: in its session, or in its project.")
    ] = RunScope.SESSION


class NoOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hook without options."""


def _make_record(options: RecordConfig, context: BuildContext) -> Handler | None:
    if (book := _find_book(context)) is None:
        return None
    classifier = context.classifier()
    return RecordToolUse(book=book, classifier=classifier, repeat=options.repeat, scope=options.scope)


def _make_check(_options: NoOptions, context: BuildContext) -> Handler | None:
    book = _find_book(context)
    return None if book is None else CheckBashSideEffects(book=book, classifier=context.classifier())


def _find_book(context: BuildContext) -> CallBook | None:
    """Where the hook records; None if it is written at an event that is no end of a call."""
    if context.event in ENDS:
        return context.services.find(CallBook) or NO_BOOK
    written = snake_case(context.event)
    context.misplaced(f"a call neither starts nor ends at `{written}`; move it to `pre_tool_use`", "type")
    return None


def _finish(hook: Hook, _options: msgspec.Struct, _context: BuildContext) -> Hook:
    """Bind the hook to both ends of a call, whichever of them the policy names."""
    return msgspec.structs.replace(hook, events=ENDS)


RECORD_TOOL_USE: Final = Builtin(
    kind="record_tool_use",
    about="Records calls before they run, and how they ended.",
    options=RecordConfig,
    make=_make_record,
    tightens=True,
    finish=_finish,
)
CHECK_BASH_SIDE_EFFECTS: Final = Builtin(
    kind="check_bash_side_effects",
    about="Records what shell commands would create, write and delete.",
    options=NoOptions,
    make=_make_check,
    tightens=True,
    finish=_finish,
)
