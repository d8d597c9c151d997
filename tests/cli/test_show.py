"""Laws of `interlock show`."""

from __future__ import annotations

from contextlib import closing

import pytest
from tests.cli.typed import Interlock

from interlock.cli import show as show_module
from interlock.cli.policy_source import here
from interlock.feature import Feature, features
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

SESSION = "7c1e0000-aaaa-bbbb-cccc-000000000001"
RULE = {
    "hook": "no-rm",
    "source": "/etc/x.key:4",
    "type": "deny",
    "matcher": "Bash(rm *)",
    "outcome": "blocking",
}
OTHER = {
    "hook": "pre_tool_use[0]:genesis_enforcement",
    "source": "/etc/x.key:1",
    "vote": "allow",
    "reason": "Fine.",
}
BODY = {
    "decision": "deny",
    "event": "PreToolUse",
    "tool": "Bash",
    "tool_input": {"command": "rm -rf build"},
    "tool_use_id": "t1",
    "session_id": SESSION,
    "reason": "This deletes build.",
    "decided_by": "no-rm",
    "skipped": ["no-push"],
    "trace": [OTHER, {**RULE, "vote": "deny", "reason": "This deletes build."}],
}


@pytest.fixture
def filled(home: object) -> None:
    """A denied call with what a hook kept of it, and a note."""
    with closing(open_database(here().database)) as connection:
        writer = LedgerWriter(connection)
        writer.append("decision", "agent:executor", "/w", BODY)
        writer.append("evidence", "agent:executor", "/w", {**BODY, "hook": "no-rm", "kind": "diff"})
        writer.append("note", "agent:executor", "/w", {"text": "hello"})
        writer.flush()


@pytest.mark.usefixtures("filled")
def test_a_decision_says_the_reason_first_and_the_hashes_last(interlock: Interlock) -> None:
    """Between them the call, the rules that matched with each reason once, and the evidence."""
    done = interlock("show", "1")
    lines = done.out.splitlines()

    assert (done.code, lines[0]) == (0, "Denied: This deletes build.")
    assert "Call        Bash: rm -rf build" in lines
    assert "Rules       allow   permissions  /etc/x.key:1" in lines
    assert "            deny    no-rm  /etc/x.key:4" in lines
    assert "Evidence    entry 2, by no-rm" in lines
    assert done.out.count("This deletes build.") == 1
    assert "no-push" not in done.out
    assert [line.split()[0] for line in lines[-7:-3]] == ["entry", "id", "hash", "previous"]


@pytest.mark.usefixtures("filled")
def test_verbose_adds_what_did_not_match_and_the_record(interlock: Interlock) -> None:
    """For whoever writes rules."""
    done = interlock("show", "#1", "-v")

    assert "No match    no-push" in done.out
    assert '"decided_by": "no-rm"' in done.out


@pytest.mark.usefixtures("filled")
def test_every_entry_is_found_by_number_and_by_id(interlock: Interlock) -> None:
    """Also one that is not a decision."""
    document = interlock("show", "3", "--json").document

    assert interlock("show", document["id"]).out == interlock("show", "3").out
    assert '"text": "hello"' in interlock("show", "3").out
    assert document["body"] == {"text": "hello"}


@pytest.mark.usefixtures("filled")
def test_a_session_is_found_by_the_beginning_of_its_id(interlock: Interlock) -> None:
    """Its decisions, newest first."""
    done = interlock("show", SESSION[:6])

    assert SESSION in done.out.splitlines()[0]
    assert done.out.splitlines()[1].startswith("1\t")


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("ap_7", "approvals"),
        ("gr_3", "approvals"),
        ("cmt_1a2b3c4d", "commitments"),
        ("mem_1a2b", "commitments"),
        ("e12", "work"),
        ("tc_0f3a", "receipts"),
    ],
)
def test_every_kind_of_id_goes_to_the_feature_it_is_of(
    interlock: Interlock, monkeypatch: pytest.MonkeyPatch, name: str, feature: str
) -> None:
    """The same text as `interlock approvals show` and its like."""
    asked: list[tuple[str, str]] = []

    def load(self: Feature, address: str) -> object:
        assert callable(real(self, address))

        def shown(given: str, *, as_json: bool) -> int:
            asked.append((self.name, given))
            return int(as_json)

        return shown

    real = Feature.load
    own = {one.name: one for one in features()}
    monkeypatch.setattr(show_module, "features", lambda: tuple(own.values()))
    monkeypatch.setattr(Feature, "load", load)

    assert interlock("show", name).code == 0
    assert asked == [(feature, name)]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("name", ["99", "nothing-like-it", "x"])
def test_an_id_of_nothing_is_one_sentence(interlock: Interlock, name: str) -> None:
    """With what to do next."""
    done = interlock("show", name)

    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
