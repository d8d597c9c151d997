"""The register of hosts."""

from __future__ import annotations

from interlock.hosts.all_hosts import HOSTS


def test_every_host_goes_by_its_own_name() -> None:
    """The key is the name the host puts into its events."""
    assert list(HOSTS) == [host.name for host in HOSTS.values()]


def test_every_host_names_itself_in_what_it_reads() -> None:
    """An event tells where it came from."""
    for host in HOSTS.values():
        assert host.read(b'{"hook_event_name":"SessionStart"}', {}).host == host.name
