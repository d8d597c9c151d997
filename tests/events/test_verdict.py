"""Votes and what comes with them."""

from __future__ import annotations

import msgspec
import pytest

from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote, allow, ask, deny


@pytest.mark.req("C1", "M3")
def test_the_strictest_vote_is_the_greatest() -> None:
    """Combining votes is taking the maximum."""
    assert [str(vote) for vote in sorted(Vote)] == ["abstain", "allow", "ask", "deny"]
    assert max(Vote.ALLOW, Vote.DENY, Vote.ASK) is Vote.DENY


@pytest.mark.req("M9")
def test_each_word_of_a_hook_has_its_vote() -> None:
    """allow, ask and deny carry the reason they were given."""
    assert (deny("no").vote, deny("no").reason) == (Vote.DENY, "no")
    assert (ask("who?").vote, ask("who?").reason) == (Vote.ASK, "who?")
    assert (allow().vote, allow("ok").reason) == (Vote.ALLOW, "ok")
    evidence = Evidence(kind="file_change", data={"path": "a"})
    assert Verdict(evidence=evidence, updated_input={}).vote is Vote.ABSTAIN


def test_no_opinion_changes_nothing() -> None:
    """An empty verdict votes, says and changes nothing; a null output would be a change."""
    assert Verdict() == NO_OPINION
    assert NO_OPINION.updated_output is msgspec.UNSET
    assert Verdict(updated_output=None) != NO_OPINION
