"""Both formats become the same hooks, and no mistake loads silently."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import bash

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.hook import Dialect, Hook, Layer, OnFailure
from interlock.events.verdict import Vote
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

SAMPLES = Path(__file__).parents[2] / "samples"
HEAD = 'version: "2.0"\n'
PRE = HEAD + "hooks:\n  pre_tool_use:\n"


def load(path: Path, layer: Layer = Layer.USER) -> Policy:
    return load_policy([(layer, path)], environ={"PATH": "/usr/bin:/bin", "HOME": "/home/me"})


def genesis(folder: Path, text: str, layer: Layer = Layer.USER) -> Policy:
    path = folder / "genesis.key"
    path.write_text(text)
    return load(path, layer)


def toml(folder: Path, text: str, layer: Layer = Layer.USER) -> Policy:
    path = folder / "hooks.toml"
    path.write_text(text)
    return load(path, layer)


def one(policy: Policy) -> Hook:
    (hook,) = policy.hooks
    return hook


@pytest.mark.req("C55", "C56", "C57", "C58", "C59", "C60", "C63", "C97")
def test_the_cocode_sample_is_three_hooks() -> None:
    """Event, matcher, time, handler and once of every entry are as its document says."""
    bash, edit, session = load(SAMPLES / "cocode-hooks.toml").hooks

    assert (bash.events, bash.matcher.text, bash.timeout, bash.handler.kind) == (
        ("PreToolUse",), "Bash*", 60.0, "command",
    )  # fmt: skip
    assert bash.handler.fingerprint() == [
        "python ~/.config/cocode/hooks/validate_bash.py", True, True, [],
    ]  # fmt: skip
    assert (edit.events, edit.matcher.text, edit.timeout) == (("PostToolUse",), "Edit", 30.0)
    assert edit.handler.fingerprint() == [
        "POST",
        "https://api.example.com/hooks/file-changed",
        [("Authorization", "Bearer ${HOOK_API_KEY}")],
    ]
    assert (session.events, session.once, session.handler.fingerprint()[1:3]) == (
        ("SessionStart",), True, [False, False],
    )  # fmt: skip
    assert {hook.dialect for hook in (bash, edit, session)} == {Dialect.HOOKS_TOML}
    assert [hook.source.line for hook in (bash, edit, session)] == [3, 13, 22]


@pytest.mark.req("C57", "C56")
@pytest.mark.parametrize(
    ("file", "name", "kind"),
    [
        ("cocode-validate-bash.toml", "validate-bash", "command"),
        ("cocode-log-edits.toml", "log-edits", "command"),
        ("cocode-session-notify.toml", "session-notify", "webhook"),
    ],
)
def test_the_cocode_use_cases_load_unchanged(file: str, name: str, kind: str) -> None:
    """Each use case is one named hook."""
    hook = one(load(SAMPLES / file))

    assert (hook.name, hook.handler.kind) == (name, kind)


@pytest.mark.req("M7", "M11", "M12", "M13", "M17", "M18", "M19", "M20")
def test_the_mentu_key_loads_unchanged() -> None:
    """Six hooks in file order, three actors, nothing to note."""
    policy = load(SAMPLES / "mentu-genesis.key")

    assert [(hook.name, hook.matcher.text) for hook in policy.hooks] == [
        ("pre_tool_use[0]:genesis_enforcement", "*"),
        ("pre_tool_use[1]:deny", "Bash(rm -rf *)"),
        ("pre_tool_use[2]:deny", "Write(.env*)"),
        ("post_tool_use[0]:evidence_capture", "Write|Edit"),
        ("post_tool_use[1]:evidence_capture", "Bash"),
        ("stop[0]:approval_gate", "*"),
    ]
    assert policy.hooks[1].handler.fingerprint() == "Recursive force delete is prohibited"
    assert policy.hooks[3].handler.fingerprint() == ["file_change", True]
    assert policy.hooks[5].handler.fingerprint() == ["commitment.requires_review == true", ["human:rashid"]]
    assert policy.hooks[3].events == ("PostToolUse", "PostToolUseFailure")
    assert (policy.actor_count, policy.notices) == (3, ())


@pytest.mark.req("M83")
def test_the_mentu_test_key_loads_with_its_enforcement_added() -> None:
    """Permissions without an enforcement hook get one first, and that is said."""
    policy = load(SAMPLES / "mentu-test-genesis.key")

    assert [hook.name for hook in policy.hooks] == ["genesis_enforcement", "pre_tool_use[0]:deny"]
    assert policy.hooks[0].matcher.text == "*"
    assert [(notice.line, notice.path) for notice in policy.notices] == [(8, "permissions")]


@pytest.mark.req("M15")
def test_a_key_without_hooks_works(tmp_path: Path) -> None:
    """A key may hold a version alone, or permissions alone."""
    assert genesis(tmp_path, HEAD).hooks == ()
    alone = genesis(tmp_path, HEAD + "permissions: {actors: {'agent:a': {deny: [Bash]}}}\n")
    assert one(alone).name == "genesis_enforcement"


@pytest.mark.req("C82")
def test_an_empty_hooks_toml_loads_and_says_so(tmp_path: Path) -> None:
    """No hooks are not a mistake, but a person should know."""
    policy = toml(tmp_path, "")

    assert policy.hooks == ()
    assert [notice.message for notice in policy.notices] == [
        "there are no hooks in this file; add a `[[hooks]]` entry"
    ]


@pytest.mark.req("X32", "C60")
@pytest.mark.parametrize(
    ("entry", "seconds"),
    [
        ("type: deny", 10.0),
        ("type: command\n      config: {command: x}", 60.0),
        ("type: webhook\n      config: {url: 'https://example.com'}", 30.0),
        ("type: deny\n      timeout: 5", 5.0),
        ("type: deny\n      timeout_sec: 2.5", 2.5),
        ("type: deny\n      timeout_ms: 5000", 5.0),
        ("type: command\n      config: {command: x}\n      timeout: 600", 600.0),
    ],
)
def test_time_is_in_seconds_unless_the_key_says_otherwise(tmp_path: Path, entry: str, seconds: float) -> None:
    """Each type has its default; one of three keys changes it."""
    assert one(genesis(tmp_path, f"{PRE}    - {entry}\n")).timeout == seconds


def test_every_key_of_an_entry_reaches_its_hook(tmp_path: Path) -> None:
    """A trusted layer's entry is taken as it is written."""
    text = (
        PRE + "    - {type: command, name: n, matcher: Bash, if: 'actor == \"a\"', on_failure: open,"
        " mode: shadow, once: true, observe: true, auto_approve: true, rejudge: false, pass_env: [TOKEN],"
        " config: {command: x, pass_context: false}}\n"
    )
    hook = one(genesis(tmp_path, text))

    assert hook.condition is not None
    assert (hook.name, hook.condition.text, hook.on_failure) == ("n", 'actor == "a"', OnFailure.OPEN)
    assert (hook.shadow, hook.once, hook.observe, hook.auto_approve, hook.rejudge) == (
        True, True, True, True, False,
    )  # fmt: skip
    assert hook.handler.fingerprint() == ["x", False, True, ["TOKEN"]]


def test_condition_is_another_word_for_if(tmp_path: Path) -> None:
    """Both spellings give the same condition."""
    hook = one(genesis(tmp_path, PRE + "    - {type: deny, condition: 'true'}\n"))

    assert hook.condition is not None
    assert hook.condition.text == "true"


def test_a_disabled_entry_is_checked_and_left_out(tmp_path: Path) -> None:
    """`enabled: false` drops a hook, not its mistakes."""
    assert genesis(tmp_path, PRE + "    - {type: deny, enabled: false}\n").hooks == ()
    with pytest.raises(ConfigError, match="contains a comma"):
        genesis(tmp_path, PRE + "    - {type: deny, enabled: false, matcher: 'A,B'}\n")


@pytest.mark.parametrize(
    ("event", "target"),
    [("pre_tool_use", "input"), ("post_tool_use", "output"), ("user_prompt_submit", "prompt")],
)
def test_a_change_is_aimed_at_what_its_moment_has(tmp_path: Path, event: str, target: str) -> None:
    """Without a target, input before, output after, the prompt when it is submitted."""
    text = f"{HEAD}hooks:\n  {event}:\n    - {{type: modify, config: {{set: {{a.b: 1}}}}}}\n"
    hook = one(genesis(tmp_path, text))

    assert hook.handler.fingerprint()[:2] == [target, {"a.b": 1}]


@pytest.mark.parametrize("spelling", ["pre_tool_use", "PreToolUse", "preToolUse"])
def test_an_event_may_be_written_in_any_spelling(tmp_path: Path, spelling: str) -> None:
    """Aliases are accepted wherever a name is read."""
    hook = one(genesis(tmp_path, f"{HEAD}hooks:\n  {spelling}:\n    - type: deny\n"))

    assert hook.events == ("PreToolUse",)
    assert hook.name == "pre_tool_use[0]:deny"


def test_a_vote_that_counts_for_nothing_is_noted(tmp_path: Path) -> None:
    """A denial after the action loads, and a person is told that it stops nothing."""
    policy = genesis(tmp_path, HEAD + "hooks:\n  post_tool_use:\n    - type: deny\n")

    assert [(notice.line, notice.path) for notice in policy.notices] == [(4, "hooks.post_tool_use[0].type")]


def test_guidance_is_one_text_or_one_per_pattern(tmp_path: Path) -> None:
    """Both shapes load."""
    for guidance in ("ask an executor", "{'Bash(rm *)': use trash, '*': ask}"):
        text = f"permissions: {{actors: {{'agent:*': {{deny: ['Bash(rm *)'], guidance: {guidance}}}}}}}\n"
        assert one(genesis(tmp_path, HEAD + text)).name == "genesis_enforcement"


@pytest.mark.req("M19")
def test_a_gate_before_a_call_asks_about_that_call(tmp_path: Path) -> None:
    """Only at the end of a turn is there work to hold back; elsewhere the approvers are asked at once."""
    gate = one(genesis(tmp_path, PRE + "    - {type: approval_gate, config: {approvers: ['human:r']}}\n"))
    decision = Engine([gate]).decide_sync(bash("git push"))

    assert (decision.vote, decision.approvers) == (Vote.ASK, (("human:r",),))
    assert gate.events == ("PreToolUse",)
