"""`record_tool_use`: every call is on record before it runs, and closed with what came of it."""

from __future__ import annotations

import os.path
from typing import Annotated, Any, Final, final

import msgspec
from msgspec import Meta

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
from interlock.policy.hook_kind import BuildContext, Builtin

# Both ends of a call: a hook that sees only one of them would leave every call open. A host that turns a
# call down after us ends it, too.
ENDS: Final = (
    EventName.PRE_TOOL_USE,
    EventName.POST_TOOL_USE,
    EventName.POST_TOOL_USE_FAILURE,
    EventName.PERMISSION_DENIED,
)


class Recording(Rule):
    """Base of the hooks that write to the book of calls; they run again when the input changed after them."""

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
            call=self._classifier.of(tool, view),
            scope=self._scope,
            repeat=self._repeat,
            effects=effects or {},
        )


_MOST: Final = 50  # targets of one kind
_NOWHERE: Final = frozenset({"", "*"})


def side_effects(view: CallView) -> JsonObject:
    """By kind, the targets in the order of the text; what could not be read is said."""
    found: dict[str, dict[str, None]] = {}
    for effect in view.effects:
        word = _word(effect)
        if word is not None:
            found.setdefault(word, {})[_place(effect, view.event.cwd)] = None
    unknown = unread_programs(view)
    if unknown and view.unread is None:
        found["unknown"] = dict.fromkeys(unknown)
    data: JsonObject = {word: list(targets)[:_MOST] for word, targets in found.items()}
    if view.unread is not None:
        data["unread"] = view.unread
    return data


def _place(effect: Effect, cwd: str) -> str:
    """The target, seen from where the call is made: `touch rel` behind `cd docs` is `docs/rel`."""
    target = effect.target
    if target in _NOWHERE:
        return "?"
    if effect.kind is EffectKind.NETWORK or target.startswith(("/", "~")) or not effect.base:
        return target
    path = os.path.normpath(f"{effect.base}/{target}")
    inside = path.startswith(f"{cwd.rstrip('/')}/")
    return os.path.relpath(path, cwd) if inside else path


def _word(effect: Effect) -> str | None:
    if effect.kind is EffectKind.WRITE:
        return "creates" if _is_new(effect) else "writes"
    if effect.kind is EffectKind.DELETE:
        return "deletes"
    return "network" if effect.kind is EffectKind.NETWORK else None


def _is_new(effect: Effect) -> bool:
    """Whether nothing is there yet; a target that is not known may be anything."""
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
    """Prepares before a call, closes after it; a repeat is denied or asked about where the policy says so."""

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
        return self._judged(note, self._book.prepare(note))

    def _judged(self, note: CallNote, earlier: Earlier | None) -> Verdict:
        evidence = _intent(note)
        if earlier is None or note.call.replay is not Replay.EXACT or self._repeat is Repeat.ALLOW:
            return Verdict(evidence=evidence)
        return Verdict(vote=_VOTES[self._repeat], reason=_reason(earlier), evidence=evidence)


def _intent(note: CallNote) -> Evidence:
    """What the call was taken for, in the trace of its decision."""
    call = note.call
    told = f"{call.matched} {call.rule}".strip()
    data = {"side_effect": str(call.effect), "replay": str(call.replay), "told_by": told}
    return Evidence(kind="tool_call", data=data, ledger=False)


def _reason(earlier: Earlier) -> str:
    if earlier.status == "succeeded":
        receipt = f" Its receipt: {earlier.receipt}" if earlier.receipt else ""
        when = f" at {earlier.at}" if earlier.at else ""
        return f"{DETECTED} This exact call succeeded{when} ({earlier.name}).{receipt}"
    if not earlier.name:
        return f"{DETECTED} The same call is being decided right now; wait until it ends."
    when = f" at {earlier.at}" if earlier.at else ""
    return (
        f"{DETECTED} This exact call started{when} ({earlier.name}) and its end is not known: it may have "
        "happened. Check whether it took effect; a person can settle it with `interlock receipts resolve "
        f"{earlier.name} --succeeded`, `--failed` or `--retry`."
    )


@final
class CheckBashSideEffects(Recording):
    """Logs the intent of a command that leaves a mark; any other call is none of its business."""

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
    """What is said of a call that was made before, and within what."""

    repeat: Annotated[
        Repeat,
        Meta(
            description="What happens to an exact repeat of a call that succeeded or whose end is not known."
        ),
    ] = Repeat.ALLOW
    scope: Annotated[
        RunScope, Meta(description="Where a call counts as repeated: in its session, or in its project.")
    ] = RunScope.SESSION


class NothingToChoose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hook that is as it is."""


def _record(options: RecordConfig, context: BuildContext) -> Handler | None:
    if _misplaced(context):
        return None
    book, classifier = context.services.find(CallBook) or NO_BOOK, context.classifier()
    return RecordToolUse(book=book, classifier=classifier, repeat=options.repeat, scope=options.scope)


def _check_shell(_options: NothingToChoose, context: BuildContext) -> Handler | None:
    if _misplaced(context):
        return None
    book, classifier = context.services.find(CallBook) or NO_BOOK, context.classifier()
    return CheckBashSideEffects(book=book, classifier=classifier)


def _misplaced(context: BuildContext) -> bool:
    if context.event in ENDS:
        return False
    written = snake_case(context.event)
    context.misplaced(f"a call neither starts nor ends at `{written}`; move it to `pre_tool_use`", "type")
    return True


def _finish(made: Hook, _options: msgspec.Struct, _context: BuildContext) -> Hook:
    """One line records both ends of a call, before whichever of them it is written."""
    return msgspec.structs.replace(made, events=ENDS)


RECORD_TOOL_USE: Final = Builtin(
    kind="record_tool_use",
    about="Records calls before they run, and how they ended.",
    options=RecordConfig,
    make=_record,
    tightens=True,
    finish=_finish,
)
CHECK_BASH_SIDE_EFFECTS: Final = Builtin(
    kind="check_bash_side_effects",
    about="Records what shell commands would create, write and delete.",
    options=NothingToChoose,
    make=_check_shell,
    tightens=True,
    finish=_finish,
)
