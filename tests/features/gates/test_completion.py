"""The completion contract in a real daemon: a turn is sent back until the contract is met."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, event
from tests.features.commitments.test_commitment_methods import ask

from interlock.policy.trust import FOLDER, TrustList

pytestmark = pytest.mark.deep

HOOK = 'version: "2.0"\nsettings:\n  actors: {main: agent:x}\nhooks:\n  stop:\n    - type: completion\n'
PROJECT = 'version: "2.0"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a policy of its own that says nothing."""
    (tmp_path / ".interlock").mkdir()
    (tmp_path / ".interlock" / "genesis.key").write_text(PROJECT)
    return tmp_path.resolve()


@pytest.fixture
def trusted(served: Home, project: Path) -> Home:
    """A daemon whose user trusts the project and has the hook."""
    served.write_policy(HOOK)
    trust(served, project)
    return served


def trust(home: Home, project: Path) -> None:
    """What `interlock trust` does."""
    TrustList(home.places.state / FOLDER).trust(str(project), {"PATH": "/usr/bin:/bin"})


def contract(project: Path, folder: str = ".claude", **members: Any) -> None:
    """Write the contract of a project."""
    (project / folder).mkdir(exist_ok=True)
    (project / folder / "completion.json").write_text(json.dumps({"version": "2.0", **members}))


def stop(home: Home, project: Path, *, active: bool = False, **fields: Any) -> str:
    """Why a turn is sent back; empty when it may end."""
    reply = home.call(event("Stop", cwd=str(project), stop_hook_active=active, **fields))
    found = json.loads(reply.stdout) if reply.stdout else {}
    assert found.get("decision") in {None, "block"}
    return str(found.get("reason", "")) if found.get("decision") else ""


def prompt(home: Home, project: Path) -> None:
    """A new turn begins."""
    home.call(event("UserPromptSubmit", cwd=str(project), prompt="go"))


@pytest.mark.req("M49")
@pytest.mark.parametrize("folder", [".interlock", ".claude"])
def test_a_turn_is_sent_back_until_the_contract_is_met(trusted: Home, project: Path, folder: str) -> None:
    """Everything that is missing is listed in order; then the turn ends, and that is on record."""
    checks = {"ready": "test -e ready", "off": False}
    contract(project, folder, name="N", required_files=["a.txt", "b.txt"], checks=checks, max_iterations=50)
    prompt(trusted, project)
    first = stop(trusted, project)
    (project / "a.txt").touch()
    (project / "b.txt").touch()
    second = stop(trusted, project, active=True)
    (project / "ready").touch()

    assert f"`N` in {folder}/completion.json, round 1 of 50" in first
    assert "1. missing file: a.txt\n2. missing file: b.txt\n3. check `ready`: runs once" in first
    assert "round 2 of 50):\n1. check `ready` failed (test -e ready, exit code 1)" in second
    assert stop(trusted, project, active=True) == ""
    (row,) = trusted.entries("decision")[-1].body["trace"]
    assert (row["type"], row["vote"]) == ("completion", "allow")


@pytest.mark.req("M49")
def test_rounds_are_counted_per_turn_also_over_a_restart(trusted: Home, project: Path) -> None:
    """After the last round the turn may end; a new prompt begins a new turn."""
    contract(project, required_files=["never"], max_iterations=2)

    assert stop(trusted, project)
    trusted.end()
    trusted.start()
    assert "round 2 of 2" in stop(trusted, project, active=True)
    assert stop(trusted, project, active=True) == ""
    prompt(trusted, project)
    assert "round 1 of 2" in stop(trusted, project)


@pytest.mark.req("M49")
def test_many_rounds_stay_within_the_hosts_cap(trusted: Home, project: Path) -> None:
    """The host would override the ninth block; the eighth is let be, and the record says so."""
    contract(project, required_files=["never"], max_iterations=50)
    sent_back = [bool(stop(trusted, project, active=number > 0)) for number in range(8)]

    assert sent_back == [True] * 7 + [False]
    assert "that is allowed 7 times a turn" in trusted.entries("decision")[-1].body["degraded"][0]


@pytest.mark.req("M80")
def test_without_rounds_it_is_a_nudge(trusted: Home, project: Path) -> None:
    """The second attempt to stop is always let be."""
    contract(project, required_files=["never"])

    assert "round 1 of 1" in stop(trusted, project)
    assert stop(trusted, project, active=True) == ""


def test_a_project_nobody_trusts_runs_nothing(served: Home, project: Path) -> None:
    """Neither its files nor its commands count, the person is told, and trust taken back ends it."""
    served.write_policy(HOOK)
    contract(project, required_files=["never"], checks={"evil": "touch ran"})

    assert stop(served, project) == ""
    trust(served, project)
    contract(project, checks={"evil": "touch ran; false"})
    assert "`evil` failed" in stop(served, project)
    assert (project / "ran").exists()
    (project / "ran").unlink()
    prompt(served, project)
    (project / ".interlock" / "genesis.key").write_text(PROJECT + "# another\n")
    assert stop(served, project) == ""
    assert not (project / "ran").exists()


def test_without_the_line_in_a_policy_nothing_happens(served: Home, project: Path) -> None:
    """A contract alone is a file like any other, also in a trusted project."""
    trust(served, project)
    contract(project, required_files=["never"])

    assert stop(served, project) == ""


def test_a_contract_runs_nothing_its_agent_could_not_run(trusted: Home, project: Path) -> None:
    """Its own commands are judged as the agent's: it may have written them. The policy's are not."""
    deny = "  pre_tool_use:\n    - {type: deny, matcher: 'Bash(touch *)', config: {reason: no touching}}\n"
    trusted.write_policy(HOOK + "      config: {commands: {test: touch by-policy}}\n" + deny)
    contract(project, checks={"own": "touch by-contract", "test": True})

    assert "`own` was not run: the policy would not let you run it (no touching)" in stop(trusted, project)
    assert not (project / "by-contract").exists()
    assert (project / "by-policy").exists()


def test_a_check_has_its_own_time_and_nobody_outlives_it(trusted: Home, project: Path) -> None:
    """The whole process group is killed, and the daemon answers others meanwhile."""
    slow = "sleep 30 & echo $! > pid; wait"
    contract(project, checks={"slow": {"command": slow, "timeout": 0.5}})
    reason = stop(trusted, project)
    pid = (project / "pid").read_text().strip()

    assert "`slow` did not finish within 0.5 s" in reason
    assert not Path("/proc", pid).exists() or "Z" in Path("/proc", pid, "stat").read_text().split()[2]


def test_the_tail_of_a_failing_check_is_shown(trusted: Home, project: Path) -> None:
    """Both outputs, the last lines, no more."""
    contract(project, checks={"loud": "seq 1 1000; echo broken >&2; exit 3"})
    reason = stop(trusted, project)

    assert "exit code 3):" in reason
    assert "| 1000\n   | broken" in reason
    assert "| 500\n" not in reason


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Input data was truncated"),
        ("[]", "Expected `object`"),
        ('{"required_file": []}', "did you mean `required_files`?"),
        ('{"checks": {"x": 3}}', "$.checks"),
        ('{"max_iterations": 0}', "max_iterations"),
        ('{"mentu": {"commitments": {"mode": "dynamical"}}}', "mode"),
        ('{"tier": "T9"}', "tier"),
    ],
)
def test_a_contract_that_cannot_be_read_is_told_once(
    trusted: Home, project: Path, text: str, why: str
) -> None:
    """The agent may fix it; after that a stop is open, as every stop is."""
    (project / ".claude").mkdir()
    (project / ".claude" / "completion.json").write_text(text)
    reason = stop(trusted, project)

    assert ".claude/completion.json` is not a completion contract" in reason
    assert why in reason
    assert stop(trusted, project, active=True) == ""


def test_a_contract_that_leads_outside_is_not_read(trusted: Home, project: Path, tmp_path: Path) -> None:
    """A link may not bring in another project's words."""
    (project / ".claude").mkdir()
    (project / ".claude" / "completion.json").symlink_to("/etc/hostname")
    assert "outside the project" in stop(trusted, project)
    (project / ".claude" / "completion.json").unlink()
    contract(project, required_files=["../../../../../../../etc/hostname", "/etc/hostname"])
    prompt(trusted, project)
    assert stop(trusted, project).count("missing file") == 2
    assert tmp_path.exists()


@pytest.mark.req("M49")
def test_commitments_are_counted_closed_and_shown(trusted: Home, project: Path) -> None:
    """Those of this session, at least so many, ended, with evidence; one in review waits for others."""
    terms = {"mode": "dynamic", "min_count": 1, "require_closed": True, "require_evidence": True}
    contract(project, mentu={"enabled": True, "commitments": terms}, max_iterations=50)

    assert "0 of at least 1 commitments" in stop(trusted, project)
    memory = ask(trusted, project, "capture", body="seen")["id"]
    name = str(ask(trusted, project, "commit", body="fix", source=memory)["id"])
    ask(trusted, project, "claim", "agent:x", commitment=name, session="other")
    assert "0 of at least 1" in stop(trusted, project, active=True)
    ask(trusted, project, "claim", "agent:x", commitment=name, session="s")
    assert f"{name} is claimed; submit or close it" in stop(trusted, project, active=True)
    ask(trusted, project, "submit", "agent:x", commitment=name, summary="done", tier="tier_3")
    assert stop(trusted, project, active=True) == ""


def test_commitments_may_be_named(trusted: Home, project: Path) -> None:
    """A name that is none is said."""
    memory = ask(trusted, project, "capture", body="seen")["id"]
    name = str(ask(trusted, project, "commit", body="fix", source=memory)["id"])
    terms = {"mode": "static", "ids": [name, "cmt_00000000"], "require_closed": True}
    contract(project, mentu={"commitments": terms})
    reason = stop(trusted, project)

    assert "there is no commitment `cmt_00000000`" in reason
    assert f"{name} is open" in reason


def git(project: Path, *words: str) -> None:
    """Work on the repository."""
    base = ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*base, *words], check=True, capture_output=True)


@pytest.mark.req("M80")
def test_safety_is_looked_at_from_tier_2_and_intent_at_tier_3(trusted: Home, project: Path) -> None:
    """Secrets in what was changed, files out of scope, and the word that says it is done."""
    config = "      config: {secrets: true, scope: ['src/*', .claude, .interlock], intent: LOOP_COMPLETE}\n"
    trusted.write_policy(HOOK + config)
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    (project / "src").mkdir()
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    (project / "src" / "a.py").write_text(f"token = '{key}'\n")
    (project / "other.txt").write_text("x\n")

    contract(project, tier="T1", max_iterations=50)
    assert stop(trusted, project) == ""
    contract(project, tier="T2", max_iterations=50)
    second = stop(trusted, project)
    assert "`src/a.py` adds what looks like a secret" in second
    assert key not in second
    assert "`other.txt` was changed and is out of scope" in second
    assert "LOOP_COMPLETE" not in second
    (project / "src" / "a.py").write_text("token = read()\n")
    (project / "other.txt").unlink()
    assert stop(trusted, project, active=True) == ""
    contract(project, tier="T3", max_iterations=50)
    assert "write `LOOP_COMPLETE`" in stop(trusted, project, last_assistant_message="done")
    assert stop(trusted, project, active=True, last_assistant_message="done. LOOP_COMPLETE") == ""


@pytest.mark.req("M80")
@pytest.mark.parametrize(("tag", "state"), [("easy", "closed"), ("risky", "in_review")])
def test_what_is_done_is_handed_in_by_its_tier(trusted: Home, project: Path, tag: str, state: str) -> None:
    """Tier 3 is left for a person, others are closed; what the policy's own contract says needs no file."""
    rules = "  tiers: {rules: [{tags: [risky], tier: tier_3}]}\nhooks:"
    config = "      config: {hand_in: true, contract: {checks: {build: 'true'}}}\n"
    trusted.write_policy((HOOK + config).replace("hooks:", rules))
    memory = ask(trusted, project, "capture", body="seen")["id"]
    name = str(ask(trusted, project, "commit", body="fix", source=memory, tags=[tag])["id"])
    ask(trusted, project, "claim", "agent:x", commitment=name, session="s")

    assert stop(trusted, project) == ""
    (row,) = trusted.entries("decision")[-1].body["trace"]
    assert f"{name} is {state}" in row["reason"]


@pytest.mark.parametrize(
    ("files", "name", "command"),
    [
        ({"package.json": '{"scripts": {"test": "x", "build": "y"}}'}, "test", "npm run test"),
        ({"package.json": '{"scripts": {"build": "y"}}', "pnpm-lock.yaml": ""}, "build", "pnpm run build"),
        ({"tsconfig.json": "{}"}, "tsc", "npx --no-install tsc --noEmit"),
        ({"Cargo.toml": ""}, "build", "cargo build"),
        ({"go.mod": ""}, "test", "go test ./..."),
        ({"pyproject.toml": ""}, "test", "python3 -m pytest -q"),
        ({"Makefile": "build: x\n\tdo\n"}, "build", "make build"),
        ({"package.json": "{", "Makefile": "test:\n"}, "test", "make test"),
        ({}, "test", None),
        ({"package.json": '{"scripts": {"evil": "x"}}'}, "evil", None),
    ],
)
def test_a_word_stands_for_the_projects_own_command(
    tmp_path: Path, files: dict[str, str], name: str, command: str | None
) -> None:
    """By the files that show a toolchain; the first that knows the word."""
    from interlock.features.commitments.run_validators import known_command  # noqa: PLC0415 - what this test is about

    for file, text in files.items():
        (tmp_path / file).write_text(text)

    assert known_command(name, str(tmp_path)) == command
