"""`deny`, `ask` and `modify`: stop a call, ask a person, or change its input."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, final

import msgspec
import re2
from msgspec import UNSET, UnsetType

from interlock.builtin_hooks.great_losses import ONLY_THE_USER
from interlock.errors import FailureKind, HookFailedError, PatternError
from interlock.events.hook import CallView, Handler
from interlock.events.names import EventName
from interlock.events.rule import Rule
from interlock.events.verdict import NO_OPINION, Verdict, Vote, deny
from interlock.patterns.glob import compile_quietly
from interlock.policy.format.entry import Approvers, Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, VoteWord


@final
class Deny(Rule):
    """Denies with a reason, and if possible with what to do instead and `who` can allow it."""

    kind: Final = "deny"
    judges_carried = True

    def __init__(self, reason: str | None = None, suggestion: str | None = None, who: str = "") -> None:
        text = reason or "your policy denies this"
        text = f"{text} Instead: {suggestion}" if suggestion else text
        self._verdict: Final = deny(f"{text}. {who}" if who else text)

    def fingerprint(self) -> Any:
        return self._verdict.reason

    def run(self, view: CallView, seconds: float) -> Verdict:
        return self._verdict


@final
class Ask(Rule):
    """Asks with a reason, and if possible with what to do instead without asking."""

    kind: Final = "ask"
    judges_carried = True

    def __init__(
        self, reason: str | None = None, suggestion: str | None = None, approvers: Sequence[str] = ()
    ) -> None:
        text = reason or "your policy asks for a person's approval"
        text = f"{text} Instead: {suggestion}" if suggestion else text
        self._verdict: Final = Verdict(vote=Vote.ASK, reason=text, approvers=tuple(approvers))

    def fingerprint(self) -> Any:
        approvers = list(self._verdict.approvers)
        return [self._verdict.reason, approvers] if approvers else self._verdict.reason

    def run(self, view: CallView, seconds: float) -> Verdict:
        return self._verdict


Reason = Annotated[Text, about("Why. The agent reads it.")]
Suggestion = Annotated[Text, about("What to do instead; added as `Instead: …`.")]


class DenyConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why, and what to do instead."""

    reason: Reason | UnsetType = UNSET
    suggestion: Suggestion | UnsetType = UNSET


def _make_deny(options: DenyConfig, context: BuildContext) -> Handler:
    # Only our own packs say who can allow it; other authors write what they want in the reason.
    return Deny(options.reason or None, options.suggestion or None, ONLY_THE_USER if context.shipped else "")


def _reword(options: DenyConfig, word: VoteWord) -> tuple[str, msgspec.Struct]:
    config = AskConfig if word == "ask" else DenyConfig
    if type(options) is config:
        return word, options
    return word, config(reason=options.reason, suggestion=options.suggestion)


DENY: Final = Builtin(
    kind="deny",
    about="Denies every call that matches.",
    options=DenyConfig,
    make=_make_deny,
    votes=True,
    tightens=True,
    reword=_reword,
)


class AskConfig(DenyConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why, what to do instead, and who may say yes."""

    approvers: Approvers = []


def _make_ask(options: AskConfig, context: BuildContext) -> Handler:
    return Ask(options.reason or None, options.suggestion or None, context.approvers(options.approvers))


ASK: Final = Builtin(
    kind="ask",
    about="Asks a person about every call that matches.",
    options=AskConfig,
    make=_make_ask,
    votes=True,
    tightens=True,
    reword=_reword,
)


_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})
_PROMPTS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION})


class Target(StrEnum):
    """What a `modify` hook changes."""

    INPUT = "input"
    OUTPUT = "output"
    PROMPT = "prompt"


class Replacement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every match of a pattern in one field becomes another text; the field is empty for a prompt."""

    field: str
    pattern: Annotated[Text, about("An RE2 regular expression.")]
    text: str = msgspec.field(name="with")


@final
class Modify(Rule):
    """Changes the input, output or prompt. It never votes."""

    kind: Final = "modify"
    judges = False

    def __init__(
        self,
        target: Target,
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the word of the policy file
        remove: Sequence[str] = (),
        replace: Sequence[Replacement] = (),
    ) -> None:
        self._target: Final = target
        self._set: Final = dict(set or {})
        self._remove: Final = tuple(remove)
        self._replace: Final = tuple(replace)
        self._expressions: Final = [_compile(replacement.pattern) for replacement in replace]

    def fingerprint(self) -> Any:
        return [
            self._target,
            self._set,
            list(self._remove),
            [msgspec.structs.asdict(one) for one in self._replace],
        ]

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if self._target is Target.PROMPT:
            return self._change_prompt(event.prompt)
        if self._target is Target.OUTPUT:
            changed = self._change(event.tool_output)
            return NO_OPINION if changed == event.tool_output else Verdict(updated_output=changed)
        if event.tool is None:
            return NO_OPINION
        changed = self._change(event.tool.input)
        return NO_OPINION if changed == event.tool.input else Verdict(updated_input=changed)

    def _change_prompt(self, prompt: str | None) -> Verdict:
        changed = self._change(prompt)
        if changed == prompt:
            return NO_OPINION
        if not isinstance(changed, str):
            raise HookFailedError(FailureKind.GARBAGE, "a prompt can only be replaced by text")
        return Verdict(updated_prompt=changed)

    def _change(self, value: Any) -> Any:
        changed = copy.deepcopy(value)
        for path, new in self._set.items():
            changed = _set_field(changed, path, copy.deepcopy(new))
        for path in self._remove:
            _remove_field(changed, path)
        for replacement, expression in zip(self._replace, self._expressions, strict=True):
            old = _get_field(changed, replacement.field)
            if isinstance(old, str):
                changed = _set_field(changed, replacement.field, expression.sub(replacement.text, old))
        return changed


def _compile(pattern: str) -> Any:
    try:
        return compile_quietly(pattern)
    except re2.error as error:
        raise PatternError(
            f"`{pattern}` is not a regular expression that RE2 supports; correct it"
        ) from error


def _get_field(value: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _set_field(value: Any, path: str, new: Any) -> Any:
    """The value with one field changed; an empty path is the value itself."""
    if not path:
        return new
    *parents, last = path.split(".")
    place = value
    for name in parents:
        place = place.setdefault(name, {}) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        raise HookFailedError(FailureKind.GARBAGE, f"`{path}` cannot be set: a part of it is not an object")
    place[last] = new
    return value


def _remove_field(value: Any, path: str) -> None:
    parent, _, last = path.rpartition(".")
    place = _get_field(value, parent)
    if isinstance(place, dict):
        place.pop(last, None)


class ModifyConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to change; fields are dotted paths."""

    target: Annotated[Target, about("What to change. Default: what the event carries.")] | UnsetType = UNSET
    set: Annotated[dict[str, Any], about("Dotted path → new value.")] = {}
    remove: Annotated[list[Text], about("Dotted paths to remove.")] = []
    replace: Annotated[
        list[Replacement],
        about("In `field`, every match of the RE2 `pattern` becomes `with`; `\\1` is its group."),
    ] = []


def _make(options: ModifyConfig, context: BuildContext) -> Handler | None:
    target = options.target or _default_target(context.event)
    if not (options.set or options.remove or options.replace):
        context.problem((), "this changes nothing; add `set`, `remove` or `replace`")
        return None
    for index, replacement in enumerate(options.replace):
        if context.attempt(("replace", index, "pattern"), _compile, replacement.pattern) is None:
            return None
    return Modify(target, set=options.set, remove=options.remove, replace=options.replace)


def _default_target(event: EventName) -> Target:
    if event in _AFTER:
        return Target.OUTPUT
    return Target.PROMPT if event in _PROMPTS else Target.INPUT


BUILTIN: Final = Builtin(
    kind="modify",
    about="Changes the input, output or prompt.",
    options=ModifyConfig,
    make=_make,
)
