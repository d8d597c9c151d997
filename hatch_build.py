"""Compiles the shim when a wheel is built and puts it into the wheel as the command `interlock-hook`."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).resolve().parent
SOURCE: Final = ROOT / "shim" / "interlock-hook.c"
FALLBACK: Final = ROOT / "shim" / "fallback.py"
NAME: Final = "interlock-hook"
MACOS: Final = "11.0"

COMMON: Final = ("-std=gnu11", "-O2", "-Wall", "-Wextra")
# No C library: starting one takes longer than all the shim does.
BARE: Final = (
    "-DINTERLOCK_BARE",
    "-ffreestanding",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-U_FORTIFY_SOURCE",
    "-fno-pie",
    "-no-pie",
    "-static",
    "-nostdlib",
    "-Wl,-z,norelro",
    "-Wl,-z,noseparate-code",
    "-Wl,--build-id=none",
    "-s",
)


def compiler(environ: Mapping[str, str] = os.environ) -> list[str] | None:
    """The C compiler `CC` names or the first one on the path; none is not an error."""
    named = shlex.split(environ.get("CC", ""))
    candidates = [named] if named else [["cc"], ["gcc"], ["clang"]]
    return next((c for c in candidates if shutil.which(c[0], path=environ.get("PATH"))), None)


def flag_sets(system: str, machine: str, wide: bool = sys.maxsize > 2**32) -> Iterator[tuple[str, ...]]:
    """The ways to build for a platform, the quickest program first."""
    if system == "linux":
        if wide and machine in {"x86_64", "aarch64"}:
            yield BARE
        yield ("-static",)
    yield (f"-mmacosx-version-min={MACOS}",) if system == "darwin" else ()


def build(cc: Sequence[str], target: Path, version: str, flags: Sequence[str]) -> str:
    """Compile the shim to `target` and start it once; gives what went wrong, or nothing."""
    defined = f'-DINTERLOCK_VERSION="{version}"'
    command = [*cc, *COMMON, defined, *flags, "-o", str(target), str(SOURCE)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return made.stderr.strip() or f"{cc[0]} ended with {made.returncode}"
    try:
        started = subprocess.run([target, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    return "" if started.stdout == f"{NAME} {version}\n" else "the program does not run here"


def compiled(target: Path, version: str, environ: Mapping[str, str] = os.environ) -> str:
    """Compile the shim the quickest way this machine can; gives what went wrong, or nothing."""
    cc = compiler(environ)
    if cc is None:
        return "there is no C compiler (set CC, or install cc)"
    wrong = ""
    for flags in flag_sets(sys.platform, platform.machine()):
        wrong = build(cc, target, version, flags)
        if not wrong:
            break
    return wrong


def platform_tag() -> str:
    """The wheel tag of a program for this machine and any Python 3."""
    name = f"macosx-{MACOS}-{platform.machine()}" if sys.platform == "darwin" else sysconfig.get_platform()
    return f"py3-none-{name.replace('-', '_').replace('.', '_')}"


class ShimBuildHook(BuildHookInterface[Any]):
    """Adds the shim, or a slower Python script of the same name where it cannot be compiled."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is put together, for ordinary and editable installs alike."""
        self.folder = tempfile.TemporaryDirectory(prefix="interlock-shim-")
        target = Path(self.folder.name) / NAME
        wrong = compiled(target, self.metadata.version)
        if wrong:
            self.app.display_warning(f"interlock-hook is a Python script in this build, and slow: {wrong}")
            shutil.copyfile(FALLBACK, target)
        else:
            build_data["pure_python"] = False
            build_data["tag"] = platform_tag()
        target.chmod(0o755)
        build_data["shared_scripts"][str(target)] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called once the wheel is written."""
        self.folder.cleanup()
