"""Laws of hosts: every way to name one gives the same name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.shell.consequences import host_of

HOSTS = st.from_regex(r"[a-z][a-z0-9-]{0,8}(\.[a-z]{2,5}){1,2}", fullmatch=True)


@given(
    HOSTS,
    st.sampled_from(["https://", "http://", "ssh://", "git+ssh://", "ftp://", "HTTPS://"]),
    st.sampled_from(["", "ann@", "ann:pass@", "a@b@"]),
    st.sampled_from(["", ":8080", ":"]),
    st.sampled_from(["", "/", "/x@y.example/z", "?q=http://z.example", "#a", "\\@z.example", "/a:b"]),
)
def test_a_url_names_its_host(host: str, scheme: str, user: str, port: str, rest: str) -> None:
    """Whoever asks, whichever port and path, and nothing behind the host counts."""
    assert host_of(f"{scheme}{user}{host.upper()}{port}{rest}") == host


@given(HOSTS, st.sampled_from(["", "ann@"]), st.sampled_from(["", "x", "/a/b", "~/a", "a:b"]))
def test_a_remote_path_names_its_host(host: str, user: str, path: str) -> None:
    """As `scp`, `rsync` and `git` write it."""
    assert host_of(f"{user}{host}:{path}") == host


@given(HOSTS)
def test_a_bare_host_is_itself(host: str) -> None:
    """With or without a port, path or final dot."""
    assert host_of(host) == host_of(f"{host}.") == host_of(f"{host}:80") == host_of(f"{host}/x") == host


@given(HOSTS)
def test_a_host_is_named_once(host: str) -> None:
    """The name of a host names that host."""
    assert host_of(host_of(f"https://{host}/x") or "") == host


@pytest.mark.parametrize("path", ["/etc/passwd", "./a", "../a:b", "~/a", ".", "..", "/a@b:c"])
def test_a_local_path_names_none(path: str) -> None:
    """It begins like a path."""
    assert host_of(path) is None


@pytest.mark.parametrize("text", ["http://[::1]:80/x", "[::1]:x", "ann@[::1]:x"])
def test_an_address_in_brackets_loses_them(text: str) -> None:
    """Its colons are not a port."""
    assert host_of(text) == "::1"


@given(st.text(max_size=20))
def test_every_text_has_an_answer(text: str) -> None:
    """A name that is not empty, or none."""
    assert host_of(text) != ""
