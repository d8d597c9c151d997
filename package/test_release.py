"""What the release and the workflows name, asked of the tools that read it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from package.conftest import ROOT, run


@pytest.mark.parametrize(
    ("platform", "machine", "built"),
    [
        ("linux", "x86_64", {"cp311-manylinux_x86_64", "cp311-musllinux_x86_64"}),
        ("linux", "aarch64", {"cp311-manylinux_aarch64", "cp311-musllinux_aarch64"}),
        ("macos", "arm64", {"cp311-macosx_arm64"}),
        ("macos", "x86_64", {"cp311-macosx_x86_64"}),
    ],
)
def test_one_wheel_is_built_for_each_platform(
    tools: Path, platform: str, machine: str, built: set[str]
) -> None:
    """glibc, musl and macOS, each once: the wheel serves every Python 3."""
    env = {"PATH": f"{tools}:{os.defpath}", "HOME": "/nonexistent"}
    words = ["--platform", platform, "--archs", machine, "--print-build-identifiers"]

    assert set(run(tools / "cibuildwheel", *words, ROOT, env=env).split()) == built


def test_the_workflows_pass_an_audit(tools: Path) -> None:
    """Pinned actions, least permissions, no text of strangers in a script."""
    run(tools / "zizmor", "--offline", "--no-progress", "--pedantic", ROOT / ".github", ROOT / "action.yml")
