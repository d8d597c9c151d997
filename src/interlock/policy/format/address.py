"""Addresses in settings, and where their secrets are; none is quoted, since it may hold a password."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import parse_qs, urlsplit

import msgspec
from msgspec import UNSET, UnsetType


class AddressForm(msgspec.Struct, frozen=True, kw_only=True):
    """What a setting takes for an address."""

    schemes: frozenset[str]
    noun: str  # what it must be: `a web address`
    example: str  # one as it is written
    advice: str  # where a secret goes instead
    takes_user: bool = False  # a name before the host is not a secret
    takes_no_host: bool = False  # this machine, or a host among its parameters
    secret_parameters: frozenset[str] = frozenset()


def address_fault(url: str, form: AddressForm) -> str | None:
    """What is wrong with an address, and what to write."""
    try:
        split = urlsplit(url)
        parameters = parse_qs(split.query, keep_blank_values=True).keys()
        has_secret = split.password is not None or (split.username and not form.takes_user)
        host = split.hostname
    except ValueError:
        return f"it is not an address; write it like `{form.example}`"
    if split.scheme not in form.schemes or not (host or form.takes_no_host):
        return f"it is not {form.noun}; write it like `{form.example}`"
    if has_secret or form.secret_parameters & parameters:
        return f"a password does not belong here; {form.advice}"
    return None


VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ONE_VARIABLE: Final = "the name of one variable"


def file_fault(file: str | UnsetType, variable: str | UnsetType, key: str, noun: str) -> str | None:
    """What is wrong with a file that holds a `noun`, where `key` may name a variable instead."""
    if file is UNSET:
        return None
    if variable is not UNSET:
        return f"`{key}` also says where the {noun} is; keep one of them"
    if not os.path.isabs(expanded(file)):
        return f"`{file}` depends on the current folder; start it with `/` or `~/`"
    return None


def form_fault(value: str | UnsetType, form: re.Pattern[str], words: str) -> str | None:
    """What is wrong with a value that must have a form."""
    if value is UNSET or form.fullmatch(value):
        return None
    # Not quoted: whoever writes the secret itself here must not find it in a log.
    return f"it cannot be used; write {words}"


def expanded(file: str) -> str:
    """The file from the root on, where it was written from a home on."""
    return os.path.expanduser(file)
