"""Laws of `settings.approval`."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.features.approvals.settings import APPROVAL, ApprovalRules
from interlock.policy.load import load_policy

FULL = """\
    expires: 30m
    wait_s: 20
    approvers:
      human:ann: "*"
      human:rashid: ["Bash(git push *)", "Write"]
    notify: {webhook: "https://example.com/hook", desktop: true}
"""


def rules(tmp_path: Path, *layers: tuple[Layer, str]) -> ApprovalRules:
    """What the files of some layers come to."""
    files = []
    for number, (layer, text) in enumerate(layers):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = folder / "genesis.key"
        file.write_text(f'version: "2.0"\nsettings:\n  approval:\n{text}')
        files.append((layer, file))
    return APPROVAL.get(load_policy(files, environ={"PATH": "/usr/bin"}))


def test_everything_said_is_taken(tmp_path: Path) -> None:
    """Times, names with their patterns, and where people hear of a request."""
    found = rules(tmp_path, (Layer.USER, FULL))
    (scopes,) = found.scopes

    assert (found.expires, found.wait_s, found.desktop) == (1_800.0, 20.0, True)
    assert found.webhook == "https://example.com/hook"
    assert scopes["human:ann"] is None
    assert [pattern.text for pattern in scopes["human:rashid"] or ()] == ["Bash(git push *)", "Write"]


def test_nothing_said_is_ten_minutes_and_anybody(tmp_path: Path) -> None:
    """Without settings a request lasts ten minutes, is not waited for, and any person may answer."""
    file = tmp_path / "genesis.key"
    file.write_text('version: "2.0"\n')

    assert APPROVAL.get(load_policy([(Layer.USER, file)], environ={})) == ApprovalRules(
        expires=600.0, wait_s=0.0
    )


def test_what_the_managed_layer_says_stands_and_both_must_permit(tmp_path: Path) -> None:
    """The user's file cannot lengthen a time or add somebody who was not named above."""
    found = rules(
        tmp_path,
        (Layer.USER, '    expires: 7d\n    wait_s: 5\n    approvers: {human:bob: "*"}\n'),
        (Layer.MANAGED, '    expires: 1m\n    approvers: {human:ann: "*"}\n'),
    )

    assert (found.expires, found.wait_s) == (60.0, 5.0)
    assert [list(scopes) for scopes in found.scopes] == [["human:ann"], ["human:bob"]]


@pytest.mark.parametrize("layer", [Layer.PROJECT, Layer.SESSION])
def test_a_project_may_not_say_who_approves(tmp_path: Path, layer: Layer) -> None:
    """It is an error with a place, not a silent loss."""
    with pytest.raises(
        ConfigError, match=r"settings.approval: only the managed or user layer may set `approval`"
    ):
        rules(tmp_path, (layer, "    wait_s: 1\n"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("    expires: soon\n", "`soon` is not a length of time; write `30s`, `10m`"),
        ("    expires: 8d\n", "`8d` is not between 1s and 7d"),
        ("    expires: 0s\n", "`0s` is not between 1s and 7d"),
        ("    wait_s: 56\n", "`56` is more than 55 seconds"),
        ("    wait_s: -1\n", "`-1` is not a time to wait; write a number from 0 to 55"),
        ("    wait: 1\n", "unknown setting `wait`; did you mean `wait_s`?"),
        ("    approvers: {ann: ['*']}\n", "`ann` is not an actor"),
        ("    approvers: {agent:ann: '*'}\n", "`agent:ann` is not a person; write `human:NAME`"),
        ("    approvers: {human:ann: all}\n", "unknown value `all`"),
        ("    approvers: {human:ann: ['(']}\n", "is not a pattern"),
        ("    notify: {webhook: 'file:///etc'}\n", "is not a web address"),
        ("    notify: {desktop: 1}\n", "expected true or false"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, why: str) -> None:
    """What cannot be used says why, and what to write."""
    with pytest.raises(ConfigError) as raised:
        rules(tmp_path, (Layer.USER, text))
    assert why in str(raised.value)
    assert "settings.approval" in str(raised.value)
