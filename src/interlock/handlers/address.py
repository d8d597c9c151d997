"""Which network addresses a webhook may talk to: the open internet and this machine, nothing in between."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

_NAT64: Final = IPv6Network("64:ff9b::/96")


def may_call(address: str) -> bool:
    """Whether an address is public or loopback; the inner address counts where one is wrapped in another."""
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return _open(ip)
    inner = _wrapped(ip)
    return _open(inner) if inner is not None else _open(ip) and not ip.is_site_local


def _open(ip: IPv4Address | IPv6Address) -> bool:
    if ip.is_loopback:
        return True
    # `is_global` alone lets multicast and some reserved ranges through.
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_link_local or ip.is_unspecified)


def _wrapped(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address inside a mapped, 6to4 or NAT64 one: where the packet would really go."""
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour
