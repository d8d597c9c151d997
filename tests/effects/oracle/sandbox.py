"""Shell texts run for real where nothing can be harmed: which programs did each of them start, with what?"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from tests.effects.oracle.programs import REAL, STUBS

FOLDER: Final = "/w/app"  # where every text runs
HOME: Final = "/home/me"
NOBODY: Final = 65534
_SOURCE: Final = Path(__file__).with_name("stub.c")
_BATCH: Final = 100  # texts per sandbox: a text that breaks one takes no more with it
_LIBRARIES: Final = ("/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32")
_PASSWD: Final = f"root:x:0:0::/root:/bin/sh\nme:x:{NOBODY}:{NOBODY}::{HOME}:/bin/sh\n"


class SandboxError(AssertionError):
    """The sandbox cannot be had; nothing was run."""


@dataclass(frozen=True)
class Ran:
    """One program that was started."""

    words: tuple[str, ...]  # its file's base name, then its arguments
    cwd: str


@dataclass(frozen=True)
class Run:
    """What one text did."""

    ran: tuple[Ran, ...]
    written: tuple[str, ...] = ()  # files made or changed
    deleted: tuple[str, ...] = ()  # prepared files that are gone
    status: int = 0  # what the shell ended with; 255: it was stopped after its time


@dataclass
class Sandbox:
    """A compiled stub under the name of every program, and the way to run texts among them."""

    folder: Path
    user: int | None = None
    real: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, texts: Sequence[str], shell: str = "bash") -> list[Run]:
        """Run each text in a fresh folder, in order; the shell `n` only checks their grammar."""
        batches = [texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH)]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return [run for batch in pool.map(lambda b: self._run_batch(b, shell), batches) for run in batch]

    def _run_batch(self, texts: Sequence[str], shell: str) -> list[Run]:
        mark = shell[:1].encode()
        said = b"".join(
            mark + struct.pack("=I", len(data)) + data
            for data in (text.encode("utf-8", "surrogateescape") for text in texts)
        )
        done = self._start(self.user, said)
        runs = list(_runs(done.stdout))
        if done.returncode or len(runs) != len(texts):
            raise SandboxError(
                f"the sandbox broke at `{texts[min(len(runs), len(texts) - 1)]}`: {done.stderr!r}"
            )
        return runs

    def _start(self, user: int | None, said: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bwrap", *self._options(), "/usr/bin/driver"],
            input=said,
            capture_output=True,
            check=False,
            cwd="/",
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )

    def _options(self) -> Iterator[str]:
        yield from ["--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv"]
        yield from ("--uid", str(NOBODY), "--gid", str(NOBODY))
        yield from ("--ro-bind", f"{self.folder}/bin", "/usr/bin", "--symlink", "usr/bin", "/bin")
        yield from ("--symlink", "usr/bin", "/sbin", "--symlink", "bin", "/usr/sbin")
        for path in map(Path, _LIBRARIES):
            if path.is_symlink():
                yield from ("--symlink", str(path.readlink()), str(path))
            elif path.is_dir():
                yield from ("--ro-bind", str(path), str(path))
        yield from self.real
        yield from ("--ro-bind", f"{self.folder}/passwd", "/etc/passwd")
        yield from ("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
        yield from [
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--tmpfs",
            "/tmp",
            "--tmpfs",
            "/w",
            "--tmpfs",
            "/home",
            "--tmpfs",
            "/oracle",
        ]


def open_sandbox() -> Sandbox:
    """Compile the stub and try the sandbox once; an error says what to install."""
    for tool, package in (("bwrap", "bubblewrap"), ("bash", "bash"), ("dash", "dash"), ("cc", "gcc")):
        if shutil.which(tool) is None:
            raise SandboxError(
                f"the shell oracle needs `{tool}` and runs nothing without it; "
                f"install it, on Debian: apt-get install {package}"
            )
    sandbox = Sandbox(Path(tempfile.mkdtemp(prefix="oracle-")))
    try:
        _build(sandbox)
        _choose_user(sandbox)
    except BaseException:
        shutil.rmtree(sandbox.folder, ignore_errors=True)
        raise
    return sandbox


def _build(sandbox: Sandbox) -> None:
    folder = sandbox.folder
    folder.chmod(0o755)
    (folder / "passwd").write_text(_PASSWD, encoding="utf-8")
    programs = folder / "bin"
    programs.mkdir()
    driver = programs / "driver"
    # Static where the library is there: half the time per program started.
    for extra in (["-static"], []):
        built = subprocess.run(
            ["cc", "-O1", *extra, "-o", str(driver), str(_SOURCE)], capture_output=True, check=False
        )
        if not built.returncode:
            break
    else:
        raise SandboxError(f"the stub does not compile: {built.stderr.decode()}")
    for name in {*REAL, *STUBS, "@unknown"}:
        (programs / name).hardlink_to(driver)
    for name in REAL:
        path = shutil.which("dash" if name == "sh" else name)
        if path is not None:
            sandbox.real += ["--ro-bind", str(Path(path).resolve()), f"/real/{name}"]


def _choose_user(sandbox: Sandbox) -> None:
    """As nobody where that can be chosen, since the kernel counts no processes against root."""
    choices: Iterable[int | None] = (NOBODY, None) if os.getuid() == 0 else (None,)
    for user in choices:
        done = sandbox._start(user, b"")
        if not done.returncode:
            sandbox.user = user
            return
    raise SandboxError(
        f"bwrap cannot make a sandbox here: {done.stderr.decode().strip()}; "
        "allow user namespaces to this user and try again"
    )


def _runs(said: bytes) -> Iterator[Run]:
    at = 0
    while at < len(said):
        status, (log, files), at = said[at], *_fields(said, at + 1)
        yield Run(
            ran=tuple(_records(log)),
            written=tuple(file[1:] for file in files.split("\0") if file[:1] == "+"),
            deleted=tuple(file[1:] for file in files.split("\0") if file[:1] == "-"),
            status=status,
        )


def _fields(said: bytes, at: int) -> tuple[tuple[str, str], int]:
    """Two texts, each after its length, and where they end."""
    found = []
    for _ in range(2):
        (size,) = struct.unpack_from("=I", said, at)
        found.append(said[at + 4 : at + 4 + size].decode("utf-8", "surrogateescape"))
        at += 4 + size
    return (found[0], found[1]), at


def _records(log: str) -> Iterator[Ran]:
    fields = iter(log.split("\0"))
    for count in fields:
        if not count:
            return
        cwd = next(fields, "")
        words = tuple(next(fields, "") for _ in range(int(count) + 1))
        yield Ran((words[0].rpartition("/")[2], *words[1:]), cwd)
