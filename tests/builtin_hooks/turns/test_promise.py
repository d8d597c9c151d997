"""A turn goes on until the agent has promised that all is done, and so often and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.engine.engine import Engine
from interlock.engine.session_memory import Rounds, RoundsInMemory
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess

KEPT = "All is done.\n<promise>TASK_COMPLETE</promise>"


def loop(services: HookServices | None = None, **options: Any) -> Engine:
    return made("promise", "stop", options, services=services)


def stop(engine: Engine, said: object = "Half of it.", *, cwd: object = "/", session: str = "s") -> Decision:
    extra = {"stop_hook_active": True, "last_assistant_message": said}
    return engine.decide_sync(Event(name="Stop", session_id=session, cwd=str(cwd), extra=extra))


@pytest.mark.req("U11", "U33")
def test_without_a_promise_a_stop_is_a_stop() -> None:
    """Nobody asked for one, or it was kept already."""
    engine = loop()
    engine.decide_sync(prompt("do it"))

    assert stop(engine).vote is Vote.ABSTAIN


@pytest.mark.req("U11", "U33", "U34")
def test_the_agent_is_sent_back_until_it_keeps_the_promise() -> None:
    """With the objective and the words that are waited for; then the person hears of it."""
    engine = loop()
    told = engine.decide_sync(prompt("/harness write the report"))
    first, second = stop(engine), stop(engine, "Nearly.")
    done = stop(engine, KEPT)

    assert "<promise>TASK_COMPLETE</promise>" in told.context[0]
    assert "at most 10 times" in told.context[0]
    assert (first.vote, second.vote) == (Vote.DENY, Vote.DENY)
    assert str(first.reason).startswith("The task is not done yet (iteration 1 of 10). write the report\n")
    assert "iteration 2 of 10" in str(second.reason)
    assert (done.vote, done.messages) == (Vote.ABSTAIN, ("promise: given after 2 iterations",))
    assert stop(engine, "More talk.").vote is Vote.ABSTAIN


@pytest.mark.req("U33", "X28")
@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("<promise>ALL  TESTS\n pass</promise>", True),
        ("so:\n<promise>\nALL TESTS pass\n</promise>\n", True),
        ("<PROMISE>ALL TESTS pass</PROMISE>", True),
        ("<promise>no</promise> then <promise>ALL TESTS pass</promise>", True),
        ("ALL TESTS pass", False),  # the words alone may be about it
        ("<promise>all tests pass</promise>", False),
        ("<promise>ALL TESTS pass!</promise>", False),
        ("<promise></promise>", False),
        ("", False),
        (None, False),
        (["<promise>ALL TESTS pass</promise>"], False),
    ],
)
def test_the_promise_stands_in_its_tag_whatever_the_white_space(said: object, *, kept: bool) -> None:
    """In the last message, and word for word."""
    engine = loop(promise="ALL TESTS pass", always=True)
    engine.decide_sync(prompt("go"))

    assert (stop(engine, said).vote is Vote.ABSTAIN) is kept


@pytest.mark.req("U33", "X28")
def test_at_the_most_iterations_the_turn_ends_with_a_warning() -> None:
    """Every iteration counts, and the warning comes once."""
    engine = loop(always=True, max_iterations=3)
    engine.decide_sync(prompt("go"))
    votes = [stop(engine).vote for _ in range(3)]
    last = stop(engine)

    assert votes == [Vote.DENY] * 3
    assert last.vote is Vote.ABSTAIN
    assert last.messages == ("promise: not given after 3 of 3 iterations; stopped",)
    assert stop(engine).messages == ()


@pytest.mark.req("U33", "U34")
def test_ten_iterations_and_the_word_unless_said() -> None:
    """As many as it takes to see that it does not."""
    engine = loop()
    engine.decide_sync(prompt("/harness x"))

    assert [stop(engine).vote for _ in range(11)] == [Vote.DENY] * 10 + [Vote.ABSTAIN]


@pytest.mark.req("U34")
def test_a_prompt_may_say_how_often_and_what_is_promised() -> None:
    """In front of its objective; such words further on are part of it."""
    engine = loop()
    flags = "--max-iterations 2 --completion-promise='ALL  GREEN'"
    engine.decide_sync(prompt(f"/harness {flags} fix it --max-iterations 9"))
    first = stop(engine, KEPT)

    assert str(first.reason).startswith(
        "The task is not done yet (iteration 1 of 2). fix it --max-iterations 9"
    )
    assert "<promise>ALL GREEN</promise>" in str(first.reason)
    assert stop(engine, "<promise>ALL GREEN</promise>").vote is Vote.ABSTAIN


@pytest.mark.req("U2", "U34")
def test_the_loop_is_kept_in_the_store_and_outlives_the_engine() -> None:
    """Another engine with the same store goes on with the count."""
    services = HookServices({Memory: MemoryInProcess(), Rounds: RoundsInMemory()})
    engine = loop(services)
    engine.decide_sync(prompt("/harness x"))
    stop(engine)

    assert "iteration 2 of 10" in str(stop(loop(services)).reason)


def test_a_new_prompt_begins_the_count_anew_and_leaves_the_loop() -> None:
    """The person has looked at it."""
    rounds = RoundsInMemory()
    services = HookServices({Memory: MemoryInProcess(), Rounds: rounds})
    engine = loop(services, max_iterations=2)
    engine.decide_sync(prompt("/harness write it"))
    stop(engine)
    engine.decide_sync(prompt("mind the title"))
    rounds.reset("s")  # as the daemon does at every prompt
    again = stop(engine)

    assert "iteration 1 of 2). write it" in str(again.reason)


def test_whoever_watches_takes_the_loop_up_where_it_was() -> None:
    """Its prompt holds what the agent would have been told; the iterations go on."""
    engine = loop(always=True, max_iterations=3)
    engine.decide_sync(prompt("write it"))
    stop(engine)
    reason = str(stop(engine).reason)
    engine.decide_sync(prompt(f"Go on with what you were doing: {reason}"))

    assert "iteration 3 of 3). write it" in str(stop(engine).reason)
    assert stop(engine).vote is Vote.ABSTAIN


def test_a_session_that_is_taken_up_hears_what_it_is_at() -> None:
    """And one that was summed up; a session that begins does not."""
    engine = loop()
    engine.decide_sync(prompt("/harness write it"))

    def begun(source: str) -> tuple[str, ...]:
        event = Event(name="SessionStart", session_id="s", cwd="/", extra={"source": source})
        return engine.decide_sync(event).context

    assert "write it" in begun("compact")[0]
    assert "write it" in begun("resume")[0]
    assert begun("startup") == ()


def test_the_loop_can_be_ended() -> None:
    """By its own command."""
    engine = loop()
    engine.decide_sync(prompt("/harness write it"))
    ended = engine.decide_sync(prompt("/harness off"))

    assert ended.messages == ("promise: the loop was stopped after 0 iterations",)
    assert stop(engine).vote is Vote.ABSTAIN


@pytest.mark.parametrize("text", ["/harnessed x", "use /harness", "harness x"])
def test_only_the_command_begins_a_loop(text: str) -> None:
    """Not a word that begins like it."""
    engine = loop()
    engine.decide_sync(prompt(text))

    assert stop(engine).vote is Vote.ABSTAIN


def test_sessions_do_not_share_a_loop() -> None:
    """One agent's promise is not another's."""
    engine = loop()
    engine.decide_sync(prompt("/harness x", session="a"))

    assert stop(engine, session="b").vote is Vote.ABSTAIN
    assert stop(engine, session="a").vote is Vote.DENY


def test_the_words_are_filled_in_once() -> None:
    """An objective may hold what looks like a gap."""
    engine = loop(continuation="{objective} {iteration}/{max} {promise} {other}", promise="OK")
    engine.decide_sync(prompt("/harness say {promise}"))

    assert stop(engine).reason == "say {promise} 1/10 OK {other}"


def test_a_trial_leaves_no_trace() -> None:
    """It counts for itself."""
    memory, rounds = MemoryInProcess(), RoundsInMemory()
    engine = made(
        "promise",
        "stop",
        {"always": True},
        services=HookServices({Memory: memory, Rounds: rounds}),
        mode="shadow",
    )
    engine.decide_sync(prompt("go"))
    decision = stop(engine)

    assert decision.vote is Vote.ABSTAIN
    assert (memory._values, rounds._counts) == ({}, {})


def test_a_text_full_of_tags_is_read_in_one_go() -> None:
    """A model may write anything; an agent waits for the answer."""
    engine = loop(always=True)
    engine.decide_sync(prompt("go"))

    assert stop(engine, "<promise>" * 200_000).vote is Vote.DENY


def test_a_promise_of_nothing_is_a_mistake() -> None:
    """It could never be kept."""
    with pytest.raises(ConfigError, match=r"config\.promise"):
        loop(promise="  ")


def mission(folder: Path, stands: str, **task: Any) -> None:
    (folder / "mission.json").write_text(json.dumps({"status": stands, "tasks": [task]}))


@pytest.mark.req("U36")
def test_the_promise_does_not_count_while_the_mission_is_open(tmp_path: Path) -> None:
    """A task that is not done, then its artifact, then nothing is missing; the notes are told with it."""
    engine = loop(always=True, mission="mission.json")
    engine.decide_sync(prompt("go", tmp_path))
    task = {"description": "Write it", "success_criteria": "three pages", "output_artifacts": ["out/*.md"]}
    mission(tmp_path, "IN_PROGRESS", **task, status="pending")
    (tmp_path / "mission_progress.txt").write_text("half a page\n")
    open_task = str(stop(engine, KEPT, cwd=tmp_path).reason)
    mission(tmp_path, "IN_PROGRESS", **task, status="completed")
    no_file = str(stop(engine, KEPT, cwd=tmp_path).reason)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.md").write_text("text")

    assert "- Write it (done when: three pages)" in open_task
    assert "half a page" in open_task
    assert "- Write it: out/*.md does not exist" in no_file
    assert stop(engine, KEPT, cwd=tmp_path).vote is Vote.ABSTAIN


@pytest.mark.req("U36")
def test_a_plan_is_looked_at_by_a_person_first(tmp_path: Path) -> None:
    """While it is planned the turn ends, and the loop is not over."""
    engine = loop(always=True, mission="mission.json")
    engine.decide_sync(prompt("go", tmp_path))
    mission(tmp_path, "PLANNING", description="a", status="pending")
    planned = stop(engine, cwd=tmp_path)
    mission(tmp_path, "IN_PROGRESS", description="a", status="pending")

    assert (planned.vote, planned.messages) == (
        Vote.ABSTAIN,
        ("promise: the mission is planned; review it, then tell the agent to continue",),
    )
    assert stop(engine, KEPT, cwd=tmp_path).vote is Vote.DENY
    mission(tmp_path, "COMPLETE", description="a", status="pending")
    assert stop(engine, KEPT, cwd=tmp_path).vote is Vote.ABSTAIN


@pytest.mark.parametrize("content", ["", "{", "[]", '{"tasks": 3}', '{"tasks": [1, null]}', "[" * 10_000])
def test_a_mission_that_cannot_be_read_is_none(tmp_path: Path, content: str) -> None:
    """The promise alone counts then."""
    (tmp_path / "mission.json").write_text(content)
    engine = loop(always=True, mission="mission.json")
    engine.decide_sync(prompt("go", tmp_path))

    decision = stop(engine, KEPT, cwd=tmp_path)
    assert (decision.vote, decision.open_passes) == (Vote.ABSTAIN, 0)


def test_a_mission_lies_in_the_project(tmp_path: Path) -> None:
    """A link that leads out of it is not followed."""
    project = tmp_path / "p"
    project.mkdir()
    mission(tmp_path, "IN_PROGRESS", description="secret", status="pending")
    (project / "mission.json").symlink_to(tmp_path / "mission.json")
    engine = loop(always=True, mission="mission.json")
    engine.decide_sync(prompt("go", project))

    assert stop(engine, KEPT, cwd=project).vote is Vote.ABSTAIN
