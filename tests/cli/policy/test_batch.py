"""`interlock hooks simulate --batch`: many calls in one process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import SAMPLES, Interlock

_KEY = str(SAMPLES / "mentu-test-genesis.key")
_BATCH = ("hooks", "simulate", "--config", _KEY, "--batch")


def lines(*documents: object) -> bytes:
    """Values as JSON lines."""
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def bash(command: str, **more: str) -> dict[str, object]:
    """A line about a shell call."""
    return {"tool": "Bash", "input": {"command": command}, **more}


def test_every_line_gets_its_decision_in_order(interlock: Interlock) -> None:
    """One JSON decision a line comes out, in the order the lines went in."""
    calls = [bash(text, actor="agent:executor") for text in ("git log", "rm x", "git ${x@P}", "git status")]
    typed = interlock(*_BATCH, "-", stdin=lines(*calls))

    assert typed.code == 0
    assert [row["decision"] for row in typed.documents] == ["allow", "deny", "ask", "allow"]


def test_a_line_says_what_a_single_simulation_says(interlock: Interlock) -> None:
    """The document of a line is the document of `--json`, but for the time taken."""
    single = interlock(
        "hooks", "simulate", "--config", _KEY, "--tool", "Bash", "--args", "ls", "--json"
    ).document
    [line] = interlock(*_BATCH, "-", stdin=lines(bash("ls"))).documents
    for document in (single, line):
        for row in document["votes"]:
            row.pop("duration_ms")

    assert single == line


def test_a_file_serves_as_well(interlock: Interlock, work: Path) -> None:
    """Lines come from a file, with or without a last newline, empty lines and a byte order of CRLF."""
    (work / "calls").write_bytes(b'\r\n{"tool": "Bash"}\r\n\n{"prompt": "hi"}')

    assert len(interlock(*_BATCH, "calls").documents) == 2


def test_the_actor_typed_is_that_of_lines_without_one(interlock: Interlock) -> None:
    """`--actor` is the default, a line's own actor wins."""
    calls = lines(bash("git log"), bash("git log", actor="agent:nobody"))
    typed = interlock(*_BATCH, "-", "--actor", "agent:executor", stdin=calls)

    assert [row["decision"] for row in typed.documents] == ["allow", "deny"]


def test_a_bad_line_is_answered_in_its_place(interlock: Interlock) -> None:
    """A mistake costs its line an error with the number, and the batch exit code 1; the rest is decided."""
    good = lines(bash("git log"))
    bad = [
        b"x\n",
        b"[]\n",
        b"\xff\n",
        b"{}\n",
        b'{"tool": ""}\n',
        b'{"tool": 3}\n',
        b'{"tool": "Bash", "inputs": {}}\n',
        b'{"event": "PreTolUse"}\n',
        b'{"input": {"command": "ls"}, "event": "PreToolUse"}\n',
        b'{"tool": "Bash", "input": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001 + b"\n",
    ]
    typed = interlock(*_BATCH, "-", stdin=good + b"".join(bad) + good)
    first, *middle, last = typed.documents

    assert typed.code == 1
    assert [first["decision"], last["decision"]] == ["deny", "deny"]
    assert [f"line {n}:" for n in range(2, 12)] == [" ".join(row["error"].split()[:2]) for row in middle]
    assert "did you mean `PreToolUse`?" in typed.out


@pytest.mark.deep
@pytest.mark.parametrize(
    ("line", "event"),
    [
        ({"tool": "Bash"}, "PreToolUse"),
        ({"tool": "Bash", "error": "it broke"}, "PostToolUseFailure"),
        ({"prompt": ""}, "UserPromptSubmit"),
        ({"event": "agent_stop"}, "Stop"),
    ],
)
def test_a_lines_moment_follows_from_what_it_holds(
    interlock: Interlock, work: Path, line: dict[str, str], event: str
) -> None:
    """The same rules as for one call."""
    (work / "a.toml").write_text(f'[[hooks]]\nevent = "{event}"\n[hooks.shell]\ncommand = "true"\n')
    [document] = interlock(
        "hooks", "simulate", "--config", "a.toml", "--batch", "-", stdin=lines(line)
    ).documents

    assert [vote["outcome"] for vote in document["votes"]] == ["success"]
