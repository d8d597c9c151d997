"""Secrets given to one program: in an argument of its own, over a pipe, in a here-string or here-document."""

from __future__ import annotations

from typing import Final

from interlock.redaction.kinds import Kind

_ARGUMENTS: Final = r"(?:[ \t][^\n;|&]*?)?[ \t\"']"  # of a program, up to one of them
_QUOTE: Final = r"\\*[\"']?"
_BREAK: Final = r"(?:\r?\n|\\+n)"  # also as a JSON text inside a text has it
_PLAIN: Final = r"[^\s\"'\\;|&<>]+"
_VALUE: Final = rf"({_PLAIN})"
# With its spaces, where it stands in quotes; the group that matched is the last one.
_WORD: Final = rf"(?:\\*\"([^\"\\\n$`]+)\\*\"|\\*'([^'\\\n]+)\\*'|{_VALUE})"
# Programs that take a secret from their input.
_TAKES: Final = (
    r"(?:sudo[ \t]+(?:-[A-Za-z-]+[ \t]+)*-[A-Za-z]*S|[^\n|;]*(?:--password-stdin|\bchpasswd"
    r"|\bpasswd[ \t]+--stdin|\bgh[ \t]+secret[ \t]+set|\bcryptsetup[ \t]|\bkinit\b"
    r"|\bwrangler[ \t]+secret[ \t]+put))"
)
_TAKING: Final = (
    r"sudo[ \t]|--password-stdin|chpasswd|passwd[ \t]+--stdin|gh[ \t]+secret[ \t]+set|cryptsetup[ \t]|kinit"
    r"|wrangler[ \t]+secret"
)
_TAKING_HINTS: Final = (
    "sudo",
    "--password-stdin",
    "chpasswd",
    "--stdin",
    "gh secret",
    "cryptsetup",
    "kinit",
    "wrangler",
)
_ACCOUNT: Final = r"[^\s:\\\[]+:[^\s\\]+"
_ACCOUNTS: Final = rf"({_ACCOUNT}(?:{_BREAK}{_ACCOUNT})*)"  # lines of `user:password`
_LOGINS: Final = (
    r"(?:docker|podman|nerdctl|buildah|skopeo|oc|oras|regctl|helm[ \t]+registry|(?:crane|gcrane)[ \t]+auth"
    r"|az[ \t]+acr)[ \t]+login"
)

# Looked for like `PLACES`: every match holds a hint in small letters, and a trigger in letters of any case.
GIVEN: Final = (
    Kind(
        name="password",
        hints=_TAKING_HINTS,
        pattern=(
            rf"\b(?:echo|printf)[ \t]+(?:-[a-z]+[ \t]+)?(?:\\*[\"']%s(?:\\+n)?\\*[\"'][ \t]+)?"
            rf"(?:{_QUOTE}(?:[^\s\"'\\|;&:]+:)?{_VALUE}(?:\\+n)?{_QUOTE}"
            rf"|\\*\"([^\"\\\n$`]+)\\*\"|\\*'([^'\\\n]+)\\*')[ \t]*\|[ \t]*{_TAKES}"
        ),
        trigger=_TAKING,
        literal=True,
    ),
    Kind(
        name="password",
        hints=("<<<",),
        pattern=rf"{_TAKES}[^\n;|&]*<<<[ \t]*(?:{_QUOTE}[^\s\"'\\|;&:]+:{_VALUE}|{_WORD})",
        trigger="<<<",
        literal=True,
    ),
    Kind(
        name="password",
        hints=("chpasswd",),
        pattern=(
            rf"(?:\bchpasswd[^\n;|&]*<<-?[^\n]*?|<<-?[^\n<|]*\|[^\n;]*\bchpasswd[^\n]*?){_BREAK}{_ACCOUNTS}"
        ),
        literal=True,
    ),
    Kind(
        name="password",
        hints=("useradd", "usermod", "groupadd", "groupmod"),
        pattern=rf"\b(?:user|group)(?:add|mod){_ARGUMENTS}-[A-Za-z]*p[ \t]*{_QUOTE}{_VALUE}",
        literal=True,
    ),
    Kind(
        name="password",
        hints=("sqlplus", "sqlldr", "expdp", "impdp"),
        pattern=(
            r"\b(?:sqlplus|sqlldr|expdp|impdp)(?:[ \t][^\n;|&@/]*?)?[ \t\"'=][A-Za-z_][A-Za-z0-9_$#.]*"
            r"/\\*[\"']?([^\s\"'\\;|&<>@/]+)"
        ),
        literal=True,
    ),
    Kind(
        name="password",
        hints=("gh secret",),
        pattern=rf"\bgh[ \t]+secret[ \t]+set{_ARGUMENTS}(?:--body|-b)[ \t=]*{_WORD}",
        literal=True,
    ),
    Kind(
        name="password",
        hints=("create secret",),
        pattern=(
            rf"\bcreate[ \t]+secret{_ARGUMENTS}--from-literal[ \t=]+{_QUOTE}[A-Za-z0-9_.-]+="
            rf"({_PLAIN}(?:\\*[\"']?[ \t]+--from-literal[ \t=]+{_QUOTE}{_PLAIN})*)"
        ),
        literal=True,
    ),
    Kind(
        name="password",
        hints=("login",),
        pattern=rf"\b{_LOGINS}{_ARGUMENTS}-p[ \t]*{_QUOTE}{_VALUE}",
        trigger=rf"{_LOGINS}[ \t]",
        literal=True,
    ),
    Kind(
        name="password",
        hints=("mycli", "rdesktop", "ncftp", "mosquitto_", "ipmitool", "lftp"),
        pattern=(
            rf"\b(?:(?:mycli|rdesktop|ncftp[a-z]+){_ARGUMENTS}-p|(?:mosquitto_[a-z]+|ipmitool){_ARGUMENTS}-P"
            rf"|lftp{_ARGUMENTS}-u[ \t]+{_QUOTE}[^\s,\"']+,)[ \t]*{_QUOTE}{_VALUE}"
        ),
        trigger=r"(?:mycli|rdesktop|ncftp[a-z]+|mosquitto_[a-z]+|ipmitool|lftp)[ \t]",
        literal=True,
    ),
    Kind(
        name="password",
        hints=("openssl",),
        pattern=(
            r"\bopenssl[ \t]+passwd(?:[ \t]+-(?:salt|in)[ \t]+\S+|[ \t]+-[a-z0-9]+)*[ \t]+"
            r"\\*[\"']?([^\s\"'\\;|&<>-][^\s\"'\\;|&<>]*)"
        ),
        trigger=r"openssl[ \t]+passwd",
        literal=True,
    ),
    Kind(  # with `-b` the last word is the password
        name="password",
        hints=("htpasswd",),
        pattern=(
            r"\bhtpasswd(?:[ \t]+-[A-Za-z]+|[ \t]+[0-9]+)*[ \t]+-[A-Za-z]*b[A-Za-z]*"
            rf"(?:[ \t]+[^\s;|&<>]+)+[ \t]+{_QUOTE}{_VALUE}"
        ),
        literal=True,
    ),
    Kind(
        name="password",
        hints=("config",),
        pattern=(
            r"\b(?:composer|poetry)[ \t]+config[ \t]+(?:-[\w-]+[ \t]+)*"
            rf"(?:http-basic\.\S+[ \t]+\S+|pypi-token\.\S+)[ \t]+{_QUOTE}{_VALUE}"
        ),
        trigger=r"(?:composer|poetry)[ \t]+config[ \t]",
        literal=True,
    ),
)
