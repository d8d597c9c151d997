"""The answers of `hooks.toml` scripts: `"Continue"`, `{"Reject": …}` and `{"ModifyInput": …}`."""

from __future__ import annotations

from typing import Final

from interlock.events.event import Event
from interlock.events.tool import JsonObject
from interlock.events.verdict import Verdict, deny
from interlock.handlers.answer_fields import changed_input, object_field, text_field, wrong

CONTINUE: Final = "Continue"
TAGS: Final = frozenset({"Reject", "ModifyInput"})
# In a `HookRegistry` any JSON value may be an input, null too, so it stands in an object under this key.
NEW_INPUT: Final = "new_input"
REGISTRY: Final = "registry"


def read_tagged(fields: JsonObject, event: Event) -> Verdict:
    """Read an object whose one key says which result it is."""
    if "Reject" in fields:
        reason = text_field(object_field(fields, "Reject") or {}, "reason", inside="Reject.")
        if reason is None:
            raise wrong("Reject", fields["Reject"], "an object with a string `reason`")
        return deny(reason)
    change = object_field(fields, "ModifyInput") or {}
    if NEW_INPUT not in change:
        raise wrong("ModifyInput", fields["ModifyInput"], "an object with `new_input`")
    if event.host == REGISTRY:
        return Verdict(updated_input={NEW_INPUT: change[NEW_INPUT]})
    return Verdict(**changed_input("ModifyInput.new_input", change[NEW_INPUT], event))
