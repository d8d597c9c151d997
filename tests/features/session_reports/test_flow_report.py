"""What a session did, written down."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import made

from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.features.session_reports.service import Denial, Failure, Flow, SessionReports
from interlock.policy.compile.compile import trial_engine
from interlock.policy.hook_kind import HookServices
from interlock.policy.hook_kinds import ours

KEY = "AKIA" + "J2E4X6Z8Q0W3R5T7"  # of no account
FLOW = Flow(
    since="2026-01-01T10:00:00Z",
    until="2026-01-01T11:00:00Z",
    calls=9,
    prompts=("fix the cart",),
    tools=(("Bash", 7), ("Read", 2)),
    commands=(("git status", 4), ("make test", 3)),
    sequences=(("git status; make test", 2),),
    failures=(Failure(call="Bash make test", error=f"no rule for {KEY}", count=2),),
    denials=(Denial(tool="Bash", reason="no force", count=1),),
    asked=1,
    hook_seconds=0.42,
    tool_seconds=61.0,
)


class SessionLedger:
    """A ledger that knows one session."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    async def read_flow(self, session_id: str) -> Flow:
        """What it knows."""
        return FLOW if session_id == "s" else Flow()


def ended(folder: Path, *, name: str = EventName.SESSION_END, session: str = "s", **entry: Any) -> Decision:
    """A session ends."""
    engine = made(
        "flow_report", "session_end", services=HookServices({SessionReports: SessionLedger(folder)}), **entry
    )
    return engine.decide_sync(Event(name=name, session_id=session, cwd="/srv/shop"))


@pytest.mark.req("P5", "P45")
@pytest.mark.parametrize("name", [EventName.SESSION_END, EventName.PRE_COMPACT])
def test_a_report_names_the_event_the_time_the_session_and_the_folder(tmp_path: Path, name: str) -> None:
    """In a file of its own, named by the second and the event, that the person is told of."""
    decision = ended(tmp_path / "reports", name=name)
    (file,) = (tmp_path / "reports").iterdir()
    text = file.read_text()

    assert re.fullmatch(rf"\d{{8}}-\d{{6}}-{name}\.md", file.name)
    assert text.startswith(f"# Flow Report\n\n- Event: {name}\n- Time: 20")
    assert re.search(r"^- Time: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$", text, re.MULTILINE)
    assert "- Session: s\n- Working Directory: /srv/shop\n" in text
    assert decision.messages == (f"flow_report: saved `{file}`; give it to `/learn` to learn from it",)
    assert decision.evidence[0].data == {"file": str(file), "calls": 9}


@pytest.mark.req("P45")
def test_the_four_questions_are_answered_from_the_ledger(tmp_path: Path) -> None:
    """What was tried, what was used, what failed, what repeats; and who learns from it."""
    ended(tmp_path)
    text = next(tmp_path.iterdir()).read_text()

    assert "## Summary" in text
    assert "### 1. What was tried?\n\n- fix the cart" in text
    assert "- 4x `git status`\n- 3x `make test`\n\nTools: Bash 7, Read 2." in text
    assert "- 2x `Bash make test` failed: no rule for [secret:aws]" in text
    assert "Denied by a rule:\n\n- 1x Bash: no force" in text
    assert "### 4. What could be automated?\n\n- 2x `git status; make test`" in text
    assert "- Calls: 9, of which 2 failed and 1 were denied; a person was asked 1 times" in text
    assert "61 s in tools, 0.4 s in hooks" in text
    assert "Give this file to `/learn`" in text


@pytest.mark.req("P8")
def test_it_has_ten_seconds_as_redirect_has_five_and_the_others_three() -> None:
    """The limits of the four scripts they stand for, which an entry may change."""
    seconds = {kind: ours(kind).seconds for kind in ("redirect", "nudge", "local_context", "flow_report")}

    assert seconds == {"redirect": 5.0, "nudge": 3.0, "local_context": 3.0, "flow_report": 10.0}


def test_only_the_person_can_read_it(tmp_path: Path) -> None:
    """Prompts are nobody else's matter."""
    ended(tmp_path / "new")

    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE(next((tmp_path / "new").iterdir()).stat().st_mode) == 0o600


def test_two_in_one_second_are_two_and_old_ones_go(tmp_path: Path) -> None:
    """Files of others in the folder stay."""
    (tmp_path / "mine.md").write_text("x")
    (tmp_path / "20200101-000000-SessionEnd.md").write_text("old")
    engine = made(
        "flow_report",
        "session_end",
        {"keep": 2},
        services=HookServices({SessionReports: SessionLedger(tmp_path)}),
    )
    for _ in range(3):
        engine.decide_sync(Event(name=EventName.SESSION_END, session_id="s", cwd="/"))
    names = sorted(one.name for one in tmp_path.iterdir())

    assert len(names) == 3
    assert "mine.md" in names
    assert "20200101-000000-SessionEnd.md" not in names


def test_a_folder_may_be_named_also_without_a_daemon(tmp_path: Path) -> None:
    """The questions are asked then, and nobody knows the answers."""
    environ = {"HOME": str(tmp_path)}
    engine = made("flow_report", "session_end", {"folder": "~/reports", "learner": "@learn"}, environ=environ)
    engine.decide_sync(Event(name=EventName.SESSION_END))
    text = next((tmp_path / "reports").iterdir()).read_text()

    assert "### 3. What went wrong?\n\n- none recorded" in text
    assert "Give this file to `@learn`" in text
    with pytest.raises(ConfigError, match="`reports` is relative"):
        made("flow_report", "session_end", {"folder": "reports"})


@pytest.mark.req("P31")
def test_reports_can_stand_beside_those_of_the_script_and_name_its_agent(tmp_path: Path) -> None:
    """In `~/.claude/flow-reports`, for `@learn`; unless said they stand in a folder of ours."""
    config = {"folder": "~/.claude/flow-reports", "learner": "@learn"}
    engine = made("flow_report", "session_end", config, environ={"HOME": str(tmp_path)})
    engine.decide_sync(Event(name=EventName.SESSION_END, session_id="s", cwd="/srv/shop"))
    (file,) = (tmp_path / ".claude" / "flow-reports").iterdir()
    text = file.read_text()

    assert re.fullmatch(r"\d{8}-\d{6}-SessionEnd\.md", file.name)
    assert re.search(r"^- Event: SessionEnd\n- Time: \d{4}-\d\d-\d\dT", text, re.MULTILINE)
    assert "- Session: s\n- Working Directory: /srv/shop\n" in text
    assert len(re.findall(r"^### \d\. .*\?$", text, re.MULTILINE)) == 4
    assert "Give this file to `@learn`" in text


@pytest.mark.req("P34")
def test_a_folder_that_cannot_be_written_breaks_nothing_and_is_recorded(tmp_path: Path) -> None:
    """The failure passes, and stands in the trace."""
    (tmp_path / "file").write_text("")
    decision = ended(tmp_path / "file" / "below")

    assert not decision.denied
    assert (decision.open_passes, str(decision.trace[0].outcome)) == (1, "error")


def test_a_trial_and_an_engine_without_a_place_write_nothing(tmp_path: Path) -> None:
    """Neither leaves a trace."""
    ended(tmp_path, mode="shadow")
    engine = trial_engine(ours("flow_report"), "session_end")
    engine.decide_sync(Event(name=EventName.SESSION_END))

    assert list(tmp_path.iterdir()) == []
