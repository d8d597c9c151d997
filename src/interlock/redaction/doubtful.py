"""Names that mean a password in one text and something else in the next: `pass`, `_AUTH`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import re2

from interlock.redaction.values import looks_secret

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
_SHORTEST: Final = 6  # of a value beside a bare `pass`
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
    """Whether only what stands around such a name tells what it means."""
    if _ENDS.search(name) is not None:
        return True
    return _SHOUTED.fullmatch(name) is not None and not name.rstrip("0123456789").endswith(_OTHER_WORDS)


def means_secret(name: str, value: str, *, sign: bytes = b"", before: bytes = b"") -> bool:
    """Whether it is a secret here; `sign` joins name and value, `before` is the text up to the name."""
    if name.lower().endswith("auth"):
        return _is_credential(name, value, sign)
    if _is_outcome(value) is not None or (b"=" not in sign and any(c.isspace() for c in value)):
        return False
    if before and _USER.search(before[-_NEAR:]) is not None:
        return len(value) >= _SHORTEST_BESIDE
    if len(name.rstrip("0123456789")) > len("pass"):
        return name.isupper() or looks_secret(value)  # `PG_PASS`: so named for one purpose
    if sign.lstrip(b"\\\"'") == b"=":  # nothing between: no sentence and no code
        return len(value) >= _SHORTEST
    # `PASS: name` is what test runners print.
    return looks_secret(value) and not (name.isupper() and sign == b": ")


def beside_user(name: str, value: object, names: Iterable[str]) -> bool:
    """Whether a member named `pass` is a password because another one of its object names a user."""
    if not isinstance(value, str) or "pass" not in name.lower() or not is_doubtful(name):
        return False
    return any(means_secret(name, value, before=f"{other}=".encode()) for other in names if other != name)


def _is_credential(name: str, value: str, sign: bytes) -> bool:
    """The value of a variable that would hold a user and a password, a key, or the name of a scheme."""
    if _is_scheme(value) is not None or any(c.isspace() for c in value):
        return False
    if not name.isupper() or b"=" not in sign:
        return looks_secret(value)
    return len(value) >= _SHORTEST
