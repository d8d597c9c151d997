"""Who is neither plainly a person nor plainly an agent: the passphrase tells, where one is set."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import SHIM, Home, bash, wait_for
from tests.living_agent import LivingAgent, living_agent
from tests.orphan import left_alone
from tests.terminal import at_terminal

from interlock.files.own_files import write_whole
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import hash_passphrase
from interlock.hosts.launching import shim_program

pytestmark = [pytest.mark.req("Z02"), pytest.mark.deep]

SECRET = "correct horse battery"
LIST = ("approvals", "list", "--json")
ASK = (
    "import sys; from pathlib import Path; from interlock.daemon.client import request;"
    "print(request(Path(sys.argv[1]), sys.argv[2], {'ids': ['ap_1'], 'passphrase': sys.argv[3]}))"
)


@pytest.fixture
def named(served: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with a daemon, which commands find."""
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))
    return served


@pytest.fixture
def agent(named: Home) -> Iterator[LivingAgent]:
    """An agent that lives."""
    with living_agent(named) as found:
        yield found


def set_passphrase(home: Home) -> None:
    """As `interlock install --passphrase` keeps it."""
    write_whole(home.places.state / PASSPHRASE, msgspec.json.encode(hash_passphrase(SECRET)), mode=0o600)


def orphaned(home: Home, *words: str, typed: tuple[str, ...] = ()) -> tuple[int, str]:
    """Type a command where its parent has gone, as `setsid -f env -i` leaves it."""
    return left_alone(home.folder / "out", SCRIPT, *words, typed=typed)


def test_what_an_agent_leaves_alone_is_no_person(named: Home, agent: LivingAgent) -> None:
    """A new session, no parent and no environment: it is told what would show a person, and recorded."""
    code, screen = orphaned(named, *LIST)
    wait_for(lambda: named.entries("refused"), "the refusal is recorded")

    assert code == 2
    assert "cannot be distinguished from a running agent" in screen
    assert "a terminal that was open before the agent" in screen
    assert "`interlock install claude-code --passphrase`" in screen
    assert named.entries("refused")[-1].body["command"] == "approvals"


def test_it_is_none_on_the_socket_either(named: Home, agent: LivingAgent) -> None:
    """The command line is not what keeps it out."""
    program = (sys.executable, "-c", ASK, str(named.places.socket))
    code, screen = left_alone(named.folder / "out", *program, "approvals.approve", "guess")
    stopped = left_alone(named.folder / "out", *program, "stop", "guess")

    assert (code, stopped[0]) == (1, 1)
    assert "only a person may call `approvals.approve`" in screen
    assert "only a person may stop the daemon" in stopped[1]
    assert named.status() is not None


def test_who_types_the_passphrase_is_a_person(named: Home, agent: LivingAgent) -> None:
    """In a terminal or a tmux that is younger than the agent; the daemon hears of it and believes it."""
    set_passphrase(named)
    refused, _ = orphaned(named, *LIST, typed=("guess one\n", "guess two\n", "guess three\n"))
    code, screen = orphaned(named, *LIST, typed=(f"{SECRET}\n",))

    assert (refused, code) == (2, 0), screen
    assert SECRET not in screen


def test_the_passphrase_is_asked_for_before_a_daemon_is_started(named: Home, agent: LivingAgent) -> None:
    """One that is started for the command hears of it then."""
    set_passphrase(named)
    named.end()
    named.write_launch()
    code, screen = orphaned(named, *LIST, typed=(f"{SECRET}\n",))

    assert code == 0, screen


def test_guessing_gets_one_try_in_two_seconds_however_many_ask(named: Home, agent: LivingAgent) -> None:
    """Twenty at a time are no more tries than one; each is recorded."""
    set_passphrase(named)
    code = (
        "import sys, threading\nfrom pathlib import Path\n"
        "from interlock.daemon.client import DaemonError, request\n"
        "def guess(number):\n"
        "    given = {'passphrase': str(number)}\n"
        "    try: print(request(Path(sys.argv[1]), 'person.prove', given, seconds=30))\n"
        "    except DaemonError as error: print(error)\n"
        "all = [threading.Thread(target=guess, args=(number,)) for number in range(20)]\n"
        "for one in all: one.start()\n"
        "for one in all: one.join()\n"
    )
    _, screen = left_alone(named.folder / "out", sys.executable, "-c", code, str(named.places.socket))
    wait_for(lambda: len(named.entries("refused")) == 20, "the guesses are recorded")

    assert screen.count("this is not your passphrase") == 1
    assert screen.count("wait a moment") == 19


def test_an_agent_is_not_asked_for_it(named: Home, agent: LivingAgent) -> None:
    """It is refused, whatever it knows."""
    set_passphrase(named)
    told = agent.run(sys.executable, "-c", ASK, str(named.places.socket), "person.prove", SECRET)

    assert told[0] == 1
    assert "this process belongs to an agent" in told[2]


@pytest.mark.parametrize("killed", [False, True])
def test_an_agent_that_makes_itself_a_terminal_does_not_pause(
    named: Home, agent: LivingAgent, killed: bool
) -> None:
    """`script` gives it one, and its environment is clean; without the daemon it is known too."""
    if killed:
        named.end()
    pause = (str(SHIM), "--home", str(named.folder), "pause", "1m")
    typed = f"echo yes | env -i PATH=/usr/bin:/bin script -qec '{' '.join(pause)}' /dev/null"
    _, out, _ = agent.run("sh", "-c", typed)
    code, screen = left_alone(named.folder / "out", *pause)

    assert "an agent started this" in out
    assert (code, "`interlock pause`" in screen) == (1, True)
    assert not (named.places.state / "pause").exists()


def slow_shim(home: Home) -> Path:
    """What is installed where no native shim could be built."""
    slow = home.folder / "interlock-hook"
    slow.write_bytes(shim_program(home.folder, sys.executable, {}))
    slow.chmod(0o755)
    return slow


def test_an_agent_that_reports_through_the_slow_shim_is_known(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a script with a child; what stands above both is the agent."""
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    with living_agent(place, shim=slow_shim(place)) as agent:
        below = agent.run("env", "-i", f"INTERLOCK_HOME={place.folder}", SCRIPT, *LIST)
        beside = orphaned(place, *LIST)

    assert (below[0], beside[0]) == (2, 2)
    assert "started by an agent (session `s-agent`)" in below[2]


def test_the_slow_shim_asks_the_same(named: Home, agent: LivingAgent) -> None:
    """Where no native one could be built; a pause it grants is one it keeps to, until it is ended."""
    slow = slow_shim(named)
    pause = (str(slow), "--home", str(named.folder), "pause", "1m")
    refused, screen = left_alone(named.folder / "out", *pause)
    granted, _ = at_terminal(pause, b"yes\n")
    named.end()
    (named.places.run).rename(named.folder / "gone")
    named.places.run.touch()
    payload = bash("rm -rf x")
    call = [str(slow), "--home", str(named.folder), "claude-code"]
    passed = subprocess.run(call, input=payload, capture_output=True, timeout=60, check=True)
    ended = subprocess.run([*call[:3], "resume"], capture_output=True, text=True, timeout=60, check=True)
    denied = subprocess.run(call, input=payload, capture_output=True, timeout=60, check=True)

    assert (refused, granted) == (2, 0)
    assert "a terminal that was open before the agent" in screen
    assert (passed.stdout, ended.stdout) == (b"", "the pause has ended\n")
    assert b"deny" in denied.stdout
    assert b"pause" not in denied.stdout


def test_a_flood_of_pretended_agents_neither_hides_the_real_one_nor_goes_unseen(named: Home) -> None:
    """Those below it are bounded, the first of them keep their sessions, and an alarm tells of it."""
    with living_agent(named, below=70) as agent:
        code, _, err = agent.run("env", "-i", f"INTERLOCK_HOME={named.folder}", SCRIPT, "approvals", "list")
        wait_for(lambda: named.entries("alarm"), "the alarm is raised")
        kept = (named.places.state / "agents").read_text().splitlines()
    (alarm,) = named.entries("alarm")

    assert code == 2
    assert "started by an agent (session `s-agent`)" in err
    assert "more than 64 processes below the agent of session `s-agent`" in str(alarm.body["reason"])
    assert len(kept) == 1 + 1 + 64
    assert kept[2].endswith(" s-agent-0")


def test_a_terminal_that_was_open_before_the_agent_is_a_persons(named: Home) -> None:
    """As an editor's is: nothing above it is the agent's, and its first process is older."""
    go = named.folder / "go"
    script = f"echo open > {go}.open; while [ ! -e {go} ]; do sleep 0.02; done; {SCRIPT} {' '.join(LIST)}"
    answer: list[tuple[int, str]] = []
    terminal = threading.Thread(
        target=lambda: answer.append(left_alone(named.folder / "out", "/bin/sh", "-c", script))
    )
    terminal.start()
    wait_for(Path(f"{go}.open").exists, "the terminal is open")
    with living_agent(named):
        go.touch()
        terminal.join()

    assert answer[0][0] == 0, answer


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
@pytest.mark.parametrize(("first", "code"), [("tmux", "0"), ("agent", "2")])
def test_a_tmux_is_a_persons_if_it_ran_before_the_agent(named: Home, first: str, code: str) -> None:
    """One that an agent may have started cannot be told from one that it did."""
    out = named.folder / "code"
    tmux = ["tmux", "-S", str(named.folder / "tmux"), "-f", "/dev/null"]
    typed = f"{SCRIPT} {' '.join(LIST)}; echo $? > {out}.half; mv {out}.half {out}"

    def open_tmux() -> None:
        subprocess.run([*tmux, "new-session", "-d", "-s", "own", "sh"], check=True, timeout=90)

    try:
        if first == "tmux":
            open_tmux()
        with living_agent(named):
            if first == "agent":
                open_tmux()
            subprocess.run([*tmux, "send-keys", "-t", "own", typed, "Enter"], check=True, timeout=90)
            wait_for(out.exists, "the command has ended")
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, timeout=90)

    assert out.read_text().strip() == code


def test_where_no_agent_lives_no_terminal_is_needed(named: Home) -> None:
    """As in CI; what the daemon itself started, as it does hooks, is none the less no person."""
    done = subprocess.run(
        [SCRIPT, *LIST], start_new_session=True, stdin=subprocess.DEVNULL, timeout=60, check=False
    )

    assert done.returncode == 0


@pytest.mark.parametrize("asked", ["approvals.list", "person.prove"])
def test_what_the_daemon_starts_is_no_person(named: Home, asked: str) -> None:
    """A hook, or a program that was put in the way of one, approves nothing, whatever it knows."""
    set_passphrase(named)
    out, given = named.folder / "told", {"passphrase": SECRET}
    hook = named.folder / "hook.py"
    hook.write_text(
        "import sys\nfrom pathlib import Path\n"
        "from interlock.daemon.client import DaemonError, request\n"
        f"try: said = str(request(Path({str(named.places.socket)!r}), {asked!r}, {given!r}))\n"
        "except DaemonError as error: said = str(error)\n"
        f"Path({str(out)!r}).write_text(said)\n"
    )
    command = f"{sys.executable} {hook}"
    named.write_policy(
        'version: "2.0"\nhooks:\n  pre_tool_use:\n'
        f'    - {{type: command, config: {{command: "{command}"}}}}\n'
    )
    named.end()
    named.start()
    named.call(bash("ls"))
    wait_for(out.exists, "the hook has run")

    assert "this process belongs to an agent" in out.read_text()


def test_a_commitment_is_not_approved_by_what_cannot_be_told_from_an_agent(
    named: Home, agent: LivingAgent, tmp_path: Path
) -> None:
    """On commitments people are believed, and nobody else."""
    (tmp_path / ".interlock").mkdir()
    code = (
        "import sys; from pathlib import Path; from interlock.daemon.client import request;"
        "print(request(Path(sys.argv[1]), 'commitments.capture', {'cwd': sys.argv[2], 'actor': 'human:ann',"
        "'payload': {'kind': 'observation', 'body': 'x'}}))"
    )
    _, screen = left_alone(
        named.folder / "out", sys.executable, "-c", code, str(named.places.socket), str(tmp_path)
    )

    assert "agent:main" in screen
    assert "'actor': 'human:ann'" not in screen
