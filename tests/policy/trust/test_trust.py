"""Nothing of a project is used until a person has trusted exactly what is there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.policy.project import DENY, GUARD, MODIFY, WEBHOOK, Project, hooks, project

from interlock.errors import ConfigError, InterlockError
from interlock.events.hook import Layer
from interlock.policy.load import load_policy
from interlock.policy.trust import Trust, TrustList, project_files


@pytest.fixture
def app(tmp_path: Path) -> Project:
    return project(tmp_path)


def names(app: Project) -> list[str]:
    """The hooks of the project that are in force."""
    files = project_files(app.trust.state_of(str(app.root)))
    return [hook.name for hook in load_policy(files, environ=app.environ).hooks]


@pytest.mark.req("T01")
def test_a_fresh_project_waits_and_brings_nothing(app: Project) -> None:
    """A clone with a policy and scripts is pending, and none of its files is loaded."""
    assert (app.status, names(app)) == (Trust.PENDING, [])
    notice = app.trust.state_of(str(app.root)).notice
    assert notice is not None
    assert "`interlock trust`" in notice


def test_a_folder_without_a_policy_is_nothing_to_trust(app: Project, tmp_path: Path) -> None:
    """Without policy files there is nothing to tell, and trusting is refused with the next step."""
    state = app.trust.state_of(str(tmp_path))

    assert (state.status, state.notice) == (Trust.NONE, None)
    with pytest.raises(InterlockError, match="interlock init --project"):
        app.confirm(tmp_path)


@pytest.mark.req("T01")
def test_a_trusted_project_is_a_project_layer_under_its_own_path(app: Project) -> None:
    """Both files load, in their layer, and say where they stand."""
    app.write(
        ".interlock/hooks.toml", '[[hooks]]\nname = "t"\nevent = "Stop"\n[hooks.shell]\ncommand = "true"\n'
    )
    app.confirm()

    assert app.status is Trust.TRUSTED
    policy = load_policy(project_files(app.trust.state_of(str(app.root))), environ=app.environ)
    assert [hook.name for hook in policy.hooks] == ["no-never", "guard", "t"]
    assert {hook.source.layer for hook in policy.hooks} == {Layer.PROJECT}
    assert policy.hooks[0].source.file == str(app.root / ".interlock" / "genesis.key")
    assert app.trust.state_of(str(app.root)).notice is None


@pytest.mark.req("T03")
@pytest.mark.parametrize("name", [".interlock/genesis.key", "guard.sh"])
def test_one_byte_voids_trust_and_leaves_what_tightens(app: Project, name: str) -> None:
    """After a change of a file or a script, the old denials stay and nothing of the project runs."""
    app.policy(DENY, GUARD, MODIFY, WEBHOOK)
    app.confirm()
    assert names(app) == ["no-never", "guard", "rewrite", "call"]

    file = app.root / name
    file.write_bytes(file.read_bytes() + b"#")

    assert app.status is Trust.CHANGED
    assert any(Path(name).name in change for change in app.changes)
    assert names(app) == ["no-never"]


@pytest.mark.req("T03")
def test_new_content_is_inert_and_old_permissions_stay(app: Project) -> None:
    """Denials by permission come from the kept copy; a new rule waits, a removed one does not go."""
    lists = "permissions:\n  actors:\n    agent:main: {deny: ['Bash(rm *)']}\n"
    app.write(".interlock/genesis.key", hooks(DENY) + lists)
    app.confirm()
    app.policy("    - {type: deny, name: brand-new, matcher: Read}\n")

    assert names(app) == ["genesis_enforcement", "no-never"]


@pytest.mark.req("T03")
def test_a_deleted_policy_folder_does_not_end_its_rules(app: Project) -> None:
    """What was trusted still denies when the files are gone; only `untrust` ends it."""
    app.confirm()
    (app.root / ".interlock" / "genesis.key").unlink()
    (app.root / ".interlock").rmdir()

    assert app.status is Trust.CHANGED
    assert app.changes == ("`.interlock/genesis.key` is gone",)
    assert names(app) == ["no-never"]
    assert [state.root for state in app.trust.states_above(str(app.root))] == [str(app.root)]
    assert app.trust.untrust(str(app.root))
    assert (app.status, names(app)) == (Trust.NONE, [])
    assert not app.trust.untrust(str(app.root))


@pytest.mark.req("T03")
def test_a_second_policy_file_is_a_change(app: Project) -> None:
    """A `hooks.toml` that appears beside a trusted `genesis.key` waits like any other change."""
    app.confirm()
    app.write(".interlock/hooks.toml", "")

    assert app.changes == ("`.interlock/hooks.toml` is new",)


@pytest.mark.req("T03")
def test_confirming_again_takes_the_new_content(app: Project) -> None:
    """A change is in force from its own confirmation on, and going back needs one too."""
    app.confirm()
    app.policy(DENY, "    - {type: deny, name: second, matcher: Read}\n")
    app.confirm()
    assert (app.status, names(app)) == (Trust.TRUSTED, ["no-never", "second"])

    app.policy(DENY, GUARD)
    assert app.status is Trust.CHANGED


def test_a_broken_policy_cannot_be_trusted(app: Project) -> None:
    """A mistake is shown with its place, and nothing is stored."""
    path = app.write(".interlock/genesis.key", "version: 2\n")

    with pytest.raises(ConfigError) as caught:
        app.confirm()
    assert (caught.value.problems[0].file, caught.value.problems[0].line) == (str(path), 1)
    assert app.status is Trust.PENDING


@pytest.mark.req("T09")
def test_a_program_found_elsewhere_voids_trust(app: Project, tmp_path: Path) -> None:
    """A bare name is looked up when it is trusted; another program under that name is another policy."""
    later = app.environ["PATH"].split(os.pathsep)[0]
    first = tmp_path / "bin"
    first.mkdir()
    tool = first / "checker"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    app.environ["PATH"] = f"{later}:{first}"
    app.policy("    - {type: command, name: bare, config: {command: checker --strict}}\n")
    app.confirm()
    assert app.status is Trust.TRUSTED
    tool.write_text("#!/bin/sh\n# the system's own update\n")
    assert app.status is Trust.TRUSTED

    planted = Path(later) / "checker"
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    assert app.changes == (f"`checker` is now {planted}, not {tool}",)


@pytest.mark.req("T09")
def test_no_program_comes_from_the_project_by_its_bare_name(app: Project) -> None:
    """Relative folders and folders of the project in PATH count for nothing, then and later."""
    app.write("python", "#!/bin/sh\n")
    app.environ["PATH"] = f".:{app.root}:{app.root}/bin:/usr/bin:/bin"
    record, policy = app.trust.propose(str(app.root), app.environ)

    assert record.search == "/usr/bin:/bin"
    assert {hook.handler.path for hook in policy.hooks if hook.name == "guard"} == {"/usr/bin:/bin"}  # type: ignore[attr-defined] # a command's own field
    assert {hook.handler.folder for hook in policy.hooks if hook.name == "guard"} == {str(app.root)}  # type: ignore[attr-defined] # a command's own field


@pytest.mark.req("T10")
def test_every_folder_needs_its_own_confirmation(app: Project) -> None:
    """A sub-folder, a nested repository and a worktree with the same files are pending on their own."""
    app.confirm()
    for name in ("sub", "nested", "worktree"):
        app.write(f"{name}/.interlock/genesis.key", hooks(DENY))
    (app.root / "nested" / ".git").mkdir()
    app.write("worktree/.git", "gitdir: ../.git/worktrees/w\n")

    for name in ("sub", "nested", "worktree"):
        inner = str(app.root / name)
        assert app.trust.state_of(inner).status is Trust.PENDING
        assert [state.status for state in app.trust.states_above(inner)] == [Trust.TRUSTED, Trust.PENDING]
    app.confirm(app.root / "sub")
    assert app.trust.state_of(str(app.root / "sub")).status is Trust.TRUSTED
    assert app.trust.state_of(str(app.root / "nested")).status is Trust.PENDING


@pytest.mark.req("T10")
def test_trust_belongs_to_the_real_folder(app: Project, tmp_path: Path) -> None:
    """A link to a trusted folder is that folder; a copy of it is another."""
    app.confirm()
    link = tmp_path / "link"
    link.symlink_to(app.root)
    assert app.trust.state_of(str(link)).status is Trust.TRUSTED

    moved = tmp_path / "moved"
    app.root.rename(moved)
    assert app.trust.state_of(str(moved)).status is Trust.PENDING


@pytest.mark.req("T03", "T09")
@pytest.mark.parametrize("linked", [".interlock", ".interlock/genesis.key"])
def test_a_link_out_of_the_project_is_refused(app: Project, tmp_path: Path, linked: str) -> None:
    """A policy that lies elsewhere could change without the project changing."""
    outside = tmp_path / "outside"
    (app.root / linked).rename(outside)
    (app.root / linked).symlink_to(outside)

    with pytest.raises(ConfigError, match="leads outside the project"):
        app.confirm()
    state = app.trust.state_of(str(app.root))
    assert state.status is Trust.PENDING
    assert "leads outside the project" in state.changes[0]


def test_a_link_inside_the_project_is_followed(app: Project) -> None:
    """A policy that is kept elsewhere in the same project may be linked to."""
    (app.root / ".interlock" / "genesis.key").rename(app.root / "policy.key")
    (app.root / ".interlock" / "genesis.key").symlink_to(app.root / "policy.key")
    app.confirm()

    assert names(app) == ["no-never", "guard"]


@pytest.mark.req("T04")
def test_nothing_in_the_project_says_where_trust_is_kept(
    app: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`.env`, `.envrc`, git's configuration and a forged list in the project change nothing."""
    forged = TrustList(tmp_path / "forged")
    forged.trust(str(app.root), app.environ)
    record = next((tmp_path / "forged").iterdir())
    for place in (".interlock/trust", ".interlock/state/trust", ".git/interlock/trust"):
        app.write(f"{place}/{record.name}", record.read_text(), mode=0o600)
    app.write(".env", f"INTERLOCK_HOME={tmp_path}\nXDG_STATE_HOME={tmp_path}\n")
    app.write(".envrc", f"export INTERLOCK_HOME={tmp_path}\n")
    app.write(".git/config", f"[interlock]\n\thome = {tmp_path}\n")
    monkeypatch.chdir(app.root)

    assert (app.status, names(app)) == (Trust.PENDING, [])


@pytest.mark.req("T04")
def test_a_trust_list_inside_the_project_is_refused(app: Project) -> None:
    """A project that holds its own trust list could write itself into it."""
    own = TrustList(app.root / "home" / "trust")

    with pytest.raises(InterlockError, match="is inside the project"):
        own.trust(str(app.root), app.environ)
    state = own.state_of(str(app.root))
    assert state.status is Trust.PENDING
    assert "is inside the project" in state.changes[0]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that exists and cannot be read")
def test_a_script_nobody_can_read_is_not_trusted(app: Project) -> None:
    """A file whose content cannot be seen cannot be compared later."""
    (app.root / "guard.sh").unlink()
    (app.root / "guard.sh").symlink_to("/proc/self/mem")

    with pytest.raises(InterlockError, match="cannot be read"):
        app.confirm()
