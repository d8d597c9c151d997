"""A Postgres of the tests' own: a cluster in a temporary folder, on a socket there, ended by its own id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
from tests.daemon.home import remove

PATIENCE = 60.0
ADMIN = "admin"
_TUNING = ("fsync=off", "max_connections=60", "listen_addresses=", "log_min_messages=fatal")


def programs() -> Path | None:
    """The folder of the server's programs, of the newest version there is."""
    on_path = shutil.which("initdb")
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    found = [*([Path(on_path).resolve()] if on_path else []), *known]
    return found[-1].parent if found else None


class Cluster:
    """One server; as the root user it runs as another, since it refuses to run as that."""

    def __init__(self, bin_folder: Path) -> None:
        self._bin = bin_folder
        self.folder = Path(tempfile.mkdtemp(prefix="ilk-pg-"))
        self._user = _other_user()
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0
        self.port = 5432  # of the socket's name, too
        if self._user is not None:
            os.chown(self.folder, pwd.getpwnam(self._user).pw_uid, -1)
        self._run(
            "initdb", "-D", self._data, "-U", ADMIN, "-A", "trust", "-E", "UTF8", "--no-sync", "--no-locale"
        )
        hba = Path(self._data) / "pg_hba.conf"
        hba.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._bin / program, *arguments],
            cwd=self.folder,
            user=self._user,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def start(self, *options: str) -> None:
        """Start it and wait until it answers."""
        settings = [word for option in (*_TUNING, *options) for word in ("-c", option)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", self._data, "-k", self.folder, *settings],
                cwd=self.folder,
                user=self._user,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        end = time.monotonic() + PATIENCE
        while True:
            with suppress(psycopg.Error):
                psycopg.connect(self.url("postgres")).close()
                return
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.02)

    def stop(self, number: int = signal.SIGINT) -> None:
        """End it: SIGINT ends its sessions, SIGQUIT leaves everything as after a crash."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(PATIENCE)
            self._process = None

    def restart(self, *options: str, crash: bool = False, port: int | None = None) -> None:
        """End it and start it again, perhaps on a port of this machine, too."""
        self.stop(signal.SIGQUIT if crash else signal.SIGINT)
        if port is not None:
            self.port, options = port, ("listen_addresses=127.0.0.1", f"port={port}", *options)
        self.start(*options)

    def close(self) -> None:
        """End it and remove everything."""
        with suppress(subprocess.TimeoutExpired):
            self.stop()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        remove(self.folder)

    def url(self, database: str, role: str = ADMIN) -> str:
        """An address on the socket."""
        return f"postgresql://{role}@/{database}?host={self.folder}&port={self.port}"

    def database(self, like: str = "template1") -> str:
        """A new database of its own, perhaps with what another one holds; gives its name."""
        self._made += 1
        name = f"fleet_{self._made}"
        self.sql("postgres", f"CREATE DATABASE {name} TEMPLATE {like}")
        return name

    def sql(self, database: str, *texts: str, role: str = ADMIN) -> list[tuple[Any, ...]]:
        """Run statements as somebody; gives the rows of the last."""
        with psycopg.connect(self.url(database, role), autocommit=True) as connection:
            cursor = connection.cursor()
            for text in texts:
                cursor.execute(text.encode())
            return cursor.fetchall() if cursor.description else []


def _other_user() -> str | None:
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return None
