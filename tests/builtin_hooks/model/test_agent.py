"""A model looks around in the project, reading only, before it answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from clients.model_request import ModelRequest
from clients.model_server import ModelServer
from clients.turns import Turn, say, use
from tests.builtin_hooks.asked_model import asking
from tests.builtin_hooks.making import bash

from interlock.builtin_hooks.model.project_look import TOOLS, ProjectLook
from interlock.events.decision import Decision
from interlock.events.verdict import Vote
from interlock.redaction.redactor import KEYLESS

OK = '{"ok": true}'


def talked(project: Path, *turns: Turn, **config: object) -> tuple[Decision, list[ModelRequest]]:
    """What a conversation comes to, and what the model was shown."""
    with ModelServer(turns) as server:
        engine = asking("agent", server, {"prompt": "Is it safe?", **config})
        return engine.decide_sync(bash("make deploy", project)), server.seen()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a file, beside one that is none of its business."""
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "Makefile").write_text("deploy:\n\trsync --delete . prod:\n")
    (tmp_path / "outside.txt").write_text("not of this project")
    return inside


@pytest.mark.req("C75")
def test_it_reads_and_then_answers(project: Path) -> None:
    """Reading, searching and listing; then `ok: false` blocks."""
    decision, seen = talked(
        project,
        use("read_file", path="Makefile"),
        use("grep", pattern="rsync") + use("list_files"),
        say('{"ok": false, "reason": "deploy deletes on prod"}'),
    )
    results = seen[-1].tool_results()

    assert (decision.vote, decision.reason) == (Vote.DENY, "deploy deletes on prod")
    assert results["toolu_main_0_0"] == "deploy:\n\trsync --delete . prod:\n"
    assert results["toolu_main_1_0"] == "Makefile:2: \trsync --delete . prod:"
    assert results["toolu_main_1_1"] == "Makefile"
    assert decision.evidence[0].data == {"model": "scripted", "tokens": 45, "turns": 3}


@pytest.mark.req("C75")
def test_its_tools_only_read(project: Path) -> None:
    """Three tools, and any other is refused."""
    _, seen = talked(project, use("Write", path="x", content="y"), say(OK))

    assert [tool["name"] for tool in seen[0].body["tools"]] == ["read_file", "list_files", "grep"]
    assert "there is no tool `Write`" in seen[-1].tool_results()["toolu_main_0_0"]
    assert sorted(path.name for path in project.iterdir()) == ["Makefile"]


@pytest.mark.req("C75")
def test_it_has_so_many_turns(project: Path) -> None:
    """In the last one no tool may be used; who uses one all the same has given no answer."""
    decision, seen = talked(project, *[use("list_files")] * 5, turns=3)

    assert decision.vote is Vote.DENY
    assert decision.reason == "the agent gave no answer in 3 turns; raise `turns`"
    assert [one.body.get("tool_choice") for one in seen] == [None, None, {"type": "none"}]


def test_nothing_outside_the_project_is_shown(project: Path) -> None:
    """Not by a path, nor by a link, nor what git keeps."""
    (project / "link").symlink_to("../outside.txt")
    (project / ".git").mkdir()
    (project / ".git" / "config").write_text("token")
    look = ProjectLook(str(project), KEYLESS)
    for path in ("../outside.txt", "/etc/passwd", "link", ".git/config", "a\0b", ""):
        text, fine = look.use("read_file", {"path": path})
        assert not fine, path
        assert "not of this" not in text

    assert look.use("grep", {"pattern": "not of this"}) == ("[nothing found]", True)


@pytest.mark.parametrize("folder", ["/", "", "relative"])
def test_a_disk_is_no_project(folder: str) -> None:
    """Nor is a whole home: an event from there is answered from what was shown."""
    assert not ProjectLook(folder, KEYLESS).use("list_files", {})[1]


def test_a_home_is_no_project(tmp_path: Path) -> None:
    """It holds keys and letters."""
    assert not ProjectLook(str(tmp_path), KEYLESS, home=str(tmp_path)).use("list_files", {})[1]


def test_secrets_in_files_stay_here(project: Path) -> None:
    """They are marks in what is read and what is found."""
    token = "ghp_" + "a1B2" * 9
    (project / "notes.txt").write_text(f"the token is {token}\n")
    look = ProjectLook(str(project), KEYLESS)
    for name, given in (("read_file", {"path": "notes.txt"}), ("grep", {"pattern": "ghp_"})):
        text, fine = look.use(name, given)
        assert fine
        assert token not in text
        assert "the token is [secret:" in text


def test_what_is_long_comes_in_parts(project: Path) -> None:
    """A file by its offset, a listing and a search cut with a word about it."""
    (project / "long.txt").write_text("".join(f"line {number}\n" for number in range(10_000)))
    look = ProjectLook(str(project), KEYLESS)
    first, _ = look.use("read_file", {"path": "long.txt"})
    found, _ = look.use("grep", {"pattern": "^line"})
    on, _ = look.use("read_file", {"path": "long.txt", "offset": 32 * 1024})

    assert first.endswith("[more follows; continue at offset 32768]")
    assert first[: 32 * 1024] + on[:20] in (project / "long.txt").read_text()
    assert found.splitlines()[-1] == "[there are more matches; search for something narrower]"
    assert len(found.splitlines()) == 101


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_file", {}),
        ("read_file", {"path": ["a"]}),
        ("read_file", {"path": "Makefile", "offset": -1}),
        ("grep", {"pattern": "("}),
        ("grep", {"pattern": "a" * 1000}),
        ("list_files", {"path": "Makefile"}),
    ],
)
def test_a_wrong_use_is_told_what_is_wrong(project: Path, tool: str, given: dict[str, object]) -> None:
    """The model can go on."""
    text, fine = ProjectLook(str(project), KEYLESS).use(tool, given)

    assert not fine
    assert text


def test_every_tool_says_what_it_takes() -> None:
    """Their schemas name what is required."""
    assert {tool["name"]: tool["input_schema"]["required"] for tool in TOOLS} == {
        "read_file": ["path"],
        "list_files": [],
        "grep": ["pattern"],
    }
