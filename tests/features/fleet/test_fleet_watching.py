"""Laws of watching a real process, which is started again until its work is done."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import PATIENCE, SHIM, Home, kill
from tests.features.fleet.crew import Crew, patiently

from interlock.features.fleet.watch import Runner
from interlock.store.database import open_to_read

pytestmark = pytest.mark.deep

AGENT = Path(__file__).with_name("planned_agent.py")
LOOP = """\
version: "2.0"
hooks:
  stop:
    - {type: deny, name: tests, config: {reason: tests fail}}
"""


@dataclass(kw_only=True)
class Watch:
    """A watch over an agent that follows a plan."""

    home: Home
    log: Path
    given: list[str] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    def command(self, plan: str, *words: str) -> list[str]:
        """What is typed."""
        agent = [sys.executable, "-I", str(AGENT), str(self.log), str(self.home.folder), str(SHIM), plan]
        return [SCRIPT, "watch", "--pause", "0.01", "--grace", "1", *self.given, "--", *agent, *words]

    @property
    def env(self) -> dict[str, str]:
        """A person's own, with this home."""
        return {**os.environ, "INTERLOCK_HOME": str(self.home.folder)}

    def done(self, plan: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Watch to the end."""
        return subprocess.run(
            self.command(plan, *words),
            env=self.env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )

    def begin(self, plan: str, *words: str, stdin: Any = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Watch, and let the test go on."""
        self.process = subprocess.Popen(
            self.command(plan, *words), env=self.env, stdin=stdin, stderr=subprocess.PIPE
        )
        return self.process

    def runs(self) -> list[dict[str, Any]]:
        """What each run of the agent told of itself."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def run(self, number: int) -> dict[str, Any]:
        """The run of this number, once it has begun."""
        found: list[dict[str, Any]] = patiently(
            lambda: self.runs()[number - 1 : number], f"run {number} begins"
        )
        return found[0]


@pytest.fixture
def watch(place: Home, tmp_path: Path) -> Any:
    """Nothing is watched yet; what is left of it ends with the test."""
    place.start()
    found = Watch(home=place, log=tmp_path / "runs")
    yield found
    if found.process is not None:
        with found.process as process:
            process.kill()
    for run in found.runs():
        kill(run["pid"], str(found.log))
        if run["below"] is not None:
            kill(run["below"], "sleep")


def full(watch: Watch, session: str, prompt: str) -> None:
    """The window of a session is full, as the hook of the compaction leaves it."""
    crew = Crew(database=watch.home.places.database)
    row = crew.effort(session, "implement")
    with crew.work() as work:
        work.sessions.set_restart(row.id, prompt)
        work.sessions.end(row.id, "compaction")


def test_one_that_ended_is_left(watch: Watch) -> None:
    """Its work is done, as far as anybody knows."""
    done = watch.done("end")

    assert (done.returncode, len(watch.runs())) == (0, 1)
    assert done.stderr == "interlock watch: it ended\n"


def test_one_that_crashed_is_started_again_as_before(watch: Watch) -> None:
    """By an exit code or by a signal; with the words it was started with first."""
    watch.given = ["--prompt", "do it"]
    done = watch.done("crash,die,end")

    assert done.returncode == 0
    assert [(run["step"], run["prompt"]) for run in watch.runs()] == [
        ("crash", ["do it"]),
        ("die", ["do it"]),
        ("end", ["do it"]),
    ]
    assert "it exited with code 3; starting it again in 0.01 s (1/20)" in done.stderr
    assert "it was killed by SIGKILL; starting it again in 0.02 s (2/20)" in done.stderr


def test_restarts_are_bounded(watch: Watch) -> None:
    """The last exit code is the watch's own, and the reason is said."""
    watch.given = ["--restarts", "3"]
    done = watch.done("crash")

    assert (done.returncode, len(watch.runs())) == (3, 4)
    assert "it was already restarted as often as --restarts allows (3)" in done.stderr


@pytest.mark.parametrize("step", ["wait", "deaf"])
def test_one_whose_window_is_full_is_stopped_and_goes_on_with_its_restart_prompt(
    watch: Watch, step: str
) -> None:
    """Also one that does not listen; the prompt reaches the next run as its words and as a variable."""
    begun = watch.begin(f"{step},end")
    first = watch.run(1)
    full(watch, first["session"], "Continue effort e1.")
    second = watch.run(2)

    assert second["prompt"] == ["Continue effort e1."]
    assert second["variable"] == "Continue effort e1."
    assert begun.wait(PATIENCE) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(first["pid"], 0)


@pytest.mark.req("E41")
@pytest.mark.parametrize(
    ("step", "reason", "known"),
    [("compact", "compaction", "The parser is built."), ("handover", "dehydrated", "Half is done.")],
)
def test_a_full_window_leads_to_a_new_one_that_knows_where_it_ended(
    watch: Watch, step: str, reason: str, known: str
) -> None:
    """By the host's report of a compaction, or by the agent's own word; the new session points back.

    It is told what the last one left behind, or else what the effort's files tell.
    """
    watch.given = ["--agent", "api"]
    watch.home.write_policy('version: "2.0"\nsettings: {packs: [work]}\n')
    begun = watch.begin(f"{step},session")
    first, second = watch.run(1), watch.run(2)
    begun.send_signal(signal.SIGTERM)
    begun.wait(PATIENCE)
    with closing(open_to_read(watch.home.places.database)) as connection:
        rows = connection.execute(
            "SELECT host_session_id, end_reason, prev_session_id FROM sessions ORDER BY id"
        ).fetchall()

    assert second["prompt"][0].startswith("Continue effort e1 (`implement`)")
    assert known in second["context"]
    assert rows[:2] == [(first["session"], reason, None), (second["session"], rows[1][1], 1)]


@pytest.mark.req("E41")
def test_a_compaction_is_noticed_however_fast_the_host_goes_on(watch: Watch) -> None:
    """It begins a new window of the same name before anybody has looked."""
    watch.given = ["--agent", "api", "--prompt", "do it"]
    watch.home.write_policy('version: "2.0"\nsettings: {packs: [work]}\n')
    begun = watch.begin("instant,end")
    first, second = watch.run(1), watch.run(2)

    assert begun.wait(PATIENCE) == 0
    assert first["prompt"] == ["do it"]
    assert second["prompt"][0].startswith("Continue effort e1 (`implement`)")


def test_a_run_that_leaves_no_trace_is_repeated_with_its_own_prompt(watch: Watch) -> None:
    """One that goes on with an effort and crashes at its start does not fall back to the first prompt."""
    watch.given = ["--agent", "api", "--prompt", "do it"]
    watch.home.write_policy('version: "2.0"\nsettings: {packs: [work]}\n')
    done = watch.done("handover,die,end")
    first, second, third = watch.runs()

    assert (done.returncode, first["prompt"], first["variable"]) == (0, ["do it"], None)
    assert second["prompt"][0].startswith("Continue effort e1 (`implement`)")
    assert third["prompt"] == second["prompt"]
    assert third["variable"] == second["prompt"][0]


def test_what_a_stopped_agent_has_started_ends_with_it(watch: Watch) -> None:
    """A command of a window that is over does not go on beside the next one, in whichever group it is."""
    begun = watch.begin("busy,end")
    first = watch.run(1)
    full(watch, first["session"], "Continue effort e1.")
    watch.run(2)

    assert begun.wait(PATIENCE) == 0
    patiently(lambda: gone(first["below"]), "what it had started has ended")


def test_one_a_person_left_stays_so(watch: Watch) -> None:
    """Even with an exit code that says something else."""
    done = watch.done("left,end")

    assert (done.returncode, len(watch.runs())) == (1, 1)
    assert "you quit it" in done.stderr


def test_an_effort_that_is_not_finished_goes_on(watch: Watch) -> None:
    """A run that ends well is not yet the end of the work; a finished effort is."""
    crew = Crew(database=watch.home.places.database)
    first, second = crew.effort("session-0", "implement"), crew.effort("session-1", "implement")
    with crew.work() as work:
        work.efforts.finish(second.effort_id or 0)
    done = watch.done("session")

    assert first.effort_id is not None
    assert (done.returncode, len(watch.runs())) == (0, 2)
    assert watch.runs()[1]["prompt"][0].startswith("Continue effort e1 (`implement`)")
    assert "its effort is finished" in done.stderr


def test_a_stop_loop_goes_on_beyond_the_cap(watch: Watch) -> None:
    """The host lets its agent stop after so many rounds; the next run is told what is left."""
    watch.home.write_policy(LOOP)
    watch.given = ["--restarts", "1"]
    done = watch.done("loop,end")

    assert [run["step"] for run in watch.runs()] == ["loop", "end"], done.stderr
    assert "tests fail" in watch.runs()[1]["prompt"][0]


def test_the_agent_has_the_name_it_was_given(watch: Watch) -> None:
    """By which its efforts are found again."""
    watch.given = ["--agent", "api"]
    watch.done("end")

    assert watch.runs()[0]["agent"] == "api"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_to_the_watch_ends_both(watch: Watch, number: signal.Signals, code: int) -> None:
    """Nothing goes on behind a person's back."""
    begun = watch.begin("wait")
    first = watch.run(1)
    begun.send_signal(number)

    assert begun.wait(PATIENCE) == code
    assert len(watch.runs()) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(first["pid"], 0)


def test_ctrl_c_in_a_pause_ends_it(watch: Watch) -> None:
    """There is nobody but the watch to ask."""
    watch.given = ["--pause", "50"]
    begun = watch.begin("crash")
    watch.run(1)
    assert begun.stderr is not None
    assert b"in 50 s" in begun.stderr.readline()
    begun.send_signal(signal.SIGINT)

    assert begun.wait(PATIENCE) == 130


def test_ctrl_c_at_a_terminal_ends_it(watch: Watch, tmp_path: Path) -> None:
    """The terminal tells both; one that ignores it is ended by the second Ctrl-C."""
    for plan, presses in [("wait", 1), ("stubborn", 100)]:
        watch.log = tmp_path / plan
        pid, ours = pty.fork()
        if pid == 0:
            os.execve(SCRIPT, watch.command(plan), watch.env)
        watch.run(1)
        screen = press(ours, most=presses)
        os.close(ours)

        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130, screen
        assert len(watch.runs()) == 1


def press(terminal: int, *, most: int) -> bytes:
    """Press Ctrl-C, again every while, until nobody holds the other end; what was on the screen."""
    screen = b""
    for number in range(200):
        if number < most and b"interrupted" not in screen:
            os.write(terminal, b"\x03")
        while select.select([terminal], [], [], 0.3)[0]:
            try:
                more = os.read(terminal, 4096)
            except OSError:  # how Linux says that nobody does
                return screen
            screen += more
    raise AssertionError(screen)


def test_a_command_that_is_none_is_told(watch: Watch) -> None:
    """Without a restart: it would fail the same way again."""
    command = [SCRIPT, "watch", "--", "/nowhere/agent"]
    done = subprocess.run(command, env=watch.env, capture_output=True, text=True, timeout=60, check=False)
    bare = subprocess.run(command[:2], env=watch.env, capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, bare.returncode) == (2, 2)
    assert "`/nowhere/agent` cannot be started: no such file or directory; check the command" in done.stderr
    assert "no command given" in bare.stderr


def test_nobody_is_left_behind_by_a_watch_that_fails(tmp_path: Path) -> None:
    """A defect of ours while it looks ends the agent too."""
    told = tmp_path / "pid"

    def broken() -> bool:
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError, match="a defect"):
        Runner().run(["sh", "-c", f"echo $$ > {told}; sleep 60"], dict(os.environ), broken)

    patiently(lambda: gone(int(told.read_text())), "the agent is ended")


def gone(pid: int) -> bool:
    """Whether a process has ended; one nobody has waited for counts."""
    found = Path(f"/proc/{pid}/stat")
    return not found.exists() or found.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_terminal_is_given_back_as_it_was(watch: Watch) -> None:
    """An agent that was killed could not do it, and the next command must see what is typed."""
    words = ["--restarts", "0", "--", "sh", "-c", "stty raw -echo; printf ready; sleep 0.2; kill -9 $$"]
    pid, ours = pty.fork()
    if pid == 0:
        os.execve(SCRIPT, [SCRIPT, "watch", *words], watch.env)
    before = termios.tcgetattr(ours)
    screen = press(ours, most=0)
    after = termios.tcgetattr(ours)
    os.close(ours)

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 137
    assert b"ready" in screen
    assert after == before
