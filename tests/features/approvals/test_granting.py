"""Laws of grants, through the whole daemon: what they answer, and what they never do."""

from __future__ import annotations

import pytest
from tests.daemon.approvers import ME, answer, ask, yes
from tests.daemon.home import Home, bash, decided

from interlock.daemon.client import request

pytestmark = pytest.mark.deep


@pytest.mark.req("Z12")
def test_a_deny_stands_over_every_grant(asking: Home) -> None:
    """A grant answers an ask; what the policy denies is denied."""
    ask(asking, "t1", "git push origin")
    week = "2999-01-01T00:00:00.000Z"
    (done,) = yes(asking, "ap_1", grant={"pattern": "Bash(git push *)", "until": week})

    assert done["grant"] == "gr_1"
    assert ask(asking, "t2", "git push other") == (None, "")
    assert ask(asking, "t3", "git push x --mirror")[0] == "deny"
    assert [entry.body["state"] for entry in asking.entries("grant")] == ["granted", "used"]
    assert asking.entries("decision")[-2].body["reason"] == f"granted by {ME} (gr_1)"


def test_grants_are_listed_and_taken_back(asking: Home) -> None:
    """After that the same call is asked about again; taken back twice, it says by whom."""
    ask(asking, "t1")
    yes(asking, "ap_1", grant={})
    ask(asking, "t2")
    held = ask(asking, "t3")
    listed = request(asking.places.socket, "grants.list", {})["grants"]
    (first,) = answer(asking, "grants.revoke", "gr_1")
    (second,) = answer(asking, "grants.revoke", "gr_1")

    assert held == (None, "")
    assert [(row["id"], row["kind"], row["session_id"]) for row in listed] == [("gr_1", "call", "s")]
    assert first["state"] == "revoked"
    assert f"already revoked by {ME}" in second["error"]
    assert ask(asking, "t4")[0] == "deny"
    assert request(asking.places.socket, "grants.list", {})["grants"] == []


def test_a_grant_also_answers_where_somebody_could_be_asked(asking: Home) -> None:
    """Whoever sits at the host is not asked about what is granted already; about all else they are."""
    ask(asking, "t1", "git push origin")
    week = "2999-01-01T00:00:00.000Z"
    yes(asking, "ap_1", grant={"pattern": "Bash(git push o*)", "until": week})
    found = []
    for number, command in enumerate(("git push other", "git push x")):
        payload = bash(command, tool_use_id=f"u{number}", permission_mode="default")
        found.append(decided(asking.call(payload, CLAUDE_CODE_ENTRYPOINT="cli"))[0])

    assert found == [None, "ask"]
