"""Laws of validators in a real daemon: what must pass runs before a commitment is handed in or closed."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import ME, Home, wait_for

from interlock.daemon.client import DaemonError, request

pytestmark = pytest.mark.deep

POLICY = """\
version: "2.0"
validation:
  tiers:
    tier_1: {validators: [technical]}
    tier_2: {validators: [technical, safety]}
    tier_3: {require_human: true, validators: [technical, safety, intent]}
  classification:
    - {match: {tags: [easy]}, tier: tier_1}
    - {match: {tags: [hard]}, tier: tier_3}
  validators:
    technical: {command: "COMMAND", timeout: 60}
"""
SECRET = "AKIA" + "Q3EGRIPTVXWZ7A2B"  # the shape of a key, and nobody's


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit."""
    folder = tmp_path / "repo"
    folder.mkdir()
    own = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)
    return folder


def ask(home: Home, project: Path, op: str, **payload: Any) -> dict[str, Any]:
    """One operation of a person."""
    params = {"cwd": str(project), "actor": ME, "payload": payload}
    found: dict[str, Any] = request(home.places.socket, f"commitments.{op}", params, seconds=60)
    return found


def refused(home: Home, project: Path, op: str, **payload: Any) -> dict[str, Any]:
    """What a refusal tells."""
    with pytest.raises(DaemonError) as caught:
        ask(home, project, op, **payload)
    assert caught.value.data is not None
    return caught.value.data


def claimed(home: Home, project: Path, *tags: str) -> str:
    """A commitment at work."""
    memory = ask(home, project, "capture", body="seen")["id"]
    name = str(ask(home, project, "commit", body="fix", source=memory, tags=list(tags))["id"])
    ask(home, project, "claim", commitment=name)
    return name


def results(home: Home) -> list[tuple[str, bool, str]]:
    """The memories of what came of validators: which, whether it passed, by whom."""
    found = [entry for entry in home.entries("capture") if entry.body.get("kind") == "validator_result"]
    return [(one.body["meta"]["validator"], one.body["meta"]["passed"], one.actor) for one in found]


def with_command(home: Home, command: str, more: str = "") -> None:
    home.write_policy(POLICY.replace("COMMAND", command) + more)
    home.start()


@pytest.mark.req("M66")
def test_what_passes_is_handed_in_with_the_results_as_evidence(place: Home, project: Path) -> None:
    """Run in the project, recorded by Interlock itself, and then the tier closes as before."""
    with_command(place, "test -d .git && test -n $HOOK_COMMITMENT_ID")
    name = claimed(place, project, "easy")
    done = ask(place, project, "submit", commitment=name, summary="done")

    assert done["commitment"]["state"] == "closed"
    assert [one["passed"] for one in done["validators"]] == [True]
    assert results(place) == [("technical", True, "system")]
    assert len(place.entries("submit")[0].body["evidence"]) == 2


@pytest.mark.req("M66")
def test_what_does_not_pass_is_not_handed_in_and_its_result_is_kept(place: Home, project: Path) -> None:
    """The refusal tells what is wrong; the commitment stays claimed; mended, it is handed in."""
    with_command(place, "echo three tests fail; test -e mended")
    name = claimed(place, project, "easy")
    told = refused(place, project, "submit", commitment=name, summary="done")

    assert (told["error"], told["constraint"]) == ("E_CONSTRAINT_VIOLATED", "validators")
    assert "three tests fail" in told["message"]
    assert results(place) == [("technical", False, "system")]
    assert place.entries("submit") == []
    (project / "mended").touch()
    assert ask(place, project, "submit", commitment=name, summary="x")["commitment"]["state"] == "closed"


@pytest.mark.req("M66")
def test_closing_without_a_review_runs_them_too(place: Home, project: Path) -> None:
    """Else `close` would be the way around; a duplicate is closed without looking at work."""
    with_command(place, "false")
    name, other = claimed(place, project, "easy"), claimed(place, project, "easy")
    evidence = ask(place, project, "capture", body="it works")["id"]

    assert refused(place, project, "close", commitment=name, evidence=evidence)["constraint"] == "validators"
    closed = ask(place, project, "close", commitment=name, duplicate_of=other)
    assert closed["commitment"]["state"] == "duplicate"


@pytest.mark.req("M66")
def test_safety_looks_for_secrets_and_for_files_out_of_scope(place: Home, project: Path) -> None:
    """From tier 2 on, in what was changed; the secret itself is never told."""
    with_command(place, "true", '    safety: {scope: ["src/**"]}\n')
    name = claimed(place, project, "plain")
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text(f'KEY = "{SECRET}"\n')
    (project / "b.py").touch()
    told = refused(place, project, "submit", commitment=name, summary="done")["message"]

    assert "`src/a.py` adds what looks like a secret" in told
    assert "`b.py` was changed and is out of scope" in told
    assert SECRET not in told
    (project / "b.py").unlink()
    (project / "src" / "a.py").write_text("KEY = None\n")
    assert ask(place, project, "submit", commitment=name, summary="x")["commitment"]["state"] == "closed"


@pytest.mark.req("M66")
def test_where_git_gives_no_answer_safety_has_not_passed(place: Home, tmp_path: Path) -> None:
    """What could not be looked at is not called harmless."""
    (tmp_path / "bare" / ".interlock").mkdir(parents=True)
    with_command(place, "true")
    name = claimed(place, tmp_path / "bare", "plain")
    told = refused(place, tmp_path / "bare", "submit", commitment=name, summary="done")

    assert "git cannot list" in told["message"]


@pytest.mark.req("M66")
def test_intent_is_a_persons_to_judge_unless_a_word_is_written(place: Home, project: Path) -> None:
    """Tier 3 waits for a person after the others have passed; a word must stand in the summary."""
    with_command(place, "true")
    name = claimed(place, project, "hard")
    assert ask(place, project, "submit", commitment=name, summary="x")["commitment"]["state"] == "in_review"

    place.write_policy(POLICY.replace("COMMAND", "true") + "    intent: {phrase: LOOP_COMPLETE}\n")
    other = claimed(place, project, "hard")
    told = refused(place, project, "submit", commitment=other, summary="done")
    assert "LOOP_COMPLETE" in told["message"]
    assert ask(place, project, "submit", commitment=other, summary="LOOP_COMPLETE")["validators"][2]["passed"]


@pytest.mark.req("M66")
def test_a_stricter_tier_that_is_asked_for_brings_its_validators(place: Home, project: Path) -> None:
    """Asking for review does not skip what the review rests on."""
    with_command(place, "true")
    name = claimed(place, project, "easy")
    done = ask(place, project, "submit", commitment=name, summary="done", tier="tier_2")

    assert [one["validator"] for one in done["validators"]] == ["technical", "safety"]


@pytest.mark.req("M66")
def test_what_takes_too_long_has_not_passed(place: Home, project: Path) -> None:
    """Its whole process group ends with its time, and others are served meanwhile."""
    place.write_policy(
        POLICY.replace("COMMAND", "touch begun; sleep 60").replace("timeout: 60", "timeout: 2")
    )
    place.start()
    name = claimed(place, project, "easy")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(refused, place, project, "submit", commitment=name, summary="done")
        wait_for((project / "begun").exists, "the validator runs")
        busy = refused(place, project, "submit", commitment=name, summary="done")
        told = waiting.result()

    assert busy["error"] == "E_WORKSPACE_LOCKED"
    assert "did not finish within 2 s" in told["message"]


def test_nothing_runs_for_an_operation_that_is_refused_anyway(place: Home, project: Path) -> None:
    """Whoever may not hand it in cannot have a command run."""
    with_command(place, "touch ran")
    memory = ask(place, project, "capture", body="seen")["id"]
    name = ask(place, project, "commit", body="fix", source=memory, tags=["easy"])["id"]

    assert refused(place, project, "submit", commitment=name, summary="done")["error"] == "E_INVALID_OP"
    assert refused(place, project, "submit", commitment="cmt_00000000")["error"] == "E_REF_NOT_FOUND"
    assert not (project / "ran").exists()
    assert results(place) == []


def test_without_a_command_a_repositorys_own_words_count_only_where_it_is_trusted(
    place: Home, project: Path
) -> None:
    """A Makefile is not a policy."""
    (project / "Makefile").write_text("build:\n\ttouch built\n")
    place.write_policy(POLICY.replace('{command: "COMMAND", timeout: 60}', "{}"))
    place.start()
    name = claimed(place, project, "easy")
    told = refused(place, project, "submit", commitment=name, summary="done")

    assert "this project has no known command for it" in told["message"]
    assert not (project / "built").exists()


def test_how_long_it_may_take_is_told_before(place: Home, project: Path) -> None:
    """So that whoever asks knows how long to wait, and for what."""
    with_command(place, "true")
    name = claimed(place, project, "plain")
    params: dict[str, Any] = {"cwd": str(project), "actor": ME, "op": "submit"}
    params["payload"] = {"commitment": name, "summary": "done"}
    found = request(place.places.socket, "commitments.validators", params)

    assert [one["validator"] for one in found["validators"]] == ["technical", "safety"]
    assert found["seconds"] == 120.0
