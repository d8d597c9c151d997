"""Secrets in a JSON value: in its texts, beside names that say so, and in lists of a program's arguments."""

from __future__ import annotations

from typing import Any, Final, Protocol

from interlock.redaction.finding import ASSIGNED, Finder
from interlock.redaction.hiding import VisibleWords
from interlock.redaction.names import beside_user


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What we write ourselves, never a host or an agent: a pattern of the user's does not hide it.
_OURS: Final = _words(
    "event session_id tool decision host revision tool_use_id vote outcome type hook source matcher "
    "permission_mode kind duration_ms op"
)
# Below these stands what came from outside.
_OUTSIDE: Final = _words("tool_input tool_output updated_input input data extra ran")
_SHORTEST: Final = 4  # no rule finds anything in less
_LONGEST_NAME: Final = 12  # of a member, in which nobody looks for a secret
_LOGIN_FLAGS: Final = frozenset({"-u", "--user", "--proxy-user", "-U"})
_SCHEMES: Final = _words("bearer basic token digest negotiate apikey bot key")
_NAMED: Final = ("name", "key", "header")

Place = tuple[int, int, str]  # a stretch of a text's bytes, and the kind of secret in it


class RedactText(Protocol):
    """How one text is redacted."""

    def __call__(self, text: bytes, kept: VisibleWords, *, own: bool, whole: str | None = None) -> bytes: ...


class Members:
    """One walk through one value; whatever holds no secret is given back as the same object."""

    def __init__(self, redact: RedactText, finder: Finder) -> None:
        self._redact: Final = redact
        self._finder: Final = finder

    def without(self, value: Any, kept: VisibleWords) -> Any:
        """The value without its secrets."""
        return self._walk(value, "", kept, ours=True)

    def _walk(self, value: Any, name: str, kept: VisibleWords, *, ours: bool) -> Any:
        if isinstance(value, str):
            return self._text(value, name, kept, own=not (ours and name in _OURS))
        if isinstance(value, dict):
            return self._object(value, kept, ours=ours)
        if isinstance(value, list | tuple):
            return self._list(value, name, kept, ours=ours)
        if isinstance(value, int | float) and not isinstance(value, bool) and name:
            # A password of digits; a count of tokens is named otherwise.
            digits = str(value)
            return self._text(digits, name, kept, own=False, number=value)
        return value

    def _text(self, text: str, name: str, kept: VisibleWords, *, own: bool, number: Any = None) -> Any:
        same = text if number is None else number
        secret = bool(name) and self._finder.is_secret(name, text)
        if number is not None and not secret:
            return same
        if not secret and len(text) < _SHORTEST and not (own and self._finder.has_own):
            return same
        written = text.encode("utf-8", "replace")
        scheme, _, rest = text.partition(" ")
        if secret and rest and scheme.lower() in _SCHEMES:
            hidden = self._redact(rest.encode("utf-8", "replace"), kept, own=own, whole=ASSIGNED)
            return f"{scheme} {hidden.decode('utf-8', 'replace')}"
        changed = self._redact(written, kept, own=own, whole=ASSIGNED if secret else None)
        return same if changed is written else changed.decode("utf-8", "replace")

    def _object(self, value: dict[str, Any], kept: VisibleWords, *, ours: bool) -> Any:
        changed: dict[str, Any] = {}
        label = _label(value)
        for key, inner in value.items():
            name = label if label and key == "value" else key
            name = "password" if beside_user(key, inner, value) else name
            new = self._walk(inner, name, kept, ours=ours and key not in _OUTSIDE)
            if new is not inner:
                changed[key] = new
        found = {**value, **changed} if changed else value
        # A name is a text as well: `{"token=…": true}`.
        names = {key: self._text(key, "", kept, own=False) for key in value if len(key) > _LONGEST_NAME}
        if all(name is key for key, name in names.items()):
            return found
        return {names.get(key, key): inner for key, inner in found.items()}

    def _list(self, values: Any, name: str, kept: VisibleWords, *, ours: bool) -> Any:
        found = list(values)
        before = ""
        placed = self._find_arguments(values)
        for index, inner in enumerate(values):
            found[index] = self._argument(inner, before, kept) if isinstance(inner, str) and before else None
            if found[index] is None and index in placed:
                found[index] = self._pieces(inner, placed[index], kept)
            if found[index] is None:
                found[index] = self._walk(inner, name, kept, ours=ours)
            before = inner if isinstance(inner, str) and inner.startswith("-") else ""
        same = all(new is old for new, old in zip(found, values, strict=True))
        return values if same else found

    def _find_arguments(self, values: Any) -> dict[int, list[Place]]:
        """By item, what is secret if this is a program and its arguments."""
        if len(values) <= 1 or not all(isinstance(value, str) for value in values):
            return {}
        placed: dict[int, list[Place]] = {}
        for piece, kind in self._finder.in_arguments(values):
            placed.setdefault(piece.item, []).append((piece.start, piece.end, kind))
        return placed

    def _pieces(self, value: str, places: list[Place], kept: VisibleWords) -> str:
        """A text without some stretches of it, and without what is secret beside them."""
        written, parts, done = value.encode("utf-8", "replace"), [], 0
        for start, end, kind in sorted(places):
            if end <= done:
                continue
            begin = max(start, done)
            parts.append(self._redact(written[done:begin], kept, own=True))
            parts.append(self._redact(written[begin:end], kept, own=True, whole=kind))
            done = end
        parts.append(self._redact(written[done:], kept, own=True))
        changed = b"".join(parts)
        return value if changed == written else changed.decode("utf-8", "replace")

    def _argument(self, value: str, flag: str, kept: VisibleWords) -> str | None:
        """What follows a flag in a list of arguments, if the flag says it is a secret."""
        if value.startswith("-"):
            return None
        user, colon, password = value.partition(":")
        if flag in _LOGIN_FLAGS and colon and password and not password.isdecimal() and "/" not in user:
            hidden = self._redact(password.encode("utf-8", "replace"), kept, own=True, whole="password")
            return f"{user}:{hidden.decode('utf-8', 'replace')}"
        if self._finder.is_secret(flag.lstrip("-"), value):
            hidden = self._redact(value.encode("utf-8", "replace"), kept, own=True, whole=ASSIGNED)
            return hidden.decode("utf-8", "replace")
        return None


def _label(value: dict[str, Any]) -> str:
    """`{"name": "PASSWORD", "value": …}`: the name of the value stands beside it."""
    if not isinstance(value.get("value"), str):
        return ""
    return next((value[key] for key in _NAMED if isinstance(value.get(key), str)), "")
