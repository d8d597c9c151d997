"""The answers of `hooks.toml` scripts: `"Continue"`, `{"Reject": …}` and `{"ModifyInput": …}`."""

from __future__ import annotations

from typing import Final

from interlock.event import Event
from interlock.handlers.answer_fields import changed_input, object_field, text_field, wrong
from interlock.tool import JsonObject
from interlock.verdict import Verdict, deny

CONTINUE: Final = "Continue"
TAGS: Final = frozenset({"Reject", "ModifyInput"})


def read_tagged(fields: JsonObject, event: Event) -> Verdict:
    """Read an object whose one key says which result it is."""
    if "Reject" in fields:
        reason = text_field(object_field(fields, "Reject") or {}, "reason", inside="Reject.")
        if reason is None:
            raise wrong("Reject", fields["Reject"], "an object with a string `reason`")
        return deny(reason)
    change = object_field(fields, "ModifyInput") or {}
    if "new_input" not in change:
        raise wrong("ModifyInput", fields["ModifyInput"], "an object with `new_input`")
    return Verdict(**changed_input("ModifyInput.new_input", change["new_input"], event))
