"""What is wrong with an address in a setting."""

from __future__ import annotations

import pytest

from interlock.policy.format.address import AddressForm, address_fault

WEB = AddressForm(
    schemes=frozenset({"https"}), noun="a web address", example="https://a.example", advice="use a file"
)
BASE = AddressForm(
    schemes=frozenset({"base"}),
    noun="base",
    example="base://me@a/b",
    advice="use a file",
    takes_user=True,
    takes_no_host=True,
    secret_parameters=frozenset({"key"}),
)


@pytest.mark.parametrize(
    ("form", "url"),
    [
        (WEB, "https://a.example/v1?key=public"),
        (BASE, "base://me@a/b"),
        (BASE, "base:///b"),
        (BASE, "base://me@a/b?mode=x"),
    ],
)
def test_what_a_setting_takes_has_no_fault(form: AddressForm, url: str) -> None:
    """Each form says itself what may stand in it."""
    assert address_fault(url, form) is None


@pytest.mark.parametrize(
    ("form", "url", "said"),
    [
        (WEB, "http://a.example", "it is not a web address; write it like `https://a.example`"),
        (WEB, "https:///v1", "it is not a web address; write it like `https://a.example`"),
        (WEB, "https://[::1/x", "it is not an address; write it like `https://a.example`"),
        (WEB, "https://hunter22@a.example", "a password does not belong here; use a file"),
        (WEB, "https://me:hunter22@a.example", "a password does not belong here; use a file"),
        (WEB, "https://:@a.example", "a password does not belong here; use a file"),
        (BASE, "base://me:hunter22@a/b", "a password does not belong here; use a file"),
        (BASE, "base://me@a/b?key=hunter22", "a password does not belong here; use a file"),
        (BASE, "base://me@a/b?key=", "a password does not belong here; use a file"),
    ],
)
def test_a_fault_is_one_sentence_without_the_address(form: AddressForm, url: str, said: str) -> None:
    """It may hold a password, and a problem of a policy is shown and logged."""
    assert address_fault(url, form) == said
