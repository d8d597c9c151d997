"""Protected files by another spelling, between the real shim and a real daemon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon.home import PROJECT, Home
from tests.daemon.test_shim_hooks import bash

pytestmark = pytest.mark.deep

POLICY = 'version: "2.0"\nsettings: {packs: [baseline]}\n'
STOPPED = [
    "echo '{}' > ~/.cl*/settings.json",
    "cd ~/.claude && python3 -c \"open('settings.json','w').write('{}')\"",
    "(cd ~/.claude; node -e \"fs.writeFileSync('settings.json','{}')\")",
    "cd ~/.aws && python3 -c \"print(open('credentials').read())\"",
    "cat ~/.s*/id_rsa",
    "base64 ~/.s?h/id_rsa",
    "find / -name redaction.key -exec cat {} \\;",
]
LOOPS = [
    'find / -type f | while read f; do rm -f "$f"; done',
    'find / -type f | while read f; do unlink "$f"; done',
    'git ls-files -o | while read f; do rm "$f"; done',
    'mapfile -t a < <(git ls-files); rm "${a[@]}"',
    'ls src/*.py | while read f; do rm "$f"; done',
    'git ls-files | while read f; do : > "$f"; done',
]
PASSED = ["cat *", "sed -i s/a/b/ *", "cat */*", "touch *"]


def simulated(home: Home, person: Path, command: str, cwd: Path) -> str:
    """What `interlock hooks simulate` says of a command under the same policy."""
    tried = ["--config", str(home.policy), "--tool", "Bash", "--args", command, "--cwd", str(cwd), "--json"]
    done = subprocess.run(
        [Path(sys.executable).with_name("interlock"), "hooks", "simulate", *tried],
        env={"PATH": os.environ["PATH"], "HOME": str(person)},
        cwd=cwd,
        capture_output=True,
        timeout=60,
        check=False,
    )
    decision: str = json.loads(done.stdout)["decision"]
    return decision


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A person's home with nothing in it: no file needs to be there."""
    folder = tmp_path / "dev"
    folder.mkdir()
    return folder


def test_a_protected_file_is_found_by_a_part_of_its_name_and_from_its_folder(
    place: Home, person: Path, tmp_path: Path
) -> None:
    """A glob, code in another folder, a search of the disk; a bare glob stands for the files there."""
    place.write_policy(POLICY)
    place.start(env={"HOME": str(person)})
    project = tmp_path / "app"
    project.mkdir()
    (project / "README.md").touch()

    for command in STOPPED:
        assert bash(place, command, project).get("permissionDecision") == "deny", command
    for command in PASSED:
        assert bash(place, command, project) == {}, command


def test_a_loop_over_a_list_of_files_is_stopped(place: Home, person: Path) -> None:
    """As the plain form would be: what it deletes is outside of the project, or not known."""
    place.write_policy(POLICY)
    place.start(env={"HOME": str(person)})

    for command in LOOPS:
        assert bash(place, command, Path(PROJECT)).get("permissionDecision") in {"ask", "deny"}, command


def test_a_simulation_gives_the_answer_of_the_daemon(place: Home, person: Path, tmp_path: Path) -> None:
    """In any folder, whether the file is there or not."""
    place.write_policy(POLICY)
    place.start(env={"HOME": str(person)})
    command = STOPPED[0]

    for folder in (tmp_path, person):
        assert bash(place, command, folder)["permissionDecision"] == "deny"
        assert simulated(place, person, command, folder) == "deny"
    (person / ".claude").mkdir()
    (person / ".claude" / "settings.json").touch()
    assert simulated(place, person, command, tmp_path) == "deny"
