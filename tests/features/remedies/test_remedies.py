"""From the entries of a ledger to what worked after an error."""

from __future__ import annotations

from itertools import count
from typing import Any

import msgspec
import pytest

from interlock.features.remedies.service import RemedyIndex, signature
from interlock.ledger.entry import Entry

MISSING = """\
Exit code 1
Traceback (most recent call last):
  File "/srv/a.py", line 3
ModuleNotFoundError: No module named 'x'"""


class RemedyLedger:
    """A ledger in which calls end one way or the other."""

    def __init__(self) -> None:
        self.index = RemedyIndex()
        self._numbers = count(1)

    def call(self, tool: str, given: dict[str, Any], error: str | None = None, **more: Any) -> None:
        """One call; with an error, it failed."""
        event = "PostToolUseFailure" if error else "PostToolUse"
        session = more.pop("session", "s")
        body = {"event": event, "tool": tool, "tool_input": given, "error": error, **more}
        payload = msgspec.json.encode({"body": body})
        number = next(self._numbers)
        self.index.add(
            Entry(number, "", "decision", "", "a", "/p", session, event, tool, "allow", payload, b"", b"")
        )

    def bash(self, command: str, error: str | None = None, **more: Any) -> None:
        """One shell command."""
        self.call("Bash", {"command": command}, error, **more)

    def remedy(self, error: str = MISSING, tool: str = "Bash", workspace: str = "/p") -> str | None:
        """What is told about an error."""
        found = self.index.get(workspace, tool, error)
        return found.text if found else None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MISSING, "ModuleNotFoundError: No module named 'x'"),
        ("a.c:12:3: error: `y` undeclared", "a.c:99:1: error: `y` undeclared"),
        ("cat: /tmp/a1/x.txt: No such file", "cat: /home/me/x.txt: No such file"),
        ("Exit code 128\nfatal: bad object deadbeef01", "fatal: bad object 0123456789ab"),
    ],
)
def test_numbers_and_folders_do_not_make_another_error(one: str, other: str) -> None:
    """The line that tells is the same."""
    assert signature(one) == signature(other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [("No module named 'x'", "No module named 'y'"), ("a failed", "b failed")]
)
def test_names_make_another_error(one: str, other: str) -> None:
    """What helps against one does not help against the other."""
    assert signature(one) != signature(other)


@pytest.mark.parametrize("error", ["", "Exit code 1", "\n \n", "----"])
def test_an_error_that_says_nothing_has_no_signature(error: str) -> None:
    """Else all of them would be one."""
    assert signature(error) == ""


@pytest.mark.req("U2")
def test_what_was_done_before_the_same_call_worked_is_what_helps() -> None:
    """Looking around is left out."""
    told = RemedyLedger()
    for command, error in (
        ("python a.py", MISSING),
        ("ls -la", None),
        ("uv add x", None),
        ("python a.py", None),
    ):
        told.bash(command, error)

    assert told.remedy() == "`uv add x`, then the same again"


@pytest.mark.req("U2")
def test_another_way_that_worked_is_what_helps() -> None:
    """A command alike to the one that failed; one of another kind is not."""
    told = RemedyLedger()
    told.bash("pytest tests/a.py", "pytest: command not found")
    told.bash("git commit -m wip")
    told.bash("uv run pytest tests/a.py")

    assert told.remedy("bash: pytest: command not found") is None  # another line, another error
    assert told.remedy("pytest: command not found") == "`git commit -m wip`, then `uv run pytest tests/a.py`"


def test_a_tool_that_is_no_shell_is_helped_by_what_came_between() -> None:
    """Reading a file is what an edit wants; the texts of the edit are nobody's business."""
    told = RemedyLedger()
    told.call("Edit", {"file_path": "/p/a.py", "old_string": "x"}, "File has not been read yet.")
    told.call("Read", {"file_path": "/p/a.py"})
    told.call("Edit", {"file_path": "/p/a.py", "old_string": "y"})

    assert told.remedy("File has not been read yet.", "Edit") == "`Read /p/a.py`, then the same again"


def test_what_helped_most_often_is_told_first() -> None:
    """And how often the error was met."""
    told = RemedyLedger()
    for session, fix in (("a", "uv sync"), ("b", "pip install x"), ("c", "uv sync")):
        told.bash("python a.py", MISSING, session=session)
        told.bash(fix, session=session)
        told.bash("python a.py", session=session)
    found = told.index.get("/p", "Bash", MISSING)

    assert found is not None
    assert (found.text, found.seen, found.worked) == ("`uv sync`, then the same again", 3, 2)


def test_what_belongs_to_others_helps_nobody() -> None:
    """Another session, another agent of it, and another project."""
    told = RemedyLedger()
    told.bash("python a.py", MISSING)
    told.bash("python a.py", session="other")
    told.bash("python a.py", agent_id="sub")
    assert told.remedy() is None
    told.bash("python a.py")

    assert told.remedy() == "the same again"
    assert told.remedy(workspace="/q") is None


def test_what_works_long_after_has_nothing_to_do_with_it() -> None:
    """After twelve calls an error is left alone; one that a person interrupted is none."""
    told = RemedyLedger()
    told.bash("python a.py", MISSING)
    for number in range(12):
        told.call("Write", {"file_path": f"/p/{number}"})
    told.bash("python a.py")
    told.bash("make x", "it failed", extra={"is_interrupt": True})
    told.bash("make x")

    assert told.remedy() is None
    assert told.remedy("it failed") is None


@pytest.mark.parametrize("payload", [b"", b"{}", b'{"body": 3}', b'{"body": {"tool_input": []}}', b"\xff"])
def test_an_odd_entry_is_passed_over(payload: bytes) -> None:
    """The ledger's own check says which it is."""
    index = RemedyIndex()
    for op, event in (("decision", "PostToolUse"), ("decision", "PostToolUseFailure"), ("alarm", None)):
        index.add(Entry(1, "", op, "", "a", "/p", None, event, "Bash", None, payload, b"", b""))

    assert index.get("/p", "Bash", "x failed") is None


def test_it_remembers_so_many_errors() -> None:
    """The newest ones."""
    told = RemedyLedger()
    for number in range(10_050):
        told.bash(
            "x", f"failed at {chr(97 + number % 26)}{chr(97 + number // 26 % 26)}{chr(97 + number // 676)}"
        )

    assert len(told.index._known) == 10_000
    assert len(told.index._open) == 1
