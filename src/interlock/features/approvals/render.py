"""A request as an approver sees it, rendered from the bytes that were hashed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from interlock.effects.effect import Effect, EffectKind
from interlock.events.event import Event
from interlock.events.text import first_few, strange, visible, visible_lines
from interlock.events.tool import ToolCall, ToolTable
from interlock.features.approvals.requests import Request
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.redaction.marks import marks_in

CLAIM: Final = "the agent says: "  # before a line that proves nothing
_DESCRIPTION: Final = "description"  # in which a shell tool's agent says what its command is for
_LISTED: Final = 20


class RenderedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call as text that is safe to print; each text is one line."""

    title: str
    call: tuple[str, ...]  # the real call, its main field first
    claim: tuple[str, ...] = ()  # what the agent says it is, which proves nothing
    facts: tuple[str, ...] = ()  # what the reader makes of it
    warnings: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        return [
            self.title,
            *(f"  | {line}" for line in self.call),
            *self.facts,
            *(f"warning: {warning}" for warning in self.warnings),
            *(f"{CLAIM}{line}" for line in self.claim),
        ]


def render_request(request: Request, tools: ToolTable) -> RenderedCall:
    """Render a request; raise ApprovalError when its call is not the one that was hashed."""
    call = request.content
    event = call.as_event(request.project or None)
    if event.tool is None:
        return RenderedCall(
            title=f"{visible(call.event)} in {visible(call.cwd)}",
            call=tuple(visible_lines(event.prompt or "")),
        )
    main, claim = _main(event.tool, tools), _claim(event.tool, tools)
    view = LocalCallView(event, PatternIndex((), tools))
    return RenderedCall(
        title=f"{visible(event.tool.name)} in {visible(call.cwd)}",
        call=tuple(_fields(event.tool, main, without=claim)),
        claim=tuple(visible_lines(event.tool.input[claim])) if claim else (),
        facts=tuple(_facts(view, event)),
        warnings=tuple(_warnings(view, event, main)),
    )


def summary(request: Request, tools: ToolTable) -> str:
    """The call in one line, without analysing what it does; raises as `render_request` does."""
    call = request.content
    event = call.as_event()
    if event.tool is None:
        lines = visible_lines(event.prompt or "")
    else:
        lines = list(_fields(event.tool, _main(event.tool, tools), without=_claim(event.tool, tools)))
    return " ".join(line.strip() for line in lines if line.strip())


def _main(tool: ToolCall, tools: ToolTable) -> str | None:
    spec = tools.spec(tool.name)
    return spec.main if spec else None


def _claim(tool: ToolCall, tools: ToolTable) -> str | None:
    """The name of the field in which the agent says what its command is for, if the call has it."""
    spec = tools.spec(tool.name)
    claims = spec is not None and spec.main == "command" and isinstance(tool.input.get(_DESCRIPTION), str)
    return _DESCRIPTION if claims else None


def _fields(tool: ToolCall, main: str | None, without: str | None) -> Iterator[str]:
    if main is not None and isinstance(tool.input.get(main), str):
        yield from visible_lines(tool.input[main])
    for name, value in sorted(tool.input.items()):
        if name == without or (name == main and isinstance(value, str)):
            continue
        text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
        first, *rest = visible_lines(text)
        yield f"{visible(name)}: {first}"
        yield from (f"    {line}" for line in rest)


def _facts(view: LocalCallView, event: Event) -> Iterator[str]:
    if view.is_long or event.tool is None:
        return
    by_kind: dict[EffectKind, dict[str, None]] = {}
    for effect in view.effects:
        by_kind.setdefault(effect.kind, {})[_target(effect)] = None
    for kind, word in _WORDS.items():
        if targets := by_kind.get(kind):
            yield f"{word}: {first_few(targets, _LISTED)}"


_WORDS: Final = {
    EffectKind.RUN: "runs",
    EffectKind.READ: "reads",
    EffectKind.WRITE: "writes",
    EffectKind.DELETE: "deletes",
    EffectKind.NETWORK: "connects to",
    EffectKind.ENV: "sets",
}
_UNKNOWN: Final = {EffectKind.RUN: "a command", EffectKind.NETWORK: "a host", EffectKind.ENV: "a variable"}


def _target(effect: Effect) -> str:
    target = visible(" ".join(effect.target.split("\n")))
    if effect.known:
        return target
    return (
        f"{target} (known only when it runs)"
        if target
        else f"{_UNKNOWN.get(effect.kind, 'a path')} known only when it runs"
    )


def _warnings(view: LocalCallView, event: Event, main: str | None) -> Iterator[str]:
    if view.is_long:
        yield "this is too long to analyse here; read all of it before you approve"
    elif view.unread:
        yield visible(f"Interlock could not work out everything this does ({view.unread})".replace("\n", " "))
    text = event.tool.input.get(main or "") if event.tool else None
    if isinstance(text, str) and view.unread and (hidden := marks_in(text.encode("utf-8", "replace"))):
        # What runs may have been given the looks of a secret: nobody can say yes to that unseen.
        yield f"{len(hidden)} parts are hidden as secrets, and one of them may be code that it runs"
    yield from strange(text)[:_LISTED] if isinstance(text, str) else ()
