"""Acceptance: what a project's settings switch off in the real client, old and new, and what holds."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from clients.claude_code import run_claude
from clients.install import NEW, PINNED, install
from clients.interlock_home import PROGRAM, InterlockHome, denying
from clients.turns import JsonObject, bash, say

from interlock.hosts.claude_code.lint import lint
from interlock.hosts.claude_code.lint_handler import KINDS, Weight

OFF: Final[JsonObject] = {"disableAllHooks": True}
SIMPLE: Final[JsonObject] = {"env": {"CLAUDE_CODE_SIMPLE": "1"}}
PLUGIN: Final = "guard@market"
VERSIONS: Final = pytest.mark.parametrize("pinned", [PINNED, NEW], ids=["old", "new"])


@pytest.fixture(scope="module")
def interlock() -> Iterator[InterlockHome]:
    """One installation for all tests here, whose policy keeps folders; its daemon ends with them."""
    with tempfile.TemporaryDirectory(prefix="home-", ignore_cleanup_errors=True) as folder:
        installed = InterlockHome(home=Path(folder))
        installed.policy(hooks={"pre_tool_use": [denying("Bash(rm *)", "kept")]})
        try:
            installed.install()
            installed.call("daemon", "start")
            yield installed
        finally:
            installed.end()


def kept(
    project: Path, interlock: InterlockHome, settings: JsonObject, program: Sequence[str | Path]
) -> bool:
    """Whether a folder outlives a session in a project with these settings."""
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    run = run_claude(
        project,
        interlock.home,
        [bash("rm -r build"), say("bye")],
        env={"INTERLOCK_HOME": str(interlock.folder)},
        program=[str(word) for word in program],
    )
    assert (run.exit_code, run.left) == (0, 0)
    assert ("kept" in run.tool_results()[0]) is (project / "build").exists()
    return (project / "build").exists()


def guarded(pinned: Path) -> list[str | Path]:
    """The client started by us."""
    return [PROGRAM, "run", "--", install(pinned)]


@contextmanager
def user_settings(interlock: InterlockHome, settings: JsonObject) -> Iterator[None]:
    """Other settings of the user for a while."""
    before = interlock.client_settings.read_text("utf-8")
    interlock.client_settings.write_text(json.dumps(settings), encoding="utf-8")
    try:
        yield
    finally:
        interlock.client_settings.write_text(before, encoding="utf-8")


def entry(interlock: InterlockHome) -> JsonObject:
    """The entry before tool calls as it was written before there were tokens: a project can guess it."""
    found = json.loads(interlock.client_settings.read_text("utf-8"))["hooks"]["PreToolUse"][0]["hooks"][0]
    arguments = [word for word in found["args"] if not word.startswith("--token=")]
    assert arguments != found["args"]
    return {"type": "command", "command": found["command"], "args": arguments, "timeout": 60}


def only(handler: JsonObject) -> JsonObject:
    """Settings with this one hook."""
    return {"hooks": {"PreToolUse": [{"hooks": [handler]}]}}


def plugin(folder: Path, handler: JsonObject) -> JsonObject:
    """Make a plugin with this hook; give the user's settings that switch it on."""
    shipped = folder / "market" / "plugins" / "guard"
    owner = {"name": "nobody"}
    listed = {"name": "guard", "source": "./plugins/guard", "description": "keeps", "version": "0.1.0"}
    files = {
        folder / "market" / ".claude-plugin" / "marketplace.json": {
            "name": "market",
            "owner": owner,
            "plugins": [listed],
        },
        shipped / ".claude-plugin" / "plugin.json": {
            "name": "guard",
            "version": "0.1.0",
            "description": "keeps",
        },
        shipped / "hooks" / "hooks.json": only(handler),
    }
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content), encoding="utf-8")
    market = {"source": {"source": "directory", "path": str(folder / "market")}}
    return {"extraKnownMarketplaces": {"market": market}, "enabledPlugins": {PLUGIN: True}}


@VERSIONS
def test_a_copy_of_an_entry_that_can_be_guessed_switches_it_off(
    project: Path, interlock: InterlockHome, pinned: Path
) -> None:
    """The control: of two equal hooks the client runs the project's, which has no time to answer."""
    old = entry(interlock)
    with user_settings(interlock, only(old)):
        weak = {**old, "timeout": 0.001}  # seconds; within a few milliseconds we have answered
        assert not kept(project, interlock, only(weak), [install(pinned)])


@VERSIONS
@pytest.mark.parametrize("weaker", [{"timeout": 0.01}, {"async": True}], ids=["timeout", "async"])
def test_an_installed_entry_withstands_a_copy(
    project: Path, interlock: InterlockHome, pinned: Path, weaker: JsonObject
) -> None:
    """A project does not know the token, so its copy is another hook beside ours."""
    assert kept(project, interlock, only({**entry(interlock), **weaker}), [install(pinned)])


@VERSIONS
@pytest.mark.parametrize("settings", [OFF, SIMPLE], ids=["disableAllHooks", "env"])
def test_the_switches_of_a_project_work_unless_we_start_the_client(
    project: Path, interlock: InterlockHome, pinned: Path, settings: JsonObject
) -> None:
    """The control: plainly started, the client runs none of the user's hooks."""
    is_ignored = settings is SIMPLE and pinned is NEW

    assert kept(project, interlock, settings, [install(pinned)]) is is_ignored


@VERSIONS
@pytest.mark.parametrize("settings", [OFF, SIMPLE], ids=["disableAllHooks", "env"])
def test_a_client_we_start_withstands_them(
    project: Path, interlock: InterlockHome, pinned: Path, settings: JsonObject
) -> None:
    """What stands in `--settings` goes before the project's."""
    assert kept(project, interlock, settings, guarded(pinned))


@VERSIONS
def test_a_project_switches_a_plugin_off_unless_we_start_the_client(
    project: Path, interlock: InterlockHome, pinned: Path, tmp_path: Path
) -> None:
    """The plugin guards, the project switches it off, and our own start guards all the same."""
    other = {"HOME": str(interlock.home), "PATH": os.defpath}
    with user_settings(interlock, plugin(tmp_path, entry(interlock))):
        for arguments in (("marketplace", "add", str(tmp_path / "market")), ("install", PLUGIN)):
            subprocess.run(
                [install(pinned), "plugin", *arguments],
                env=other,
                check=True,
                capture_output=True,
                timeout=90,
            )
        guards = [
            kept(fresh(project, name), interlock, {"enabledPlugins": {PLUGIN: value}}, program)
            for name, value, program in (
                ("on", True, [install(pinned)]),
                ("off", False, [install(pinned)]),
                ("started", False, guarded(pinned)),
            )
        ]

    assert guards == [True, False, True]


def fresh(project: Path, name: str) -> Path:
    """Another project with something to lose."""
    folder = project / name
    (folder / "build").mkdir(parents=True)
    return folder


@VERSIONS
def test_a_slip_elsewhere_in_the_users_file_is_withstood_by_our_start(
    project: Path, interlock: InterlockHome, pinned: Path
) -> None:
    """The client skips the whole file for it, with our entries; ours in `--settings` are apart."""
    slip = {**json.loads(interlock.client_settings.read_text("utf-8")), "permissions": {"deny": "x"}}
    with user_settings(interlock, slip):
        assert not kept(fresh(project, "plain"), interlock, {}, [install(pinned)])
        assert kept(fresh(project, "started"), interlock, {}, guarded(pinned))


@VERSIONS
def test_every_slip_that_we_name_elsewhere_in_the_file_takes_the_hooks_away(
    project: Path, home: Path, pinned: Path
) -> None:
    """So that `doctor` and `install` warn of nothing that the client takes; without a slip the hook runs."""
    seen = project / "seen"
    hook = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"touch {seen}"}]}]}}
    program = {"type": "x", "command": "true"}
    slips: list[JsonObject] = [
        *({key: "7" if key == "cleanupPeriodDays" else 7} for key in KINDS),
        *(
            {"permissions": {key: 7}}
            for key in ("allow", "ask", "deny", "additionalDirectories", "defaultMode")
        ),
        *({key: program} for key in ("statusLine", "fileSuggestion")),
    ]
    for slip in ({}, *slips):
        file = home / ".claude" / "settings.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({**hook, **slip}), encoding="utf-8")
        run_claude(project, home, [say("bye")], program=[str(install(pinned))])

        assert seen.exists() is (not slip), slip
        assert bool(slip) is any(one.weight is Weight.VOID for one in lint(slip)), slip
        seen.unlink(missing_ok=True)


@VERSIONS
def test_a_shim_that_is_gone_stops_the_call_where_the_client_can(
    project: Path, interlock: InterlockHome, pinned: Path
) -> None:
    """Older clients go on without it, as they always did."""
    shim = interlock.shim()
    away = shim.rename(shim.with_name("away"))
    (project / ".claude").mkdir()
    try:
        run = run_claude(
            project, interlock.home, [bash("rm -r build"), say("bye")], program=[str(install(pinned))]
        )
    finally:
        away.rename(shim)

    assert (project / "build").exists() is (pinned is NEW)
    assert ("onFailure" in run.tool_results()[0]) is (pinned is NEW)


SWITCH: Final = "pathlib.Path('.claude/settings.local.json').write_text('{\"disableAllHooks\": true}')"
GONE: Final = "(pathlib.Path.home() / '.claude' / 'settings.json').unlink()"


@VERSIONS
@pytest.mark.parametrize("deed", [SWITCH, GONE], ids=["switch", "gone"])
def test_a_script_that_changes_settings_while_the_agent_runs_switches_nothing_off(
    project: Path, interlock: InterlockHome, pinned: Path, deed: str
) -> None:
    """No hook reads what the script does; the client reports the change, and it is not taken over."""
    before, seen = len(changes(interlock)), project / "seen"
    settings = json.loads(interlock.client_settings.read_text("utf-8"))
    settings["hooks"]["ConfigChange"][0]["hooks"].append({"type": "command", "command": f"touch {seen}"})
    waiting = f"while not pathlib.Path('{seen}').exists() and time.monotonic() < end: time.sleep(0.05)"
    script = f"import pathlib, time\nend = time.monotonic() + 20\n{deed}\n{waiting}\n"
    (project / "tidy.py").write_text(script, encoding="utf-8")
    (project / ".claude").mkdir()
    with user_settings(interlock, settings):
        turns = [bash("python3 tidy.py"), bash("rm -r build"), say("bye")]
        run_claude(project, interlock.home, turns, program=[str(install(pinned))])

    assert (project / "build").exists()
    assert [entry["decision"] for entry in changes(interlock)[before:]] == ["deny"]


def changes(interlock: InterlockHome) -> list[JsonObject]:
    """What was decided of changed settings."""
    return [entry for entry in interlock.ledger() if entry.get("decided_by") == "interlock/settings-change"]
