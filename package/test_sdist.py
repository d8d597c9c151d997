"""The source distribution: enough to build everything, and nothing else."""

from __future__ import annotations

import tarfile
from pathlib import Path

from interlock.version import __version__

TOP = {"CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "hatch_build.py", "pyproject.toml", "shim", "src"}


def test_it_holds_what_building_needs_and_no_more(sdist: Path) -> None:
    """The package, the shim's source and the build hook; tests and documents stay in the repository."""
    with tarfile.open(sdist) as archive:
        names = [Path(name).parts for name in archive.getnames()]

    assert sdist.name == f"interlock-{__version__}.tar.gz"
    assert {parts[1] for parts in names} - {".gitignore"} == TOP
    assert not [parts for parts in names if "__pycache__" in parts]
