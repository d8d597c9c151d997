"""`interlock trust` and `interlock untrust`."""

from __future__ import annotations

import os
import pty
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT, Interlock
from tests.policy.project import DENY, GUARD, WEBHOOK, hooks


@pytest.fixture
def app(work: Path) -> Path:
    """A project with a rule, a command and a webhook, in the folder the commands are typed in."""
    (work / ".interlock").mkdir()
    (work / ".interlock" / "genesis.key").write_text(hooks(DENY, GUARD, WEBHOOK))
    (work / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
    (work / "guard.sh").chmod(0o755)
    return work


@pytest.mark.req("T01")
def test_showing_names_everything_and_trusts_nothing(interlock: Interlock, app: Path, home: Path) -> None:
    """Each file with its digest, each command and webhook; asking leaves no trace."""
    typed = interlock("trust", "--show")

    assert typed.code == 0
    assert f"{app}: pending trust" in typed.out
    for name in (".interlock/genesis.key", "guard.sh"):
        assert sha256((app / name).read_bytes()).hexdigest() in typed.out
    assert "./guard.sh" in typed.out
    assert "POST https://example.invalid/x" in typed.out
    assert not (home / "interlock").exists()


@pytest.mark.req("T01", "T03")
def test_a_script_can_confirm_and_see_the_change_later(interlock: Interlock, app: Path) -> None:
    """`--yes` trusts; after a change the difference is shown line by line."""
    assert interlock("trust", "--yes").last == f"{app} is trusted in its current form"
    (app / "guard.sh").write_text("#!/bin/sh\nexit 2\n")
    shown = interlock("trust", "--show").out.splitlines()

    assert f"{app}: changed" in shown
    assert "--- trusted/guard.sh" in shown
    assert "-exit 0" in shown
    assert "+exit 2" in shown
    assert interlock("trust", "--yes", "--json").document["state"] == "trusted"
    assert interlock("trust", "--show", "--json").document["changes"] == []
    assert interlock("trust").last == f"{app} is trusted in its current form"


def test_scripts_get_the_same_as_json(interlock: Interlock, app: Path) -> None:
    """The document names the project, its state, files and what would run."""
    document = interlock("trust", "--show", "--json").document

    assert (document["root"], document["state"]) == (str(app), "pending trust")
    assert set(document["files"]) == {".interlock/genesis.key", "guard.sh"}
    assert [run["type"] for run in document["runs"]] == ["command", "webhook"]
    assert document["runs"][0]["source"] == f"{app}/.interlock/genesis.key:5"


@pytest.mark.req("T01")
def test_without_a_person_nothing_is_confirmed(interlock: Interlock, app: Path) -> None:
    """Input that is not a terminal cannot say yes."""
    typed = interlock("trust", stdin=b"y\n")

    assert (typed.code, typed.err.count("\n")) == (2, 1)
    assert "--yes" in typed.err
    assert interlock("trust", "--show", "--json").document["state"] == "pending trust"


@pytest.mark.deep
@pytest.mark.parametrize(("answer", "code", "state"), [(b"y\n", 0, "trusted"), (b"n\n", 1, "pending trust")])
def test_a_person_is_asked_on_a_terminal(
    interlock: Interlock, app: Path, answer: bytes, code: int, state: str
) -> None:
    """Yes trusts, no changes nothing."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer)
        done = subprocess.run([SCRIPT, "trust"], stdin=theirs, capture_output=True, timeout=60, check=False)
    finally:
        os.close(ours)
        os.close(theirs)

    assert done.returncode == code
    assert interlock("trust", "--show", "--json").document["state"] == state


@pytest.mark.req("T01", "T03")
def test_the_other_commands_follow_trust(interlock: Interlock, app: Path) -> None:
    """Pending: a note and nothing of it; trusted: in the pipeline; changed: a note and what tightens."""

    def listed() -> tuple[list[str], str]:
        typed = interlock("hooks", "list", "--json")
        return [row["hook"] for row in typed.document["hooks"]], typed.err

    names, said = listed()
    assert (names, "not trusted yet" in said) == ([], True)
    interlock("trust", "--yes")
    assert listed() == (["no-never", "guard", "call"], "")
    (app / "guard.sh").write_text("#!/bin/sh\n")
    names, said = listed()
    assert (names, "not what you trusted" in said) == (["no-never"], True)
    assert interlock("hooks", "list", "--json", "--isolated").err == ""
    named = interlock("hooks", "list", "--json", "--config", ".interlock/genesis.key")
    assert [row["hook"] for row in named.document["hooks"]] == ["no-never", "guard", "call"]
    assert named.err == ""


def test_trust_is_taken_back(interlock: Interlock, app: Path) -> None:
    """After `untrust` the project is pending again; saying it twice is not a mistake."""
    interlock("trust", "--yes")

    assert interlock("untrust").out == f"{app}: no longer trusted\n"
    assert interlock("untrust", "--json").document == {"root": str(app), "untrusted": False}
    assert interlock("untrust").out == f"{app}: was not trusted\n"
    assert interlock("trust", "--show", "--json").document["state"] == "pending trust"


def test_the_nearest_project_is_meant_or_the_one_named(
    interlock: Interlock, app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a sub-folder the project above; a name may be the folder or its `.interlock`."""
    (app / "sub").mkdir()
    monkeypatch.chdir(app / "sub")

    for named in ([], [str(app)], ["../.interlock"]):
        assert interlock("trust", "--show", "--json", *named).document["root"] == str(app)


def test_a_folder_without_a_policy_is_said_in_words(interlock: Interlock, work: Path) -> None:
    """Nothing to trust is a mistake with a next step, and a broken policy one with its place."""
    assert interlock("trust").err == (
        f"interlock: there is no policy in `{work}` or above; name the project's folder\n"
    )
    assert "there is no policy in" in interlock("trust", ".").err
    (work / ".interlock").mkdir()
    (work / ".interlock" / "genesis.key").write_text("version: 2\n")
    typed = interlock("trust", "--yes")
    assert (typed.code, typed.err.startswith(f"{work}/.interlock/genesis.key:1: version:")) == (1, True)


def test_what_a_project_writes_cannot_reach_the_terminal(interlock: Interlock, app: Path) -> None:
    """Control characters in commands and changed scripts are written out."""
    command = '    - {type: command, config: {command: "echo \\e[2J\\u202e./guard.sh"}}\n'
    (app / ".interlock" / "genesis.key").write_text(hooks(command))
    interlock("trust", "--yes")
    (app / ".interlock" / "genesis.key").write_text(hooks(command, "# \u202e\n"))
    shown = interlock("trust", "--show").out

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[2J\\u202e" in shown


def test_words_that_cannot_be_followed_are_pointed_out(interlock: Interlock, app: Path) -> None:
    """A person sees which words only the shell will understand."""
    (app / ".interlock" / "genesis.key").write_text(
        hooks("    - {type: command, config: {command: '$HOME/x.sh *.py'}}\n")
    )

    assert interlock("trust", "--show", "--json").document["unfollowed"] == ["$HOME/x.sh", "*.py"]
    assert "known only when it runs:" in interlock("trust", "--show").out
