"""A condition reads only fields that exist; what hosts and tools send stays open."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.typed import typed_for_real

from interlock.errors import ConditionError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.features.commitments.policy import CommitmentPolicy
from interlock.features.commitments.records import Commitment
from interlock.features.commitments.service import facts_of
from interlock.features.commitments.state import State
from interlock.policy.conditions.condition import FIELDS, parse_condition


@pytest.mark.req("M16", "M19")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "commitment.need_review == true",
            "`commitment` has no field `need_review`; did you mean `requires_review`?",
        ),
        ("tool.nam == 'Bash'", "`tool` has no field `nam`; did you mean `name`?"),
        ("has(session.contextusage)", "`session` has no field `contextusage`; did you mean `context_usage`?"),
        ("effort['skil'] == 'x'", "`effort` has no field `skil`; did you mean `skill`?"),
        ("event.tool_name.startsWith('B')", "`event` has no field `tool_name`; "),
        ("actor.name == 'x'", "`actor` has no field `name`; compare `actor` itself"),
        ("tool.name.first == 'x'", "`tool.name` has no field `first`; compare `tool.name` itself"),
        ("tool == 'Bash'", "`tool` is not text; compare one of its fields, such as `tool.name`"),
        ("'Stop' != event", "`event` is not text; compare one of its fields, such as `event.name`"),
        ("effort.startsWith('x')", "`effort` is not text; compare one of its fields, such as `effort.skill`"),
        ("commitment.tags.exists(t, t == commitment.bdy)", "did you mean `body`?"),
    ],
)
def test_a_field_that_nothing_has_is_refused_when_loaded(text: str, said: str) -> None:
    """Wherever it stands, and with the nearest that there is."""
    with pytest.raises(ConditionError) as caught:
        parse_condition(text)

    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "tool.input.anything.at.all == null",
        "event.extra.model.id == null",
        "['a'].exists(nam, nam == tool.name)",
        "'tool.nam' == tool.name || commitment.tags.exists(t, t == 'x')",
        "commitment.evidence > 0 && tool != null",
        "actor == 'agent:main' && actor.startsWith('agent:') && null == effort",
    ],
)
def test_what_is_open_or_no_field_stays_accepted(text: str) -> None:
    """Fields of inputs, names that macros bind, words in texts, methods."""
    assert parse_condition(text).text == text


def test_every_field_that_is_accepted_is_there() -> None:
    """The list and what conditions are given are the same."""
    event = Event(name="PreToolUse", tool=ToolCall(name="Bash", input={}, use_id="t"))
    for root in ("event", "tool"):
        assert all(parse_condition(f"has({root}.{field})").holds(event) for field in FIELDS[root])
    made = Commitment(id="cmt_1", ts="", actor="a", body="b", source="mem_1")
    assert set(FIELDS["commitment"]) == set(facts_of(made, State(), CommitmentPolicy()))


@pytest.mark.deep
@pytest.mark.req("M19", "M46")
def test_validate_names_the_line(tmp_path: Path) -> None:
    """The installed program says where and what was meant."""
    file = tmp_path / "genesis.key"
    file.write_text(
        "hooks:\n  stop:\n    - type: approval_gate\n      config: {condition: commitment.need_review}\n"
    )
    typed = typed_for_real("genesis", "validate", str(file))

    assert typed.code == 1
    assert ":4: hooks.stop[0].config.condition: `commitment` has no field `need_review`" in typed.out
    assert "did you mean `requires_review`?" in typed.out
