"""Typing operations: what is printed, what is refused, and in whose name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT, Interlock
from tests.daemon.home import ME, Home
from tests.terminal import at_terminal

from interlock.features.commitments.policy import OPERATIONS

pytestmark = pytest.mark.deep


@pytest.fixture
def typed(served: Home, interlock: Interlock, work: Path, monkeypatch: pytest.MonkeyPatch) -> Interlock:
    """The command line in a repository, beside a daemon."""
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))
    (work / ".git").mkdir()
    return interlock


def made(interlock: Interlock, *words: str) -> str:
    """The id of what a command makes."""
    done = interlock(*words, "--json")
    assert done.code == 0, done.err
    return str(done.document["id"])


def commitment(interlock: Interlock, *words: str) -> str:
    """A commitment."""
    return made(interlock, "commit", "fix it", "--source", made(interlock, "capture", "seen"), *words)


@pytest.mark.req("M58", "M60")
def test_a_whole_life_as_it_is_typed(typed: Interlock, served: Home) -> None:
    """Each step says how the commitment stands."""
    memory = typed("capture", "checkout fails", "--kind", "observation").out.strip()
    name = typed("commit", "fix it", "--source", memory, "--tag", "x").out.split()[0]
    steps = (
        (("claim", name, "--actor", "agent:x"), "claimed"),
        (("submit", name, "-s", "done", "--actor", "agent:x"), "closed, tier_2, evidence mem_"),
        (("reopen", name, "-r", "fails", "--domain", "technical"), "reopened"),
        (("claim", name, "--actor", "agent:x"), "claimed"),
        (("annotate", name, "look"), "claimed"),
        (("link", memory, name, "--kind", "evidence"), "claimed"),
        (("release", name, "--actor", "agent:x"), "open"),
        (("close", name, "--evidence", memory), "closed"),
    )
    for words, said in steps:
        done = typed(*words)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"{name} {said}"), done.out

    assert [entry.op for entry in served.entries()].count("approve") == 1


@pytest.mark.req("M62")
def test_a_refusal_is_exit_1_with_its_code(typed: Interlock, served: Home) -> None:
    """One sentence with the next step, or JSON with the code; nothing is written."""
    name = commitment(typed)
    typed("claim", name, "--actor", "agent:x")
    before = len(served.entries())
    refused = typed("claim", name, "--actor", "agent:y")
    as_json = typed("claim", name, "--actor", "agent:y", "--json")

    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
    assert refused.err.startswith(f"interlock: {as_json.document['message']}; ")
    assert "E_" not in refused.err
    assert (as_json.code, as_json.err) == (1, "")
    assert as_json.document["error"] == "E_ALREADY_CLAIMED"
    assert as_json.document["owner"] == "agent:x"
    assert len(served.entries()) == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("capture", ""), "E_EMPTY_BODY"),
        (("capture", "x", "--kind", "finding"), "E_CITATION_REQUIRED"),
        (("capture", "x", "--as", "wizard"), "E_INVALID_OP"),
        (("commit", "x"), "E_MISSING_FIELD"),
        (("commit", "x", "--source", "mem_00000000"), "E_REF_NOT_FOUND"),
        (("claim", "cmt_00000000"), "E_REF_NOT_FOUND"),
        (("close", "cmt_00000000"), "E_MISSING_FIELD"),
        (("reject", "cmt_00000000"), "E_MISSING_FIELD"),
        (("dismiss", "mem_00000000"), "E_MISSING_FIELD"),
        (("triage", "mem_00000000"), "E_MISSING_FIELD"),
        (("publish", "x"), "E_MISSING_FIELD"),
        (("commitment", "show", "cmt_00000000"), "E_REF_NOT_FOUND"),
    ],
)
def test_bad_input_is_named_and_writes_nothing(
    typed: Interlock, served: Home, words: tuple[str, ...], code: str
) -> None:
    """Missing, empty and unknown things."""
    refused, as_json = typed(*words), typed(*words, "--json")

    assert refused.code == as_json.code == (2 if code == "E_REF_NOT_FOUND" else 1)
    assert as_json.document["error"] == code
    assert refused.err == f"interlock: {as_json.document['message']}; {as_json.document['next']}\n"
    assert served.entries() == []


@pytest.mark.parametrize(
    "words",
    [
        ("capture", "x", "--meta", "novalue"),
        ("capture", "a\udcffb"),
        ("triage", "mem_1=", "--summary", "x"),
        ("commitment", "list", "--state", "opne"),
    ],
)
def test_what_cannot_be_asked_is_said_before_asking(
    typed: Interlock, served: Home, words: tuple[str, ...]
) -> None:
    """One clear sentence, exit 2."""
    refused = typed(*words)

    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert served.entries() == []


@pytest.mark.req("M61")
def test_a_source_key_is_used_once(typed: Interlock, served: Home) -> None:
    """The second time names the first."""
    first = made(typed, "capture", "mail", "--source-key", "mail-7")
    second = typed("capture", "mail", "--source-key", "mail-7", "--json")

    assert (second.code, second.document["error"]) == (1, "E_DUPLICATE_SOURCE_KEY")
    assert second.document["id"] == first
    assert len(served.entries()) == 1


@pytest.mark.req("M70")
def test_who_types(typed: Interlock, work: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option, either variable, git's address, and `user` for nobody in particular."""

    def actor(*words: str) -> str:
        return str(typed("capture", "x", *words, "--json").document["actor"])

    assert actor() == "user"
    (home / ".gitconfig").write_text("[user]\n\temail = ada@example.org\n")
    assert actor() == "ada@example.org"
    monkeypatch.setenv("MENTU_ACTOR", "bot:mentu")
    assert actor() == "bot:mentu"
    monkeypatch.setenv("INTERLOCK_ACTOR", ME)
    assert actor() == ME
    assert actor("--actor", "bot:opt") == "bot:opt"


def test_the_list_the_record_and_the_tree(typed: Interlock) -> None:
    """Plain text without a terminal; a tree has branches."""
    name = commitment(typed, "--tag", "x")
    typed("claim", name, "--actor", "agent:x")
    typed("submit", name, "--actor", "agent:x", "-s", "all green")
    listed = typed("commitment", "list", "--state", "closed", "--owner", "agent:x", "--tag", "x")
    shown = typed("commitment", "show", name)
    drawn = typed("commitment", "tree")

    assert "\x1b" not in listed.out + shown.out + drawn.out
    assert listed.out.split()[:5] == ["ID", "STATE", "TIER", "OWNER", "BODY"]
    assert f"{name}  closed  tier_2  agent:x  fix it" in listed.out
    assert "submitted_by     agent:x" in shown.out
    assert "  mem_" in shown.out
    lines = drawn.out.splitlines()
    assert lines[0].endswith("seen")
    assert lines[1].startswith(f"└─ {name} [closed agent:x, tier_2] fix it")
    assert lines[2].startswith("   └─ evidence: mem_")
    for nobodys in (("--state", "open"), ("--owner", "agent:y"), ("--tag", "y")):
        none = "No commitment matches. `interlock commitment list` shows all of them.\n"
        assert typed("commitment", "list", *nobodys).out == none
    assert typed("commitment", "tree", name).out.startswith(name)
    assert typed("commitment", "list", "--json").document["commitments"][0]["id"] == name


def test_an_empty_project_says_so(typed: Interlock) -> None:
    """Nothing is not an error."""
    assert typed("commitment", "tree").out == "nothing was captured here yet\n"
    assert typed("commitment", "list").out.startswith("No commitments. `interlock capture")


def test_text_from_others_cannot_change_the_screen(typed: Interlock) -> None:
    """Escapes in a body are written out wherever it is shown."""
    name = made(typed, "commit", "red\x1b[31m", "--source", made(typed, "capture", "see\x1b]0;x\x07"))

    for words in (("list",), ("tree",), ("show", name)):
        assert "\x1b" not in typed("commitment", *words).out
        assert "\\x1b" in typed("commitment", *words).out


def test_states_are_coloured_on_a_terminal(typed: Interlock, work: Path) -> None:
    """And only there."""
    commitment(typed)
    code, screen = at_terminal([sys.executable, SCRIPT, "commitment", "tree"], env=os.environ, cwd=work)

    assert code == 0
    assert "[\x1b[33mopen" in screen


def test_triage_and_publish_take_their_own_words(typed: Interlock, served: Home) -> None:
    """Decisions after `=`, and versions that count up."""
    memory, name = made(typed, "capture", "x"), commitment(typed)
    assert typed("triage", f"{memory}=link:{name}", "--summary", "Monday").code == 0
    assert served.entries("triage")[-1].body["decisions"] == [
        {"memory": memory, "action": "link", "target": name}
    ]
    for version in (1, 2):
        made(typed, "publish", "guides/a", "--module", "docs", "--source", name)
        assert served.entries("publish")[-1].body["version"] == version


def test_every_operation_is_a_command_that_names_its_twin(typed: Interlock) -> None:
    """Each has help with an example; those that answer say that they take requests too."""
    for op in OPERATIONS:
        assert f"Example: interlock {op} " in typed(op, "--help").out
    assert "interlock approvals approve" in typed("approve", "--help").out
    assert "Deny an agent's request" in typed("reject", "--help").out


def test_a_daemon_that_is_not_there_is_started(
    place: Home, interlock: Interlock, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first command of a home needs nothing before it."""
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    (work / ".git").mkdir()

    assert interlock("capture", "first").code == 0
    assert len(place.entries("capture")) == 1
