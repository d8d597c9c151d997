"""`secrets_out`: secrets in what a tool gave back are taken out before the model reads it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any, Final, final

import msgspec

from interlock.builtin_hooks.output.output_texts import texts_in
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Evidence, Verdict
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin
from interlock.redaction.redactor import KEYLESS, Redactor

_MARK: Final = re.compile(r"\[secret:([a-z0-9_]{1,32})(?::[0-9a-f]{16})?\]")
_OUTPUT: Final = "tool_output"  # a name under which the redactor takes nothing for our own words
_ERROR: Final = (
    "The error of {tool} shows {what}. Do not repeat it in texts, files or commands; refer to where it "
    "is stored instead."
)
_REPLACED: Final = (
    "In the output of {tool}, {what} {was} replaced by {marks} `[secret:…]`. The real value is still in "
    "its place: use it through its file or variable, and do not write the placeholder anywhere."
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whom it is told."""

    explain: Annotated[bool, about("false: the model is not told what the placeholders mean.")] = True
    tell: Annotated[bool, about("true: the user is told, too.")] = False


@final
class SecretsOut(Helper):
    """Puts marks in the place of secrets where an output may change, and warns where it may not."""

    kind: Final = "secrets_out"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        self._redactor: Final[Redactor] = context.services.find(Redactor) or KEYLESS

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.POST_TOOL_USE_FAILURE:
            return self._of_error(event)
        before = event.tool_output
        after = self._without(before)
        if after is before:
            return NO_OPINION
        kinds = _kinds(after) - _kinds(before)  # marks that were there before are somebody else's
        return self._report(event, kinds, _replaced(event, kinds), after)

    def _of_error(self, event: Event) -> Verdict:
        """No host lets an error be changed; what it shows is then at least not passed on."""
        text = event.error or ""
        after = self._redactor.text(text)
        if after == text:
            return NO_OPINION
        kinds = _kinds(after) - _kinds(text)
        return self._report(event, kinds, _ERROR.format(tool=_tool(event), what=_what(kinds)), msgspec.UNSET)

    def _report(self, event: Event, kinds: Counter[str], told: str, output: Any) -> Verdict:
        data: JsonObject = {"kinds": dict(sorted(kinds.items())), "replaced": output is not msgspec.UNSET}
        message = f"secrets_out: {_what(kinds)} in what {_tool(event)} gave back"
        return Verdict(
            updated_output=output,
            context=told if self._options.explain else None,
            message=message if self._options.tell else None,
            evidence=Evidence(kind="secrets_out", data=data),
        )

    def _without(self, output: Any) -> Any:
        """The same object when there is no secret in it, which is nearly always."""
        if output is None:
            return output
        written = msgspec.json.encode({_OUTPUT: output})
        clean = self._redactor.body(written)
        return output if clean is written else msgspec.json.decode(clean)[_OUTPUT]


def _kinds(value: Any) -> Counter[str]:
    return Counter(kind for text in texts_in(value) for kind in _MARK.findall(text))


def _tool(event: Event) -> str:
    return event.tool.name if event.tool else "the tool"


def _what(kinds: Counter[str]) -> str:
    count = kinds.total() or 1
    return f"{count} secret{'s' if count > 1 else ''} ({', '.join(sorted(kinds)) or 'of its own kind'})"


def _replaced(event: Event, kinds: Counter[str]) -> str:
    several = kinds.total() > 1
    return _REPLACED.format(
        tool=_tool(event),
        what=_what(kinds),
        was="were" if several else "was",
        marks="marks" if several else "the mark",
    )


BUILTIN: Final = Builtin(
    kind="secrets_out",
    about="Removes secrets from tool output before the model reads it.",
    options=Options,
    make=SecretsOut,
    events=(EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE),
    also=(EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE),
    on_failure=OnFailure.OPEN,
)
