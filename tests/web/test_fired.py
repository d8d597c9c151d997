"""What the pages say of each hook that fired."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.pages.calls import hook

from interlock.web.decision_words import Captured, Fired, decision_word, fired_of


@pytest.mark.parametrize(
    ("row", "did"),
    [
        (hook("h"), ("ran",)),
        (hook("h", "allow"), ("allowed",)),
        (hook("h", "deny"), ("denied",)),
        (hook("h", "ask"), ("asked for approval",)),
        (hook("h", updated_input={"command": "ls"}), ("changed the input",)),
        (hook("h", gave=["context", "output"]), ("added context", "changed the output")),
        (hook("h", "deny", outcome="timeout"), ("timed out", "denied")),
        (hook("h", "allow", outcome="error", passed_open=True), ("failed and was ignored",)),
        (hook("h", "deny", shadow=True), ("shadow: denied",)),
        ({**hook("h"), "vote": 7, "outcome": None, "gave": "text"}, ("ran",)),
    ],
)
def test_a_hook_is_told_by_what_it_did(row: dict[str, Any], did: tuple[str, ...]) -> None:
    """By its vote, by what it changed, and by how it failed; one that did nothing of it ran."""
    assert fired_of([row]) == (Fired(hook="h", did=did),)


def test_a_hook_that_ran_again_is_one_hook() -> None:
    """With everything it did, in the order it did it, and the evidence it captured."""
    trace = [hook("a"), hook("b", gave=["context"]), hook("b", "ask", rejudged=True), hook("c")]
    found = fired_of(trace, [("c", 7, "op_7"), ("c", 8, "op_8")])

    assert [(one.hook, one.did) for one in found] == [
        ("a", ("ran",)),
        ("b", ("added context", "asked for approval")),
        ("c", ()),
    ]
    assert found[2].evidence == (Captured(seq=7, path="/ledger/op_7"), Captured(seq=8, path="/ledger/op_8"))


def test_what_is_no_trace_tells_of_no_hook() -> None:
    """Of another version, or written by hand."""
    assert fired_of("none") == fired_of([7]) == ()


@pytest.mark.parametrize(
    ("decision", "approval", "reason", "word"),
    [
        (
            "deny",
            "ap_1",
            "x. To allow it, ask the user to run `interlock approve ap_1`, then try again.",
            "needs approval",
        ),
        (
            "deny",
            "ap_1",
            "approval ap_1 requested; retry the same call once it is approved",
            "needs approval",
        ),
        ("deny", "ap_1", "human:ada denied this (ap_1). Do something else.", "deny"),
        ("deny", None, "no", "deny"),
        ("allow", "ap_1", "approved by human:ada (ap_1)", "allow"),
        (None, None, None, ""),
    ],
)
def test_only_a_call_that_can_still_be_approved_needs_approval(
    decision: str | None, approval: str | None, reason: str | None, word: str
) -> None:
    """A person's no is a denial like any other."""
    assert decision_word(decision, {"approval": approval, "reason": reason}) == word
