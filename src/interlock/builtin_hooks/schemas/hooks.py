"""`schema_guard` and `schema_hint`: a call that lacks what its tool needs is answered with one that fits."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal, final

from interlock.builtin_hooks.schemas.lookup import KnownShape, SchemaIndex, SchemaOptions
from interlock.builtin_hooks.schemas.shapes import example_of, meant_name
from interlock.builtin_hooks.tool_error import error_text
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
    """Which calls are looked at, and what becomes of one that does not fit."""

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
    """Denies or advises; what nobody described is good as it is."""

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
        name = meant_name(tool.name, self._index.names) if self._options.names else None
        if name is not None:
            cure = f"call `{name}`" if name else "call it by its name alone"
            shown = shorten(tool.name, _LONGEST_NAME)
            return self._answer(f"`{shown}` is not the name of a tool; {cure}.")
        known = self._index.find(tool.name)
        return NO_OPINION if known is None else self._judge(tool, known)

    def _judge(self, tool: ToolCall, known: KnownShape) -> Verdict:
        given, repaired = tool.input, None
        if self._options.repair and not known.learned:
            repaired = self._index.repair(known, given)
        told = self._index.objection(tool.name, known, repaired or given)
        if told is None:
            return _repair_verdict(tool, repaired) if repaired else NO_OPINION
        if known.learned:
            return Verdict(context=f"{told} (learned from earlier calls; the call may still be correct)")
        return self._answer(told)

    def _answer(self, told: str) -> Verdict:
        return Verdict(context=told) if self._options.mode == "guide" else deny(f"{_FAILED} {told}")


_LONGEST_NAME: Final = 100


def _repair_verdict(tool: ToolCall, repaired: JsonObject) -> Verdict:
    changed = ", ".join(f"`{name}`" for name, value in repaired.items() if value != tool.input.get(name))
    told = f"{changed} of {tool.name} came as a string and is read as the JSON in it; send the value itself."
    return Verdict(reason=f"Repaired: {changed}", updated_input=repaired, context=told)


# Of pydantic, jsonschema, Zod, Ajv, Python's own calls and MCP servers, in lower case.
_FIELDS: Final = re.compile(
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
# How a text begins by which a tool that runs programs refuses a call; any other is what the programs said.
_REFUSED: Final = re.compile(
    r"\W*(?:tool_use_error|error:)?\W*"
    r"(?:inputvalidationerror|mcp error|invalid arguments|no such tool|unknown tool)"
)
_NO_TOOL: Final = ("no such tool", "unknown tool", "tool not found", "no tool named", "tool does not exist")
_KEPT: Final = 256


class HintOptions(SchemaOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a call that fits comes from."""

    learn: Annotated[
        bool, about("false: learn nothing from successful calls of tools without a description.")
    ] = True


@final
class SchemaHint(Helper):
    """Speaks only after an error, and only of one about fields or names."""

    kind: Final = "schema_hint"

    def __init__(self, options: HintOptions, context: BuildContext) -> None:
        super().__init__(options)
        self._index: Final = SchemaIndex(options, context, learn=options.learn)
        self._told: Final[OrderedDict[tuple[str, str], None]] = OrderedDict()  # calls that were mentioned

    def run(self, view: CallView, seconds: float) -> Verdict:
        session = view.event.session_id
        hints = [
            hint for tool, error in self._calls(view.event) if (hint := self._hint(session, tool, error))
        ]
        return Verdict(context="\n\n".join(hints)) if hints else NO_OPINION

    def _calls(self, event: Event) -> Iterator[tuple[ToolCall, str]]:
        """The calls that failed, and what their tools said."""
        if event.name == EventName.POST_TOOL_BATCH:
            yield from _failed_in_batch(event)
        elif event.tool is not None:
            error = error_text(event)
            if error is not None:
                yield event.tool, error
            else:
                self._index.learn(event.tool)

    def _hint(self, session: str, tool: ToolCall, error: str) -> str | None:
        said = error[:4_000].lower()
        if _runs_programs(tool) and not _is_refusal(said, tool.name.lower()):
            return None
        about_fields = _FIELDS.search(said) is not None
        if not about_fields and not any(text in said for text in _NO_TOOL):
            return None
        if tool.use_id is not None:
            if (session, tool.use_id) in self._told:  # a host tells of one call at two moments
                return None
            self._told[session, tool.use_id] = None
            if len(self._told) > _KEPT:
                self._told.popitem(last=False)
        return self._field_hint(tool) if about_fields else self._name_hint(tool)

    def _field_hint(self, tool: ToolCall) -> str | None:
        known = self._index.find(tool.name)
        if known is None:
            return (
                f"{tool.name} rejected the call for its fields; send every field its error names, complete."
            )
        told = self._index.objection(tool.name, known, tool.input)
        if told is not None:
            return told
        example = example_of(known.shape)
        return f"{tool.name} rejected the call for its fields. Example: {example}" if example else None

    def _name_hint(self, tool: ToolCall) -> str:
        names = [*self._index.names(), *STANDARD_TOOLS.known]
        near = meant_name(tool.name, self._index.names) or _nearest(tool.name, names)
        cure = f"`{near}` is the nearest" if near else "call one of the tools you have"
        return f"There is no tool `{tool.name}`; {cure}."


def _runs_programs(tool: ToolCall) -> bool:
    """Whether a call has what its tool gives to a shell or the like."""
    spec = STANDARD_TOOLS.spec(tool.name)
    if spec is None:
        return any(isinstance(tool.input.get(field), str) for field in SHELL_FIELDS)
    return spec.main == "command" and isinstance(tool.input.get("command"), str)


def _is_refusal(said: str, name: str) -> bool:
    """Whether a text is of the tool itself: by how it begins, or because a validator names the tool."""
    first = said.lstrip().partition("\n")[0]
    named = (f"validation error for {name}", f"for call[{name}]", f"errors for {name}", f"{name}() ")
    return _REFUSED.match(first) is not None or any(words in first for words in named)


def _nearest(name: str, names: list[str]) -> str | None:
    folded = {one.lower(): one for one in names}
    found = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def _failed_in_batch(event: Event) -> Iterator[tuple[ToolCall, str]]:
    """What a host refused before a hook was asked shows only here, among all calls of an answer."""
    calls = event.extra.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        name, given = (
            (call.get("tool_name"), call.get("tool_input")) if isinstance(call, dict) else (None, None)
        )
        if not isinstance(name, str):
            continue
        use: Any = call.get("tool_use_id")
        tool = ToolCall(
            name=name,
            input=given if isinstance(given, dict) else {},
            use_id=use if isinstance(use, str) else None,
        )
        error = error_text(
            Event(name=EventName.POST_TOOL_USE, tool=tool, tool_output=call.get("tool_response"))
        )
        if error is not None:
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
