"""Places come from values, and follow the conventions of the system."""

from __future__ import annotations

import hashlib
import os
import pwd
from pathlib import Path

import pytest

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.policy.load import load_policy
from interlock.policy.locations import is_run_folder, layer_of, locate, policy_files

HOME, CWD = Path("/home/me"), Path("/srv/app")


def run_of(state: Path, folder: str) -> Path:
    """The folder of the socket of a home that is not the one the system knows for the user."""
    return Path(f"{folder}-{hashlib.sha256(bytes(state)).hexdigest()[:12]}")


@pytest.mark.parametrize("environ", [{}, {"XDG_RUNTIME_DIR": "/r"}], ids=["without", "with"])
def test_each_home_has_a_socket_of_its_own(environ: dict[str, str]) -> None:
    """Two homes of one user share none, with a folder for such things and without; the usual one is plain."""
    uid = os.getuid()
    usual = Path(pwd.getpwuid(uid).pw_dir)
    homes = {home: locate(environ, home=home, cwd=CWD, uid=uid) for home in (usual, HOME, Path("/home/you"))}
    moved = locate({**environ, "XDG_STATE_HOME": "/s"}, home=usual, cwd=CWD, uid=uid)
    runs = [places.socket.parent for places in (*homes.values(), moved)]

    assert runs[0] == Path("/r/interlock" if environ else f"/tmp/interlock-{uid}")
    assert len(set(runs)) == 4
    assert all(is_run_folder(run, home.state, uid) for run, home in zip(runs, homes.values(), strict=False))
    assert not any(is_run_folder(run, homes[HOME].state, uid) for run in (runs[0], *runs[2:]))
    assert all(len(os.fsencode(places.socket)) < 60 for places in homes.values())


def test_defaults_follow_the_home_directory() -> None:
    """Without any variable, everything lies where design and system expect it."""
    places = locate({}, home=HOME, cwd=CWD, uid=7)

    assert places.managed_config == Path("/etc/interlock")
    assert places.user_config == HOME / ".config/interlock"
    assert places.project_config == CWD / ".interlock"
    assert places.state == HOME / ".local/state/interlock"
    assert places.database == places.state / "interlock.db"
    assert places.log == places.state / "interlock.log"
    assert places.socket == run_of(places.state, "/tmp/interlock-7") / "interlock.sock"


def test_the_desktop_variables_are_honoured_when_absolute() -> None:
    """XDG variables move their part; a relative value is ignored, as their specification says."""
    environ = {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"}
    places = locate(environ, home=HOME, cwd=CWD, uid=7)

    assert places.user_config == Path("/c/interlock")
    assert places.database == Path("/s/interlock/interlock.db")
    assert places.socket == run_of(places.state, "/r/interlock") / "interlock.sock"
    assert (
        locate({"XDG_CONFIG_HOME": "c"}, home=HOME, cwd=CWD, uid=7).user_config == HOME / ".config/interlock"
    )


def test_one_variable_moves_everything_of_the_user() -> None:
    """`INTERLOCK_HOME` holds config, state and socket; managed and project policies stay where they are."""
    environ = {"INTERLOCK_HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/r"}
    places = locate(environ, home=HOME, cwd=CWD, uid=7)

    assert places.user_config == Path("/h/config")
    assert places.database == Path("/h/state/interlock.db")
    assert places.log == Path("/h/state/interlock.log")
    assert places.socket == Path("/h/run/interlock.sock")
    assert places.managed_config == Path("/etc/interlock")
    assert places.project_config == CWD / ".interlock"


def test_a_folder_gives_the_files_it_has_in_order(tmp_path: Path) -> None:
    """`genesis.key` comes before `hooks.toml`; what is missing is left out."""
    assert policy_files(tmp_path) == []
    (tmp_path / "hooks.toml").touch()
    assert policy_files(tmp_path) == [tmp_path / "hooks.toml"]
    (tmp_path / "genesis.key").touch()
    assert policy_files(tmp_path) == [tmp_path / "genesis.key", tmp_path / "hooks.toml"]


def test_a_link_that_leads_nowhere_is_a_policy_that_cannot_be_read(tmp_path: Path) -> None:
    """It is listed, so that loading it fails; left out, its rules would be gone without a word."""
    file = tmp_path / "genesis.key"
    file.symlink_to(tmp_path / "gone")

    assert policy_files(tmp_path) == [file]
    with pytest.raises(ConfigError, match="unreadable"):
        load_policy([(Layer.USER, file)], environ={})


def test_policies_of_all_layers_are_listed(tmp_path: Path) -> None:
    """The files that exist come with their layers, user before project."""
    places = locate({"INTERLOCK_HOME": "h"}, home=tmp_path, cwd=tmp_path, uid=7)
    for folder in (places.project_config, places.user_config):
        folder.mkdir(parents=True)
        (folder / "genesis.key").touch()

    assert places.policies()[-2:] == [
        (Layer.USER, places.user_config / "genesis.key"),
        (Layer.PROJECT, places.project_config / "genesis.key"),
    ]


@pytest.mark.req("M13", "C55")
@pytest.mark.parametrize(
    ("path", "layer"),
    [
        ("/etc/interlock/genesis.key", Layer.MANAGED),
        ("/etc/interlock/../../home/me/genesis.key", Layer.USER),
        ("/srv/app/.interlock/genesis.key", Layer.PROJECT),
        ("/srv/app/.mentu/genesis.key", Layer.PROJECT),
        ("/home/me/.config/interlock/genesis.key", Layer.USER),
        ("/home/me/.config/cocode/hooks.toml", Layer.USER),
        ("/tmp/test-genesis.key", Layer.USER),
    ],
)
def test_a_named_file_has_a_layer(path: str, layer: Layer) -> None:
    """Below the managed folder it is managed, inside a project's folder the project's, else the user's."""
    assert layer_of(Path(path), locate({}, home=HOME, cwd=CWD, uid=7)) is layer
