"""Registries made from a `hooks.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock import ConfigError
from interlock.sdk.registry import load_hooks_from_config
from interlock.sdk.registry_records import (
    HookContext,
    HookDefinition,
    HookEventType,
    HttpMethod,
    Shell,
    Webhook,
)
from interlock.sdk.results import CONTINUE, Reject

SAMPLES = Path(__file__).resolve().parent.parent / "samples"

ENTRY = """
[[hooks]]
event = "{event}"
{keys}
[hooks.shell]
command = "true"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "hooks.toml"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.req("C55", "C56", "C57", "C58", "C60", "C63", "C72")
def test_the_documents_own_sample_fills_a_registry() -> None:
    """Three entries as they are written; unsaid is ten minutes, or 30 s for an HTTP request."""
    registry = load_hooks_from_config(SAMPLES / "cocode-hooks.toml", environ={})

    assert registry.hooks(HookEventType.PRE_TOOL_USE) == (
        HookDefinition(
            tool_matcher="Bash*",
            timeout=60.0,
            name="hooks[0]:command",
            handler=Shell("python ~/.config/cocode/hooks/validate_bash.py", True, True),
        ),
    )
    (edited,) = registry.hooks(HookEventType.POST_TOOL_USE)
    assert (edited.tool_matcher, edited.timeout) == ("Edit", 30.0)
    assert edited.handler == Webhook(
        "https://api.example.com/hooks/file-changed",
        HttpMethod.POST,
        {"Authorization": "Bearer ${HOOK_API_KEY}"},
    )
    (started,) = registry.hooks(HookEventType.SESSION_START)
    assert (started.once, started.tool_matcher) == (True, None)


@pytest.mark.deep
@pytest.mark.req("C63", "C67")
@pytest.mark.parametrize(
    ("command", "rejected"), [("ls", False), ("sudo rm x", True), ("rm -rf / tmp", True)]
)
async def test_the_documents_bash_check_works_from_its_file(command: str, rejected: bool) -> None:
    """Loaded, registered, run."""
    registry = load_hooks_from_config(SAMPLES / "cocode-validate-bash.toml")
    ctx = HookContext(tool_name="Bash", tool_input={"command": command})

    result = await registry.execute(HookEventType.PRE_TOOL_USE, ctx)

    assert result == (Reject("Dangerous command blocked") if rejected else CONTINUE)


@pytest.mark.req("C5", "C12")
def test_events_are_found_under_the_registrys_names_and_the_canonical_ones(tmp_path: Path) -> None:
    """Whichever way a file spells an event, the registry has one name for it."""
    for word in ["PrePromptSubmit", "UserPromptSubmit", "user_prompt_submit"]:
        registry = load_hooks_from_config(written(tmp_path, ENTRY.format(event=word, keys="")))
        assert len(registry.hooks(HookEventType.PRE_PROMPT_SUBMIT)) == 1


@pytest.mark.req("C61", "C62")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[hooks", "hooks.toml:1"),
        (ENTRY.format(event="PreToolUze", keys=""), "did you mean `PreToolUse`"),
        ('[[hooks]]\nevent = "PreToolUse"\nname = "bare"\n', "`bare` has neither"),
        (ENTRY.format(event="Stop", keys="") + '[hooks.webhook]\nurl = "https://x.y"\n', "keep one of them"),
    ],
)
def test_a_file_with_a_mistake_gives_no_registry(tmp_path: Path, text: str, message: str) -> None:
    """Invalid TOML, an unknown event, neither or both handlers: an error that says where."""
    with pytest.raises(ConfigError, match=message):
        load_hooks_from_config(written(tmp_path, text))


@pytest.mark.req("C62")
def test_a_file_that_cannot_be_read_gives_no_registry(tmp_path: Path) -> None:
    """Missing, or of another kind."""
    with pytest.raises(ConfigError, match="unreadable"):
        load_hooks_from_config(tmp_path / "hooks.toml")
    with pytest.raises(ConfigError, match=r"a registry is made from a `hooks.toml`"):
        load_hooks_from_config(tmp_path / "genesis.key")


@pytest.mark.parametrize(
    ("event", "keys", "found"),
    [
        ("Stop", "", "is for `Stop`"),
        ("PreToolUse", 'tool_matcher = "Write|Edit"', "`Write|Edit` is neither"),
        ("PreToolUse", 'tool_matcher = "Bash(rm *)"', "`Bash(rm *)` is neither"),
        ("PreToolUse", 'on_failure = "closed"', "`on_failure`"),
        ("PreToolUse", "if = \"actor == 'agent:x'\"", "`if`"),
        ("PreToolUse", 'mode = "shadow"', "`mode`"),
        ("PreToolUse", "observe = true", "`observe`"),
        ("PreToolUse", "rejudge = false", "`rejudge`"),
        ("PreToolUse", "auto_approve = true", "`auto_approve`"),
    ],
)
def test_what_only_the_engine_can_do_is_refused(tmp_path: Path, event: str, keys: str, found: str) -> None:
    """A registry never drops silently what an entry asks for."""
    with pytest.raises(ConfigError) as raised:
        load_hooks_from_config(written(tmp_path, ENTRY.format(event=event, keys=keys)))

    (problem,) = raised.value.problems
    assert found in problem.message
    assert problem.message.endswith("load the file with `Engine(files=[…])` for that")
    assert problem.line == 2


def test_the_environment_and_its_releases_reach_the_handlers(tmp_path: Path) -> None:
    """`pass_env` and `allow_private` are part of a definition."""
    text = (
        '[[hooks]]\nevent = "SessionStart"\npass_env = ["TOKEN"]\n[hooks.shell]\ncommand = "true"\n'
        '[[hooks]]\nevent = "SessionStart"\npass_env = ["TOKEN"]\n'
        '[hooks.webhook]\nurl = "http://10.0.0.1/"\nmethod = "Put"\nallow_private = true\n'
        'headers = { X = "${TOKEN}" }\n'
    )

    registry = load_hooks_from_config(written(tmp_path, text), environ={"TOKEN": "t"})

    assert [one.handler for one in registry.hooks(HookEventType.SESSION_START)] == [
        Shell("true", pass_env=("TOKEN",)),
        Webhook("http://10.0.0.1/", HttpMethod.PUT, {"X": "${TOKEN}"}, ("TOKEN",), True),
    ]
