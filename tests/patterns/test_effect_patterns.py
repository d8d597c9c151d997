"""Patterns about what a call does, whichever tool does it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import allowed, bash, call, denied, write

from interlock.effects.effect import Effect, EffectKind
from interlock.events.event import Event
from interlock.patterns.effects import EffectPatterns
from interlock.patterns.matcher import parse_pattern


def reads(path: str) -> Event:
    return call("Read", tool_input={"file_path": path}, cwd="/w/app")


@pytest.mark.req("X12")
@pytest.mark.parametrize(
    ("pattern", "event"),
    [
        ("write(.env)", write("/w/app/.env")),
        ("write(src/*)", bash("echo x > src/a", cwd="/w/app")),
        ("write(/w/app/src/*)", bash("cd src && echo x >> a", cwd="/w/app")),
        ("write(*)", bash("tee f", cwd="/w/app")),
        ("write(*.conf)", bash("sed -i s/a/b/ x.conf", cwd="/w/app")),
        ("write(b)", bash("cp a b", cwd="/w/app")),
        ("delete(src/*)", bash("rm -r src/a", cwd="/w/app")),
        ("read(*.pem)", bash("cat keys/x.pem", cwd="/w/app")),
        ("read(*.pem)", reads("keys/x.pem")),
        ("network(*.example.com)", bash("curl https://a.example.com/x")),
        ("network(*.example.com)", bash("curl https://A.Example.COM/x")),
        ("run(rm)", bash("ls; sudo /bin/rm x")),
        ("env(LD_PRELOAD)", bash("LD_PRELOAD=x ls")),
        ("env(PAGER=/*)", bash("PAGER=/tmp/x git log")),
        ("env(PAGER=/*)", bash("export PAGER='/tmp/x y'; git log")),
        ("env(PAGER)", bash("PAGER=/tmp/x git log")),
        ("env(NODE_OPTIONS=*--require*)", bash('env NODE_OPTIONS="-a --require=./x.js" npm test')),
        ("env(*=/tmp/*)", bash("sudo CC=/tmp/cc make")),
        ("write(*)", bash("echo x > $F")),
        ("write(*F)", bash("echo x > $F")),
        ("read(~/.aws/**)", bash("docker run -v ~/.aws:/x:ro box")),
        ("read(~/.ssh/**)", bash("docker run --mount type=bind,src=$HOME/.ssh,dst=/x,readonly box")),
        ("read(~/.ssh/**)", bash("ln -s ~ h; cat h/.ssh/id", cwd="/w/app")),
    ],
)
def test_a_denied_effect_is_met_whatever_has_it(pattern: str, event: Event) -> None:
    """File tools, redirects, and programs that are known to read, write, delete or connect."""
    assert denied(pattern, event)


@pytest.mark.parametrize(
    ("pattern", "event"),
    [
        ("write(.env)", reads("/w/app/.env")),
        ("write(.env)", bash("cat .env", cwd="/w/app")),
        ("write(src/*)", bash("echo 'x > src/a'", cwd="/w/app")),
        ("write(*)", bash("echo x > /dev/null")),
        ("network(*.example.com)", bash("curl https://example.org")),
        ("run(rm)", bash("echo rm")),
        ("env(PAGER=/*)", bash("PAGER=cat git log")),
        ("env(PAGER=/*)", bash("GIT_PAGER=/tmp/x git log")),
        ("env(PAGER=/*)", bash("echo PAGER=/tmp/x")),
        ("env(PAGER=/*)", bash("PAGER=$X git log")),
        ("write(src/*)", bash("echo x > $F")),
        ("run(*)", write("x")),
        ("read(**/.env)", bash("cat *", cwd="/w/app")),
        ("read(**/.env)", bash("docker run -v $PWD:/src:ro -v ./conf:/c:ro box", cwd="/w/app")),
        ("read(src/key)", bash("cat k*", cwd="/w/app")),
        ("read(~/.ssh/**)", bash("cat ~/*/id; cat $x/id; cat $x/.sshd/id", cwd="/w/app")),
        ("write(src/*)", bash("cd lib && echo x > a; echo x > $d/src/a", cwd="/w/app")),
        ("read(**/.env)", bash("find . -name .env; find . -name '*.py' | xargs cat", cwd="/w/app")),
        ("delete(src/**)", bash("find lib -name x -exec rm {} +", cwd="/w/app")),
        ("write(*)", Event(name="Stop")),
    ],
)
def test_other_effects_are_not_met(pattern: str, event: Event) -> None:
    """Reading is not writing, quoted text does nothing."""
    assert not denied(pattern, event)


@pytest.mark.parametrize(
    ("pattern", "event", "expected"),
    [
        ("write(src/*)", write("/w/app/src/a"), True),
        ("write(src/*)", write("/w/app/src/../a"), False),
        ("write(*)", write("/w/app/a"), True),
        ("read(*)", write("/w/app/a"), False),
        ("read(src/*)", reads("src/a"), True),
        ("write(*)", bash("tee f", cwd="/w/app"), False),
        ("read(*)", bash("cat f", cwd="/w/app"), False),
    ],
)
def test_an_allowed_effect_covers_file_tools_and_runs_nothing(
    pattern: str, event: Event, expected: bool
) -> None:
    """A command is more than the files it touches."""
    assert allowed(event, pattern) is expected


@pytest.mark.parametrize(
    ("pattern", "event"),
    [
        ("read(~/.ssh/**)", bash("cat ~/.ssh/id", cwd="/w/app")),
        ("read(~/.ssh/**)", bash("cat $HOME/.ssh/id", cwd="/w/app")),
        ("read(~/.ssh/)", bash("cd && cat .ssh/id", cwd="/w/app")),
        ("Read(~/.ssh/**)", reads("~/.ssh/id")),
        ("Read(~/.ssh/)", reads("~/.SSH/id")),
        ("delete(src/keep/*)", bash("rm -r src", cwd="/w/app")),
        ("delete(src/keep/*)", bash("rm -r .", cwd="/w/app")),
        ("read(**/.env)", bash("cat .env", cwd="/w/app")),
        ("read(**/.env)", bash("cat .e*", cwd="/w/app")),
        ("read(**/.env)", bash("cd x; cat ./.[e]n?", cwd="/w/app")),
        ("write(src/*)", bash("cd src && echo x >> a", cwd="/w/app")),
        ("write(src/*)", bash("cd lib; cd ../src; cp x a", cwd="/w/app")),
        ("write(src/*)", bash("echo x > s?c/a", cwd="/w/app")),
        ("read(~/.ssh/**)", bash("cat ~/.ss[h]/id_*", cwd="/w/app")),
        ("read(~/.ssh/**)", bash("cat ~/.s*/id", cwd="/w/app")),
        ("read(~/.ssh/**)", bash("cat ${HOME%/}/.ssh/id", cwd="/w/app")),
        ("read(~/.ssh/**)", bash('cat "${HOME:?}"/.ssh/id', cwd="/w/app")),
        ("read(~/.ssh/**)", bash("cat {~/.ssh,/x}/id", cwd="/w/app")),
        ("read(~/.ssh/**)", bash('cat "$there/.ssh/id"', cwd="/w/app")),
        ("read(~/.ssh/**)", bash("cat $(getent passwd x)/.ssh", cwd="/w/app")),
        ("read(~/.ssh/**)", bash('cd "$x"; cat .ssh/id', cwd="/w/app")),
        ("read(**/.env)", bash("find . -name .env -exec cat {} +", cwd="/w/app")),
        ("read(**/.env)", bash("find . -name .env | xargs cat", cwd="/w/app")),
        ("read(**/.env)", bash("find . -name '.en*' | xargs -I{} cp {} x", cwd="/w/app")),
        ("delete(src/**)", bash("find src -type f -exec rm {} +", cwd="/w/app")),
        ("delete(src/**)", bash("find src | xargs rm", cwd="/w/app")),
        ("delete(*)", bash("ls | xargs rm", cwd="/w/app")),
        ("read(**/.env)", bash("for f in README .env; do cat $f; done", cwd="/w/app")),
    ],
)
def test_a_path_pattern_is_met_in_every_spelling(pattern: str, event: Event) -> None:
    """The home, a trailing slash, letter case, and a folder that takes its files with it."""
    assert denied(pattern, event)


def test_letter_case_counts_for_an_allow() -> None:
    """What is only alike was not allowed."""
    assert allowed(write("/w/app/src/a"), "Write(src/*)")
    assert not allowed(write("/w/app/SRC/a"), "Write(src/*)")
    assert denied("Write(src/*)", write("/w/app/SRC/a"))


def test_a_link_is_denied_and_allowed_by_where_it_leads(tmp_path: Path) -> None:
    """The target counts for both, the name it goes by only for a deny."""
    (tmp_path / "secret").touch()
    (tmp_path / "notes").symlink_to(tmp_path / "secret")
    event = bash("echo x > notes", cwd=str(tmp_path))

    assert denied("write(secret)", event)
    assert denied("write(notes)", event)
    assert not allowed(event, "Bash(echo *)", "write(notes)")
    assert allowed(event, "Bash(echo *)", "write(secret)")


def test_an_allow_speaks_of_the_project_wherever_a_command_has_gone() -> None:
    """Without a project it is the folder of the call: not the one that a `cd` leads to."""
    patterns = EffectPatterns([parse_pattern("write(out/*)")], "/home/ann")

    def allowances(base: str) -> set[str]:
        return patterns.allowances(Effect(EffectKind.WRITE, "out/a", base), "/w/app", None)

    assert (allowances("/w/app"), allowances("/etc")) == ({"write(out/*)"}, set())


@pytest.mark.parametrize(
    ("command", "met"),
    [
        ("cat ~/.ssh/id_work", True),
        ("cat ~/.ssh/id_work.pub", False),
        ("cat ~/.ssh/id_work.pub ~/.ssh/id_work", True),
        ("cat ~/.ssh/id_*", True),
        ("cat ~/.ssh/id_*.pub", False),
        ("python3 -c \"open('/h/.ssh/id_work')\"", True),
        ("python3 -c \"open('/h/.ssh/id_work.pub')\"", False),
    ],
)
def test_a_deny_leaves_out_what_it_excepts(command: str, met: bool) -> None:
    """Each path by itself, also in unread text and behind a glob."""
    assert denied("read(*/.ssh/id_* !*.pub)", bash(command, cwd="/w/app")) is met


def test_a_link_of_an_excepted_name_is_what_it_leads_to(tmp_path: Path) -> None:
    """The other spelling of the same path is still met."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_work").touch()
    (tmp_path / "x.pub").symlink_to(tmp_path / ".ssh" / "id_work")

    assert denied("read(*/.ssh/id_* !*.pub)", bash("cat x.pub", cwd=str(tmp_path)))


@pytest.mark.parametrize(
    ("command", "met"),
    [
        ("LD_PRELOAD=/x.so ls", True),
        ("LD_PRELOAD=$x ls", True),
        ("LD_PRELOAD=/x= ls", True),
        ("LD_PRELOAD= ls", False),
        ("export LD_PRELOAD=''", False),
        ("LD_PRELOAD= ls; LD_PRELOAD=/x.so ls", True),
    ],
)
def test_a_deny_of_a_variable_leaves_out_a_value(command: str, met: bool) -> None:
    """Its name and its value are one effect."""
    assert denied("env(LD_PRELOAD !LD_PRELOAD=)", bash(command, cwd="/w/app")) is met


def test_an_allow_with_an_exception_covers_nothing() -> None:
    """Exceptions are for denies alone."""
    assert not allowed(bash("echo x > log.txt", cwd="/w/app"), "write(log* !*.bak)", "Bash(echo *)")
