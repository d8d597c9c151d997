"""Addresses a webhook may call."""

from __future__ import annotations

import pytest

from interlock.handlers.webhook import may_call


@pytest.mark.req("C94")
@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "0.1.2.3",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "::",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::10.0.0.1",
        "64:ff9b::10.0.0.1",
        "2002:0a00:0001::1",
    ],
)
def test_addresses_inside_networks_are_refused(address: str) -> None:
    """Private, link-local, shared, multicast, reserved and unspecified ranges, also wrapped in IPv6."""
    assert not may_call(address)


@pytest.mark.req("C94")
@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "1.1.1.1", "2606:4700::1111", "64:ff9b::1.1.1.1"],
)
def test_public_addresses_and_this_machine_are_allowed(address: str) -> None:
    """The open internet and loopback may be called."""
    assert may_call(address)
