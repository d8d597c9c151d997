"""`cleaning`: what can be made anew may go, what cannot is stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import bash, call, hook

from interlock.builtin_hooks.cleaning.hook import Cleaning
from interlock.builtin_hooks.cleaning.path_location import Ignored
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.verdict import Vote

HOME = "/home/someone"
ENVIRON = {"HOME": HOME, "TMPDIR": "/scratch", "PATH": "/usr/bin:/bin"}


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of commands puts the same home in place of `~`."""
    monkeypatch.setenv("HOME", HOME)


def engine(said: Ignored = Ignored.YES, **options: object) -> Engine:
    cleaning = Cleaning(environ=ENVIRON, ignored=lambda _folder, _paths, _names: said, **options)  # type: ignore[arg-type] # options of several types
    return Engine([hook(cleaning)])


def vote(command: str, said: Ignored = Ignored.YES, *, cwd: str = "/w/app", project: str = "/w/app") -> Vote:
    return engine(said).decide_sync(bash(command, cwd=cwd, project=project)).vote


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf node_modules",
        "rm -rf build dist *.egg-info .pytest_cache",
        "rm -rf ./target/debug",
        "rm -rf packages/*/dist",
        "rm -rf build/*",
        "cd web && rm -rf .next",
        "rm -rf /w/app/coverage",
        "find . -name '*.pyc' -delete",
        "find . -name __pycache__ -type d -exec rm -rf {} +",
        "find . -name '*.pyc' -print0 | xargs -0 rm -f",
        "npx rimraf dist",
        "rm -rf /tmp/x /var/tmp/y /scratch/z",
        "rm -rf ~/.cache/pip",
        'd=$(mktemp -d) && make && rm -rf "$d"',
        "tmp=`mktemp -d`; rm -rf ${tmp}/a",
        "export d=$(mktemp -d -t x); rm -r $d",
        'rm -rf "$TMPDIR/work"',
        "rm -rf ${TMPDIR:-/tmp}/work",
        "find /tmp -name 'work-*' -delete",
        "rm notes.txt",
        "rm -f *.log src/old.py",
        "rm -f .git/index.lock",
        'for f in *.bak; do rm "$f"; done',
        "rmdir empty",
        "git rm -r src",
        "mv src old",
    ],
)
def test_everyday_cleaning_passes(command: str) -> None:
    """What is ignored and of a name that tools make, temporary folders, and single files of the project."""
    assert vote(command) is Vote.ABSTAIN


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        "rm -rf /*",
        "rm -rf --no-preserve-root /",
        "rm -rf ~ 2>/dev/null",
        "rm -rf $HOME/work",
        "rm -rf ~root/x",
        "rm -rf /srv/data",
        "rm -rf ../other",
        "rm -rf /usr/bin",
        "rm -rf ~/build",
        "rm -rf .",
        "rm -rf *",
        "rm -rf ./.*",
        "rm -rf ..",
        "rm -rf /w",
        "rm -rf .git",
        "rm -rf .GIT/objects",
        "find . -delete",
        "find . ! -name '*.pyc' -delete",
        "find / -type f -exec rm {} +",
        "find . -name .git -exec rm -rf {} +",
        "find ~ -type f | xargs rm",
        "sudo rm -rf /var/lib/thing",
        "sh -c 'cd / && rm -rf srv'",
        "rm -rf build /srv/data",
        "rm -rf build/../../other",
    ],
)
def test_what_no_project_may_lose_is_denied(command: str) -> None:
    """All outside of it, the project itself, and git's own folder."""
    assert vote(command) is Vote.DENY


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf src",
        "rm -r docs/old",
        "rm -rf src*",
        "find . -name '*.py' -delete",
        "rm -rf $DIR/*",
        'rm -rf "$DIR"',
        "rm -rf $TMPDIR/*",
        "rm -rf $TMPDIR",
        'd=$(mktemp -d); d=/srv; rm -rf "$d"x/$e',
        'd=$(mktemp -d); read d; rm -rf "$d"',
        'd=$(mktemp -d); rm -rf "$d"/*',
        'd=$(mktemp -d); rm -rf "$d/../x"',
        "rm -rf $(cat list)",
        "rm $(cat list)",
        "cat list | xargs rm",
        "cat list | xargs rm -rf",
        "cd $X && rm -rf build",
        "rm *",
        "rm .git/config",
        "rm /etc/hosts",
        "rm -rf /tmp",
        "rm -rf /tmp/*",
        "rm -rf ../other/node_modules",
        "rm -rf ~/.m2/caches",
    ],
)
def test_what_may_be_work_is_asked_about(command: str) -> None:
    """Folders of the project that are not known to be rebuilt, single files elsewhere, unknown targets."""
    assert vote(command) is Vote.ASK


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (Ignored.YES, Vote.ABSTAIN),
        (Ignored.NO, Vote.ASK),
        (Ignored.NO_REPOSITORY, Vote.ABSTAIN),
        (Ignored.SILENT, Vote.ASK),
    ],
)
def test_a_name_alone_is_not_enough_where_git_can_be_asked(said: Ignored, expected: Vote) -> None:
    """Ignored and of such a name; where there is no repository the name decides."""
    assert vote("rm -rf build", said) is expected


def test_a_home_is_no_project() -> None:
    """An agent started at home, or above it, has nothing around it that could be rebuilt by a name."""
    assert vote("rm -rf work", cwd=HOME, project=HOME) is Vote.DENY
    assert vote("rm -rf build", cwd=HOME, project=HOME) is Vote.ASK
    assert vote("rm -rf work", cwd="/", project="/") is Vote.DENY


def test_without_a_folder_nothing_is_inside() -> None:
    """An event that does not say where it happened gives no project."""
    assert engine().decide_sync(Event(name="Stop")).vote is Vote.ABSTAIN
    assert vote("rm -rf build", cwd="", project="") is Vote.ASK
    assert vote("rm -rf /w/app/src", cwd="", project="") is Vote.DENY


def test_links_are_removed_and_not_followed_unless_they_are(tmp_path: Path) -> None:
    """`rm -rf build` takes a link, `rm -rf build/*` what it leads to."""
    app, elsewhere = tmp_path / "app", tmp_path / "elsewhere"
    app.mkdir()
    elsewhere.mkdir()
    (app / "build").symlink_to(elsewhere)
    where = {"cwd": str(app), "project": str(app)}
    judged = Engine([hook(Cleaning(environ=ENVIRON, temporary=(), ignored=lambda *_: Ignored.YES))])

    assert judged.decide_sync(bash("rm -rf build", **where)).vote is Vote.ABSTAIN
    assert judged.decide_sync(bash("rm -rf build/*", **where)).vote is Vote.DENY
    assert judged.decide_sync(bash("rm -rf build/", **where)).vote is Vote.DENY


def test_a_glob_is_judged_by_what_it_finds(tmp_path: Path) -> None:
    """`build*` may be more than `build`."""
    for name in ("build", "build-1.o"):
        (tmp_path / name).mkdir()
    judged = Engine([hook(Cleaning(environ=ENVIRON, temporary=(), ignored=lambda *_: Ignored.YES))])
    event = bash("rm -rf build*", cwd=str(tmp_path), project=str(tmp_path))
    assert judged.decide_sync(event).vote is Vote.ABSTAIN

    (tmp_path / "builder").mkdir()
    assert judged.decide_sync(event).vote is Vote.ASK


def test_a_tool_that_deletes_is_judged_too(tmp_path: Path) -> None:
    """A folder goes with all that is in it, whichever tool takes it."""
    (tmp_path / "src").mkdir()
    judged = Engine([hook(Cleaning(environ=ENVIRON, temporary=()))])

    def deletes(path: str) -> Vote:
        event = call("mcp__fs__delete_file", tool_input={"path": path}, cwd=str(tmp_path))
        return judged.decide_sync(event).vote

    assert (deletes("notes.txt"), deletes("src"), deletes("/srv/x")) == (Vote.ABSTAIN, Vote.ASK, Vote.ASK)


def test_its_votes_and_names_can_be_chosen() -> None:
    """Options take the place of the defaults."""
    strict = engine(outside=Vote.ASK, otherwise=Vote.DENY, names=("made",), temporary=("/x",))

    def said(command: str) -> Vote:
        return strict.decide_sync(bash(command, cwd="/w/app", project="/w/app")).vote

    assert (said("rm -rf /srv"), said("rm -rf src")) == (Vote.ASK, Vote.DENY)
    assert (said("rm -rf made"), said("rm -rf build"), said("rm -rf /x/y")) == (
        Vote.ABSTAIN,
        Vote.DENY,
        Vote.ABSTAIN,
    )
    assert Cleaning(names=("a",)).fingerprint() != Cleaning(names=("b",)).fingerprint()


def test_the_environment_cannot_make_a_home_temporary() -> None:
    """`TMPDIR=/home` would let everything go."""
    cleaning = Cleaning(environ={**ENVIRON, "TMPDIR": "/home"}, ignored=lambda *_: Ignored.YES)
    event = bash(f"rm -rf {HOME}/work", cwd="/w/app", project="/w/app")

    assert Engine([hook(cleaning)]).decide_sync(event).vote is Vote.DENY


@pytest.mark.parametrize(
    ("command", "loss"),
    [
        ("rm -rf ~", "This would delete your home folder."),
        ("rm -rf ~/*", "This would delete your home folder."),
        (f"cd {HOME} && rm -rf *", "This would delete your home folder."),
        ("find ~ -delete", "This would delete your home folder."),
        ("rm -rf /home", "This would delete `/home`, which contains your home folder."),
        ("rm -rf /", "This would delete everything on this machine, including your home folder."),
        ("make && rm -rf ../x", "This would delete `../x` (`/w/x`), which is outside the project."),
        ("rm -rf /dev/../../tmp/..", "This would delete everything on this machine, including your home"),
        (
            "rm -rf /dev/shm/../../etc",
            "This would delete `/dev/shm/../../etc` (`/etc`), which is outside the project.",
        ),
        ("rm -rf .", "This would delete the whole project (`.`)."),
        ("rm -rf .git", "This would delete git history in `.git`, which may exist nowhere else."),
        ("rm -rf src", "This would delete `src`, which may contain work that exists nowhere else."),
        ("find . -name '*.py' -delete", "This would delete `*.py` below `.`, which may contain work"),
        ("rm -rf $X/*", "This would delete `$X/*`, which is only known when the command runs."),
        ("git checkout src/", "This would discard your changes in `src/`, and git has no copy of them."),
    ],
)
def test_the_reason_begins_with_what_would_be_lost(command: str, loss: str) -> None:
    """Then comes what to do instead and, where it is denied, who can do it; all of it short."""
    decision = engine().decide_sync(bash(command, cwd="/w/app", project="/w/app"))
    reason = decision.reason or ""

    assert reason.startswith(loss)
    assert " Instead: " in reason
    assert reason.endswith("Only the user can run this, in a terminal of their own.") is (
        decision.vote is Vote.DENY
    )
    assert len(reason) <= 300


def test_a_folder_that_tools_make_is_named_with_the_file_that_would_settle_it() -> None:
    """The agent or the user can add one line."""
    decision = engine(Ignored.NO).decide_sync(bash("rm -rf node_modules", cwd="/w/app", project="/w/app"))

    assert (decision.reason or "").startswith(
        "`node_modules` is not in .gitignore, so it may contain your work."
    )
