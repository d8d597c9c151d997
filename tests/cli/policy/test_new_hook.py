"""A plugin that was scaffolded passes its own test, and is a hook once it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.cli.typed import Interlock
from tests.policy.plugin_site import install

from interlock.policy import plugins


@pytest.mark.deep
def test_its_test_passes(interlock: Interlock, tmp_path: Path) -> None:
    """Run as its author would, in the folder it was written to."""
    folder = tmp_path / "hint"
    typed = interlock("hooks", "new", "acme.deploy_hint", "--dir", str(folder))
    assert typed.code == 0
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_it_is_a_hook_once_installed(
    interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entry point names it, the catalog lists it, a policy uses it."""
    folder, site = tmp_path / "hint", tmp_path / "site"
    interlock("hooks", "new", "acme.deploy_hint", "--dir", str(folder))
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["interlock.hooks"]
    assert points == {"acme.deploy_hint": "acme_hooks.deploy_hint:BUILTIN"}
    source = (folder / "src" / "acme_hooks" / "deploy_hint.py").read_text()
    install(site, "acme-hooks", "acme_deploy_hint", source, "acme.deploy_hint")
    monkeypatch.setattr(plugins, "site_folders", lambda: [str(site)])
    monkeypatch.syspath_prepend(str(site))
    policy = tmp_path / "genesis.key"
    policy.write_text('version: "2.0"\nhooks: {pre_tool_use: [{type: acme.deploy_hint}]}\n')

    listed = {row["type"]: row for row in interlock("hooks", "catalog", "--json").document["hooks"]}
    assert listed["acme.deploy_hint"]["origin"] == "acme-hooks"
    assert interlock("genesis", "validate", str(policy)).code == 0
    assert "acme.deploy_hint" in interlock("hooks", "list", "--isolated", "--config", str(policy)).out
    assert "acme.deploy_hint" in interlock("schema").out


@pytest.mark.parametrize("name", ["hint", "Acme.hint", "acme.", "acme.class", "acme/hint", "../x"])
def test_a_name_that_cannot_be_one_is_refused(interlock: Interlock, tmp_path: Path, name: str) -> None:
    """Nothing is written."""
    typed = interlock("hooks", "new", name, "--dir", str(tmp_path / "x"))

    assert typed.code != 0
    assert "cannot name a hook" in typed.err
    assert not (tmp_path / "x").exists()


def test_nothing_is_overwritten(interlock: Interlock, tmp_path: Path) -> None:
    """The file in the way is named."""
    (tmp_path / "README.md").write_text("mine")
    typed = interlock("hooks", "new", "acme.hint", "--dir", str(tmp_path))

    assert "README.md` already exists" in typed.err
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]
