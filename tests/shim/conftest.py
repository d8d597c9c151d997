"""The shim as it is built for a wheel, a hasty one, one that checks its memory, and homes for them."""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hatch_build import build, compiler, flag_sets
from tests.daemon.home import kill, remove
from tests.shim.shim_home import ShimHome

from interlock.version import __version__

Builder = Callable[..., Path]
STRICT = ("-Werror", "-Wshadow", "-Wconversion")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Compiles the shim with more flags; every warning is an error here."""
    cc = compiler()
    if cc is None:
        pytest.skip("the shim needs a C compiler")

    def builder(*flags: str) -> Path:
        target = tmp_path_factory.mktemp("shim") / "interlock-hook"
        wrong = build(cc, target, __version__, [*STRICT, *flags])
        assert not wrong, wrong
        return target

    return builder


@pytest.fixture(scope="session")
def shim(built: Builder) -> Path:
    """The program that goes into the wheel."""
    return built(*next(flag_sets(sys.platform, platform.machine())))


@pytest.fixture(scope="session")
def hasty_shim(built: Builder) -> Path:
    """The same with little patience, for what is otherwise waited out."""
    flags = next(flag_sets(sys.platform, platform.machine()))
    return built(*flags, "-DSTART_MS=300", "-DWARM_MS=60000", "-DSILENCE_MS=4000")


@pytest.fixture(scope="session")
def patient_shim(built: Builder) -> Path:
    """The same with much patience, for what is answered in the end, also on a busy machine."""
    flags = next(flag_sets(sys.platform, platform.machine()))
    return built(*flags, "-DSTART_MS=60000", "-DWARM_MS=60000", "-DSILENCE_MS=60000")


@pytest.fixture(scope="session")
def checked_shim(built: Builder) -> Path:
    """The same source through the C library, ending at the first wrong step in memory."""
    return built("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DSTART_MS=300")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, for sockets; what was started from it ends with it."""
    made = Path(tempfile.mkdtemp(prefix="ilk-"))
    yield made
    for facts in ShimHome(shim=made, folder=made).started():
        kill(int(str(facts["pid"])), str(made))
    remove(made)


@pytest.fixture
def place(patient_shim: Path, folder: Path) -> ShimHome:
    """The patient shim in an empty home."""
    return ShimHome(shim=patient_shim, folder=folder)


@pytest.fixture
def hasty(hasty_shim: Path, folder: Path) -> ShimHome:
    """The hasty shim in an empty home."""
    return ShimHome(shim=hasty_shim, folder=folder)
