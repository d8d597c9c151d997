"""A policy can be loaded from content that is kept, under the path it came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.policy.project import DENY, GUARD, MODIFY, WEBHOOK, hooks

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.handlers.command import CommandHandler
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy

SHOWN = Path("/srv/app/.interlock/genesis.key")
ENVIRON = {"PATH": "/usr/bin"}


def test_the_shown_path_is_the_one_in_sources_and_problems() -> None:
    """Nothing is read from the shown path, and everything that is said names it."""
    text = PolicyText(shown=SHOWN, content=hooks(DENY).encode())
    policy = load_policy([(Layer.PROJECT, text)], environ=ENVIRON)
    assert str(policy.hooks[0].source) == f"{SHOWN}:4"

    with pytest.raises(ConfigError) as caught:
        load_policy([(Layer.PROJECT, PolicyText(shown=SHOWN, content=b"version: 2\n"))], environ=ENVIRON)
    assert (caught.value.problems[0].file, caught.value.problems[0].line) == (str(SHOWN), 1)


def test_its_commands_run_where_and_with_what_it_says() -> None:
    """A kept policy has its own folder and PATH; a plain file has the event's and the environment's."""
    content = hooks(GUARD).encode()
    kept = PolicyText(shown=SHOWN, content=content, folder="/srv/app", search="/opt")
    plain = PolicyText(shown=SHOWN, content=content)

    for text, folder, path in ((kept, "/srv/app", "/opt"), (plain, None, "/usr/bin")):
        handler = load_policy([(Layer.PROJECT, text)], environ=ENVIRON).hooks[0].handler
        assert isinstance(handler, CommandHandler)
        assert (handler.folder, handler.path) == (folder, path)


@pytest.mark.req("T03")
def test_only_what_tightens_can_be_asked_for() -> None:
    """Rules that deny, ask or record stay; what runs, calls out or changes a call does not."""
    more = "    - {type: approval_gate, name: gate}\n    - {type: evidence_capture, name: proof}\n"
    content = hooks(DENY, GUARD, MODIFY, WEBHOOK, more).encode()
    whole, tight = (
        load_policy(
            [(Layer.PROJECT, PolicyText(shown=SHOWN, content=content, tightening_only=only))], environ=ENVIRON
        )
        for only in (False, True)
    )

    assert [hook.name for hook in whole.hooks] == ["no-never", "guard", "rewrite", "call", "gate", "proof"]
    assert [hook.name for hook in tight.hooks] == ["no-never", "gate", "proof"]
    assert whole.revision != tight.revision
