"""Laws of looking at what was changed: the repository that is looked at runs nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from interlock.features.commitments.run_validators import Changes

pytestmark = pytest.mark.deep


def git(folder: Path, *words: str) -> None:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, env=environ)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("x = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    return tmp_path


@pytest.mark.parametrize(
    "key", ["core.fsmonitor", "diff.external", "diff.x.textconv", "filter.x.clean", "filter.x.process"]
)
async def test_nothing_that_a_repository_names_is_run(project: Path, tmp_path: Path, key: str) -> None:
    """An agent can write every one of these lines, so comparing must not run them."""
    mark = tmp_path / "ran"
    git(project, "config", key, f"touch {mark}; cat")
    (project / ".git" / "info" / "attributes").write_text("*.py filter=x diff=x\n")
    (project / "a.py").write_text("x = 2\n")
    changes = Changes(str(project), os.environ)

    assert await changes.find_out_of_scope(["docs"]) == ["`a.py` was changed and is out of scope (docs)"]
    assert await changes.find_secrets() == []
    assert (mark.exists(), changes.unsure) == (False, False)
