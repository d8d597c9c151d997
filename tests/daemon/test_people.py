"""Who a person is: whoever the login, a passphrase or the dashboard says, never who they claim to be."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest
from tests.cli.typed import SCRIPT, typed_for_real
from tests.daemon.home import ME, Home, bash, decided, event
from tests.features.commitments.test_commitment_methods import ask, by_agent, commit, refused
from tests.terminal import at_terminal
from tests.web.browser import Browser, field_of

from interlock.daemon.client import DaemonError, request
from interlock.files.passphrase import hash_passphrase, passphrase_file

pytestmark = pytest.mark.deep

LOGIN = f"unix:{pwd.getpwuid(os.getuid()).pw_name}"
RASHID, ADA = "human:rashid", "human:ada"


def policy(people: str, approvers: str = f"[{RASHID}]") -> str:
    """A policy that asks one of these people before a push, and at the end of a turn."""
    return (
        'version: "2.0"\n'
        f"settings:\n  people: {people}\n  actors: {{main: agent:executor}}\n"
        "  tiers: {default: tier_3}\n"
        "hooks:\n"
        "  pre_tool_use:\n"
        f'    - {{type: ask, matcher: "Bash(deploy *)", config: {{approvers: {approvers}}}}}\n'
        f"  stop:\n    - {{type: approval_gate, config: {{approvers: {approvers}}}}}\n"
    )


ONE = f"{{{RASHID}: {{logins: [{LOGIN}], groups: [leads]}}, {ADA}: {{logins: ['unix:ada'], groups: [qa]}}}}"
TWO = f"{{{RASHID}: {{logins: [{LOGIN}], groups: [leads]}}, {ADA}: {{logins: [{LOGIN}], groups: [leads]}}}}"


@pytest.fixture
def project(served: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, with the command line in it."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))
    return tmp_path


def deploy(home: Home, project: Path) -> str | None:
    """An agent's call that needs a yes."""
    return decided(home.shim(bash("deploy now", cwd=str(project), permission_mode="bypassPermissions")))[0]


def give(home: Home, person: str, text: str) -> None:
    """A passphrase of a person's own."""
    file = passphrase_file(home.places.state, person)
    file.write_bytes(msgspec.json.encode(hash_passphrase(text)))
    file.chmod(0o600)


@pytest.mark.req("M19", "M70")
def test_a_login_is_the_person_the_policy_names(served: Home, project: Path) -> None:
    """The same name on a call's request and on a commitment; the entries say how they showed who they are."""
    served.write_policy(policy(ONE, "[group:leads]"))
    assert deploy(served, project) == "deny"
    done = typed_for_real("approve", "ap_1", "--yes")

    assert (done.code, done.out) == (0, f"ap_1 is approved by {RASHID}\n")
    assert deploy(served, project) is None
    body = served.entries("approval")[1].body
    assert (body["state"], body["by"], body["authenticated_by"]) == ("approved", RASHID, f"login {LOGIN}")
    assert typed_for_real("capture", "x", "--json").document["actor"] == RASHID
    assert served.entries("capture")[-1].body["authenticated_by"] == f"login {LOGIN}"


@pytest.mark.req("M70", "Z03")
@pytest.mark.parametrize("people", [ONE, "{}"])
def test_nobody_acts_under_another_persons_name(served: Home, project: Path, people: str) -> None:
    """Whether the policy names people or not; by the option and by the variable."""
    served.write_policy(policy(people))
    me = ME if people == "{}" else RASHID

    for said in ({"actor": ADA}, {"actor": None, "environment": ADA}):
        assert refused(served, project, "capture", body="x", **said) == "E_PERMISSION_DENIED"
    done = typed_for_real("capture", "x", "--actor", ADA)
    assert (done.code, f"you are `{me}` here, and `{ADA}` is someone else" in done.err) == (1, True)
    assert ask(served, project, "capture", me, body="x")["actor"] == me


@pytest.mark.req("M65", "M19")
@pytest.mark.parametrize("by_request", [True, False])
def test_approving_a_commitment_answers_its_gate_too(served: Home, project: Path, by_request: bool) -> None:
    """One command for the request a gate has opened and for the commitment in review, by either name."""
    served.write_policy(policy(ONE))
    name = commit(served, project, actor=RASHID)
    code, _, err = by_agent(served, project, "claim", payload={"commitment": name})
    assert code == 0, err
    served.shim(event("Stop", session_id="s-agent", cwd=str(project), last_assistant_message="done"))
    done = typed_for_real("approve", "ap_1" if by_request else name, "--yes")

    assert done.code == 0, done.err
    shown = typed_for_real("commitment", "show", name, "--json").document
    assert shown["commitment"]["state"] == "closed"
    approved = served.entries("approval")[-1].body
    told = (approved["approval"], approved["by"], approved["commitment_id"], approved["authenticated_by"])
    assert told == ("ap_1", RASHID, name, f"login {LOGIN}")
    assert served.entries("approve")[-1].actor == RASHID


@pytest.mark.req("M19", "Z03")
def test_two_people_at_one_login_are_two(served: Home, project: Path) -> None:
    """Each has a passphrase; without one nobody is anybody, and with it the entry names its owner."""
    served.write_policy(policy(TWO, f"[{ADA}]"))
    give(served, RASHID, "rashids words")
    give(served, ADA, "adas own words")
    deploy(served, project)
    nobody = typed_for_real("approve", "ap_1", "--yes")
    assert (nobody.code, "is shared by human:rashid or human:ada" in nobody.err) == (2, True)

    code, screen = at_terminal([SCRIPT, "approve", "ap_1", "--yes"], b"rashids words\n")
    assert (code, f"{RASHID} cannot approve this; only {ADA} can" in screen) == (1, True)
    code, screen = at_terminal([SCRIPT, "approve", "ap_1", "--yes"], b"adas own words\n")
    assert (code, f"ap_1 is approved by {ADA}" in screen) == (0, True)
    body = served.entries("approval")[-1].body
    assert (body["by"], body["authenticated_by"]) == (ADA, "passphrase")


@pytest.mark.req("M19")
def test_only_the_machine_and_the_user_say_who_is_who(served: Home, project: Path) -> None:
    """A project's file that names people is a problem of that file."""
    file = project / "genesis.key"
    file.write_text(policy(ONE))
    checked = typed_for_real("genesis", "validate", "--layer", "project", str(file))

    assert checked.code == 1
    assert "only the managed or user layer may set `people`" in checked.out + checked.err
    served.write_policy(policy("{rashid: {logins: [rashid]}}"))
    with pytest.raises(DaemonError, match="is not a person"):
        request(served.places.socket, "commitments.capture", {"cwd": str(project), "payload": {"body": "x"}})


@pytest.mark.req("M19")
def test_a_link_to_the_dashboard_is_its_persons(served: Home, project: Path) -> None:
    """What is answered there is answered by whoever asked for the link, or for the key."""
    served.write_policy(policy(TWO, f"[{ADA}]"))
    give(served, ADA, "adas own words")
    deploy(served, project)
    assert "is shared by" in typed_for_real("ui", "--key", "--json").err
    code, screen = at_terminal([SCRIPT, "ui", "--key", "--json"], b"adas own words\n")
    assert code == 0, screen
    found = json.loads(screen[screen.index("{") :])
    headers = {"authorization": f"Bearer {found['key']}"}
    (asked,) = httpx.get(f"{found['url']}/approvals", headers=headers).json()["waiting"]
    answered = httpx.post(
        f"{found['url']}/approvals/ap_1/approve", headers=headers, json={"digest": asked["digest"]}
    )

    assert (answered.status_code, found["person"]) == (200, ADA), answered.text
    body = served.entries("approval")[-1].body
    assert (body["state"], body["by"], body["authenticated_by"]) == ("approved", ADA, "dashboard login")


@pytest.mark.req("M19", "Z03")
def test_two_people_have_a_login_each_at_one_dashboard(served: Home, project: Path) -> None:
    """By a link of one's own: the page of one does not answer what only the other may."""
    served.write_policy(policy(TWO, f"[{ADA}]"))
    pages = {}
    for person, words in ((RASHID, "rashids words"), (ADA, "adas own words")):
        give(served, person, words)
        code, screen = at_terminal([SCRIPT, "ui", "--json"], f"{words}\n".encode())
        assert code == 0, screen
        url = json.loads(screen[screen.index("{") :])["url"]
        pages[person] = Browser(home=served, port=int(urlsplit(url).port or 0))
        assert pages[person].log_in(url).status == 303
    deploy(served, project)
    for person in (RASHID, ADA):
        digest = field_of(pages[person].get("/approvals").text, "digest")
        pages[person].submit("/approvals/ap_1/approve", digest=digest)

    told = [(entry.body["state"], entry.body["by"]) for entry in served.entries("approval")]
    assert told == [("requested", "agent:executor"), ("approved", ADA)]
    (tried,) = served.entries("refused")
    assert f"only {ADA} can" in tried.body["reason"]


@pytest.mark.req("M19")
def test_a_person_sets_a_passphrase_of_their_own(served: Home, project: Path) -> None:
    """Only for somebody who uses this login; from then on it is asked for."""
    served.write_policy(policy(ONE))
    code, screen = at_terminal([SCRIPT, "passphrase", ADA])
    assert (code, f"`settings.people` does not list this login for `{ADA}`" in screen) == (2, True)
    code, screen = at_terminal([SCRIPT, "passphrase", RASHID], b"rashids words\n", b"rashids words\n")
    assert code == 0, screen
    assert typed_for_real("capture", "x").code == 1
    code, screen = at_terminal([SCRIPT, "capture", "x"], b"rashids words\n")

    assert code == 0, screen
    assert served.entries("capture")[-1].body["authenticated_by"] == "passphrase"


@pytest.mark.req("M19")
def test_two_of_several_must_agree(served: Home, project: Path) -> None:
    """The first yes lets nothing pass, the same person's second neither; another's does."""
    served.write_policy(policy(TWO, "{any: 2, of: [group:leads]}"))
    give(served, RASHID, "rashids words")
    give(served, ADA, "adas own words")
    for words in (b"rashids words\n", b"rashids words\n"):
        assert deploy(served, project) == "deny"
        code, screen = at_terminal([SCRIPT, "approve", "ap_1", "--yes"], words)
        assert (code, "ap_1 is pending" in screen) == (0, True), screen
    assert deploy(served, project) == "deny"
    assert f"2 of {RASHID}, {ADA}" in typed_for_real("approvals", "show", "ap_1").out
    code, screen = at_terminal([SCRIPT, "approve", "ap_1", "--yes"], b"adas own words\n")

    assert (code, "ap_1 is approved" in screen) == (0, True), screen
    assert deploy(served, project) is None
    told = [(entry.body["state"], entry.body["by"]) for entry in served.entries("approval")]
    assert told[1:4] == [("seconded", RASHID), ("seconded", RASHID), ("approved", ADA)]
