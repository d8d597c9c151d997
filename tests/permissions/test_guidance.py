"""Advice that goes with a denial."""

from __future__ import annotations

import pytest
from tests.builders import entry, patterns

from interlock.permissions.judge import guidance_for


@pytest.mark.req("M41")
@pytest.mark.parametrize(
    ("actor", "tool", "advice"),
    [
        ("agent:architect", "Write", "Architects cannot write files. Create a commitment for an Executor."),
        ("agent:architect", "Edit", "Architects cannot write files. Create a commitment for an Executor."),
        ("agent:architect", "Bash", "Architects cannot run commands. Create a commitment for an Executor."),
        ("agent:architect", "Read", None),
        ("agent:executor", "Write", None),
        ("architect", "Write", None),
    ],
)
def test_roles_have_advice_of_their_own(actor: str, tool: str, advice: str | None) -> None:
    """The author types everybody shares are told what their duty is."""
    assert guidance_for(entry(actor), None, tool) == advice


def test_the_entry_knows_better_than_the_role() -> None:
    """Pattern, then entry, then role."""
    (pattern,) = patterns("Write(*)")
    written = entry("agent:architect", guidance={"Write(*)": "by pattern", "*": "by entry"})

    assert guidance_for(written, pattern, "Write") == "by pattern"
    assert guidance_for(written, None, "Write") == "by entry"
