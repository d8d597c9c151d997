"""Secrets that people and agents type beside a word only one program or format knows."""

from __future__ import annotations

from typing import Final

from interlock.redaction.kinds import Kind

_ARGUMENTS: Final = r"(?:[ \t][^\n;|&]*?)?[ \t\"']"  # of a program, up to one of them
_SPACE: Final = r"(?:\s|\\+[nrt])+"  # also as a JSON text inside a text has it
_QUOTE: Final = r"\\*[\"']?"
_VALUE: Final = r"([^\s\"'\\;|&<>]+)"
_NAME: Final = r"[A-Za-z0-9_./:-]*(?i:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key)"
_PORT: Final = "[1-6]?5[45][0-9][0-9]|6[45][0-9][0-9]|26257|2506[0-9]"  # where databases of PostgreSQL listen
_PORT_HINTS: Final = (
    *(f":{first}{rest}" for first in ("", *"123456") for rest in ("54", "55")),
    ":64",
    ":65",
    ":26257:",
    ":2506",
    ":*:",
)

# Looked for like `PLACES`: every match holds a hint in small letters, and a trigger in letters of any case.
TYPED: Final = (
    Kind(  # .netrc
        name="password",
        hints=("login",),
        pattern=rf"(?i)\blogin{_SPACE}[^\s\\]+{_SPACE}password{_SPACE}{_VALUE}",
        trigger="password",
        literal=True,
    ),
    Kind(  # .pgpass: host:port:database:user:password, a port that is a database's or any
        name="password",
        hints=_PORT_HINTS,
        pattern=(
            rf"(?:^|[\s\"'=]|\\n)(?:\*|[A-Za-z0-9][A-Za-z0-9._-]*):(?:\*|{_PORT}):(?:\*|[A-Za-z_][\w$.-]*):"
            r"(?:\*|[A-Za-z_][\w$.@-]*):((?:[^\s\"'\\]|\\+[:\\])+)"
        ),
        trigger=rf":(?:\*|{_PORT}):(?:\*|[a-z_][\w$.-]*):(?:\*|[a-z_][\w$.@-]*):",
        literal=True,
    ),
    Kind(  # the same, in a text that names the file
        name="password",
        hints=("pgpass",),
        pattern=(
            r"(?:^|[\s\"'=]|\\n)(?:\*|[A-Za-z0-9][A-Za-z0-9._-]*):(?:\*|[0-9]+):[^\s:\"'\\]+:[^\s:\"'\\]+:"
            r"((?:[^\s\"'\\]|\\+[:\\])+)"
        ),
        literal=True,
    ),
    Kind(  # SQL
        name="password",
        hints=("identified", "password"),
        pattern=(
            r"(?i)\b(?:with[ \t]+(?:encrypted[ \t]+)?password|identified[ \t]+(?:with[ \t]+\S+[ \t]+)?by)"
            r"[ \t]+\\*'([^'\\\s]+)"
        ),
        trigger="identified|password",
        literal=True,
    ),
    Kind(  # XML
        name="assigned",
        hints=("</",),
        pattern=rf"<{_NAME}>([^<>\s]{{3,}})<\\*/",
        trigger=r"(?:passw(?:or)?d|passphrase|secret|token|key)><|(?:passw|secret|token|key)[a-z]*>",
        literal=True,
    ),
    Kind(  # a container's environment in YAML
        name="assigned",
        hints=("value:",),
        pattern=rf"\bname:[ \t]*{_QUOTE}{_NAME}{_QUOTE}{_SPACE}value:[ \t]*{_QUOTE}{_VALUE}",
        trigger="value:",
        literal=True,
    ),
    Kind(
        name="assigned",
        hints=("config", "setx", "set -"),
        pattern=(
            r"(?i)\b(?:config(?:ure)?[ \t]+(?:set|--?[a-z]+)(?:[ \t]+--?[a-z]+)*|setx"
            rf"|set[ \t]+-[a-z]*x[a-z]*)[ \t]+{_QUOTE}(?:{_NAME}|[^\s\"'=]*_auth){_QUOTE}[ \t=]+"
            rf"{_QUOTE}{_VALUE}"
        ),
        trigger=r"config(?:ure)?[ \t]+(?:set|-)|setx|set[ \t]+-",
        literal=True,
    ),
    Kind(
        name="password",
        hints=("zip ", "sqlcmd", "az login", "ssh-keygen", "7z", "openssl enc", "security add-", "smbclient"),
        pattern=(
            rf"\b(?:(?:un)?zip{_ARGUMENTS}-P|sqlcmd{_ARGUMENTS}-P|az[ \t]+login{_ARGUMENTS}-p"
            rf"|ssh-keygen{_ARGUMENTS}-[NP]|7z[a-z]?{_ARGUMENTS}-p|openssl[ \t]+enc{_ARGUMENTS}-k"
            rf"|security[ \t]+add-[a-z-]+{_ARGUMENTS}-w|smbclient{_ARGUMENTS}-U[ \t]*{_QUOTE}[^\s%\"']+%)"
            rf"[ \t]*{_QUOTE}{_VALUE}"
        ),
        trigger=(
            r"(?:zip|sqlcmd|az[ \t]+login|ssh-keygen|7z[a-z]?|openssl[ \t]+enc|smbclient)[ \t]"
            r"|security[ \t]+add-"
        ),
        literal=True,
    ),
    Kind(
        name="cookie",
        hints=("curl",),
        pattern=(
            rf"\bcurl{_ARGUMENTS}(?:-b|--cookie)[ \t=]+{_QUOTE}"
            r"([A-Za-z0-9_.-]+=[^\s\"'\\;]{8,}(?:;[^\"'\\\n]*)?)"
        ),
        trigger="curl",
    ),
    Kind(  # of a registry, in the files of docker and npm
        name="authorization",
        hints=("auth",),
        pattern=(
            rf"(?:\\*\"auth\\*\"[ \t]*:[ \t]*\\*\"|\b_auth[ \t]*=[ \t]*{_QUOTE})"
            r"((?:[A-Za-z0-9+/=]|\\+/|\\+u003[dD]){12,})"
        ),
        trigger=r"auth\\*\"[ \t]*:|_auth[ \t]*=",
        mixed=True,
    ),
)
