"""The table of secrets known by their place: in a header, an argument, a pipe, a file of one format."""

from __future__ import annotations

from functools import partial
from typing import Final

from interlock.redaction.kinds import Kind

_password: Final = partial(Kind, "password", literal=True)
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
_TAKING_HINTS: Final = "sudo|--password-stdin|chpasswd|--stdin|gh secret|cryptsetup|kinit|wrangler"
_ACCOUNT: Final = r"[^\s:\\\[]+:[^\s\\]+"
_ACCOUNTS: Final = rf"({_ACCOUNT}(?:{_BREAK}{_ACCOUNT})*)"  # lines of `user:password`
_LOGINS: Final = (
    r"(?:docker|podman|nerdctl|buildah|skopeo|oc|oras|regctl|helm[ \t]+registry|(?:crane|gcrane)[ \t]+auth"
    r"|az[ \t]+acr)[ \t]+login"
)

_GAP: Final = r"(?:\s|\\+[nrt])+"  # also as a JSON text inside a text has it
_TELLING_NAME: Final = (
    r"[A-Za-z0-9_./:-]*(?i:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key)"
)
_PORT: Final = "[1-6]?5[45][0-9][0-9]|6[45][0-9][0-9]|26257|2506[0-9]"  # where databases of PostgreSQL listen
_PORT_HINTS: Final = ":64|:65|:26257:|:2506|:*:|" + "|".join(
    f":{first}{rest}" for first in ("", *"123456") for rest in ("54", "55")
)

_BETWEEN: Final = r"(?:[ \t][^\n;|&]*?)?[ \t]"  # a program and its subcommand: options
# All words behind a subcommand, with what stands in quotes and after a line that goes on.
_ALL_WORDS: Final = r"[ \t]((?:\\*\"[^\"\n]*\"|\\*'[^'\n]*'|\\\r?\n|[^\n;|&])*)"
_VARIABLE: Final = r"[A-Za-z_][A-Za-z0-9_.-]*"
_BARE: Final = r"((?:[^\s\"'\\;|&<>]|\\+[^\s\"'\\nrt]|\"[^\"\s]*\"|'[^'\s]*')+)"
_PAIR: Final = (
    rf"\\*\"{_VARIABLE}=([^\"\n]+?)\\*\"|\\*'{_VARIABLE}=([^'\n]+?)\\*'"
    rf"|(?:^|\s){_VARIABLE}=(?:\\*\"([^\"\n]+?)\\*\"|\\*'([^'\n]+?)\\*'|{_BARE})"
)
# Options of `vault` before the token; those that take a value must, or the value would be the token.
_LOGIN_OPTIONS: Final = (
    r"(?:--?[a-z-]+=\S+[ \t]+|--?(?:method|path|namespace|ns|address|format|field|header)[ \t]+\S+[ \t]+"
    r"|--?(?:no-store|no-print|token-only|non-interactive|tls-skip-verify)[ \t]+)*"
)

# Every match holds a hint in small letters, and a trigger in letters of any case.
PLACES: Final = (
    Kind(
        "authorization",
        "authorization",
        (
            r"(?i)authorization\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?[ \t]*"
            r"(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|key)[ \t]+)?"
            r"((?:[^\s\"'\\,;]|\\+u00[2-7][0-9a-fA-F]|\\+/)+)"
        ),
        literal=True,
    ),
    Kind(
        "authorization",
        "bearer",
        r"(?i)\bbearer[ \t]+((?:[A-Za-z0-9._~+/=-]|\\+/|\\+u003[dD]){16,})",
        mixed=True,
        literal=True,
    ),
    Kind(
        "cookie",
        "cookie",
        (
            r"(?i)\b(?:set-)?cookie\\*[\"']?:[ \t]*\\*[\"']?"
            r"([A-Za-z0-9_.-]+=[^\s\"'\\;]{8,}(?:;[^\r\n\"'\\]*)?)"
        ),
    ),
    _password(
        "curl|wget|http",
        (
            r"(?i)\b(?:curl|wget|httpie|https?)[ \t](?:[^\n]*?[ \t\"'])?"
            r"(?:-[a-z]*u|--user|--proxy-user|-a|--auth)(?:[ \t=]+|\\*[\"'])?"
            r"\\*[\"']?[^\s:\"'\\/=]+:((?:[^\s\"'\\]|\\+u00[2-7][0-9a-fA-F]|\\+/)+)"
        ),
        trigger="(?i:curl|wget|httpie|https? )",
    ),
    _password(
        "mysql|mariadb", r"\b(?i:mysql|mariadb)[a-z-]*[ \t](?:[^\n;|&]*?[ \t\"'])?-p\\*[\"']?([^\s\"'\\;|&]+)"
    ),
    _password(
        "sshpass|redis-cli|mongo|ldap",
        (
            rf"\b(?:sshpass{_ARGUMENTS}-p|redis-cli{_ARGUMENTS}-a"
            rf"|mongo[a-z]*{_ARGUMENTS}-p|ldap[a-z]+{_ARGUMENTS}-w)[ \t]*\\*[\"']?([^\s\"'\\;|&]+)"
        ),
    ),
    _password("pass:", r"(?i)\bpass(?:in|out)?[ =]*\\*[\"']?pass:([^\s\"'\\;|&]+)"),
    _password(  # .netrc
        "login", rf"(?i)\blogin{_GAP}[^\s\\]+{_GAP}password{_GAP}{_VALUE}", trigger="password"
    ),
    _password(  # .pgpass: host:port:database:user:password, a port that is a database's or any
        _PORT_HINTS,
        (
            rf"(?:^|[\s\"'=]|\\n)(?:\*|[A-Za-z0-9][A-Za-z0-9._-]*):(?:\*|{_PORT}):(?:\*|[A-Za-z_][\w$.-]*):"
            r"(?:\*|[A-Za-z_][\w$.@-]*):((?:[^\s\"'\\]|\\+[:\\])+)"
        ),
        trigger=rf":(?:\*|{_PORT}):(?:\*|[a-z_][\w$.-]*):(?:\*|[a-z_][\w$.@-]*):",
    ),
    _password(  # the same, in a text that names the file
        "pgpass",
        (
            r"(?:^|[\s\"'=]|\\n)(?:\*|[A-Za-z0-9][A-Za-z0-9._-]*):(?:\*|[0-9]+):[^\s:\"'\\]+:[^\s:\"'\\]+:"
            r"((?:[^\s\"'\\]|\\+[:\\])+)"
        ),
    ),
    _password(  # SQL
        "identified|password",
        (
            r"(?i)\b(?:with[ \t]+(?:encrypted[ \t]+)?password|identified[ \t]+(?:with[ \t]+\S+[ \t]+)?by)"
            r"[ \t]+\\*'([^'\\\s]+)"
        ),
        trigger="identified|password",
    ),
    Kind(  # XML
        "assigned",
        "</",
        rf"<{_TELLING_NAME}>([^<>\s]{{3,}})<\\*/",
        trigger=r"(?:passw(?:or)?d|passphrase|secret|token|key)><|(?:passw|secret|token|key)[a-z]*>",
        literal=True,
    ),
    Kind(  # a container's environment in YAML
        "assigned",
        "value:",
        rf"\bname:[ \t]*{_QUOTE}{_TELLING_NAME}{_QUOTE}{_GAP}value:[ \t]*{_QUOTE}{_VALUE}",
        trigger="value:",
        literal=True,
    ),
    Kind(
        "assigned",
        "config|setx|set -",
        (
            r"(?i)\b(?:config(?:ure)?[ \t]+(?:set|--?[a-z]+)(?:[ \t]+--?[a-z]+)*|setx"
            rf"|set[ \t]+-[a-z]*x[a-z]*)[ \t]+{_QUOTE}(?:{_TELLING_NAME}|[^\s\"'=]*_auth){_QUOTE}[ \t=]+"
            rf"{_QUOTE}{_VALUE}"
        ),
        trigger=r"config(?:ure)?[ \t]+(?:set|-)|setx|set[ \t]+-",
        literal=True,
    ),
    _password(
        "zip |sqlcmd|az login|ssh-keygen|7z|openssl enc|security add-|smbclient",
        (
            rf"\b(?:(?:un)?zip{_ARGUMENTS}-P|sqlcmd{_ARGUMENTS}-P|az[ \t]+login{_ARGUMENTS}-p"
            rf"|ssh-keygen{_ARGUMENTS}-[NP]|7z[a-z]?{_ARGUMENTS}-p|openssl[ \t]+enc{_ARGUMENTS}-k"
            rf"|security[ \t]+add-[a-z-]+{_ARGUMENTS}-w|smbclient{_ARGUMENTS}-U[ \t]*{_QUOTE}[^\s%\"']+%)"
            rf"[ \t]*{_QUOTE}{_VALUE}"
        ),
        trigger=(
            r"(?:zip|sqlcmd|az[ \t]+login|ssh-keygen|7z[a-z]?|openssl[ \t]+enc|smbclient)[ \t]"
            r"|security[ \t]+add-"
        ),
    ),
    Kind(
        "cookie",
        "curl",
        (
            rf"\bcurl{_ARGUMENTS}(?:-b|--cookie)[ \t=]+{_QUOTE}"
            r"([A-Za-z0-9_.-]+=[^\s\"'\\;]{8,}(?:;[^\"'\\\n]*)?)"
        ),
        trigger="curl",
    ),
    Kind(  # of a registry, in the files of docker and npm
        "authorization",
        "auth",
        (
            rf"(?:\\*\"auth\\*\"[ \t]*:[ \t]*\\*\"|\b_auth[ \t]*=[ \t]*{_QUOTE})"
            r"((?:[A-Za-z0-9+/=]|\\+/|\\+u003[dD]){12,})"
        ),
        trigger=r"auth\\*\"[ \t]*:|_auth[ \t]*=",
        mixed=True,
    ),
    _password(
        _TAKING_HINTS,
        (
            rf"\b(?:echo|printf)[ \t]+(?:-[a-z]+[ \t]+)?(?:\\*[\"']%s(?:\\+n)?\\*[\"'][ \t]+)?"
            rf"(?:{_QUOTE}(?:[^\s\"'\\|;&:]+:)?{_VALUE}(?:\\+n)?{_QUOTE}"
            rf"|\\*\"([^\"\\\n$`]+)\\*\"|\\*'([^'\\\n]+)\\*')[ \t]*\|[ \t]*{_TAKES}"
        ),
        trigger=_TAKING,
    ),
    _password(
        "<<<", rf"{_TAKES}[^\n;|&]*<<<[ \t]*(?:{_QUOTE}[^\s\"'\\|;&:]+:{_VALUE}|{_WORD})", trigger="<<<"
    ),
    _password(
        "chpasswd",
        (rf"(?:\bchpasswd[^\n;|&]*<<-?[^\n]*?|<<-?[^\n<|]*\|[^\n;]*\bchpasswd[^\n]*?){_BREAK}{_ACCOUNTS}"),
    ),
    _password(
        "useradd|usermod|groupadd|groupmod",
        rf"\b(?:user|group)(?:add|mod){_ARGUMENTS}-[A-Za-z]*p[ \t]*{_QUOTE}{_VALUE}",
    ),
    _password(
        "sqlplus|sqlldr|expdp|impdp",
        (
            r"\b(?:sqlplus|sqlldr|expdp|impdp)(?:[ \t][^\n;|&@/]*?)?[ \t\"'=][A-Za-z_][A-Za-z0-9_$#.]*"
            r"/\\*[\"']?([^\s\"'\\;|&<>@/]+)"
        ),
    ),
    _password("gh secret", rf"\bgh[ \t]+secret[ \t]+set{_ARGUMENTS}(?:--body|-b)[ \t=]*{_WORD}"),
    _password(
        "create secret",
        (
            rf"\bcreate[ \t]+secret{_ARGUMENTS}--from-literal[ \t=]+{_QUOTE}[A-Za-z0-9_.-]+="
            rf"({_PLAIN}(?:\\*[\"']?[ \t]+--from-literal[ \t=]+{_QUOTE}{_PLAIN})*)"
        ),
    ),
    _password("login", rf"\b{_LOGINS}{_ARGUMENTS}-p[ \t]*{_QUOTE}{_VALUE}", trigger=rf"{_LOGINS}[ \t]"),
    _password(
        "mycli|rdesktop|ncftp|mosquitto_|ipmitool|lftp",
        (
            rf"\b(?:(?:mycli|rdesktop|ncftp[a-z]+){_ARGUMENTS}-p|(?:mosquitto_[a-z]+|ipmitool){_ARGUMENTS}-P"
            rf"|lftp{_ARGUMENTS}-u[ \t]+{_QUOTE}[^\s,\"']+,)[ \t]*{_QUOTE}{_VALUE}"
        ),
        trigger=r"(?:mycli|rdesktop|ncftp[a-z]+|mosquitto_[a-z]+|ipmitool|lftp)[ \t]",
    ),
    _password(
        "openssl",
        (
            r"\bopenssl[ \t]+passwd(?:[ \t]+-(?:salt|in)[ \t]+\S+|[ \t]+-[a-z0-9]+)*[ \t]+"
            r"\\*[\"']?([^\s\"'\\;|&<>-][^\s\"'\\;|&<>]*)"
        ),
        trigger=r"openssl[ \t]+passwd",
    ),
    _password(  # with `-b` the last word is the password
        "htpasswd",
        (
            r"\bhtpasswd(?:[ \t]+-[A-Za-z]+|[ \t]+[0-9]+)*[ \t]+-[A-Za-z]*b[A-Za-z]*"
            rf"(?:[ \t]+[^\s;|&<>]+)+[ \t]+{_QUOTE}{_VALUE}"
        ),
    ),
    _password(
        "config",
        (
            r"\b(?:composer|poetry)[ \t]+config[ \t]+(?:-[\w-]+[ \t]+)*"
            rf"(?:http-basic\.\S+[ \t]+\S+|pypi-token\.\S+)[ \t]+{_QUOTE}{_VALUE}"
        ),
        trigger=r"(?:composer|poetry)[ \t]+config[ \t]",
    ),
    _password(
        "vault",
        (
            r"\bvault[ \t]+(?:kv[ \t]+(?:put|patch)"
            rf"|write[ \t]+(?:-\S+[ \t]+)*(?:secret|kv|cubbyhole)\\*/\S+){_ALL_WORDS}"
        ),
        trigger=r"vault[ \t]+(?:kv|write)",
        each=_PAIR,
    ),
    Kind(  # without a digit it is the next word of a sentence
        "service",
        "vault",
        (
            rf"\bvault[ \t]+login[ \t]+{_LOGIN_OPTIONS}(?:token=)?\\*[\"']?"
            r"([A-Za-z0-9][A-Za-z0-9._-]{5,})"
        ),
        trigger=r"vault[ \t]+login",
        mixed=True,
        literal=True,
    ),
    _password(
        "config:",
        rf"\b(?:heroku|dokku){_BETWEEN}config:(?:set|add){_ALL_WORDS}",
        trigger=r"config:(?:set|add)",
        each=_PAIR,
    ),
    _password(
        "secrets",
        rf"\b(?:fly|flyctl|supabase|doppler){_BETWEEN}secrets[ \t]+set{_ALL_WORDS}",
        trigger="secrets",
        each=_PAIR,
    ),
)
