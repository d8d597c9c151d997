"""The policy in force for a folder: by layer, by trust, and by the last good revision."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.builders import bash
from tests.policy.project import DENY, GUARD, Project, hooks, project

from interlock.builtin_hooks.self_protection.hook import NAME
from interlock.builtin_hooks.self_protection.hook import SETTINGS_NAME as CHANGES
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.engine.engine import Engine
from interlock.engine.session_memory import OnceInMemory
from interlock.events.decision import Decision
from interlock.events.hook import Layer
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.policy.trust import TrustList

USER = hooks("    - {type: deny, name: user-rule, matcher: 'Bash(forbidden*)'}\n")


class Person:
    """A person's policy folder, the projects they trust, and what was raised as an alarm."""

    def __init__(self, base: Path) -> None:
        self.config = base / "config"
        self.config.mkdir()
        self.file = self.config / "genesis.key"
        self.file.write_text(USER)
        self.app: Project = project(base)
        self.alarms: list[tuple[str, str]] = []
        self.policies = self.started()

    def started(self) -> Policies:
        """What a daemon that starts now would use."""
        return Policies(
            [(Layer.USER, self.config)],
            CLAUDE_CODE_TOOLS,
            OnceInMemory(),
            self.app.environ,
            lambda root, problem: self.alarms.append((root, problem)),
            trust=TrustList(self.app.trust.store.folder),
        )

    def loaded(self, folder: str = "") -> Loaded:
        return self.policies.for_folder(str(self.app.root / folder))

    def names(self, folder: str = "") -> list[str]:
        return written(self.loaded(folder).engine)

    def decide(self, command: str, folder: str = "") -> Decision:
        event = bash(command, cwd=str(self.app.root / folder))
        return self.loaded(folder).engine.decide_sync(event)


def written(engine: Engine) -> list[str]:
    """The hooks of files; before them stand those that no file writes."""
    names = [hook.name for hook in engine.hooks]
    assert names[:2] == [NAME, CHANGES][: len(names)]
    return names[2:]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


@pytest.mark.req("T01")
def test_nothing_of_an_untrusted_project_runs_and_the_users_rules_apply(
    person: Person, tmp_path: Path
) -> None:
    """A fresh clone's denials and scripts do nothing; the person is told how to use them."""
    ran = tmp_path / "ran"
    person.app.write("guard.sh", f"#!/bin/sh\ntouch {ran}\n")

    assert person.names() == ["user-rule"]
    assert person.decide("never").outcome == "allow"
    assert person.decide("forbidden").outcome == "deny"
    assert not ran.exists()
    notice = person.loaded().notice
    assert notice is not None
    assert "not trusted yet" in notice
    assert "`interlock trust`" in notice


@pytest.mark.req("T01")
def test_trust_is_seen_at_the_next_event_and_taken_back_at_the_one_after(person: Person) -> None:
    """Neither needs a restart, and nothing is loaded twice meanwhile."""
    assert person.names() == ["user-rule"]
    person.app.confirm()
    assert person.names() == ["user-rule", "no-never", "guard"]
    assert person.loaded() is person.loaded()
    assert person.loaded().notice is None
    assert person.decide("never").outcome == "deny"
    person.app.trust.untrust(str(person.app.root))
    assert person.names() == ["user-rule"]


@pytest.mark.req("T03")
@pytest.mark.parametrize("name", [".interlock/genesis.key", "guard.sh"])
def test_a_changed_byte_stops_the_commands_and_keeps_the_denials(
    person: Person, tmp_path: Path, name: str
) -> None:
    """The change is noticed at the next event; the new script never runs."""
    person.app.confirm()
    assert person.names() == ["user-rule", "no-never", "guard"]
    ran = tmp_path / "ran"
    with (person.app.root / name).open("a") as file:
        file.write(f"# touch {ran}\n" if name.endswith("key") else f"touch {ran}\n")

    assert person.names() == ["user-rule", "no-never"]
    assert person.decide("never").outcome == "deny"
    assert person.decide("fine").outcome == "allow"
    assert not ran.exists()
    assert "not what you trusted" in (person.loaded().notice or "")
    assert person.alarms == []


@pytest.mark.req("T03")
def test_a_removed_policy_folder_still_denies(person: Person) -> None:
    """Deleting `.interlock` is a change like any other, also below the project and after a restart."""
    person.app.confirm()
    (person.app.root / "sub").mkdir()
    (person.app.root / ".interlock" / "genesis.key").unlink()
    (person.app.root / ".interlock").rmdir()

    assert person.names() == ["user-rule", "no-never"]
    assert person.names("sub") == ["user-rule", "no-never"]
    person.policies = person.started()
    assert person.names("sub") == ["user-rule", "no-never"]


@pytest.mark.deep
@pytest.mark.req("T09")
def test_a_relative_name_means_the_confirmed_file_wherever_the_agent_is(
    person: Person, tmp_path: Path
) -> None:
    """A script of the same name in a sub-folder, or a program in the repository, is not run in its place."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    person.app.policy("    - {type: command, name: guard, config: {command: ./guard.sh && probe}}\n")
    person.app.write("guard.sh", f"#!/bin/sh\npwd > {good}\n")
    probe = Path(person.app.environ["PATH"].split(":")[0]) / "probe"
    probe.write_text("#!/bin/sh\nexit 0\n")
    probe.chmod(0o755)
    person.app.confirm()
    person.app.write("sub/guard.sh", f"#!/bin/sh\ntouch {bad}\n")
    person.app.write("sub/probe", f"#!/bin/sh\ntouch {bad}\n")

    assert person.decide("ls", "sub").outcome == "allow"
    assert good.read_text().strip() == str(person.app.root)
    assert not bad.exists()


@pytest.mark.req("T10")
def test_a_nested_project_waits_and_the_one_around_it_stays(person: Person) -> None:
    """A new repository inside a trusted project brings nothing and leads out of nothing."""
    person.app.confirm()
    person.app.write(
        "nested/.interlock/genesis.key", hooks("    - {type: deny, name: inner, matcher: Read}\n")
    )
    (person.app.root / "nested" / ".git").mkdir()

    assert person.names("nested") == ["user-rule", "no-never", "guard"]
    assert str(person.app.root / "nested") in (person.loaded("nested").notice or "")
    assert person.loaded().notice is None
    person.app.confirm(person.app.root / "nested")
    assert person.names("nested") == ["user-rule", "no-never", "guard", "inner"]
    assert person.loaded("nested").root == str(person.app.root / "nested")


@pytest.mark.req("T10")
def test_a_project_that_appears_above_is_noticed(person: Person) -> None:
    """A policy folder that is made after the first event has its say at the next one."""
    (person.app.root / "sub" / ".git").mkdir(parents=True)
    (person.app.root / ".interlock").rename(person.app.root / "aside")
    assert person.loaded("sub").notice is None
    (person.app.root / "aside").rename(person.app.root / ".interlock")
    assert "not trusted yet" in (person.loaded("sub").notice or "")


@pytest.mark.req("T07")
def test_a_broken_policy_at_start_is_unusable_and_says_where(person: Person) -> None:
    """No good revision exists, so the problem names file and line; mending it is enough."""
    person.file.write_text("version: '2.0'\nhoks: {}\n")
    loaded = person.loaded()

    assert not loaded.usable
    assert f"{person.file}:2" in (loaded.problem or "")
    assert person.alarms == [(str(person.app.root), loaded.problem)]
    person.file.write_text(USER)
    assert (person.loaded().usable, person.names()) == (True, ["user-rule"])


@pytest.mark.req("T07")
def test_a_broken_policy_at_reload_keeps_the_last_good_one_and_alarms(person: Person) -> None:
    """The rules stay, the problem is told once, and the next good file takes over."""
    person.app.confirm()
    revision = person.loaded().revision
    person.file.write_text("version: '2.0'\nhoks: {}\n")

    loaded = person.loaded()
    assert (loaded.usable, loaded.revision) == (True, revision)
    assert f"{person.file}:2" in (loaded.problem or "")
    assert person.names() == ["user-rule", "no-never", "guard"]
    assert person.decide("forbidden").outcome == "deny"
    assert len(person.alarms) == 1
    person.file.write_text(USER)
    assert person.loaded().problem is None


@pytest.mark.req("T07")
def test_a_broken_table_is_told_once_however_many_projects_run_into_it(person: Person) -> None:
    """Also one that was never good; broken once more, or in another way, it is told again."""
    table = person.config / "mine.yaml"
    person.file.write_text(USER + "settings: {tool_policies: [mine.yaml]}\n")

    def asked() -> list[bool]:
        roots = (str(person.app.root), "", "/", str(person.app.root))
        return [person.policies.for_folder(root).problem is not None for root in roots]

    assert (asked(), len(person.alarms)) == ([True] * 4, 1)
    table.write_text("version: '1'\n")
    assert (asked(), len(person.alarms)) == ([False] * 4, 1)
    table.unlink()
    assert (asked(), len(person.alarms)) == ([True] * 4, 2)
    table.write_text("rules: []\n")
    assert (asked(), len(person.alarms)) == ([True] * 4, 3)


@pytest.mark.req("T03", "T07")
def test_the_last_good_revision_runs_nothing_whose_trust_has_gone(person: Person) -> None:
    """While the user's file is broken, a changed script stops its hook all the same."""
    person.app.confirm()
    assert person.names() == ["user-rule", "no-never", "guard"]
    person.file.write_text("version: '2.0'\nhoks: {}\n")
    person.app.write("guard.sh", "#!/bin/sh\nexit 2\n")

    assert person.names() == ["user-rule", "no-never"]


@pytest.mark.req("T07", "T01")
def test_a_broken_policy_of_an_untrusted_project_disturbs_nobody(person: Person) -> None:
    """A repository cannot stop the agent by bringing a file with mistakes."""
    person.app.write(".interlock/genesis.key", "version: [\n")

    assert (person.loaded().usable, person.names(), person.alarms) == (True, ["user-rule"], [])


def test_without_a_trust_list_no_project_is_loaded(person: Person) -> None:
    """Whoever leaves the list out gets the managed and the user's policies alone."""
    person.app.confirm()
    alone = Policies([(Layer.USER, person.config)], CLAUDE_CODE_TOOLS, OnceInMemory(), {}, lambda *_: None)

    assert written(alone.for_folder(str(person.app.root)).engine) == ["user-rule"]
    assert alone.for_folder("").notice is None
    assert person.policies.for_folder("").notice is None


def test_every_engine_in_use_is_listed(person: Person) -> None:
    """One for each policy that was asked about, the newest last."""
    person.app.confirm()
    first, second = person.loaded(), person.policies.for_folder("/")

    assert person.policies.engines == [first.engine, second.engine]
    assert person.policies.newest == second.revision


def test_folders_with_the_same_files_share_what_was_made_of_them(person: Person, tmp_path: Path) -> None:
    """Each is a project of its own all the same; a change of the files reaches all of them."""
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder in folders:
        folder.mkdir()
    before = [person.policies.for_folder(str(folder)) for folder in folders]
    person.file.write_text(USER.replace("user-rule", "another"))
    after = [person.policies.for_folder(str(folder)) for folder in folders]

    assert [one.root for one in after] == [str(folder) for folder in folders]
    assert len({id(one.engine) for one in before}) == len({id(one.engine) for one in after}) == 1
    assert [written(one.engine) for one in after] == [["another"]] * 3


def test_the_policies_kept_are_bounded(person: Person, tmp_path: Path) -> None:
    """However many projects have one of their own; one that was let go of is read again."""
    projects = [project(tmp_path / str(number)) for number in range(20)]
    for number, one in enumerate(projects):
        one.policy(DENY.replace("never", f"never-{number}"), GUARD)
        person.app.trust.trust(str(one.root), one.environ)
    for number, one in enumerate(projects * 2):
        loaded = person.policies.for_folder(str(one.root))
        event = bash(f"never-{number % 20}", cwd=str(one.root))
        assert loaded.engine.decide_sync(event).denied

    assert len(person.policies.engines) == 12


def test_a_sessions_project_counts_wherever_a_link_leads(person: Person, tmp_path: Path) -> None:
    """Neither another folder, nor a link or `..` that leads there, is a way out of its rules."""
    person.app.confirm()
    away = tmp_path / "away"
    away.mkdir()
    (person.app.root / "link").symlink_to(away)
    root = str(person.app.root)

    for cwd in (str(away), f"{root}/link", f"{root}/../away"):
        loaded = person.policies.for_folder(cwd, root)
        assert loaded.engine.decide_sync(bash("never", cwd=cwd)).outcome == "deny"


def moved(path: Path, target: Path) -> None:
    """Put something aside, or back."""
    if path.exists() and not target.exists():
        path.rename(target)
    elif target.exists() and not path.exists():
        target.rename(path)


def swapped(path: Path, target: Path) -> None:
    """A link in the place of a folder, or the folder again."""
    aside = path.with_name("aside")
    if path.is_symlink():
        path.unlink()
        aside.rename(path)
    else:
        path.rename(aside)
        path.symlink_to(target)


@pytest.mark.req("T10")
@pytest.mark.parametrize("seed", range(12))
def test_what_was_found_before_is_what_would_be_found_now(person: Person, tmp_path: Path, seed: int) -> None:
    """Repositories, policies, links, trust: after any change the next event has what a new daemon finds."""
    app, chance = person.app, random.Random(seed)
    deep, away = app.root / "sub" / "deep", tmp_path / "away" / "deep"
    for folder in (deep, away):
        folder.mkdir(parents=True)
    steps: list[Callable[[], object]] = [
        lambda: (
            moved(deep / ".git", tmp_path / "git-1") if (deep / ".git").exists() else (deep / ".git").mkdir()
        ),
        lambda: moved(app.root / "sub" / ".interlock", tmp_path / "policy-1"),
        lambda: app.write(
            "sub/.interlock/genesis.key", hooks("    - {type: deny, name: inner, matcher: Read}\n")
        ),
        lambda: moved(app.root / ".interlock", app.root / "put-aside"),
        lambda: swapped(app.root / "sub", away.parent),
        lambda: person.file.write_text(USER.replace("user-rule", f"rule-{chance.randrange(9)}")),
        lambda: person.app.trust.untrust(str(app.root)),
        lambda: app.confirm() if (app.root / ".interlock").exists() else None,
        lambda: None,
    ]
    places = [
        (str(deep), None),
        (str(deep), str(app.root)),
        (str(away), str(app.root)),
        (str(app.root), None),
    ]
    for _ in range(25):
        chance.choice(steps)()
        new = person.started()
        for where in places:
            found, fresh = person.policies.for_folder(*where), new.for_folder(*where)
            assert (found.root, found.revision, found.notice) == (fresh.root, fresh.revision, fresh.notice)
