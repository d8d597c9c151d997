"""`interlock packs`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.typed import Interlock, policy

from interlock.policy.packs import find_pack


def test_the_packs_are_listed_with_what_they_are_for(interlock: Interlock) -> None:
    """A person finds the names that `settings.packs` takes."""
    rows = {row["pack"]: row for row in interlock("packs", "list", "--json").document["packs"]}

    assert rows["baseline"]["rules"] == len(find_pack("baseline").rules)
    assert "baseline" in interlock("packs", "list").out


def test_a_pack_is_shown_rule_by_rule(interlock: Interlock) -> None:
    """Each rule with what it says and why; one rule as it is written."""
    shown = interlock("packs", "show", "baseline")
    document = interlock("packs", "show", "baseline", "--json").document
    rule = interlock("packs", "show", "baseline", "cleaning")

    assert shown.out.splitlines()[0].split() == ["RULE", "SAYS", "REASON"]
    assert [row["rule"] for row in document["rules"]] == list(find_pack("baseline").rules)
    assert rule.out.startswith("- name: cleaning\n")


def test_the_examples_of_a_pack_can_be_tried(interlock: Interlock) -> None:
    """What is shipped holds on this machine too."""
    checked = interlock("packs", "show", "baseline", "--check")

    assert (checked.code, checked.err) == (0, "")
    assert checked.last.endswith("examples pass")
    assert interlock("packs", "show", "baseline", "--check", "--json").document["errors"] == []


def test_a_wrong_name_is_met_with_the_nearest(interlock: Interlock) -> None:
    """Of packs and of rules."""
    pack = interlock("packs", "show", "baselin")
    rule = interlock("packs", "show", "baseline", "cleanin")

    assert (pack.code, rule.code) == (2, 2)
    assert "did you mean `baseline`?" in pack.err
    assert "did you mean `cleaning`?" in rule.err


def test_rules_of_packs_are_in_the_pipeline_and_in_traces(interlock: Interlock, work: Path) -> None:
    """`hooks list` says where each is written; those that did not match are named on request."""
    own = policy(work, 'version: "2.0"\nsettings: {packs: [baseline]}\n')
    rows = interlock("hooks", "list", "--config", own, "--json").document["hooks"]
    tried = interlock("hooks", "simulate", "--config", own, "--tool", "Bash", "--args", "rm -rf /srv/x")

    assert [row["hook"] for row in rows if row["hook"].startswith("baseline/")] == [
        f"baseline/{rule}" for rule, entry in find_pack("baseline").rules.items() if entry.enabled
    ]
    assert any(row["source"].startswith("pack:baseline:") for row in rows)
    assert tried.first.startswith("decision: deny")
    assert "baseline/cleaning" in tried.out
    words = ("hooks", "simulate", "--config", own, "--tool", "Bash", "--args", "git status")
    assert "baseline/force-push" not in interlock(*words).out
    assert "baseline/force-push" in interlock(*words, "-v").last
