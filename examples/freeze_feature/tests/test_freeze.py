"""The hook denies while the freeze is on; the rest is seen in a real daemon."""

from __future__ import annotations

from typing import cast

from acme_freeze import FEATURE
from acme_freeze.hook import BUILTIN
from acme_freeze.service import FreezeService
from interlock.plugin import Event, HookServices, ToolCall, trial_engine

PUSH = Event(name="PreToolUse", cwd="/", tool=ToolCall(name="Bash", input={"command": "git push"}))


class Switch:
    """Stands for the service."""

    is_on = False


def test_it_denies_while_the_freeze_is_on() -> None:
    """The switch counts at each call, not when the policy was loaded."""
    switch = Switch()
    services = HookServices({FreezeService: cast("FreezeService", switch)})
    engine = trial_engine(BUILTIN, "pre_tool_use", services=services)

    assert engine.decide_sync(PUSH).outcome == "allow"
    switch.is_on = True
    assert engine.decide_sync(PUSH).outcome == "deny"


def test_every_part_is_where_the_feature_says() -> None:
    """The row holds names only; a misspelt one would be found by whoever uses it."""
    assert FEATURE.hooks == {BUILTIN.kind: "hook:BUILTIN"}
    assert FEATURE.settings == ("settings:FREEZE",)
