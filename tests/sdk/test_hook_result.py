"""The three results of a registry's hooks."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.sdk.results import CONTINUE, Continue, HookResult, ModifyInput, Reject

FORMS = [
    (Continue(), "Continue", False, False),
    (Reject("why"), {"Reject": {"reason": "why"}}, True, False),
    (ModifyInput({"command": "ls"}), {"ModifyInput": {"new_input": {"command": "ls"}}}, False, True),
    (ModifyInput("text"), {"ModifyInput": {"new_input": "text"}}, False, True),
]


@pytest.mark.req("C43", "C44", "C45")
@pytest.mark.parametrize(("result", "form", "rejects", "modifies"), FORMS)
def test_each_result_has_its_form_and_says_what_it_is(
    result: HookResult, form: Any, rejects: bool, modifies: bool
) -> None:
    """A bare word or an object with one key, and two predicates."""
    assert result.to_json() == form
    assert HookResult.from_json(form) == result
    assert (result.is_reject, result.is_modify) == (rejects, modifies)


@pytest.mark.req("C45")
@pytest.mark.parametrize(
    "value",
    [
        None,
        "continue",
        {},
        {"Reject": {}},
        {"Reject": {"reason": 3}},
        {"ModifyInput": {}},
        {"Reject": {"reason": "a"}, "ModifyInput": {"new_input": 1}},
    ],
)
def test_anything_else_is_no_result(value: Any) -> None:
    """Half a result, two results and other words are refused with what to write."""
    with pytest.raises(ValueError, match="is not a hook result; write"):
        HookResult.from_json(value)


@pytest.mark.req("C43")
def test_there_are_three_results() -> None:
    """Continue, Reject and ModifyInput; the base is none of them."""
    assert HookResult.__subclasses__() == [Continue, Reject, ModifyInput]
    assert Continue() == CONTINUE
    with pytest.raises(NotImplementedError):
        HookResult().to_json()
