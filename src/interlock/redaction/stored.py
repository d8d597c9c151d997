"""Secrets given to a service that keeps them, as words of a command: `heroku config:set NAME=VALUE`."""

from __future__ import annotations

from typing import Final

from interlock.redaction.kinds import Kind

_BETWEEN: Final = r"(?:[ \t][^\n;|&]*?)?[ \t]"  # a program and its subcommand: options
# All words behind a subcommand, with what stands in quotes and after a line that goes on.
_WORDS: Final = r"[ \t]((?:\\*\"[^\"\n]*\"|\\*'[^'\n]*'|\\\r?\n|[^\n;|&])*)"
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_.-]*"
_BARE: Final = r"((?:[^\s\"'\\;|&<>]|\\+[^\s\"'\\nrt]|\"[^\"\s]*\"|'[^'\s]*')+)"
_PAIR: Final = (
    rf"\\*\"{_NAME}=([^\"\n]+?)\\*\"|\\*'{_NAME}=([^'\n]+?)\\*'"
    rf"|(?:^|\s){_NAME}=(?:\\*\"([^\"\n]+?)\\*\"|\\*'([^'\n]+?)\\*'|{_BARE})"
)
# Options of `vault` before the token; those that take a value must, or the value would be the token.
_LOGIN_OPTIONS: Final = (
    r"(?:--?[a-z-]+=\S+[ \t]+|--?(?:method|path|namespace|ns|address|format|field|header)[ \t]+\S+[ \t]+"
    r"|--?(?:no-store|no-print|token-only|non-interactive|tls-skip-verify)[ \t]+)*"
)

# Looked for like `PLACES`: every match holds a hint in small letters, and a trigger in letters of any case.
STORED: Final = (
    Kind(
        name="password",
        hints=("vault",),
        pattern=(
            r"\bvault[ \t]+(?:kv[ \t]+(?:put|patch)"
            rf"|write[ \t]+(?:-\S+[ \t]+)*(?:secret|kv|cubbyhole)\\*/\S+){_WORDS}"
        ),
        trigger=r"vault[ \t]+(?:kv|write)",
        each=_PAIR,
        literal=True,
    ),
    Kind(  # without a digit it is the next word of a sentence
        name="service",
        hints=("vault",),
        pattern=(
            rf"\bvault[ \t]+login[ \t]+{_LOGIN_OPTIONS}(?:token=)?\\*[\"']?"
            r"([A-Za-z0-9][A-Za-z0-9._-]{5,})"
        ),
        trigger=r"vault[ \t]+login",
        mixed=True,
        literal=True,
    ),
    Kind(
        name="password",
        hints=("config:",),
        pattern=rf"\b(?:heroku|dokku){_BETWEEN}config:(?:set|add){_WORDS}",
        trigger=r"config:(?:set|add)",
        each=_PAIR,
        literal=True,
    ),
    Kind(
        name="password",
        hints=("secrets",),
        pattern=rf"\b(?:fly|flyctl|supabase|doppler){_BETWEEN}secrets[ \t]+set{_WORDS}",
        trigger="secrets",
        each=_PAIR,
        literal=True,
    ),
)
