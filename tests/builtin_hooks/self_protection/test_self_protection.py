"""Laws of self-protection: the gate cannot be changed, blinded, ended or opened by what it judges."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.builders import call

from interlock.builtin_hooks.self_protection.hook import NAME
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.hook import Layer
from interlock.ledger.ends import FILE as SIGNING_KEY
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy
from interlock.policy.protected_paths import guarded_here

DATA = Path(__file__).parent / "data" / "self_protection.txt"
OUTCOMES = {"deny": "deny", "ask": "ask", "pass": "allow"}


def rows() -> Iterator[tuple[str, str]]:
    """What is typed and what comes of it."""
    for line in DATA.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            word, _, text = line.partition("  ")
            yield word.strip(), text.strip()


class Gate:
    """A home in the usual places with the gate's files in it, and an empty policy."""

    def __init__(self, home: Path, environ: dict[str, str]) -> None:
        self.home = home
        self.environ = environ
        self.config = home / ".config" / "interlock"
        self.state = home / ".local" / "state" / "interlock"
        self.run = Path(guarded_here(environ).socket).parent
        self.project = home / "project"
        for folder in (self.config, self.state, self.run, self.project / ".claude", home / ".claude"):
            folder.mkdir(parents=True, exist_ok=True)
        for file in (self.settings, self.policy, self.ledger, self.project / ".claude" / "settings.json"):
            file.write_text("{}")
        self.engine = Engine(load_policy([], environ=environ).pipeline)

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def policy(self) -> Path:
        return self.config / "genesis.key"

    @property
    def ledger(self) -> Path:
        return self.state / "interlock.db"

    def decide(self, tool: str, **fields: Any) -> Decision:
        """What comes of a call from the project."""
        folder = str(self.project)
        return self.engine.decide_sync(call(tool, tool_input=fields, cwd=folder, project=folder))

    def bash(self, command: str) -> Decision:
        return self.decide("Bash", command=command)


@pytest.fixture
def gate(home: Path) -> Gate:
    environ = {name: value for name, value in os.environ.items() if name != "INTERLOCK_HOME"}
    return Gate(home, environ)


@pytest.mark.req("T05", "P05", "L10", "Z02")
@pytest.mark.parametrize(("word", "text"), list(rows()))
def test_the_corpus_holds(gate: Gate, word: str, text: str) -> None:
    """Every row of the corpus gets its answer, and what is stopped is stopped by the guard."""
    typed = text.replace("\\n", "\n").replace("HOME/", f"{gate.home}/")
    typed = typed.replace("RUN/interlock", str(gate.run))
    decision = gate.bash(typed.replace(f"${gate.home}/", "$HOME/"))

    assert decision.outcome == OUTCOMES[word], decision.reason
    assert decision.decided_by == (None if word == "pass" else NAME)


@pytest.mark.parametrize(
    ("command", "held"),
    [
        ("cp -r new/. ~/.config/", "interlock/genesis.key"),
        ("cp -rT new ~/.config", "interlock/genesis.key"),
        ("rsync -a new/ ~/.local/", "state/interlock/trust/x.json"),
        ("mv new/* ~/.config", "interlock/genesis.key"),
        ("cp -a new/. ~", ".claude/settings.json"),
    ],
)
def test_content_that_is_put_above_our_places_is_judged_by_what_is_in_it(
    gate: Gate, command: str, held: str
) -> None:
    """It writes over what it has as well; the same command with other content is everyday work."""
    new = gate.project / "new"
    (new / "git" / "state").mkdir(parents=True)
    before = gate.bash(command)
    (new / held).parent.mkdir(parents=True)
    (new / held).touch()
    after = gate.bash(command)

    assert (before.outcome, after.outcome, after.decided_by) == ("allow", "deny", NAME)


@pytest.mark.parametrize(
    ("deed", "target"),
    [
        ("cp -r", "other/.claude"),
        ("cp -r", "."),
        ("mv", "other/.claude"),
        ("rsync -a", "other/.claude"),
        ("rsync -a", "."),
    ],
)
@pytest.mark.parametrize(("held", "outcome"), [("settings.local.json", "deny"), ("agents", "allow")])
def test_a_folder_of_a_host_is_judged_by_what_it_brings(
    gate: Gate, deed: str, target: str, held: str, outcome: str
) -> None:
    """One with settings is settings; one with agents or commands is everyday work."""
    source = gate.project / "template" / (".claude" if target == "." else "claude")
    (source / held).mkdir(parents=True)

    assert gate.bash(f"{deed} {source.relative_to(gate.project)} {target}").outcome == outcome


def test_everyday_work_is_not_its_business(gate: Gate) -> None:
    """Of the benign corpus of the baseline, no row is stopped here."""
    corpus = Path(__file__).parents[2] / "packs" / "corpora" / "benign.jsonl"
    found = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    typed = [row["run"] for row in found if "run" in row]

    assert len(typed) >= 500
    assert [text for text in typed if gate.bash(text).outcome != "allow"] == []


@pytest.mark.req("T05", "P05")
@pytest.mark.parametrize(
    "tool", ["Write", "Edit", "MultiEdit", "mcp__files__write_file", "mcp__fs__delete_file"]
)
@pytest.mark.parametrize(
    "path",
    [
        "~/.claude/settings.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
        "../project/.claude/settings.local.json",
        "~/.config/interlock/genesis.key",
        "~/.config/interlock/hooks.toml",
        "~/.local/state/interlock/interlock.db",
        "~/.local/state/interlock/interlock.db-wal",
        "~/.local/state/interlock/trust/abc.json",
        "~/.local/state/interlock/pause",
        "~/.local/share/interlock/bin/interlock-hook",
        "~/.local/share/interlock/bin/interlock-hook.launch",
        "/etc/interlock/genesis.key",
        "/etc/claude-code/managed-settings.json",
        "~/.codex/hooks.json",
        "~/.cursor/hooks.json",
        "~/.gemini/settings.json",
    ],
)
def test_no_tool_writes_the_gates_files(gate: Gate, tool: str, path: str) -> None:
    """Whether the file is there or not, and whichever tool would do it."""
    decision = gate.decide(tool, file_path=path, path=path, content="x")

    assert (decision.outcome, decision.decided_by) == ("deny", NAME)


@pytest.mark.req("T05", "L10")
def test_the_ledger_is_not_read_and_the_policy_is(gate: Gate) -> None:
    """An agent may know its rules, never what was recorded of others."""
    assert gate.decide("Read", file_path=str(gate.ledger)).denied
    assert gate.decide("Read", file_path=str(gate.state / "search.db")).denied
    assert gate.decide("Read", file_path=str(gate.state / SIGNING_KEY)).denied
    assert gate.decide("Grep", pattern="x", path=str(gate.state)).denied
    assert not gate.decide("Read", file_path=str(gate.policy)).denied
    assert not gate.decide("Read", file_path=str(gate.settings)).denied


@pytest.mark.req("P01", "T05")
def test_a_link_to_a_guarded_file_or_folder_is_what_it_leads_to(gate: Gate) -> None:
    """The text of a path does not matter, where it leads does."""
    (gate.project / "notes").symlink_to(gate.settings)
    (gate.project / "folder").symlink_to(gate.config)

    assert gate.decide("Write", file_path="notes", content="x").denied
    assert gate.bash("echo x > notes").denied
    assert gate.bash("echo x > folder/genesis.key").denied


@pytest.mark.req("P01", "T05")
def test_what_our_own_places_link_to_is_guarded_where_it_lies(gate: Gate) -> None:
    """A person keeps policy and settings in a repository of their own; beside them the agent may work."""
    kept = gate.home / "dotfiles"
    for file, name in ((gate.policy, "rules.key"), (gate.settings, "claude.json")):
        kept.mkdir(exist_ok=True)
        file.rename(kept / name)
        file.symlink_to(kept / name)
    (gate.home / ".codex").symlink_to(kept / "codex")
    (kept / "hooks").mkdir()
    (gate.config / "hooks").symlink_to(kept / "hooks")
    again = Gate(gate.home, gate.environ)

    for name in ("rules.key", "claude.json", "codex/config.toml", "hooks/check.py"):
        assert again.decide("Write", file_path=str(kept / name), content="x").denied, name
        assert again.bash(f"cd {kept} && sed -i s/a/b/ {name}").denied, name
        assert again.bash(f"rm -rf {kept}").denied
        assert not again.bash(f"cat {kept}/{name}").denied, name
    assert not again.decide("Write", file_path=str(kept / "vimrc"), content="x").denied


@pytest.mark.req("P01", "T05")
def test_settings_behind_a_projects_linked_folder_are_guarded(gate: Gate) -> None:
    """`.claude` leads to `.agents` in some repositories; what is there need not be a file yet."""
    other = gate.home / "other"
    (other / ".agents").mkdir(parents=True)
    (other / ".claude").symlink_to(".agents")

    for name in ("settings.json", "settings.local.json"):
        assert gate.decide("Write", file_path=f"{other}/.agents/{name}", content="x").denied
        assert gate.bash(f"cd {other} && echo x > .agents/{name}").denied
    assert not gate.bash(f"echo x > {other}/.agents/notes.json").denied
    assert not gate.bash("mkdir -p app && echo x > app/settings.json").denied


@pytest.mark.req("P07", "T05")
def test_a_hard_link_is_the_file_it_shares(gate: Gate) -> None:
    """Device and inode tell; a file that only looks alike is another."""
    (gate.project / "notes").hardlink_to(gate.settings)
    (gate.project / "copy").hardlink_to(gate.ledger)
    (gate.project / "own").write_text("{}")

    assert gate.decide("Write", file_path="notes", content="x").denied
    assert gate.bash("echo x >> notes").denied
    assert gate.bash("cat copy").denied
    assert not gate.bash("echo x >> own").denied


@pytest.mark.req("P04", "T05")
@pytest.mark.parametrize(
    "path",
    [
        ".CLAUDE/settings.json",
        ".claude/Settings.JSON",
        ".claude/settings\u200b.json",
        ".claude./settings.json",
        ".claude//./settings.json",
        ".clau\u0064e/settings.json",
    ],
)
def test_case_and_unseen_characters_make_no_other_file(gate: Gate, path: str) -> None:
    """What some disk takes for the same name is guarded as that name."""
    assert gate.decide("Write", file_path=path, content="x").denied


@pytest.mark.req("T05")
@pytest.mark.parametrize("field", ["command", "cmd", "script"])
def test_a_shell_behind_an_unlisted_tool_is_read_as_one(gate: Gate, field: str) -> None:
    """A server of tools that runs commands is no way around."""
    for text in ("interlock trust --yes", "rm -rf ~/.claude", "echo x > ~/.claude/settings.json"):
        assert gate.decide("mcp__shell__run", **{field: text}).denied
    assert not gate.decide("mcp__shell__run", **{field: "git status"}).denied


@pytest.mark.req("T05")
def test_the_running_daemon_is_not_ended_by_its_number(gate: Gate) -> None:
    """The lock names the process; other numbers are nobody's business here."""
    (gate.run / "daemon.lock").write_text("4711\n")

    assert gate.bash("kill -9 4711").denied
    assert not gate.bash("kill -9 4712").denied


@pytest.mark.req("T02", "T05")
@pytest.mark.parametrize("layer", [Layer.MANAGED, Layer.USER, Layer.PROJECT])
def test_no_file_switches_it_off(gate: Gate, layer: Layer) -> None:
    """A policy that grants everything, or names the guard itself, changes nothing about it."""
    text = (
        'version: "2.0"\nhooks:\n  pre_tool_use:\n'
        f"    - {{name: {NAME}, type: deny, matcher: Nothing, enabled: false}}\n"
        "    - {name: grant, type: modify, auto_approve: true, matcher: Write, config: {set: {x: 1}}}\n"
        "permissions:\n  actors:\n    'agent:*': {allow: [Bash, Write, Edit, 'write(*)', 'delete(*)']}\n"
    )
    policy = PolicyText(shown=gate.project / "genesis.key", content=text.encode())
    engine = Engine(load_policy([(layer, policy)], environ=gate.environ).pipeline)
    decision = engine.decide_sync(call("Write", tool_input={"file_path": str(gate.settings), "content": ""}))

    assert (decision.outcome, decision.decided_by, decision.auto_approve) == ("deny", NAME, False)


@pytest.mark.req("T05")
def test_a_rewritten_call_is_judged_again(gate: Gate) -> None:
    """A hook that turns a harmless call into one against the gate does not get it past."""
    text = (
        'version: "2.0"\nhooks:\n  pre_tool_use:\n    - type: modify\n      matcher: Bash\n'
        "      config: {replace: [{field: command, pattern: '^true$', with: 'interlock trust --yes'}]}\n"
    )
    policy = PolicyText(shown=gate.project / "genesis.key", content=text.encode())
    engine = Engine(load_policy([(Layer.USER, policy)], environ=gate.environ).pipeline)
    decision = engine.decide_sync(call("Bash", tool_input={"command": "true"}))

    assert (decision.outcome, decision.decided_by) == ("deny", NAME)


def test_it_stands_first_and_leaves_no_row_where_it_has_nothing_to_say(gate: Gate) -> None:
    """The trace of an ordinary call shows the hooks of the files alone."""
    assert gate.engine.hooks[0].name == NAME
    assert gate.bash("ls").trace == ()
    assert [row.hook for row in gate.bash("interlock trust").trace] == [NAME]


@pytest.mark.req("T05")
def test_every_engine_that_is_made_from_a_policy_runs_the_guard() -> None:
    """`policy.hooks` are those of files; whoever makes an engine takes the pipeline."""
    source = Path(load_policy.__code__.co_filename).parent.parent
    files = [file for file in source.rglob("*.py") if "linting" not in file.parts]

    made_without = [
        f"{file.name}: {line.strip()}"
        for file in files
        for line in file.read_text("utf-8").splitlines()
        if "policy.hooks" in line and ("Engine(" in line or ".reload(" in line)
    ]
    assert made_without == []


@pytest.mark.parametrize(
    ("command", "loss"),
    [
        ("rm -rf ~", "This would delete your home folder."),
        ("rm -rf ~ && interlock uninstall claude-code", "This would delete your home folder."),
        ("interlock daemon stop; rm -rf $HOME/*", "This would delete your home folder."),
        ("rm -rf ~/.config", "This would delete `~/.config`, which contains Interlock's own files"),
        (
            "rm -rf ~/.claude",
            "This would delete `~/.claude`, which contains Interlock's own files or the settings",
        ),
        (
            "echo {} > ~/.claude/settings.json",
            "This would change `.claude/settings.json`, part of the settings",
        ),
        (
            "interlock uninstall claude-code",
            "This command controls Interlock itself, so an agent may not run it",
        ),
        ("pip uninstall -y interlock", "This would remove Interlock, which guards this session."),
        ("pkill -f interlock.daemon", "This could stop Interlock's daemon, which guards this session."),
        ("claude --safe-mode", "This would start `claude` without its hooks."),
    ],
)
def test_a_denial_names_the_real_loss_first(gate: Gate, command: str, loss: str) -> None:
    """Our own files are the least of it where a home goes; who can do it comes last."""
    decision = gate.bash(command)
    reason = decision.reason or ""

    assert decision.decided_by == NAME
    assert reason.startswith(loss)
    assert " Instead: " in reason
    assert reason.endswith(" Only the user can run this, in a terminal of their own.")
    assert len(reason) <= 300
