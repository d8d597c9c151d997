"""Names whose value is a secret, and names such as `pass` and `_AUTH` that depend on the text around them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

import re2


def _any_of(*patterns: str) -> str:
    return "|".join(patterns)


# `$NAME`, `${…}`, `$(…)`, `{{ … }}`, `<your key>`, `%NAME%`, `%s`, `{name}`, `:name`, `@file`, `***`
_STANDS_FOR: Final = _any_of(
    r"\$[A-Za-z_{(\[].*",  # a variable, an expression of a pipeline, a command's output
    "`.*",
    r"\{\{.*\}\}",
    r"#?\{[A-Za-z_][\w.\[\]()'\"!:]*\}",
    "<[^<>]*>",
    r"\[[^\[\]]*\]",
    r"%[A-Za-z_]\w*%",
    r"%\(?\w*\)?[a-z]",
    r"@[\w./~-]+",
    r":[A-Za-z_]\w*",
    "[*.•…?xX_-]+",
)
_WORDS: Final = (
    "your|my|the|some|any|a|an|enter|insert|put|add|replace|example|sample|dummy|fake|test|mock|"
    "redacted|hidden|masked|removed|placeholder|change|change_?-?me|password|passwd|secret|token|"
    "api_?-?key|key|value|here|goes|xxx|todo|none|null|nil|undefined|true|false|yes|no|str|string|int|"
    "bytes|bool|boolean|any|object|optional|char|varchar|text|required|empty|unset|default|flag|option|"
    "argument|field|prompt|is|to|and|or|for|in|of|with|from|env|environment|variable|file|stdin|as|by|"
    "on"
)
_PLACEHOLDER: Final = rf"(?i:(?:{_WORDS}|[ _./-])+[!?.,;:]*)"
_PATH: Final = _any_of(
    r"(?:~[\w-]*|\.{1,2})?(?:/[\w.@+,-]+){2,}/?",
    r"(?:~|\.{1,2})/[\w.@+,/-]*",
    r"[A-Za-z]:\\[\w.\\ -]+",
)
_ADDRESS: Final = r"[A-Za-z][A-Za-z0-9+.-]*://\S*"


def _matches_whole(*patterns: str) -> Any:
    # Linear, whatever an agent writes as a value.
    options = re2.Options()
    options.dot_nl = True
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns), options).fullmatch


_is_placeholder: Final = _matches_whole(_STANDS_FOR, _PLACEHOLDER, _ADDRESS)
_is_path: Final = _matches_whole(_PATH)
_PARTS: Final = re.compile(r"[/\\]")
_SHORTEST_PERHAPS: Final = 8
_LONG: Final = 16
_BITS: Final = 3.0
_RANDOM_LENGTH: Final = 20
_RANDOM_BITS: Final = 3.5
_JUDGED: Final = 512  # characters of a value that its looks are judged by


def stands_for(value: str, name: str = "") -> bool:
    """Return whether a value is a variable, a placeholder, a path or an address, so not a secret."""
    value = value.strip()
    if not value or value == name:
        return True
    if len(value) > _JUDGED:
        return value[:2] in {"${", "$("}
    if _is_placeholder(value):
        return True
    return bool(_is_path(value)) and not any(looks_random(part) for part in _PARTS.split(value))


def looks_secret(value: str) -> bool:
    """Return whether a value is too irregular to be a word; asked if its name may mean a secret."""
    judged = value.strip()[:_JUDGED]
    if len(judged) < _SHORTEST_PERHAPS or any(c.isspace() for c in judged):
        return False
    if not has_letters_and_digits(judged):
        return False
    return len(judged) < _LONG or bits(judged) >= _BITS


def looks_random(text: str) -> bool:
    """Return whether a text looks random."""
    judged = text[:_JUDGED]
    return len(judged) >= _RANDOM_LENGTH and has_letters_and_digits(judged) and bits(judged) >= _RANDOM_BITS


def has_letters_and_digits(text: str) -> bool:
    """Return whether a text has both letters and digits."""
    return any(c.isalpha() for c in text) and any(c.isdigit() for c in text)


def bits(text: str) -> float:
    """Return the entropy per character, in bits."""
    length = len(text)
    return -sum(n / length * math.log2(n / length) for n in Counter(text).values())


# What follows the beginning of a name, as `assigned.py` looks for it; nothing more may follow it.
NAME_ENDS: Final = "(?i:pass)[0-9]{0,3}|_(?i:auth)"
# The same for one fast look, with the sign or the space that gives it a value; JSON writes a tab as `\t`.
_GAP: Final = r"(?:[ \t]|\\+t)*"
SIGNS: Final = rf"(?:pass[0-9]*|_auth)\\*[\"']?\]?{_GAP}[=:]|-[a-z0-9_.-]*(?:pass[0-9]*|_auth)[ \t]"

_ENDS: Final = re.compile(r"(?i:(?:^|[_.-])pass[0-9]*$|(?:^|[a-z0-9])_auth$)|[a-z]Pass[0-9]*$")
_SHOUTED: Final = re.compile(r"[A-Z][A-Z0-9_]*PASS[0-9]*")
_OTHER_WORDS: Final = ("BYPASS", "COMPASS", "SURPASS", "OVERPASS", "UNDERPASS", "TRESPASS")
# `user=bob&pass=…`, `login: bob` on the line before: then it is a password, whatever it looks like.
_USER: Final = re.compile(
    rb"(?:user|usr|login|uid|account|e?mail)[A-Za-z0-9_-]*\\*[\"']?[ \t]*[=:]", re.IGNORECASE
)
_NEAR: Final = 120  # bytes before a name in which its user stands
_SHORTEST_PASS: Final = 6  # of a value beside a bare `pass`
_SHORTEST_BESIDE: Final = 3  # of one beside a user


def _whole(*patterns: str) -> Any:
    return re2.compile("(?i)" + "|".join(f"(?:{pattern})" for pattern in patterns)).fullmatch


_is_outcome: Final = _whole(
    r"[+-]?[0-9][0-9.,:]*(?:%|ns|us|µs|ms|s|m|min|h|k|[kmg]i?b|x|px)?[.,;:]*",
    r"[0-9]+(?:/|of)[0-9]+",
    r"0x[0-9a-f]+",
    r"ok|okay|x?fail(?:ed|ing|ure|ures)?|x?pass(?:ed|ing|es)?|skip(?:ped)?|errors?|warn(?:ings?)?|success|"
    r"succeeded|unknown|pending|all|any|both|first|second|third|last|next|on|off|done|never|always",
    r"tests?[_./:-]\S*",
    r"\S+\.(?:pyi?|[cm]?[jt]sx?|go|rs|java|kt|c|h|cc|cpp|cs|sh|rb|php|swift|txt|md|json|ya?ml|toml|html?)",
    r"\S*::\S*",
)
_is_scheme: Final = _whole(
    r"[0-9.]+|on|off|failed|ok|enabled?|disabled?|required?|requires|optional|always|"
    r"never|auto|manual|default|basic|bearer|digest|plain|plaintext|login|cram-?md5|ntlm|kerberos|gssapi|spnego|"
    r"negotiate|oauth[0-9.]*|oidc|openid|saml|sso|ldaps?|jwt|jwks|ssh|pubkey|publickey|tls|mtls|ssl|x509|"
    r"cert(?:ificate)?s?|md5|trust|peer|scram[a-z0-9-]*|pam|local|internal|external|remote|anonymous|guest|"
    r"admin|session|cookies?|http|https|form|api|iam|aws|azure|gcp|google|github|gitlab|firebase|auth0|okta|"
    r"keycloak|cognito|supabase|clerk|nextauth|passport|devise|two-?factor|2fa|totp|webauthn|passkeys?"
)


def is_doubtful(name: str) -> bool:
    """Return whether the meaning of a name depends on the text around it."""
    if _ENDS.search(name) is not None:
        return True
    return _SHOUTED.fullmatch(name) is not None and not name.rstrip("0123456789").endswith(_OTHER_WORDS)


def means_secret(name: str, value: str, *, sign: bytes = b"", before: bytes = b"") -> bool:
    """Return whether a doubtful name means a secret; `sign` joins name and value, `before` precedes them."""
    if name.lower().endswith("auth"):
        return _is_credential(name, value, sign)
    if _is_outcome(value) is not None or (b"=" not in sign and any(c.isspace() for c in value)):
        return False
    if before and _USER.search(before[-_NEAR:]) is not None:
        return len(value) >= _SHORTEST_BESIDE
    if len(name.rstrip("0123456789")) > len("pass"):
        return name.isupper() or looks_secret(value)  # `PG_PASS`: so named for one purpose
    if sign.lstrip(b"\\\"'") == b"=":  # nothing between: no sentence and no code
        return len(value) >= _SHORTEST_PASS
    # `PASS: name` is what test runners print.
    return looks_secret(value) and not (name.isupper() and sign == b": ")


def beside_user(name: str, value: object, names: Iterable[str]) -> bool:
    """Return whether a member named `pass` is a password: another member of its object names a user."""
    if not isinstance(value, str) or "pass" not in name.lower() or not is_doubtful(name):
        return False
    return any(means_secret(name, value, before=f"{other}=".encode()) for other in names if other != name)


def _is_credential(name: str, value: str, sign: bytes) -> bool:
    """Return whether the value of an `_AUTH` variable is a credential and not the name of a scheme."""
    if _is_scheme(value) is not None or any(c.isspace() for c in value):
        return False
    if not name.isupper() or b"=" not in sign:
        return looks_secret(value)
    return len(value) >= _SHORTEST_PASS


class Says(IntEnum):
    """How much a name says about its value."""

    NOTHING = 0
    PERHAPS = 1  # a secret if the value looks like one
    DOUBTFUL = 2  # it depends on the text around it
    SECRET = 3  # unless the value is a placeholder


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Letters and digits only, lower case: how a name is compared.
_SECRET: Final = _words(
    "password passwd passphrase passcode pwd secret apikey accesskey secretkey privatekey "
    "encryptionkey signingkey masterkey accountkey authkey authtoken accesstoken refreshtoken "
    "idtoken bearertoken sessiontoken securitytoken apitoken deploytoken bottoken personaltoken "
    "secrettoken dbpass sshpass becomepass storepass keypass userpass rootpass adminpass smtppass "
    "mailpass ftppass pgpass postgrespass mysqlpass mariadbpass redispass mongopass ldappass "
    "bindpass vpnpass wifipass imappass mqttpass sudopass loginpass"
)
_PERHAPS: Final = _words("token passwords secrets tokens apikeys credential credentials connectionstring")
# Endings of a name whose value is still the secret.
_ENDINGS: Final = ("value", "text", "plain", "string", "base64", "b64", "old", "new", "current")
# These end in such a word but mean a position or a number.
_NOT: Final = frozenset({"nextpagetoken", "pagetoken", "continuationtoken", "maxtokens"})

# Every secret name holds one of these, in letters of any case; `redactor.py` looks for them.
WORDS: Final = (
    "passw(?:or)?d",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "credential",
    "(?:api|access|secret|private|encryption|signing|master|account|auth)[ _.-]?key",
    "connection[_-]?string",
    "(?:db|ssh|become|store|key|user|root|admin|smtp|mail|ftp|sudo|login)[_.-]?pass",
    "(?:pg|postgres|mysql|mariadb|redis|mongo|ldap|bind|vpn|wifi|imap|mqtt)[_.-]?pass",
)
_SEPARATORS: Final = re.compile(r"[^a-z0-9]+")
_NUMBER: Final = re.compile(r"[0-9]+$")
_LONGEST: Final = 80


@lru_cache(maxsize=4_096)
def says(name: str) -> Says:
    """Return what a name says about its value; of a very long name, only the end counts."""
    plain = _SEPARATORS.sub("", name[-_LONGEST:].lower())
    plain = _NUMBER.sub("", plain)
    if plain in _NOT:
        return Says.NOTHING
    bare = _without_ending(plain)
    if bare.endswith(_SECRET):
        return Says.SECRET
    if bare.endswith(_PERHAPS):
        # `NPM_TOKEN=…`: a variable of the environment is named so for one purpose.
        shouts = name.isupper() and bare.endswith("token")
        return Says.SECRET if shouts else Says.PERHAPS
    return Says.DOUBTFUL if is_doubtful(name[-_LONGEST:]) else Says.NOTHING


def says_with(name: str, own: Collection[str]) -> Says:
    """Return what a name says, also by the names a user has added."""
    if own and _SEPARATORS.sub("", name[-_LONGEST:].lower()) in own:
        return Says.SECRET
    return says(name)


def normal_name(name: str) -> str:
    """Return the form in which names of the user are compared."""
    return _SEPARATORS.sub("", name.lower())


def expression_of(name: str) -> str:
    """Return an expression for a name of the user, however its words are joined."""
    return "[ _.-]?".join(filter(None, _SEPARATORS.split(name.lower())))


def _without_ending(plain: str) -> str:
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) > len(ending):
            return plain[: -len(ending)]
    return plain
