"""Laws of the page Policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.daemon.home import Home
from tests.web.pages.calls import before, hook
from tests.web.pages.conftest import Record
from tests.web.pages.dashboard import Dashboard, words

POLICY = """\
version: "1.0"
hooks:
  pre_tool_use:
    - name: no-push
      type: deny
      matcher: "Bash(git push *)"
      config: {reason: "push from your own machine"}
    - name: no-wipe
      type: deny
      matcher: "Bash(rm -rf *)"
      config: {reason: "nothing is wiped here"}
    - name: outside
      type: command
      matcher: "Bash(make *)"
      config: {command: "touch MARK"}
"""


@pytest.fixture(autouse=True)
def policy(place: Home) -> None:
    """A policy with two rules and a program."""
    place.write_policy(POLICY.replace("MARK", str(place.folder / "ran")))


def rules(page: str) -> list[str]:
    """The rules a page lists, in its order."""
    table = page.partition("in the order they run</h2>")[2]
    return [name for name in re.findall(r"<b>([\w-]+)</b>", table) if "/" not in name]


def tried(seen: Dashboard, text: str, **form: str) -> str:
    answer = seen.post("/policy/try", {"tool": "Bash", "text": text, **form}, on="/policy")
    assert answer.status_code == 200, answer.text
    return answer.text.partition('id="outlook"')[2].partition("</section>")[0]


def test_the_pipeline_stands_in_the_order_it_runs(seen: Dashboard, place: Home) -> None:
    """Each rule with its layer, moment, matcher, file and line."""
    page = seen.get("/policy").text
    found = rules(page)

    assert [name for name in found if name in {"no-push", "no-wipe", "outside"}] == [
        "no-push",
        "no-wipe",
        "outside",
    ]
    assert f"user PreToolUse Bash(git push *) 0 0 - {place.policy}:4" in words(page)


def test_rules_that_never_matched_and_slow_ones_are_told_apart(
    seen: Dashboard, record: Record, place: Home
) -> None:
    """By what was recorded of late, also when a line was added above the rule since."""
    source = f"{place.policy}:1"
    trace = [hook("no-push", "deny", source=source, duration_ms=0.1)]
    record(**before("git push", "deny", decided_by="no-push"), trace=trace)
    record(**before("make"), trace=[hook("outside", source=source, duration_ms=900.0)])

    assert {"no-push", "outside"} <= set(rules(seen.get("/policy", show="matched").text))
    assert "no-wipe" not in rules(seen.get("/policy", show="matched").text)
    assert "no-wipe" in rules(seen.get("/policy", show="never").text)
    assert rules(seen.get("/policy", show="slow").text) == ["outside"]
    assert re.search(r"Bash\(git push \*\) 1 1 0\.\d+ ms", seen.seen("/policy", show="matched"))


def test_a_command_is_read_as_a_tree(seen: Dashboard) -> None:
    """What is found inside another command stands below it, with what it was looked through."""
    page = tried(seen, "cd /srv && sudo bash -c 'git push origin main' > out.log")
    shown = words(page)

    assert re.search(r"<li><code>sudo .*?<ul>\s*<li><code>bash .*?<ul>\s*<li><code>git push", page, re.DOTALL)
    assert "Decision deny push from your own machine · no-push" in shown
    assert "git push origin main via sudo → bash" in shown
    assert "redirects to /srv/out.log" in shown
    assert "write /srv/out.log" in shown


def test_what_cannot_be_read_has_its_place(seen: Dashboard) -> None:
    """Line and column, as on the command line."""
    shown = words(tried(seen, "curl x | sh"))

    assert "1:10 network" in shown
    assert "Not understood" in shown


def test_trying_runs_nothing(seen: Dashboard, place: Home, tmp_path: Path) -> None:
    """Neither the command nor a hook that would start a program; that hook is named."""
    shown = words(tried(seen, f"make all; touch {tmp_path}/ran"))

    assert "Runs only on a real call: outside." in shown
    assert not (place.folder / "ran").exists()
    assert not (tmp_path / "ran").exists()
    assert seen.get("/policy/try").status_code == 405


def test_another_tool_is_tried_by_its_main_field(seen: Dashboard) -> None:
    """A path for Read, and nobody objects."""
    shown = words(tried(seen, "src/app.py", tool="Read"))

    assert "Decision allow No rule stops this." in shown
    assert "read src/app.py" in shown


def test_what_cannot_be_tried_is_explained(seen: Dashboard) -> None:
    """Nothing, and more than a page should read."""
    assert "there is no command to try" in tried(seen, " ")
    assert "too many to try here" in tried(seen, "x" * 3_000)


def test_a_broken_policy_says_which_file(seen: Dashboard, place: Home) -> None:
    """The page stands, with the sentence of the loader and what holds meanwhile."""
    place.write_policy('version: "1.0"\nhoks: {}\n')
    shown = seen.seen("/policy")

    assert "hoks" in shown
    assert "every call is denied" in shown
    assert "the policy does not load" in words(tried(seen, "ls"))


def test_what_was_typed_stands_in_the_box_again(seen: Dashboard) -> None:
    """Byte by byte but for the markup it would be, so that it can be changed and tried again."""
    text = "\necho '</textarea><script>alert(1)</script>' \\\n  \u202e"
    answer = seen.post("/policy/try", {"tool": "Bash", "text": text}, on="/policy").text
    box = re.search(r"<textarea[^>]*>(.*?)</textarea>", answer, re.DOTALL)

    assert box is not None
    assert "<script>alert" not in answer
    assert box[1].startswith("\n\necho &#39;&lt;/textarea&gt;")
