"""The pack `baseline` alone, loaded as a daemon loads it, over a project that git knows."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.packs.corpus import HOME

from interlock.engine.engine import Engine
from interlock.events.hook import Layer
from interlock.policy.load import load_policy

IGNORED = """\
node_modules/
build/
dist/
target/
coverage/
htmlcov/
.next/
.venv/
.*_cache/
__pycache__/
*.pyc
*.egg-info
.coverage
.env
"""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> str:
    """A home outside of every folder for temporary files, as people have it."""
    monkeypatch.setenv("HOME", HOME)
    return HOME


def _lasting(folder: Path) -> Path:
    """A folder that is not for temporary files, also where the checkout itself lies in one."""
    temporary = (Path("/tmp"), Path("/var/tmp"), Path(tempfile.gettempdir()))
    if not any(folder.is_relative_to(one.resolve()) for one in temporary):
        return folder
    return Path("/dev/shm") / f"interlock-tests-{os.getuid()}"


@pytest.fixture(scope="session")
def project(pytestconfig: pytest.Config) -> Iterator[str]:
    """A repository; what lies in a temporary folder would be cleaned with it."""
    shared = _lasting(pytestconfig.rootpath / ".cache") / "baseline"
    shared.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(dir=shared))  # other runs of these tests, at the same time, have theirs
    folder = own / "app"
    for name in ("src", "tests", "docs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "src" / "a.py").touch()
    (folder / ".gitignore").write_text(IGNORED)
    (folder / ".git" / "objects").mkdir(parents=True)  # a repository, without starting git
    (folder / ".git" / "refs").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    yield str(folder)
    shutil.rmtree(own)


@pytest.fixture(scope="session")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine with the pack and nothing else: no permissions, no allow list."""
    file = Path(tmp_path_factory.mktemp("policy")) / "genesis.key"
    file.write_text('version: "2.0"\nsettings: {packs: [baseline]}\n')
    environ = {"HOME": HOME, "PATH": os.environ["PATH"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", HOME)
        policy = load_policy([(Layer.USER, file)], environ=environ)
        yield Engine(policy.hooks, revision=policy.revision)
