"""What is refused: unknown ids, wrong kinds, states that do not admit it, names nobody has."""

from __future__ import annotations

from typing import Any

import pytest
from tests.features.commitments.commitment_setup import PLACE, CommitmentSetup

from interlock.features.commitments.operations import LONGEST
from interlock.features.commitments.policy import CommitmentPolicy
from interlock.features.commitments.records import RefusedError, Status
from interlock.features.commitments.service import Caller

NOWHERE = "cmt_00000000"

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("capture", {"body": ""}, "E_EMPTY_BODY"),
    ("capture", {"body": " \n"}, "E_EMPTY_BODY"),
    ("capture", {}, "E_EMPTY_BODY"),
    ("capture", {"body": 5}, "E_INVALID_OP"),
    ("capture", {"body": "x" * (LONGEST + 1)}, "E_INVALID_OP"),
    ("capture", {"body": "a\0b"}, "E_INVALID_OP"),
    ("capture", {"body": "x", "refs": "mem_00000000"}, "E_INVALID_OP"),
    ("capture", {"body": "x", "refs": ["nothing"]}, "E_INVALID_OP"),
    ("capture", {"body": "x", "refs": ["mem_00000000"]}, "E_REF_NOT_FOUND"),
    ("capture", {"body": "x", "colour": "red"}, "E_INVALID_OP"),
    ("claim", {}, "E_MISSING_FIELD"),
    ("claim", {"commitment": NOWHERE}, "E_REF_NOT_FOUND"),
    ("claim", {"commitment": ["a"]}, "E_INVALID_OP"),
    ("release", {"commitment": NOWHERE}, "E_REF_NOT_FOUND"),
    ("submit", {"commitment": NOWHERE}, "E_REF_NOT_FOUND"),
    ("submit", {}, "E_MISSING_FIELD"),
    ("approve", {"commitment": NOWHERE}, "E_REF_NOT_FOUND"),
    ("reopen", {"commitment": NOWHERE, "reason": "x"}, "E_REF_NOT_FOUND"),
    ("reject", {"commitment": NOWHERE}, "E_MISSING_FIELD"),
    ("close", {"commitment": NOWHERE, "evidence": "mem_0"}, "E_REF_NOT_FOUND"),
    ("annotate", {"target": NOWHERE, "body": "x"}, "E_REF_NOT_FOUND"),
    ("annotate", {"target": NOWHERE}, "E_EMPTY_BODY"),
    ("link", {"source": NOWHERE, "target": NOWHERE}, "E_REF_NOT_FOUND"),
    ("dismiss", {"memory": "mem_00000000"}, "E_MISSING_FIELD"),
    ("dismiss", {"memory": "mem_00000000", "reason": "x"}, "E_REF_NOT_FOUND"),
    ("triage", {"reviewed": [], "summary": "x"}, "E_MISSING_FIELD"),
    ("triage", {"reviewed": ["mem_00000000"]}, "E_MISSING_FIELD"),
    ("triage", {"reviewed": ["mem_00000000"], "summary": "x"}, "E_REF_NOT_FOUND"),
    ("triage", {"reviewed": ["m"], "summary": "x", "decisions": [{"memory": "m"}]}, "E_MISSING_FIELD"),
    ("triage", {"reviewed": ["m"], "summary": "x", "decisions": [{"act": "m"}]}, "E_INVALID_OP"),
    ("publish", {"path": "a"}, "E_MISSING_FIELD"),
    ("publish", {"path": "a", "module": "m", "source": NOWHERE}, "E_REF_NOT_FOUND"),
    ("publish", {"path": "a", "module": "m", "version": 0}, "E_INVALID_OP"),
    ("cancel", {"commitment": NOWHERE}, "E_MISSING_FIELD"),
    ("cancel", {"commitment": NOWHERE, "reason": "x"}, "E_REF_NOT_FOUND"),
    ("jump", {}, "E_INVALID_OP"),
]


@pytest.mark.req("M62")
@pytest.mark.parametrize(("op", "payload", "code"), BAD)
def test_bad_input_has_its_code_and_writes_nothing(
    setup: CommitmentSetup, op: str, payload: dict[str, Any], code: str
) -> None:
    """Unknown ids, missing and empty fields, wrong kinds, unknown words."""
    assert setup.refused(op, **payload) == code


@pytest.mark.parametrize(
    ("op", "payload", "step"),
    [
        ("claim", {"commitment": NOWHERE}, "`interlock commitment list` lists them"),
        ("commit", {"body": "x", "source": "mem_00000000"}, "`interlock commitment tree` lists them"),
        ("annotate", {"target": NOWHERE, "body": "x"}, "`interlock commitment tree` lists them"),
    ],
)
def test_an_unknown_name_is_answered_with_the_command_that_lists_such_names(
    setup: CommitmentSetup, op: str, payload: dict[str, Any], step: str
) -> None:
    """`list` has the commitments only; `tree` has memories too."""
    with pytest.raises(RefusedError) as caught:
        setup.do(op, **payload)

    assert caught.value.next_step == step


@pytest.mark.req("M62")
def test_states_that_do_not_admit_an_operation(setup: CommitmentSetup) -> None:
    """Only what is claimed is submitted, in review is approved, in review or closed is reopened."""
    name = setup.commit()

    assert setup.refused("submit", commitment=name) == "E_INVALID_OP"
    assert setup.refused("approve", commitment=name) == "E_INVALID_OP"
    assert setup.refused("reopen", commitment=name, reason="x") == "E_INVALID_OP"
    setup.do("cancel", commitment=name, reason="x")
    assert setup.refused("reopen", commitment=name, reason="x") == "E_INVALID_OP"


@pytest.mark.req("M62")
def test_a_caller_without_a_workspace_or_with_a_strange_name_is_refused(setup: CommitmentSetup) -> None:
    """No project, no name, our own name, and names nobody can read."""
    assert setup.refused("capture", body="x", place="") == "E_NO_WORKSPACE"
    assert setup.refused("capture", "", body="x") == "E_MISSING_FIELD"
    assert setup.refused("capture", "system", body="x") == "E_PERMISSION_DENIED"
    assert setup.refused("capture", "a\nb", body="x") == "E_INVALID_OP"
    assert setup.refused("capture", "a" * 300, body="x") == "E_INVALID_OP"
    assert setup.refused("capture", body="x", source_key="\x1b[31m") == "E_INVALID_OP"


@pytest.mark.req("M62")
def test_what_cannot_be_recorded_leaves_the_state_as_it_was(setup: CommitmentSetup) -> None:
    """A ledger that cannot be written refuses, and nothing is claimed."""
    name = setup.commit()
    broken = setup.reopened()
    broken._flush = lambda: False  # type: ignore[misc] # a disk that is full
    caller = Caller(actor="agent:x", workspace=PLACE)

    with pytest.raises(RefusedError, match="E_WORKSPACE_LOCKED"):
        broken.perform("claim", {"commitment": name}, caller, CommitmentPolicy())
    setup.writer._entries.clear()
    setup.writer._tip = setup.writer.head
    assert broken.state(PLACE).commitments[name].state is Status.OPEN


def test_a_meta_that_is_no_json_or_too_large_is_refused(setup: CommitmentSetup) -> None:
    """Nothing of a plan is appended before all of it can be written."""
    name = setup.claimed()

    assert setup.refused("submit", "agent:x", commitment=name, meta={"x": object()}) == "E_INVALID_OP"
    assert setup.refused("capture", body="x", meta={"x": "y" * 600_000}) == "E_INVALID_OP"
