"""Laws of `interlock suggest`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.builders import bash
from tests.features.learning.conftest import Record, Run

from interlock.cli.policy_source import here, load
from interlock.engine.engine import Engine
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.features.approvals.requests import ApprovalStore, Request
from interlock.features.approvals.settings import standing_answer
from interlock.features.approvals.tickets import Tickets
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

Policy = Callable[[str], Path]

ASK = """
# what is mine
hooks:
  pre_tool_use:
    - {name: careful, type: ask, matcher: "Bash(git push *)|Bash(npm publish*)|Write"}
    - {name: never, type: deny, matcher: "Bash(* --force)"}
"""


def approve(*events: Event, state: str = "approved", by: str = "human:rashid") -> None:
    """Have each call asked about and answered, as the daemon records it."""
    loaded = load([])
    engine = Engine(loaded.pipeline, revision=loaded.revision)
    with closing(open_database(here().database)) as connection:
        ledger = LedgerWriter(connection)
        book = ApprovalStore(connection, ledger)
        for event in events:
            asked = Tickets(book).settle(event, engine.decide_sync(event), root=event.cwd)
            request = book.requests.get(int((asked.approval or "").removeprefix("ap_")))
            assert isinstance(request, Request)
            book.record(request, state, by)
            ledger.flush()
    engine.close()


def asked(command: str, cwd: Path, session: str = "s1") -> Event:
    return bash(command, cwd=str(cwd), project=str(cwd), session_id=session, host="claude-code")


def verdicts(*events: Event) -> list[Vote]:
    """What the policy in force says of calls, its own grants counted."""
    loaded = load([])
    engine = Engine(loaded.pipeline)
    decided = [(event, engine.decide_sync(event)) for event in events]
    engine.close()
    answers = [
        standing_answer(event, decision, loaded, STANDARD_TOOLS) or decision for event, decision in decided
    ]
    return [answer.vote for answer in answers]


@pytest.mark.deep
def test_the_change_applies_loads_and_answers_exactly_what_was_seen(
    policy: Policy, run: Run, tmp_path: Path
) -> None:
    """Patched in, the file validates; nobody is asked about the seen calls again, only about others."""
    path = policy(ASK)
    seen = [asked(f"git push origin {branch}", tmp_path, branch) for branch in ("main", "dev", "next")]
    seen.append(asked("npm publish --tag beta", tmp_path))
    approve(*seen)
    result = run("suggest")
    patched = subprocess.run(
        ["patch", str(path)], input=result.stdout, text=True, capture_output=True, check=False, cwd=tmp_path
    )

    assert patched.returncode == 0, patched.stdout + result.stdout
    assert "# what is mine" in path.read_text()
    assert "Bash(git push origin *)" in result.stdout
    assert "# approved 3 times" in result.stdout
    assert "by human:rashid; entries" in result.stdout
    assert run("genesis", "validate", str(path)).exit_code == 0
    assert verdicts(*seen) == [Vote.ALLOW] * 4
    assert verdicts(
        asked("npm publish", tmp_path),
        asked("git push upstream main", tmp_path),
        asked("git push origin main", tmp_path / "elsewhere"),
        asked("git push origin --force", tmp_path),
    ) == [Vote.ASK, Vote.ASK, Vote.ASK, Vote.DENY]
    assert "nothing to suggest" in run("suggest").stderr


def test_what_is_left_out_is_counted_with_its_reason(policy: Policy, run: Run, tmp_path: Path) -> None:
    """Refused once, denied today, unread, or no longer asked about: nothing of it is proposed."""
    path = policy(ASK)
    approve(asked("git push a b", tmp_path), asked("git push x $WHERE", tmp_path, "s2"))
    approve(asked("git push c d", tmp_path))
    approve(asked("git push c d", tmp_path, "s9"), state="denied")
    path.write_text(path.read_text().replace("* --force", "git push a *").replace("|Write", ""))
    document = json.loads(run("suggest", "--json").stdout)

    assert document["suggestions"] == []
    assert document["left_out"] == {
        "a person also denied it": 1,
        "the policy denies it today (never)": 1,
        "what it does depends on what is there when it runs": 1,
    }


def test_what_a_host_asked_counts_too(policy: Policy, record: Record, run: Run, tmp_path: Path) -> None:
    """The call stands in the decision that asked, the yes in what followed."""
    policy(ASK)
    event = asked("git push origin main", tmp_path)
    record(event, asked("git status", tmp_path))
    _append(
        "approval", "agent:main", str(tmp_path),
        {"state": "approved", "inferred": True, "by": "host prompt", "session_id": "s1", "tool": "Bash",
         "tool_use_id": "toolu_1"},
    )  # fmt: skip
    (line,) = json.loads(run("suggest", "--json").stdout)["suggestions"]

    assert (line["pattern"], line["by"]) == ("Bash(git push origin main)", ["host prompt"])
    assert json.loads(run("suggest", "--actor", "agent:other", "--json").stdout)["suggestions"] == []


def test_a_file_in_braces_is_not_guessed_at(policy: Policy, run: Run, tmp_path: Path) -> None:
    """The lines can still be had as JSON."""
    policy(ASK + "settings: {packs: []}\n")
    approve(asked("git push origin main", tmp_path))

    assert len(json.loads(run("suggest", "--json").stdout)["suggestions"]) == 1
    with pytest.raises(InterlockError, match="in braces"):
        run("suggest")


def test_without_any_approval_nothing_is_suggested(policy: Policy, run: Run) -> None:
    """And that is said."""
    policy(ASK)
    open_database(here().database).close()

    result = run("suggest")
    assert (result.stdout, result.exit_code) == ("", 0)
    assert "nothing to suggest" in result.stderr


def _append(op: str, actor: str, workspace: str, body: dict[str, Any]) -> None:
    with closing(open_database(here().database)) as connection:
        ledger = LedgerWriter(connection)
        ledger.append(op, actor, workspace, msgspec.to_builtins(body))
        ledger.flush()
