"""Laws of `settings.redact`."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.policy.load import load_policy
from interlock.policy.settings.ledger import REDACTION
from interlock.redaction.redactor import Own


def loaded(tmp_path: Path, *files: tuple[Layer, str]) -> Own:
    """What some files say together."""
    found = []
    for number, (layer, text) in enumerate(files):
        path = tmp_path / str(number) / "genesis.key"
        path.parent.mkdir(parents=True)
        path.write_text(f'version: "2.0"\nsettings:\n  redact: {text}\n')
        found.append((layer, path))
    return REDACTION.get(load_policy(found, environ={}))


def test_patterns_and_names_of_all_trusted_files_count(tmp_path: Path) -> None:
    """None of them takes another's away."""
    managed, user = "{patterns: ['ACME-[0-9]+']}", "{patterns: ['ACME-[0-9]+', 'k=(.+)'], names: [x-acme]}"
    found = loaded(tmp_path, (Layer.MANAGED, managed), (Layer.USER, user))

    assert found == Own(patterns=("ACME-[0-9]+", "k=(.+)"), names=("x-acme",))
    assert REDACTION.get(load_policy([], environ={})) == Own()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{patterns: ['(']}",
            "settings.redact.patterns[0]: `(` is not a regular expression that RE2 supports; correct it",
        ),
        (
            "{patterns: ['ok', '(?<=a)b']}",
            "settings.redact.patterns[1]: `(?<=a)b` is not a regular expression",
        ),
        ("{patterns: ['(a)(b)']}", "settings.redact.patterns[0]: `(a)(b)` has 2 groups; keep one"),
        ("{names: ['*']}", "settings.redact.names[0]: `*` is not a name"),
        ("{names: [a]}", "settings.redact.names[0]: `a` is not a name"),
        ("{pattern: [a]}", "unknown setting `pattern`; did you mean `patterns`"),
    ],
)
def test_a_mistake_is_named_at_its_place(tmp_path: Path, text: str, message: str) -> None:
    """With the line and what to write instead."""
    with pytest.raises(ConfigError) as raised:
        loaded(tmp_path, (Layer.USER, text))
    assert message in str(raised.value)


def test_a_project_may_not_say_what_is_taken_out(tmp_path: Path) -> None:
    """A repository that hides everything would hide what was done in it."""
    with pytest.raises(ConfigError, match=r"settings\.redact: only the managed or user layer may say"):
        loaded(tmp_path, (Layer.PROJECT, "{patterns: ['.*']}"))
