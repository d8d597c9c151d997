"""From a real agent's call to the page that shows which hooks fired."""

from __future__ import annotations

import re

import pytest
from tests.cli.typed import typed_for_real
from tests.daemon.home import Home, bash, decided, event, wait_for
from tests.web.pages.dashboard import dashboard, words

pytestmark = pytest.mark.deep

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


BUSY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: dry, type: modify, matcher: "Bash(make *)", config: {set: {command: "make --dry-run"}}}
    - {name: watch, type: command, matcher: "Bash(make *)", config: {command: "exit 0"}}
    - {name: pushes, type: ask, matcher: "Bash(git push *)", config: {reason: "a person looks first"}}
  post_tool_use:
    - {name: proof, type: evidence_capture, matcher: "Bash", config: {kind: command_execution}}
  user_prompt_submit:
    - name: rules
      type: command
      config: {command: "echo '{\\"decision\\": \\"allow\\", \\"context\\": \\"Test first.\\"}'"}
"""


@pytest.fixture
def busy(place: Home) -> Home:
    """A home in which a prompt was sent, a call was changed and ran, and one waits for a person."""
    place.write_policy(BUSY)
    place.write_launch()
    place.start()
    place.shim(event("UserPromptSubmit", session_id="s-9", prompt="build it"))
    place.shim(bash("make all", tool_use_id="t-1", session_id="s-9"))
    ran = {"tool_name": "Bash", "tool_input": {"command": "make --dry-run"}, "tool_use_id": "t-1"}
    place.shim(event("PostToolUse", session_id="s-9", tool_response={"stdout": "ok"}, **ran))
    place.shim(bash("git push", tool_use_id="t-2", session_id="s-9", permission_mode="dontAsk"))
    wait_for(lambda: len(place.entries("decision")) == 4, "all events are recorded")
    return place


@pytest.mark.req("M45")
@pytest.mark.parametrize(("path", "query"), [("/live", {}), ("/session", {"id": "s-9"})])
def test_every_row_names_the_hooks_that_fired_and_what_each_did(
    busy: Home, path: str, query: dict[str, str]
) -> None:
    """Those of one call together, through the real shim; the evidence is a link to its entry."""
    (proof,) = busy.entries("evidence")
    with dashboard(busy.places) as seen:
        page = seen.get(path, **query).text
        evidence = re.findall(rf'<a href="(/ledger/[^"]+)">#{proof.seq}</a>', page)
        found = [
            seen.get(one).status_code for one in {*evidence, *re.findall(r'href="(/calls/[^"]+)"', page)}
        ]
    shown = words(page)

    assert "rules allowed, added context" in shown
    assert f"dry changed the input watch ran proof captured evidence #{proof.seq} at PostToolUse" in shown
    assert "pushes asked for approval" in shown
    assert shown.count("make all") == 1
    assert len(evidence) == 1
    assert (len(found) >= 4, set(found)) == (True, {200})


@pytest.mark.req("M45")
def test_a_call_that_waits_is_called_the_same_on_every_page(busy: Home) -> None:
    """And counted as asked about, not as denied."""
    call = busy.entries("decision")[-1].seq
    with dashboard(busy.places) as seen:
        pages = ("/live", "/session?id=s-9", f"/calls/{call}", "/ledger", "/approvals")
        badges = [
            re.findall(r'<span class="vote ([^"]*)">([^<]*)</span>', seen.get(one).text) for one in pages
        ]
        counted = seen.seen("/sessions")

    for page, found in zip(pages, badges, strict=True):
        assert ("needs-approval", "needs approval") in found, page
        assert ("deny", "deny") not in found, page
    assert re.search(r"agent:main 2 1 0 \d+$", counted)


def test_the_page_of_a_call_links_its_evidence(busy: Home) -> None:
    """Beside the hook that captured it."""
    (proof,) = busy.entries("evidence")
    made = next(one.seq for one in busy.entries("decision") if one.body.get("updated_input"))
    with dashboard(busy.places) as seen:
        page = seen.get(f"/calls/{made}").text

    assert f'<a class="vote" href="/ledger/{proof.id}">evidence #{proof.seq}</a>' in page
    assert "changed the input" in words(page)
