"""From a real agent's call to the page that shows which hooks fired."""

from __future__ import annotations

import re

import pytest
from tests.cli.typed import typed_for_real
from tests.daemon.home import Home, bash, decided
from tests.web.pages.dashboard import dashboard, words

POLICY = """\
version: "1.0"
hooks:
  pre_tool_use:
    - {name: no-push, type: deny, matcher: "Bash(git push *)", config: {reason: "a person pushes"}}
    - {name: dry, type: modify, matcher: "Bash(make *)", config: {set: {command: "make --dry-run"}}}
"""


@pytest.mark.req("M45", "M85")
def test_what_the_agent_was_told_stands_on_the_page_with_the_hook_that_fired(place: Home) -> None:
    """The policy is validated and enforced, the agent gets the reason, a person follows it to the proof."""
    place.write_policy(POLICY.replace("deny, ", "denies, "))
    refused = typed_for_real("genesis", "validate", str(place.policy))
    place.write_policy(POLICY)
    valid = typed_for_real("genesis", "validate", str(place.policy))
    place.write_launch()
    place.start()
    vote, reason = decided(place.call(bash("git push origin main", tool_use_id="t-1", session_id="s-9")))
    place.call(bash("make all", tool_use_id="t-2", session_id="s-9"))
    with dashboard(place.places) as seen:
        session = seen.get("/session", id="s-9").text
        trace, changed = (seen.get(path).text for path in re.findall(r'href="(/calls/\d+)"', session))
        proof = seen.seen("/ledger/" + re.findall(r'href="/ledger/(\d+)"', trace)[0])
        fired = seen.seen("/hooks")

    assert (refused.code, "denies" in refused.out) == (1, True)
    assert (valid.code, valid.out) == (0, "valid: 2 hooks, 0 actors\n")
    assert (vote, reason) == ("deny", "Tool denied: a person pushes")
    assert "no-push deny Bash(git push *) deny" in words(trace)
    assert f"a person pushes {place.policy}:4" in words(trace)
    assert '<span class="removed">command: make <mark>all</mark></span>' in changed
    assert '<span class="added">command: make <mark>--dry-run</mark></span>' in changed
    assert "Proof holds" in proof
    assert "no-push Bash(git push *) 1" in fired
