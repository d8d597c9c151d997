"""`schema_guard` and `schema_hint`: show the agent a call that works when its own does not fit the tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Final, Literal, final

from interlock.builtin_hooks.schemas.lookup import KnownShape, SchemaIndex, SchemaOptions
from interlock.builtin_hooks.schemas.shapes import correct_name, example_call
from interlock.builtin_hooks.tool_error import error_text
from interlock.events.bounded_dict import BoundedDict
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper, OptionRule
from interlock.events.text import shorten
from interlock.events.tool import SHELL_FIELDS, JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin

_FAILED: Final = "Tool schema validation failed."


class GuardOptions(SchemaOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which calls are checked, and what happens to one that does not fit."""

    mode: Annotated[
        Literal["strict", "guide", "off"],
        about("`strict` denies, `guide` allows the call and tells the agent, `off` does nothing."),
    ] = "strict"
    learn: Annotated[
        bool, about("true: give advice for other tools, learned from their successful calls.")
    ] = False
    repair: Annotated[bool, about("false: a list sent as a string is an error, and is not fixed.")] = True
    names: Annotated[bool, about("false: a malformed tool name is allowed.")] = True


@final
class SchemaGuard(OptionRule):
    """Denies a call or gives advice. A tool without a known shape is left alone."""

    kind: Final = "schema_guard"
    _options: GuardOptions

    def __init__(self, options: GuardOptions, context: BuildContext) -> None:
        super().__init__(options)
        self._index: Final = SchemaIndex(options, context, learn=options.learn)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        tool = event.tool
        if tool is None or self._options.mode == "off":
            return NO_OPINION
        if event.name != EventName.PRE_TOOL_USE:
            if event.name == EventName.POST_TOOL_USE:
                self._index.learn(tool)
            return NO_OPINION
        name = correct_name(tool.name, self._index.names) if self._options.names else None
        if name is not None:
            fix = f"call `{name}`" if name else "call it by its name alone"
            return self._answer(f"`{shorten(tool.name, _LONGEST_NAME)}` is not the name of a tool; {fix}.")
        known = self._index.find(tool.name)
        return NO_OPINION if known is None else self._judge(tool, known)

    def _judge(self, tool: ToolCall, known: KnownShape) -> Verdict:
        repaired = None
        if self._options.repair and not known.learned:
            repaired = self._index.repair(known, tool.input)
        objection = self._index.find_objection(tool.name, known, repaired or tool.input)
        if objection is None:
            return _repair_verdict(tool, repaired) if repaired else NO_OPINION
        if known.learned:
            return Verdict(context=f"{objection} (learned from earlier calls; the call may still be correct)")
        return self._answer(objection)

    def _answer(self, text: str) -> Verdict:
        return Verdict(context=text) if self._options.mode == "guide" else deny(f"{_FAILED} {text}")


_LONGEST_NAME: Final = 100


def _repair_verdict(tool: ToolCall, repaired: JsonObject) -> Verdict:
    changed = ", ".join(f"`{name}`" for name, value in repaired.items() if value != tool.input.get(name))
    context = f"{changed} of {tool.name} was a string of JSON, and was replaced by its value. Send the value."
    return Verdict(reason=f"Repaired: {changed}", updated_input=repaired, context=context)


# Errors about fields from pydantic, jsonschema, Zod, Ajv, Python and MCP servers, in lower case.
_FIELD_ERRORS: Final = re.compile(
    r"validation ?error|invalid[_ ]type|invalid arguments?\b|invalid (?:input|params)\b"
    r"|fields? (?:is )?required|required (?:parameter|argument|property|field)"
    r"|missing (?:\d+ )?(?:required|field|parameter)|unexpected keyword argument|is a required property"
    r"|takes (?:from )?\d+ (?:to \d+ )?positional arguments?|must have required property"
    r"|additional properties|extra (?:inputs|fields)|unrecognized[_ ]keys?"
    r"|value is not a valid|is not an allowed value|ensure this value"
    r"|(?:input|string|list|value|number|date) should (?:be|have|match)"
    r"|is not of type|is not one of|does not match '|is too (?:short|long)\b|under any of the given schemas"
    r"|is (?:less|greater) than the (?:minimum|maximum)|zoderror|expected \w+, received \w+"
    r"|(?:invalid enum|invalid literal) value|invalid option: expected|too (?:small|big): expected"
    r"|must contain at (?:least|most) \d+ (?:character|element)"
    r"|must be (?:string|number|integer|object|array|boolean|null)\b|must be equal to one of"
)
# How an error begins when a tool that runs programs rejects the call itself; other errors come from programs.
_REJECTED: Final = re.compile(
    r"\W*(?:tool_use_error|error:)?\W*"
    r"(?:inputvalidationerror|mcp error|invalid arguments|no such tool|unknown tool)"
)
_NO_TOOL: Final = ("no such tool", "unknown tool", "tool not found", "no tool named", "tool does not exist")
_REMEMBERED: Final = 256  # calls


class HintOptions(SchemaOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the examples come from."""

    learn: Annotated[
        bool, about("false: learn nothing from successful calls of tools without a description.")
    ] = True


@final
class SchemaHint(Helper):
    """Gives a hint after an error, if it is about fields or the name of a tool."""

    kind: Final = "schema_hint"

    def __init__(self, options: HintOptions, context: BuildContext) -> None:
        super().__init__(options)
        self._index: Final = SchemaIndex(options, context, learn=options.learn)
        # The calls that were explained: a host reports one call at two moments.
        self._explained: Final[BoundedDict[tuple[str, str], None]] = BoundedDict(_REMEMBERED)

    def run(self, view: CallView, seconds: float) -> Verdict:
        session = view.event.session_id
        hints = [
            hint
            for tool, error in self._failed_calls(view.event)
            if (hint := self._hint(session, tool, error))
        ]
        return Verdict(context="\n\n".join(hints)) if hints else NO_OPINION

    def _failed_calls(self, event: Event) -> Iterator[tuple[ToolCall, str]]:
        """The calls that failed, each with its error."""
        if event.name == EventName.POST_TOOL_BATCH:
            yield from _failed_in_batch(event)
        elif event.tool is not None:
            error = error_text(event)
            if error is not None:
                yield event.tool, error
            else:
                self._index.learn(event.tool)

    def _hint(self, session: str, tool: ToolCall, error: str) -> str | None:
        text = error[:4_000].lower()
        if _runs_programs(tool) and not _is_rejection(text, tool.name.lower()):
            return None
        is_field_error = _FIELD_ERRORS.search(text) is not None
        if not is_field_error and not any(phrase in text for phrase in _NO_TOOL):
            return None
        if tool.use_id is not None:
            if (session, tool.use_id) in self._explained:
                return None
            self._explained[session, tool.use_id] = None
        return self._field_hint(tool) if is_field_error else self._name_hint(tool)

    def _field_hint(self, tool: ToolCall) -> str | None:
        known = self._index.find(tool.name)
        if known is None:
            return f"{tool.name} rejected the fields of the call. Send every field that the error names."
        objection = self._index.find_objection(tool.name, known, tool.input)
        if objection is not None:
            return objection
        example = example_call(known.shape)
        return f"{tool.name} rejected the fields of the call. Example: {example}" if example else None

    def _name_hint(self, tool: ToolCall) -> str:
        names = [*self._index.names(), *STANDARD_TOOLS.known]
        near = correct_name(tool.name, self._index.names) or _nearest(tool.name, names)
        fix = f"did you mean `{near}`?" if near else "call one of the tools you have."
        return f"There is no tool `{tool.name}`; {fix}"


def _runs_programs(tool: ToolCall) -> bool:
    """Whether the tool runs a command of the call."""
    spec = STANDARD_TOOLS.spec(tool.name)
    if spec is None:
        return any(isinstance(tool.input.get(field), str) for field in SHELL_FIELDS)
    return spec.main == "command" and isinstance(tool.input.get("command"), str)


def _is_rejection(error: str, name: str) -> bool:
    """Whether the tool itself rejected the call, by how the error begins or because it names the tool."""
    first_line = error.lstrip().partition("\n")[0]
    phrases = (f"validation error for {name}", f"for call[{name}]", f"errors for {name}", f"{name}() ")
    return _REJECTED.match(first_line) is not None or any(phrase in first_line for phrase in phrases)


def _nearest(name: str, names: list[str]) -> str | None:
    folded = {known.lower(): known for known in names}
    matches = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def _failed_in_batch(event: Event) -> Iterator[tuple[ToolCall, str]]:
    """A call that the host rejected before any hook ran appears only here, among all calls of the batch."""
    calls = event.extra.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, dict) or not isinstance(call.get("tool_name"), str):
            continue
        fields, use_id = call.get("tool_input"), call.get("tool_use_id")
        tool = ToolCall(
            name=call["tool_name"],
            input=fields if isinstance(fields, dict) else {},
            use_id=use_id if isinstance(use_id, str) else None,
        )
        result = Event(name=EventName.POST_TOOL_USE, tool=tool, tool_output=call.get("tool_response"))
        if (error := error_text(result)) is not None:
            yield tool, error


GUARD: Final = Builtin(
    kind="schema_guard",
    about="Stops calls that lack what their tool needs and shows one that works, or fixes them.",
    options=GuardOptions,
    make=SchemaGuard,
    events=(EventName.PRE_TOOL_USE,),
    also=(EventName.POST_TOOL_USE,),
    votes=True,
)
HINT: Final = Builtin(
    kind="schema_hint",
    about="Shows a call that works after a tool rejected one for its fields.",
    options=HintOptions,
    make=SchemaHint,
    events=(EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE),
    also=(EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE, EventName.POST_TOOL_BATCH),
    on_failure=OnFailure.OPEN,
    tightens=True,
)
