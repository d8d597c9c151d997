"""Layers come in order, and a later one can only tighten."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import Vote
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

HEAD = 'version: "2.0"\n'
ENVIRON = {"PATH": "/usr/bin:/bin"}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def deny_hook(name: str) -> str:
    return f"{HEAD}hooks:\n  pre_tool_use:\n    - {{type: deny, name: {name}, matcher: 'Bash(never)'}}\n"


def load(*files: tuple[Layer, Path]) -> Policy:
    return load_policy(files, environ=ENVIRON)


def decide(policy: Policy, actor: str, tool: str, tool_input: JsonObject) -> Vote:
    event = Event(name="PreToolUse", actor=actor, cwd="/p", tool=ToolCall(name=tool, input=tool_input))
    return Engine(policy.hooks).decide_sync(event).vote


@pytest.mark.req("M14")
def test_hooks_run_by_layer_then_in_the_order_of_files(tmp_path: Path) -> None:
    """Managed, user, project, session; both formats make one pipeline."""
    toml = '[[hooks]]\nname = "user-toml"\nevent = "PreToolUse"\n[hooks.shell]\ncommand = "true"\n'
    policy = load(
        (Layer.SESSION, write(tmp_path, "s/genesis.key", deny_hook("session"))),
        (Layer.PROJECT, write(tmp_path, "p/genesis.key", deny_hook("project"))),
        (Layer.USER, write(tmp_path, "u/genesis.key", deny_hook("user"))),
        (Layer.USER, write(tmp_path, "u/hooks.toml", toml)),
        (Layer.MANAGED, write(tmp_path, "m/genesis.key", deny_hook("managed"))),
    )

    assert [hook.name for hook in policy.hooks] == ["managed", "user", "user-toml", "project", "session"]
    assert [file.layer for file in policy.files] == sorted(file.layer for file in policy.files)
    assert [file.hooks for file in policy.files] == [1, 1, 1, 1, 1]
    assert policy.hooks[3].source.layer is Layer.PROJECT


LOOSE = """\
version: "2.0"
settings:
  actors: {main: agent:root}
hooks:
  pre_tool_use:
    - type: deny
      matcher: Bash(never)
      auto_approve: true
      on_failure: open
      observe: true
      mode: shadow
      rejudge: false
      timeout: 11
    - type: webhook
      config:
        url: http://127.0.0.1:1/
        allow_private: true
"""


@pytest.mark.req("T02")
@pytest.mark.parametrize("layer", [Layer.PROJECT, Layer.SESSION])
def test_what_would_loosen_is_ignored_and_said(tmp_path: Path, layer: Layer) -> None:
    """The hook stays, the loosening key does not, and a notice names its place."""
    policy = load((layer, write(tmp_path, "genesis.key", LOOSE)))
    hook = policy.hooks[0]

    assert (hook.auto_approve, hook.on_failure, hook.observe, hook.shadow) == (False, None, False, False)
    assert (hook.rejudge, hook.timeout) == (True, 10.0)
    assert policy.actors.main == "agent:main"
    assert sorted((notice.line, notice.path) for notice in policy.notices) == [
        (3, "settings.actors"),
        (8, "hooks.pre_tool_use[0].auto_approve"),
        (9, "hooks.pre_tool_use[0].on_failure"),
        (10, "hooks.pre_tool_use[0].observe"),
        (11, "hooks.pre_tool_use[0].mode"),
        (12, "hooks.pre_tool_use[0].rejudge"),
        (13, "hooks.pre_tool_use[0].timeout"),
        (17, "hooks.pre_tool_use[1].config.allow_private"),
    ]
    assert all("only the managed or user layer may" in notice.message for notice in policy.notices)


@pytest.mark.req("T02")
@pytest.mark.parametrize("layer", [Layer.MANAGED, Layer.USER])
def test_a_trusted_layer_may_loosen(tmp_path: Path, layer: Layer) -> None:
    """The same file in a trusted layer is taken as it is written."""
    policy = load((layer, write(tmp_path, "genesis.key", LOOSE)))
    hook = policy.hooks[0]

    assert policy.notices == ()
    assert (hook.auto_approve, hook.observe, hook.shadow, hook.rejudge, hook.timeout) == (
        True, True, True, False, 11.0,
    )  # fmt: skip
    assert policy.actors.main == "agent:root"


@pytest.mark.req("T02")
def test_a_project_may_still_tighten(tmp_path: Path) -> None:
    """Shorter times, closed failures and denials of a project count, without a notice."""
    text = (
        HEAD + "hooks:\n  pre_tool_use:\n"
        "    - {type: command, timeout: 5, on_failure: closed, pass_env: [TOKEN], config: {command: x}}\n"
    )
    policy = load((Layer.PROJECT, write(tmp_path, "genesis.key", text)))

    assert (policy.hooks[0].timeout, policy.notices) == (5.0, ())


def permissions(actor: str, lists: str) -> str:
    return f"{HEAD}permissions:\n  actors:\n    {actor}: {lists}\n"


@pytest.mark.req("M12", "T02")
def test_permissions_of_two_layers_both_hold(tmp_path: Path) -> None:
    """A project can take away what the user allows, and cannot add to it."""
    policy = load(
        (Layer.USER, write(tmp_path, "u.key", permissions("agent:main", "{allow: ['Bash(git *)', Read]}"))),
        (Layer.PROJECT, write(tmp_path, "p.key", permissions("agent:main", "{allow: ['Bash(*)']}"))),
    )

    assert decide(policy, "agent:main", "Bash", {"command": "git status"}) is Vote.ALLOW
    assert decide(policy, "agent:main", "Bash", {"command": "make"}) is Vote.DENY
    assert decide(policy, "agent:main", "Read", {"file_path": "/p/a"}) is Vote.DENY


def test_a_layer_without_an_entry_is_silent_only_where_an_earlier_one_has_it(tmp_path: Path) -> None:
    """A project may not list an actor the user's policy does not know: that would permit more."""
    policy = load(
        (Layer.USER, write(tmp_path, "u.key", permissions("agent:main", "{allow: [Bash]}"))),
        (Layer.PROJECT, write(tmp_path, "p.key", permissions("agent:other", "{allow: [Bash]}"))),
    )

    assert decide(policy, "agent:main", "Bash", {"command": "ls"}) is Vote.ALLOW
    assert decide(policy, "agent:other", "Bash", {"command": "ls"}) is Vote.DENY
    assert decide(policy, "agent:third", "Bash", {"command": "ls"}) is Vote.DENY
    assert policy.actor_count == 2


def test_actors_of_the_earlier_layer_stand(tmp_path: Path) -> None:
    """What the managed layer says about actors, the user layer can only complete."""
    managed = HEAD + "settings: {actors: {main: agent:a, subagents: {Explore: agent:b}}}\n"
    user = HEAD + "settings: {actors: {main: agent:x, subagents: {Explore: agent:y, Plan: agent:c}}}\n"
    policy = load(
        (Layer.USER, write(tmp_path, "u.key", user)),
        (Layer.MANAGED, write(tmp_path, "m.key", managed)),
    )

    assert policy.actors.main == "agent:a"
    assert dict(policy.actors.subagents) == {"Explore": "agent:b", "Plan": "agent:c"}


@pytest.mark.req("M16")
def test_every_problem_of_every_file_is_raised_at_once(tmp_path: Path) -> None:
    """One load names them all: shapes, patterns, and files that cannot be read."""
    bad_shape = write(tmp_path, "a.key", "version: 2\nhoks: {}\n")
    bad_pattern = write(tmp_path, "b.key", permissions("agent:a", "{deny: ['(']}"))
    bad_toml = write(tmp_path, "c.toml", "x =")
    missing = tmp_path / "missing.key"
    files = [(Layer.USER, path) for path in (bad_shape, bad_pattern, bad_toml, missing, tmp_path / "x.json")]

    with pytest.raises(ConfigError) as caught:
        load_policy(files, environ=ENVIRON)

    assert sorted({Path(problem.file).name for problem in caught.value.problems}) == [
        "a.key", "b.key", "c.toml", "missing.key", "x.json",
    ]  # fmt: skip
    assert len(caught.value.problems) == 6


def test_the_revision_names_contents_and_layers(tmp_path: Path) -> None:
    """The same files give the same revision; another content or layer gives another."""
    path = write(tmp_path, "genesis.key", HEAD)
    first = load((Layer.USER, path)).revision

    assert len(first) == 12
    assert load((Layer.USER, path)).revision == first
    assert load((Layer.PROJECT, path)).revision != first
    path.write_text(HEAD + "# changed\n")
    assert load((Layer.USER, path)).revision != first


def test_no_files_are_an_empty_policy() -> None:
    """Nothing configured is nothing judged."""
    policy = load()

    assert (policy.hooks, policy.notices, policy.actor_count, policy.actors.main) == ((), (), 0, "agent:main")
