"""What every test of the packages gets: the source distribution, the wheel built from it, and the tools."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# The rig is imported as `package.…`, whichever way pytest was started.
sys.path.insert(0, str(ROOT))

from package.install import download_wheels, install_tools  # noqa: E402 - needs the path above


def run(
    *command: object, env: Mapping[str, str] | None = None, cwd: Path | None = None, data: bytes = b""
) -> str:
    """Run a program that must succeed, and give what it prints."""
    done = subprocess.run(
        [str(word) for word in command],
        env=env,
        cwd=cwd,
        input=data,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()


@pytest.fixture(scope="session")
def tools() -> Path:
    """The programs that build and install packages."""
    return install_tools()


@pytest.fixture(scope="session")
def wheels() -> Path:
    """A folder with the packages that Interlock needs."""
    return download_wheels()


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    [found] = folder.glob("interlock-*.tar.gz")
    return found


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel for this machine, built from the source distribution and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sdist)
    [found] = folder.glob("interlock-*.whl")
    return found
