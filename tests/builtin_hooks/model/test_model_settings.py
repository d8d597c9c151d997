"""Laws of `settings.model`."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.builtin_hooks.making import made

from interlock.builtin_hooks.model.hooks import Prompt
from interlock.builtin_hooks.model.settings import ModelPlace
from interlock.errors import ConfigError, HookFailedError
from interlock.events.hook import Layer
from interlock.policy.hook_kinds import ours
from interlock.policy.load import load_policy

ENTRY = "{type: prompt, config: {prompt: Fine?}}"


def place(tmp_path: Path, *files: tuple[Layer, str]) -> ModelPlace:
    """The model that a hook asks when some files are loaded together."""
    found = []
    for number, (layer, text) in enumerate(files):
        path = tmp_path / str(number) / "genesis.key"
        path.parent.mkdir(parents=True)
        path.write_text(f'version: "2.0"\nsettings:\n  model: {text}\nhooks:\n  stop: [{ENTRY}]\n')
        found.append((layer, path))
    handler = next(hook.handler for hook in load_policy(found, environ={}).hooks)
    assert isinstance(handler, Prompt)
    return handler.place


def problems(tmp_path: Path, layer: Layer, text: str) -> str:
    """What is wrong with a file."""
    with pytest.raises(ConfigError) as raised:
        place(tmp_path, (layer, text))
    return str(raised.value)


@pytest.mark.req("P6")
def test_without_a_word_a_small_model_is_asked(tmp_path: Path) -> None:
    """A hook is waited for."""
    assert place(tmp_path, (Layer.USER, "{}")) == ModelPlace()
    assert "haiku" in ModelPlace().model


def test_every_hook_asks_the_model_of_the_settings(tmp_path: Path) -> None:
    """Address, name, key and budget; a home is written out."""
    text = "{base_url: 'https://m.example', model: m-1, key_file: ~/key, tokens_per_day: 5}"
    found = place(tmp_path, (Layer.USER, text))

    assert (found.base_url, found.model, found.tokens_per_day) == ("https://m.example", "m-1", 5)
    assert found.key_file == str(Path("~/key").expanduser())


def test_the_managed_word_stands(tmp_path: Path) -> None:
    """Key by key; what it leaves open the person chooses."""
    managed = (Layer.MANAGED, "{base_url: 'https://ours.example', tokens_per_day: 1}")
    user = (Layer.USER, "{base_url: 'https://theirs.example', model: m-2}")
    found = place(tmp_path, managed, user)

    assert (found.base_url, found.model, found.tokens_per_day) == ("https://ours.example", "m-2", 1)


def test_a_project_does_not_choose_who_reads_its_events(tmp_path: Path) -> None:
    """An error, not a note: texts and a key would go where a repository says."""
    assert "only the managed or user layer" in problems(
        tmp_path, Layer.PROJECT, "{base_url: 'https://m.example'}"
    )


def test_a_project_does_not_choose_the_model_of_a_hook(tmp_path: Path) -> None:
    """It would spend a person's money."""
    path = tmp_path / "genesis.key"
    path.write_text('version: "2.0"\nhooks: {stop: [{type: prompt, config: {prompt: x, model: big}}]}\n')

    assert load_policy([(Layer.USER, path)], environ={}).hooks
    with pytest.raises(ConfigError, match="only the managed or user layer may choose the model"):
        load_policy([(Layer.PROJECT, path)], environ={})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{base_url: 'http://m.example'}", "sent unencrypted"),
        ("{base_url: 'ftp://m.example'}", "not a web address"),
        ("{base_url: 'https://me:s3cr3t-word@m.example'}", "a password does not belong here"),
        ("{key_env: 'sk-ant-s3cr3t-word'}", "the name of one variable"),
        ("{key_env: A, key_file: /k}", "keep one of them"),
        ("{key_file: k}", "depends on the current folder"),
        ("{tokens_per_day: -1}", "tokens_per_day"),
        ("{modle: x}", "model"),
    ],
)
def test_what_cannot_be_used_is_told_and_no_secret_with_it(tmp_path: Path, text: str, fault: str) -> None:
    """Somebody will write the key where its name belongs."""
    told = problems(tmp_path, Layer.USER, text)

    assert fault in told
    assert "s3cr3t-word" not in told


def test_the_key_is_in_no_record(tmp_path: Path) -> None:
    """It is read when it is needed: from the environment, or a file of the person alone."""
    file = tmp_path / "key"
    file.write_text("sk-1\n")
    file.chmod(0o600)
    named = ModelPlace(key_file=str(file))

    assert named.key({}) == "sk-1"
    assert ModelPlace().key({"ANTHROPIC_API_KEY": "sk-2"}) == "sk-2"
    assert b"sk-" not in msgspec.json.encode(named)
    file.chmod(0o644)
    with pytest.raises(HookFailedError, match="only you"):
        named.key({})


def test_without_a_key_only_a_server_of_this_machine_is_asked() -> None:
    """Elsewhere the hook fails, and says what to do."""
    with pytest.raises(HookFailedError, match="key_file"):
        ModelPlace().key({})
    assert ModelPlace(base_url="http://127.0.0.1:1").key({})


def test_both_kinds_are_made_without_a_model_at_hand() -> None:
    """A policy loads on a machine that cannot ask yet."""
    for kind in ("prompt", "agent"):
        assert made(kind, "stop", {"prompt": "x"}).hooks
        assert ours(kind).seconds >= 30
