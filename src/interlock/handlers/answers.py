"""What a hook said, told apart by shape: an answer has one reading or none."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from interlock.errors import HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Dialect
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.handlers.answer_fields import SHOWN, garbage, wrong
from interlock.handlers.claude_answer import LEGACY, TOP_LEVEL, plain_text, read_claude
from interlock.handlers.decision_answer import MODIFY, read_decision
from interlock.handlers.tagged_answer import CONTINUE, TAGS, read_tagged
from interlock.handlers.verb_answer import VERB, read_verb
from interlock.handlers.verbs import LISTED, VERBS

EXPECTED: Final = (
    '`"Continue"`, `{"Reject": {"reason": …}}`, `{"ModifyInput": {"new_input": …}}`, '
    '`{"decision": "allow|deny|ask|modify", …}`, `{"verb": …}` or `{"hookSpecificOutput": …}`'
)
_BOM: Final = b"\xef\xbb\xbf"


def parse_output(text: bytes, event: Event, dialect: Dialect) -> Verdict:
    """Read what a hook printed; what is no answer is a failure, or let pass where its dialect says so."""
    text = text.removeprefix(_BOM).strip()
    if not text:
        return NO_OPINION
    if dialect is Dialect.CLAUDE and not text.startswith(b"{") and text != b'"Continue"':
        return plain_text(text.decode("utf-8", "replace"), event)
    try:
        return read_answer(_decoded(text), event)
    except HookFailedError:
        if dialect is Dialect.HOOKS_TOML:
            return msgspec.structs.replace(NO_OPINION, ignored=True)
        raise


def read_answer(value: Any, event: Event) -> Verdict:
    """Read a decoded answer of any dialect; raise HookFailedError when it is none."""
    if value in (CONTINUE, {}):
        return NO_OPINION
    if not isinstance(value, dict):
        raise garbage(f"the hook answered `{_shown(value)}`, expected {EXPECTED}")
    return _read_object(value, event)


def _read_object(fields: JsonObject, event: Event) -> Verdict:
    tags = TAGS & fields.keys()
    if tags:
        if len(fields) > 1:
            raise _mixed(fields)
        return read_tagged(fields, event)
    if "decision" not in fields:
        if not TOP_LEVEL & fields.keys():
            # Last: a `verb` beside any other form is one of the keys that form ignores.
            if VERB in fields:
                return read_verb(fields, event)
            raise garbage(f"the hook answered `{_shown(fields)}`, expected {EXPECTED}")
        return read_claude(fields, event)
    decision = fields["decision"]
    if isinstance(decision, str) and (decision in VERBS or decision == MODIFY):
        if TOP_LEVEL & fields.keys():
            raise _mixed(fields)
        return read_decision(fields, event)
    if isinstance(decision, str) and decision in LEGACY:
        return read_claude(fields, event)
    raise wrong("decision", decision, f"`{MODIFY}`, {LISTED}")


def _mixed(fields: JsonObject) -> HookFailedError:
    # Whichever half we believed, the other half might have been the one that mattered.
    return garbage(
        f"the hook answered in two forms at once (`{', '.join(fields)}`), expected one: {EXPECTED}"
    )


def _shown(value: Any) -> str:
    return repr(value)[:SHOWN]


def _decoded(text: bytes) -> Any:
    try:
        # msgspec refuses NaN, trailing text and lone surrogates, but keeps the last of two equal keys.
        value = msgspec.json.decode(text)
        json.loads(text, object_pairs_hook=_unique)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise garbage(f"the hook's answer cannot be read: {error}; expected {EXPECTED}") from error
    return value


def _unique(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise ValueError(f"`{name[:SHOWN]}` is written twice")
        seen.add(name)
