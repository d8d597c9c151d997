"""Laws of the service files."""

from __future__ import annotations

import configparser
import plistlib
import shlex
from pathlib import Path

from interlock.daemon.launcher import daemon_command
from interlock.daemon.paths import Places
from interlock.daemon.service_file import install_service, service_of

PLACES = Places(
    managed_config=Path("/etc/interlock"),
    user_config=Path("/home/a b/50%/config"),
    state=Path("/home/a b/state"),
    socket=Path("/run/user/7/interlock/interlock.sock"),
)


def test_a_systemd_unit_starts_exactly_the_daemons_command(tmp_path: Path) -> None:
    """Blanks and percent signs in paths arrive as they are."""
    service = service_of(PLACES, home=tmp_path, platform="linux")
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign] # the documented way to keep the case
    unit.read_string(service.text)

    command = unit["Service"]["ExecStart"].replace("%%", "%")
    assert shlex.split(command) == daemon_command(PLACES)
    assert "%" not in unit["Service"]["ExecStart"].replace("%%", "")
    assert unit["Service"]["RestartPreventExitStatus"] == "3"
    assert service.file == tmp_path / ".config/systemd/user/interlock.service"


def test_a_launch_agent_starts_exactly_the_daemons_command(tmp_path: Path) -> None:
    """On the other platform the same command stands in a property list."""
    service = service_of(PLACES, home=tmp_path, platform="darwin")

    assert plistlib.loads(service.text.encode())["ProgramArguments"] == daemon_command(PLACES)
    assert service.file.suffix == ".plist"


def test_only_a_real_installation_writes(tmp_path: Path) -> None:
    """A dry run says the same and touches nothing."""
    said = install_service(PLACES, dry_run=True, home=tmp_path)
    nothing = list(tmp_path.iterdir())
    written = install_service(PLACES, dry_run=False, home=tmp_path)

    assert nothing == []
    assert said == written
    assert written.file.read_text() == written.text
    assert [file.name for file in written.file.parent.iterdir()] == [written.file.name]
