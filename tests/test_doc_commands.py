"""Every command in the documents exists, and those that can be run here do run."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import typer
from scripts.guarded_home import GuardedHome
from tests.features.team_ledger.cluster import ADMIN, Cluster, programs
from tests.terminal import at_terminal
from tests.test_docs import BLOCKS, Block, exchanges, place

from interlock.cli.app import make_app

SHELL = [b for b in BLOCKS if b.language == "sh" and not b.file]

# Lines that other tests run. All others run here in a new home, in the order of their page.
RUN_ELSEWHERE = {
    r"make (demo|test)\b": "tests/test_demo.py plays the demo; the other one runs this test",
    r"(pipx|pip) install": "takes packages from the network; package/ installs ours the same way",
    r"interlock watch\b": "needs the real Claude Code; clients/test_watched_agent.py",
}
MAY_FAIL = {"interlock doctor"}  # exit 1 where Claude Code is not installed
ENDLESS = r"interlock (log -f|ledger team tail .*--follow)"  # Ctrl-C ends them after they printed something
FOR_A_PERSON = r"interlock (setup|trust|uninstall)|interlock-hook pause|(approve|deny) ap_"  # they ask


def lines(block: Block) -> Iterator[str]:
    """The commands of a shell block without comments; what a here-document holds is none."""
    end: str | None = None
    for line in block.text.splitlines():
        if end is not None:
            end = None if line.strip() == end else end
            continue
        words = shlex.split(line, comments=True)
        if words:
            yield re.sub(r"\s+#( .*)?$", "", line)
            here = re.search(r"<<'?(\w+)'?", line)
            end = here[1] if here else None


def commands(block: Block) -> Iterator[str]:
    """What a reader would type: the lines of a shell block, or those after `$ `."""
    if block.language == "console":
        yield from (command for command, _ in exchanges(block))
    else:
        yield from lines(block)


def calls(command: str) -> Iterator[list[str]]:
    """The words of each `interlock …` in a shell line."""
    for piece in re.split(r"\$\(|\)(?=\"|$)|\||&&|;|<<|>", command):
        found = re.match(r"\s*(?:\w+=\S+ )*interlock (.*)", piece)
        if found and found[1].count("'") % 2 == 0 and found[1].count('"') % 2 == 0:
            yield shlex.split(found[1])


def parse(words: list[str]) -> None:
    """Read the words as the program would, and run nothing; raise on a word or option it does not know."""
    command: Any = typer.main.get_command(make_app())
    context = None
    name: str | None = "interlock"
    while True:
        context = command.make_context(name, list(words), parent=context)
        if not hasattr(command, "resolve_command"):
            return
        rest = [*getattr(context, "_protected_args", []), *context.args]
        name, command, words = command.resolve_command(context, rest)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language in {"sh", "console"}], ids=place)
def test_every_command_in_the_documents_exists(block: Block) -> None:
    """Each `interlock …` names a command that is there, with options it has."""
    for command in commands(block):
        for words in calls(command):
            if not {"--help", "-h", "--version"} & set(words):
                parse(words)


def test_a_command_that_is_gone_is_seen() -> None:
    """A wrong command and a wrong option both fail, also inside a longer line."""
    for line in ("interlock gone", "cd x && interlock log --gone", "x=$(interlock ledger gone)"):
        (words,) = calls(line)
        with pytest.raises(Exception, match="gone"):
            parse(words)


def statements(block: Block) -> Iterator[str]:
    """What to run at once: a line with its here-document, after the variables set above it."""
    variables = kept = ""
    end: str | None = None
    for line in block.text.splitlines():
        kept += f"{line}\n"
        here = re.search(r"<<'?(\w+)'?", line)
        if end is None and here:
            end = here[1]
        elif line.strip() == end:
            end = None
        if end is not None:
            continue
        if re.match(r"\w+=\S+( +#.*)?$|\w+=\$\(.*\)$", line):
            variables += kept
        elif shlex.split(kept.partition("\n")[0], comments=True):
            yield variables + kept.rstrip("\n")
        kept = ""


def runs_here(statement: str) -> bool:
    """Whether this test runs it."""
    return not any(re.search(pattern, statement) for pattern in RUN_ELSEWHERE)


def test_every_reason_is_needed() -> None:
    """No pattern of the list is left over from a line that is gone."""
    every = [statement for block in SHELL for statement in statements(block)]

    assert [p for p in RUN_ELSEWHERE if not any(re.search(p, statement) for statement in every)] == []


HOST = """
import json, subprocess, sys
for line in sys.stdin:
    command, data = json.loads(line)
    done = subprocess.run(command, input=data, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(json.dumps([done.returncode, done.stdout]), flush=True)
"""


class Agent:
    """A process that reports to the hook, so that what it starts belongs to an agent's session."""

    def __init__(self, home: GuardedHome) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOST],
            cwd=home.project,
            env=home.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, command: list[str], data: str = "") -> tuple[int, str]:
        """Let it run a command; its exit code and what it printed."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([command, data]) + "\n")
        self._process.stdin.flush()
        code, printed = json.loads(self._process.stdout.readline())
        return code, printed

    def close(self) -> None:
        """End it."""
        self._process.communicate()


class Reader:
    """Somebody who types what a page says, with the ids that their own commands printed."""

    def __init__(self, home: GuardedHome, page: str) -> None:
        self.home, self.page = home, page
        self.printed = ""
        self.agent: Agent | None = None  # types what is for an agent
        self.sessions = 0  # of that agent
        self.ends = ExitStack()
        self.replacements: dict[str, str] = {
            "/mnt/usb": str(home.folder),
            "ap_7": "ap_1",
            " 17": " 2",
        }
        for command in ("git push --force", "npm publish", "cargo publish"):  # a denial, and two that wait
            home.ask_command(command)
        prepare = PREPARATIONS.get(page)
        if prepare is not None:
            prepare(self)

    def type(self, statement: str) -> tuple[int, str]:
        """Run a statement, answering yes where it asks; its exit code and what it printed."""
        for example, real in self.replacements.items():
            statement = statement.replace(example, real)
        for example in re.findall(r"\b(?:mem|cmt|tc)_[0-9a-f]+\b", statement):
            kind = example.partition("_")[0]
            seen = re.findall(rf"\b{kind}_[0-9a-f]+\b", self.printed)
            statement = statement.replace(example, seen[-1] if seen else example)
        command = ["/bin/sh", "-c", statement]
        if self.agent is not None and re.match("interlock (effort|session)", statement):
            code, text = self.agent.run(command)
        elif re.search(ENDLESS, statement):
            code, text = self._interrupt(statement)
        elif re.search(FOR_A_PERSON, statement):
            code, text = at_terminal(command, b"yes\n", env=self.home.environment, cwd=self.home.project)
        else:
            done = subprocess.run(
                command,
                cwd=self.home.project,
                env=self.home.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=120,
            )
            code, text = done.returncode, (done.stdout + done.stderr).decode()
        self.printed += text
        return code, text

    def _interrupt(self, statement: str) -> tuple[int, str]:
        process = subprocess.Popen(
            ["/bin/sh", "-c", statement],
            cwd=self.home.project,
            env=self.home.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout
        try:
            first = process.stdout.readline()
            os.killpg(process.pid, signal.SIGINT)
            rest, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        return 0 if process.returncode in {0, 130, -signal.SIGINT} else process.returncode, (
            first + rest
        ).decode()


def prepare_policy_to_replay(reader: Reader) -> None:
    """A policy to try, and a call that a person approved."""
    (reader.home.project / "new.key").write_text(reader.home.policy.read_text("utf-8"), encoding="utf-8")
    reader.type("interlock approve ap_1")


def prepare_recorded_call(reader: Reader) -> None:
    """A mail that was begun and whose end never came."""
    with reader.home.policy.open("a", encoding="utf-8") as policy:
        policy.write("    - {name: calls, type: record_tool_use, matcher: 'mcp__*'}\n")
    reader.home.ask_hook(
        "PreToolUse",
        tool_name="mcp__gmail__send_email",
        tool_input={"to": "a@b.example"},
        tool_use_id="toolu_m",
    )


def prepare_effort(reader: Reader) -> None:
    """The pack `work`, an agent that types, and what it writes before it hands over."""
    policy = reader.home.policy.read_text("utf-8").replace("[baseline]", "[baseline, work]")
    reader.home.policy.write_text(policy, encoding="utf-8")
    handover = {"summary": "half done", "lastAction": "read", "nextSteps": ["write"], "requiredFiles": []}
    (reader.home.project / "handover.json").write_text(json.dumps(handover), encoding="utf-8")
    reader.agent = Agent(reader.home)
    reader.ends.callback(reader.agent.close)


def start_session(reader: Reader) -> None:
    """The agent's host opens a new context window."""
    assert reader.agent is not None
    reader.sessions += 1
    event = {
        "hook_event_name": "SessionStart",
        "session_id": f"window-{reader.sessions}",
        "transcript_path": str(reader.home.folder / "transcript.jsonl"),
        "cwd": str(reader.home.project),
        "source": "startup",
    }
    hook = ["env", f"CLAUDE_PROJECT_DIR={reader.home.project}", *map(str, reader.home.hook("SessionStart"))]
    code, _ = reader.agent.run(hook, json.dumps(event))
    assert code == 0


def start_effort(reader: Reader) -> None:
    """The one before is finished."""
    reader.type("interlock effort start work/cart implement")


def start_tmux(reader: Reader) -> None:
    """A tmux of the test's own, with one window."""
    reader.home.run(["tmux", "-f", "/dev/null", "new-session", "-d"])
    reader.ends.callback(reader.home.run, ["tmux", "kill-server"])


def prepare_postgres(reader: Reader) -> None:
    """A server with the two roles that the page names."""
    folder = programs()
    if folder is None:
        pytest.skip("Postgres is not installed, so nothing was tested; on Debian: apt-get install postgresql")
    cluster = Cluster(folder)
    reader.ends.callback(cluster.close)
    cluster.start()
    for role in ("laptop", "auditor"):
        cluster.sql("postgres", f"CREATE ROLE {role} LOGIN")
    reader.home.environment |= {"PGHOST": str(cluster.folder), "PGUSER": ADMIN}
    for role in ("owner", "laptop", "auditor"):
        real = cluster.url("interlock", ADMIN if role == "owner" else role)
        reader.replacements[f"postgresql://{role}@db.example/interlock"] = f"'{real}'"


def ship_entries(reader: Reader) -> None:
    """The machine's settings name the server, and its entries have arrived."""
    url = reader.replacements["postgresql://laptop@db.example/interlock"]
    policy = reader.home.policy.read_text("utf-8")
    reader.home.policy.write_text(
        policy.replace("settings:\n", f"settings:\n  team_ledger: {{url: {url}}}\n", 1), encoding="utf-8"
    )
    reader.home.ask_command("git push --mirror")
    for _ in range(600):
        _, printed = reader.type("interlock ledger team status --json")
        if (json.loads(printed)["shipping"] or {}).get("behind") == 0:
            return
        time.sleep(0.1)
    pytest.fail(printed)


def find_port(reader: Reader) -> None:
    """The example was started with a port of its own."""
    _, printed = reader.type("interlock ui --json")
    reader.replacements["127.0.0.1:8800"] = json.loads(printed)["url"].split("/")[2]


def prepare_project_policy(reader: Reader) -> None:
    """A project with a policy that nobody trusted yet."""
    folder = reader.home.project / ".interlock"
    folder.mkdir()
    (folder / "genesis.key").write_text('version: "2.0"\n', encoding="utf-8")


PREPARATIONS: dict[str, Callable[[Reader], None]] = {
    "learning.md": prepare_policy_to_replay,
    "receipts.md": prepare_recorded_call,
    "work.md": prepare_effort,
    "team-ledger.md": prepare_postgres,
    "troubleshooting.md": prepare_project_policy,
    "trust.md": prepare_project_policy,
}
BEFORE: dict[str, Callable[[Reader], None]] = {  # what happens before a line that this pattern finds
    r"effort phase '1: Look'|effort resume": start_session,
    "effort log - ": start_effort,
    "^tmux": start_tmux,
    "^key=": find_port,
    "team status": ship_entries,
}


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[GuardedHome]:
    """A home that `interlock setup` has set up."""
    home = GuardedHome(tmp_path / "home")
    try:
        yield home
    finally:
        home.close()


@pytest.mark.deep
@pytest.mark.parametrize(
    "page",
    sorted({b.page for b in SHELL if any(map(runs_here, statements(b)))}),
    ids=lambda p: p.name,
)
def test_every_shell_line_that_can_run_runs(page: Path, guarded: GuardedHome) -> None:
    """What a page tells its reader to type works in a home where a call was denied and two wait."""
    reader = Reader(guarded, page.name)
    wrong = []
    with reader.ends:
        for statement in filter(runs_here, (s for b in SHELL if b.page == page for s in statements(b))):
            for act in (act for pattern, act in BEFORE.items() if re.search(pattern, statement)):
                act(reader)
            code, printed = reader.type(statement)
            if code and not (statement.partition("  #")[0].strip() in MAY_FAIL and code == 1):
                wrong.append((statement, code, printed))

    assert wrong == []
