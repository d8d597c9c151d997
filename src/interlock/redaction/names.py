"""Which names say that their value is a secret."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import IntEnum
from functools import lru_cache
from typing import Final

from interlock.redaction.doubtful import is_doubtful


class Says(IntEnum):
    """How much a name says about its value."""

    NOTHING = 0
    PERHAPS = 1  # a secret if the value looks like one
    DOUBTFUL = 2  # what stands around it tells; see `doubtful.py`
    SECRET = 3  # whatever the value, unless it only stands for one


# Letters and digits only, lower case: how a name is compared.
_SECRET: Final = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "encryptionkey",
    "signingkey",
    "masterkey",
    "accountkey",
    "authkey",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "bearertoken",
    "sessiontoken",
    "securitytoken",
    "apitoken",
    "deploytoken",
    "bottoken",
    "personaltoken",
    "secrettoken",
    "dbpass",
    "sshpass",
    "becomepass",
    "storepass",
    "keypass",
    "userpass",
    "rootpass",
    "adminpass",
    "smtppass",
    "mailpass",
    "ftppass",
    "pgpass",
    "postgrespass",
    "mysqlpass",
    "mariadbpass",
    "redispass",
    "mongopass",
    "ldappass",
    "bindpass",
    "vpnpass",
    "wifipass",
    "imappass",
    "mqttpass",
    "sudopass",
    "loginpass",
)
_PERHAPS: Final = (
    "token",
    "passwords",
    "secrets",
    "tokens",
    "apikeys",
    "credential",
    "credentials",
    "connectionstring",
)
# What may follow the word and the value is still the secret itself.
_ENDINGS: Final = ("value", "text", "plain", "string", "base64", "b64", "old", "new", "current")
# They end in such a word and mean a place in a list or a number.
_NOT: Final = frozenset({"nextpagetoken", "pagetoken", "continuationtoken", "maxtokens"})

# Every secret name holds one of these, in letters of any case; `trigger.py` looks for them.
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
    """What a name tells; of a very long one its end, which is what names say last."""
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
    """The same, with the names a user has added."""
    if own and _SEPARATORS.sub("", name[-_LONGEST:].lower()) in own:
        return Says.SECRET
    return says(name)


def compared(name: str) -> str:
    """A name of the user's as it is compared."""
    return _SEPARATORS.sub("", name.lower())


def expression_of(name: str) -> str:
    """What finds a name of the user's, however its words are joined."""
    return "[ _.-]?".join(filter(None, _SEPARATORS.split(name.lower())))


def _without_ending(plain: str) -> str:
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) > len(ending):
            return plain[: -len(ending)]
    return plain
