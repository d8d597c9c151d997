"""Addresses in settings: what is wrong with one; it is never quoted, since it may hold a password."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import msgspec


class AddressForm(msgspec.Struct, frozen=True, kw_only=True):
    """What a setting takes for an address."""

    schemes: frozenset[str]
    noun: str  # what it must be: `a web address`
    example: str  # one as it is written
    secret: str  # where a secret goes instead
    takes_user: bool = False  # a name before the host is not a secret
    takes_no_host: bool = False  # this machine, or a host among its parameters
    secret_parameters: frozenset[str] = frozenset()


def address_fault(url: str, form: AddressForm) -> str | None:
    """What is wrong with an address, and what to write."""
    try:
        split = urlsplit(url)
        asked = parse_qs(split.query, keep_blank_values=True).keys()
        held = split.password is not None or (split.username and not form.takes_user)
        host = split.hostname
    except ValueError:
        return f"it is not an address; write it like `{form.example}`"
    if split.scheme not in form.schemes or not (host or form.takes_no_host):
        return f"it is not {form.noun}; write it like `{form.example}`"
    if held or form.secret_parameters & asked:
        return f"a password does not belong here; {form.secret}"
    return None
