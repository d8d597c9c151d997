"""What a side effect is aimed at: of a mail whom and what about, of an upload what and whereto."""

from __future__ import annotations

from typing import Final

from interlock.effects.classification.classes import Classified, SideEffect
from interlock.effects.tools.verbs import words_of
from interlock.events.tool import JsonObject

_MAIL: Final = frozenset({"mail", "email", "gmail", "emails", "mails", "sendmail"})
_UPLOAD: Final = frozenset({"upload", "uploads"})
_MAIL_FIELDS: Final = (
    "to", "recipient", "recipients", "recipient_email", "cc", "bcc",
    "subject", "attachment", "attachments",
)  # fmt: skip
_UPLOAD_FIELDS: Final = (
    "path", "file", "file_path", "filepath", "source", "src",
    "destination", "dest", "target", "bucket", "key", "folder", "tool_slug", "toolkit_slug",
)  # fmt: skip
_MEMORY_FIELDS: Final = (
    "content", "contents", "text", "memory", "value", "observations", "entities", "relations",
)  # fmt: skip


def scope_of(call: Classified, arguments: JsonObject) -> JsonObject:
    """The fields of a call that say what it is aimed at; all of them where none are known to."""
    found = {name: arguments[name] for name in _fields(call) if name in arguments}
    return found or arguments


def _fields(call: Classified) -> tuple[str, ...]:
    words = {*words_of(call.tool), *words_of(call.namespace)}
    if words & _MAIL:
        return _MAIL_FIELDS
    if words & _UPLOAD:
        return _UPLOAD_FIELDS
    return _MEMORY_FIELDS if call.effect is SideEffect.MEMORY else ()
