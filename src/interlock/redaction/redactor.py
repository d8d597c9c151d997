"""Replaces every secret in a text or a JSON value by a mark."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Any, Final, Protocol

import msgspec
import re2

from interlock.errors import PatternError
from interlock.redaction.finding import Finder
from interlock.redaction.kinds import ASSIGNED, KINDS, Kind, compile_bytes
from interlock.redaction.marks import VisibleWords, hide
from interlock.redaction.names import SIGNS, WORDS, beside_user, expression_of, normal_name
from interlock.redaction.places import PLACES


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

SecretSpan = tuple[int, int, str]  # a stretch of a text's bytes, and the kind of secret in it


class RedactText(Protocol):
    """How one text is redacted."""

    def __call__(
        self, text: bytes, visible: VisibleWords, *, own: bool, whole: str | None = None
    ) -> bytes: ...


class Members:
    """Redacts the members of a value; what has no secret is returned as the same object."""

    def __init__(self, redact: RedactText, finder: Finder) -> None:
        self._redact: Final = redact
        self._finder: Final = finder

    def without(self, value: Any, visible: VisibleWords) -> Any:
        """Return the value without its secrets."""
        return self._walk(value, "", visible, ours=True)

    def _walk(self, value: Any, name: str, visible: VisibleWords, *, ours: bool) -> Any:
        if isinstance(value, str):
            return self._text(value, name, visible, own=not (ours and name in _OURS))
        if isinstance(value, dict):
            return self._object(value, visible, ours=ours)
        if isinstance(value, list | tuple):
            return self._list(value, name, visible, ours=ours)
        if isinstance(value, int | float) and not isinstance(value, bool) and name:
            # A password of digits; a count of tokens is named otherwise.
            digits = str(value)
            return self._text(digits, name, visible, own=False, number=value)
        return value

    def _text(self, text: str, name: str, visible: VisibleWords, *, own: bool, number: Any = None) -> Any:
        same = text if number is None else number
        secret = bool(name) and self._finder.is_secret(name, text)
        if number is not None and not secret:
            return same
        if not secret and len(text) < _SHORTEST and not (own and self._finder.has_own):
            return same
        written = text.encode("utf-8", "replace")
        scheme, _, rest = text.partition(" ")
        if secret and rest and scheme.lower() in _SCHEMES:
            return f"{scheme} {self._hide(rest, ASSIGNED, visible, own=own)}"
        changed = self._redact(written, visible, own=own, whole=ASSIGNED if secret else None)
        return same if changed is written else changed.decode("utf-8", "replace")

    def _object(self, value: dict[str, Any], visible: VisibleWords, *, ours: bool) -> Any:
        changed: dict[str, Any] = {}
        label = _label(value)
        for key, inner in value.items():
            name = label if label and key == "value" else key
            name = "password" if beside_user(key, inner, value) else name
            new = self._walk(inner, name, visible, ours=ours and key not in _OUTSIDE)
            if new is not inner:
                changed[key] = new
        members = {**value, **changed} if changed else value
        # A name is a text as well: `{"token=…": true}`.
        names = {key: self._text(key, "", visible, own=False) for key in value if len(key) > _LONGEST_NAME}
        if all(name is key for key, name in names.items()):
            return members
        return {names.get(key, key): inner for key, inner in members.items()}

    def _list(self, values: Any, name: str, visible: VisibleWords, *, ours: bool) -> Any:
        items = list(values)
        before = ""
        placed = self._find_arguments(values)
        for index, inner in enumerate(values):
            items[index] = (
                self._argument(inner, before, visible) if isinstance(inner, str) and before else None
            )
            if items[index] is None and index in placed:
                items[index] = self._pieces(inner, placed[index], visible)
            if items[index] is None:
                items[index] = self._walk(inner, name, visible, ours=ours)
            before = inner if isinstance(inner, str) and inner.startswith("-") else ""
        same = all(new is old for new, old in zip(items, values, strict=True))
        return values if same else items

    def _find_arguments(self, values: Any) -> dict[int, list[SecretSpan]]:
        """Return the secrets by item, if this is a program and its arguments."""
        if len(values) <= 1 or not all(isinstance(value, str) for value in values):
            return {}
        placed: dict[int, list[SecretSpan]] = {}
        for piece, kind in self._finder.in_arguments(values):
            placed.setdefault(piece.item, []).append((piece.start, piece.end, kind))
        return placed

    def _pieces(self, value: str, places: list[SecretSpan], visible: VisibleWords) -> str:
        """Redact some spans of a text, and the secrets around them."""
        written, parts, done = value.encode("utf-8", "replace"), [], 0
        for start, end, kind in sorted(places):
            if end <= done:
                continue
            begin = max(start, done)
            parts.append(self._redact(written[done:begin], visible, own=True))
            parts.append(self._redact(written[begin:end], visible, own=True, whole=kind))
            done = end
        parts.append(self._redact(written[done:], visible, own=True))
        changed = b"".join(parts)
        return value if changed == written else changed.decode("utf-8", "replace")

    def _argument(self, value: str, flag: str, visible: VisibleWords) -> str | None:
        """Redact the argument after a flag if the flag says that it is a secret; else return None."""
        if value.startswith("-"):
            return None
        user, colon, password = value.partition(":")
        if flag in _LOGIN_FLAGS and colon and password and not password.isdecimal() and "/" not in user:
            return f"{user}:{self._hide(password, 'password', visible)}"
        if self._finder.is_secret(flag.lstrip("-"), value):
            return self._hide(value, ASSIGNED, visible)
        return None

    def _hide(self, secret: str, kind: str, visible: VisibleWords, *, own: bool = True) -> str:
        """Return the mark for a whole text."""
        return self._redact(secret.encode("utf-8", "replace"), visible, own=own, whole=kind).decode(
            "utf-8", "replace"
        )


def _label(value: dict[str, Any]) -> str:
    """Return the name in `{"name": "PASSWORD", "value": …}`; empty for other objects."""
    if not isinstance(value.get("value"), str):
        return ""
    return next((value[key] for key in _NAMED if isinstance(value.get(key), str)), "")


_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_. -]{1,63}")
_OWN_MEMORY: Final = 8 * 1024 * 1024


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """Regular expressions whose matches are secret, and names whose values are."""

    patterns: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


NOTHING_OWN: Final = Own()


def compile_pattern(pattern: str) -> Any:
    """A pattern for bytes in UTF-8; PatternError when RE2 cannot run it or its groups are unclear."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _OWN_MEMORY
    try:
        compiled = re2.compile(pattern.encode(), options)
    except re2.error as error:
        raise PatternError(
            f"`{pattern}` is not a regular expression that RE2 supports; correct it"
        ) from error
    if compiled.groups > 1:
        raise PatternError(
            f"`{pattern}` has {compiled.groups} groups; keep one around what is secret, write others `(?:…)`"
        )
    return compiled


_SHORTEST_NAME: Final = 2  # one letter would name anything


def check_name(name: str) -> str:
    """A name as it was written; PatternError when it could be none."""
    if _NAME.fullmatch(name) is None or len(normal_name(name)) < _SHORTEST_NAME:
        raise PatternError(
            f"`{name}` is not a name; write letters, digits, `_`, `-`, `.`, and start with a letter"
        )
    return name


# A JSON text inside a text may write any letter as a number; an honest encoder does so for few of them.
_DISGUISED: Final = r"\\(?:u00[2-7][0-9a-fA-F]|/)"
# A word of a command ends at a space, or where the next item of a list begins; JSON writes a tab as `\\t`.
_SPACE: Final = r"[ \t]"
_NEXT: Final = r"(?:[ \t]|\\+t|\\*[\"'](?:\s|\\+[nrt])*,(?:\s|\\+[nrt])*\\*[\"'])"
_MEMORY: Final = 32 * 1024 * 1024


Trigger = Callable[[bytes], bool]


@cache
def trigger_of(own_names: tuple[str, ...] = ()) -> Trigger:
    """Return a fast check whether there could be a secret anywhere in the bytes of a body.

    It must hit whenever the exact search would find something, in JSON too; it may hit more often. So it
    looks for signs that JSON writes as they are: no quotes, no line ends, no word boundaries (`\\n` ends in
    a letter).
    """
    names = "|".join((*WORDS, *map(expression_of, own_names)))
    kinds = "|".join(_sign(kind) for kind in KINDS)
    places = "|".join(_sign(kind) for kind in PLACES)
    pattern = f"(?i:{names}|{SIGNS}|{places})|{kinds}|{_DISGUISED}"
    compiled = compile_bytes(pattern, never_capture=True, max_mem=_MEMORY)
    return lambda written: compiled.search(written) is not None


def _sign(kind: Kind) -> str:
    if kind.trigger is not None:
        return kind.trigger.replace(_SPACE, _NEXT)
    return "|".join(re2.escape(hint) for hint in kind.hints.split("|"))


_ENCODER: Final = msgspec.json.Encoder()
_NOTHING_KEPT: Final = VisibleWords(())
_NAMES: Final = 4_096
# A round takes one secret out of a command, such as one of five cookies of a `curl`; mostly two are enough.
_ROUNDS: Final = 32

Words = Collection[str]  # programs, paths and hosts that stay visible
Keep = Words | Callable[[], Words]  # looked for only when there is something to hide


class Redactor:
    """Replaces every secret by `[secret:KIND:FINGERPRINT]`; without a key, by `[secret:KIND]`."""

    def __init__(self, key: bytes | None = None, own: Own = NOTHING_OWN) -> None:
        self._key: Final = key
        self._own = NOTHING_OWN
        self._finder = Finder()
        self._trigger = trigger_of()
        self._named: Final[dict[str, str]] = {}
        self.adopt(own)

    def adopt(self, own: Own) -> None:
        """Use these patterns of the user from now on."""
        if own == self._own:
            return
        self._finder = Finder(tuple(map(compile_pattern, own.patterns)), own.names)
        self._trigger = trigger_of(own.names)
        self._own = own
        self._named.clear()

    def body(self, written: bytes, *, keep: Keep = ()) -> bytes:
        """Redact the JSON of a record; return the same object if there are no secrets."""
        if not self._trigger(written) and not self._finder.has_own:
            return written
        return self._closely(written, keep)

    def text(self, text: str, *, keep: Keep = ()) -> str:
        """Redact a text."""
        written = text.encode("utf-8", "replace")
        redacted = self._text(written, VisibleWords(_visible(keep)), own=True)
        return text if redacted is written else redacted.decode("utf-8", "replace")

    def name(self, text: str) -> str:
        """Redact the name of a folder or an actor; the results are cached."""
        redacted = self._named.get(text)
        if redacted is None:
            if len(self._named) >= _NAMES:
                self._named.clear()
            redacted = self._named[text] = self.text(text, keep=(text,))
        return redacted

    def value(self, value: Any) -> Any:
        """Redact any JSON value."""
        return Members(self._text, self._finder).without(value, _NOTHING_KEPT)

    def _closely(self, written: bytes, keep: Keep) -> bytes:
        try:
            value = msgspec.json.decode(written)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            # No JSON after all: a text like any other.
            return self._text(written, VisibleWords(_visible(keep)), own=True)
        visible = VisibleWords(_visible(keep)) if keep else _NOTHING_KEPT
        changed = Members(self._text, self._finder).without(value, visible)
        return written if changed is value else _ENCODER.encode(changed)

    def _text(self, text: bytes, visible: VisibleWords, *, own: bool, whole: str | None = None) -> bytes:
        """Redact a text; return the same object if it has no secrets. `whole`: the kind, if all is one."""
        for _ in range(_ROUNDS):
            spans = self._finder.spans(text) if self._trigger(text) else []
            if own and self._finder.has_own:
                spans += self._finder.own_spans(text)
            if whole is not None:
                spans.append(self._finder.all_of(text, whole))
            if not spans:
                return text
            holes, visible = visible.around(text, spans)
            changed = hide(text, spans, self._key, holes)
            if changed == text:
                return text
            text = changed
        return text


KEYLESS: Final = Redactor()  # without a state folder; its marks do not tell secrets apart


def _visible(keep: Keep) -> Words:
    return keep() if callable(keep) else keep
