"""Laws of `settings.retention`."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.policy.load import load_policy
from interlock.policy.settings.ledger import RETENTION, Retention, age, size

DAY = 86_400


def loaded(tmp_path: Path, *files: tuple[Layer, str]) -> Retention:
    """The rule some files give together."""
    found = []
    for number, (layer, text) in enumerate(files):
        path = tmp_path / str(number) / "genesis.key"
        path.parent.mkdir(parents=True)
        path.write_text(f'version: "2.0"\nsettings:\n  retention: {text}\n')
        found.append((layer, path))
    return RETENTION.get(load_policy(found, environ={}))


def test_without_a_word_it_is_thirty_days_or_a_gigabyte() -> None:
    """As the design says."""
    assert RETENTION.get(load_policy([], environ={})) == Retention(seconds=30 * DAY, size=1 << 30)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{days: 7}", Retention(seconds=7 * DAY)),
        ("{days: 12h, size: 500MB}", Retention(seconds=DAY / 2, size=500 << 20)),
        ("{days: off, size: off}", Retention(seconds=None, size=None)),
        ('{days: "off", size: 2 GiB}', Retention(seconds=None, size=2 << 30)),
        ("{size: 1048576}", None),
    ],
)
def test_people_write_days_and_sizes_as_they_do(tmp_path: Path, text: str, rule: Retention | None) -> None:
    """Numbers are days, sizes have units, `off` is not a limit; a size without one is asked to be quoted."""
    if rule is None:
        with pytest.raises(ConfigError, match="put it in quotes"):
            loaded(tmp_path, (Layer.USER, text))
    else:
        assert loaded(tmp_path, (Layer.USER, text)) == rule


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{days: soon}", "is not a length of time"),
        ("{days: 0}", "greater than 0"),
        ("{days: 0d}", "would keep nothing"),
        ("{size: big}", "is not a size; write `500MB`"),
        ("{size: 1KB}", "less than 1MB"),
        ("{day: 3}", "unknown setting `day`; did you mean `days`"),
        ("off", "expected a mapping"),
    ],
)
def test_a_mistake_is_named_at_its_place(tmp_path: Path, text: str, message: str) -> None:
    """With the line and what to write instead."""
    with pytest.raises(ConfigError) as raised:
        loaded(tmp_path, (Layer.USER, text))

    assert message in str(raised.value)
    assert "settings.retention" in str(raised.value)


def test_a_project_has_no_say_and_an_earlier_layer_stands(tmp_path: Path) -> None:
    """What a repository writes cannot shorten the evidence about it."""
    assert loaded(tmp_path, (Layer.MANAGED, "{days: 90}"), (Layer.USER, "{days: 1, size: 2GB}")) == Retention(
        seconds=90 * DAY, size=2 << 30
    )
    with pytest.raises(ConfigError, match="only the managed or user layer may say how long"):
        loaded(tmp_path / "b", (Layer.PROJECT, "{days: 1}"))


def test_words_alone() -> None:
    """The same words serve the command line."""
    assert (age("30"), age(" 2d "), age("off")) == (30 * DAY, 2 * DAY, None)
    assert (size("1gb"), size("1 TB"), size("off")) == (1 << 30, 1 << 40, None)
