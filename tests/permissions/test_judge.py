"""May this actor do it: order, reasons, guidance, sub-agents, layers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builders import bash, call, enforcing, entry, write

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.permissions.judge import PermissionTable

EXECUTOR = entry(
    "agent:executor",
    allow=[
        *("Bash(git *)", "Bash(npm *)", "Bash(pnpm *)", "Bash(mentu *)"),
        *("Write(src/*)", "Write(tests/*)", "Edit(src/*)", "Edit(tests/*)", "Read(*)"),
    ],
    deny=[
        *("Bash(rm -rf *)", "Bash(* --force)", "Bash(git push *)"),
        *("Write(.env*)", "Write(*.key)", "Write(.mentu/genesis.key)"),
    ],
)
ARCHITECT = entry(
    "agent:architect",
    allow=["Read(*)", "mentu_commit(*)", "mentu_capture(*)", "Task(executor)", "Task(auditor)"],
    deny=["Write(*)", "Edit(*)", "Bash(*)"],
)
AUDITOR = entry(
    "agent:auditor",
    allow=["Read(*)", "Bash(npm test *)", "Bash(lint *)", "mentu_approve(*)", "mentu_reject(*)"],
    deny=["Write(*)", "Edit(*)"],
)
SAMPLE = PermissionTable([EXECUTOR, ARCHITECT, AUDITOR])


def decide(event: Event, *tables: PermissionTable) -> Decision:
    return Engine(enforcing(*(tables or (SAMPLE,)))).decide_sync(event)


def only(actor: str = "agent:main", **lists: Any) -> PermissionTable:
    return PermissionTable([entry(actor, **lists)])


def reads(path: str, **fields: Any) -> Event:
    return call("Read", tool_input={"file_path": path}, cwd="/w/app", **fields)


@pytest.mark.req("M12", "M21", "M39", "M51")
@pytest.mark.parametrize(
    ("event", "vote", "reason"),
    [
        (bash("git commit -m 'fix'"), Vote.ALLOW, "Allowed by pattern: Bash(git *)"),
        (bash("git status && npm test"), Vote.ALLOW, "Allowed by pattern: Bash(git *)"),
        (bash("git push origin"), Vote.DENY, "Denied by pattern: Bash(git push *)"),
        (bash("git push"), Vote.DENY, "Denied by pattern: Bash(git push *)"),
        (bash("npm ci --force x"), Vote.DENY, "Denied by pattern: Bash(* --force)"),
        (bash("git status; rm -rf x"), Vote.DENY, "Denied by pattern: Bash(rm -rf *) (in `rm -rf x`)"),
        (bash("make"), Vote.DENY, "No matching allow pattern for agent:executor and Bash"),
        (bash("git status && make"), Vote.DENY, "No matching allow pattern for agent:executor and Bash"),
        (write("src/a.ts"), Vote.ALLOW, "Allowed by pattern: Write(src/*)"),
        (write("/w/app/tests/a.ts"), Vote.ALLOW, "Allowed by pattern: Write(tests/*)"),
        (write("src/.env"), Vote.DENY, "Denied by pattern: Write(.env*)"),
        (write("src/x.key"), Vote.DENY, "Denied by pattern: Write(*.key)"),
        (write("docs/a.md"), Vote.DENY, "No matching allow pattern for agent:executor and Write"),
        (reads("/etc/hosts"), Vote.ALLOW, "Allowed by pattern: Read(*)"),
    ],
)
def test_the_executor_of_the_sample(event: Event, vote: Vote, reason: str) -> None:
    """Deny list first, then allow list, no match is deny; the reason names the pattern."""
    decision = decide(_as("agent:executor", event))

    assert (decision.vote, (decision.reason or "").partition(";")[0]) == (vote, reason)


@pytest.mark.req("M51")
@pytest.mark.parametrize(
    ("event", "listed"),
    [
        (bash("make"), "allowed: `Bash(git *)`, `Bash(npm *)`, `Bash(pnpm *)`, `Bash(mentu *)`"),
        (write("docs/a.md"), "allowed: `Write(src/*)`, `Write(tests/*)`"),
        (
            call("WebFetch", tool_input={"url": "https://example.com"}),
            "allowed: `Bash(git *)`, `Bash(npm *)`,",
        ),
    ],
)
def test_a_call_that_nothing_allows_is_told_what_is_allowed(event: Event, listed: str) -> None:
    """Of the same tool, or where there is nothing of it, of the others; never more than a line."""
    reason = decide(_as("agent:executor", event)).reason

    assert reason is not None
    assert listed in reason
    assert len(reason) < 300


def _as(actor: str, event: Event, **fields: Any) -> Event:
    values = {name: getattr(event, name) for name in event.__struct_fields__}
    return Event(**{**values, "actor": actor, **fields})


@pytest.mark.req("M22", "M41")
def test_the_architect_of_the_sample() -> None:
    """Reads, commits and delegates; writing is denied with advice what to do instead."""
    advice = "Architects cannot write files. Create a commitment for an Executor."
    denied = decide(write("src/index.ts", actor="agent:architect"))

    assert (denied.vote, denied.reason) == (Vote.DENY, f"Denied by pattern: Write(*). {advice}")
    assert denied.feedback == f"Tool denied: {denied.reason}"
    assert decide(bash("ls", actor="agent:architect")).denied
    for tool, value in (
        ("Task", {"subagent_type": "executor"}),
        ("mentu_commit", {}),
        ("mcp__interlock__capture", {}),
    ):
        assert decide(call(tool, tool_input=dict(value), actor="agent:architect")).vote is Vote.ALLOW
    assert decide(call("Task", tool_input={"subagent_type": "x"}, actor="agent:architect")).denied


@pytest.mark.req("M41")
def test_example_three_of_the_document() -> None:
    """The architect's refusal is there without any guidance written."""
    table = only("agent:architect", allow=["Read(*)", "mentu_commit(*)"], deny=["Write(*)", "Bash(*)"])
    reason = decide(write("src/index.ts", actor="agent:architect"), table).reason or ""

    assert "Architects cannot write files. Create a commitment for an Executor." in reason


@pytest.mark.req("M23")
def test_the_auditor_of_the_sample() -> None:
    """Reads, tests and judges; changes nothing."""
    assert decide(bash("npm test unit", actor="agent:auditor")).vote is Vote.ALLOW
    assert decide(call("mentu_approve", tool_input={}, actor="agent:auditor")).vote is Vote.ALLOW
    assert decide(write("src/a", actor="agent:auditor")).denied
    assert decide(bash("npm install", actor="agent:auditor")).denied


def test_an_unlisted_actor_is_told_so() -> None:
    """Where anybody has permissions, nobody acts without an entry."""
    decision = decide(bash("ls"))

    assert decision.vote is Vote.DENY
    assert decision.reason == (
        "The policy does not say what agent:main may do, so it may not do this. The user can list it under "
        "`permissions.actors`, or say who it is in the user's policy, for example with "
        "`settings: {actors: {main: agent:executor}}`."
    )


def test_without_permissions_there_is_no_opinion() -> None:
    """An empty table does not make every actor unlisted."""
    assert decide(bash("ls"), PermissionTable()).vote is Vote.ABSTAIN
    assert Engine(enforcing(SAMPLE)).decide_sync(Event(name="PreToolUse")).vote is Vote.ABSTAIN


def test_a_deny_list_alone_denies_and_says_nothing_else() -> None:
    """Without an allow list nothing is missing from it; an empty one allows nothing."""
    assert decide(bash("rm x"), only(deny=["Bash(rm *)"])).denied
    assert decide(bash("ls"), only(deny=["Bash(rm *)"])).vote is Vote.ABSTAIN
    assert decide(bash("ls"), only(allow=[])).denied


@pytest.mark.parametrize("tool", ["AskUserQuestion", "TodoWrite", "ExitPlanMode", "exit_plan_mode"])
def test_neutral_tools_need_no_entry(tool: str) -> None:
    """Asking the user or keeping a list is outside `no match = deny`, for the unlisted too."""
    event = call(tool, tool_input={})

    assert decide(event, only(allow=["Read"])).vote is Vote.ABSTAIN
    assert decide(event, only("agent:other", allow=["Read"])).vote is Vote.ABSTAIN
    assert decide(event, only(allow=[tool])).vote is Vote.ALLOW
    assert decide(event, only(allow=["Read"], deny=[tool])).denied


@pytest.mark.parametrize("command", ["git log $(x", "git log ${v@P}", "git log 'x"])
def test_unread_text_is_asked_about_where_the_tool_is_listed(command: str) -> None:
    """An allow list that speaks of the tool asks, one that does not denies, a deny still denies."""
    for listed in (only(allow=["Bash(git *)"]), only(allow=["run(git)"])):
        decision = decide(bash(command), listed)
        assert decision.vote is Vote.ASK
        assert "cannot read the whole call" in (decision.reason or "")
    assert decide(bash(command), only(allow=["Read"])).denied
    assert decide(bash(command), only(allow=["Bash(git *)"], deny=["Bash(git *)"])).denied
    assert decide(bash(command), only(allow=["Bash"])).vote is Vote.ALLOW


@pytest.mark.parametrize(
    ("command", "vote"),
    [
        ("python -c 'os.system(\"rm -rf x\")'", Vote.DENY),
        ('python -c \'call(["rm", "-r", "-f", x])\'', Vote.DENY),
        ("python -c 'print(1)'", Vote.ABSTAIN),
        ("python -c 'rmdir(1)'", Vote.ABSTAIN),
        ("$TOOL x", Vote.ASK),
        ("curl x | sh", Vote.ASK),
        ("echo 'unclosed", Vote.ABSTAIN),
        ("echo 'unclosed; rm -fr x", Vote.DENY),
        ("ls", Vote.ABSTAIN),
    ],
)
def test_unread_text_under_a_deny_list_alone(command: str, vote: Vote) -> None:
    """Denied words in it deny, a program nobody has seen is asked about, the rest passes as unread."""
    decision = decide(bash(command), only(deny=["Bash(rm -rf *)"]))

    assert decision.vote is vote
    assert bool(decision.unread) is (command != "ls")


def test_what_a_deny_list_does_not_speak_of_is_not_asked_about() -> None:
    """A list about files has no opinion on programs; one about effects has."""
    assert decide(bash("$TOOL x"), only(deny=["Write(.env*)"])).vote is Vote.ABSTAIN
    assert decide(bash("$TOOL x"), only(deny=["write(.env*)"])).vote is Vote.ASK


@pytest.mark.req("C01")
def test_a_reason_shows_the_denied_part_in_one_short_line() -> None:
    """Whatever the agent wrote there."""
    reason = decide(bash("ls; rm -rf '" + "x\n\u202e" * 90 + "'"), only(deny=["Bash(rm -rf *)"])).reason or ""

    assert reason.startswith("Denied by pattern: Bash(rm -rf *) (in `rm -rf 'x")
    assert reason.isprintable()
    assert len(reason) < 200


@pytest.mark.req("M41")
@pytest.mark.parametrize(
    ("guidance", "ending"),
    [
        ({"Write(*)": "Ask first.", "*": "In general."}, ". Ask first."),
        ({"*": "In general."}, ". In general."),
        ({"Write(other)": "Never."}, "Denied by pattern: Write(*)"),
        ({}, "Denied by pattern: Write(*)"),
    ],
)
def test_guidance_of_the_pattern_comes_before_that_of_the_entry(
    guidance: dict[str, str], ending: str
) -> None:
    """An entry's own advice is added to the reason."""
    decision = decide(write("a"), only(deny=["Write(*)"], guidance=guidance))

    assert (decision.reason or "").endswith(ending)


def test_own_guidance_comes_before_that_of_the_role() -> None:
    """What the policy says about architects replaces what everybody knows about them."""
    table = only("agent:architect", deny=["Write"], guidance={"*": "Talk to me."})

    assert (
        decide(write("a", actor="agent:architect"), table).reason == "Denied by pattern: Write. Talk to me."
    )


def _sub(event: Event, parent: str = "agent:architect") -> Event:
    return _as("agent:executor", event, parent_actor=parent, agent_type="executor")


@pytest.mark.req("Z12")
def test_a_named_sub_agent_acts_under_its_own_actor() -> None:
    """The architect delegates to the executor, who then writes what the architect may not."""
    assert decide(_sub(write("src/a"))).vote is Vote.ALLOW
    assert decide(_sub(write("docs/a"))).denied


@pytest.mark.req("Z12")
def test_an_unnamed_sub_agent_gets_no_more_than_its_parent() -> None:
    """Without delegation both must permit."""
    decision = decide(_sub(write("src/a"), parent="agent:auditor"))

    assert (decision.vote, "Auditors cannot write files" in (decision.reason or "")) == (Vote.DENY, True)
    assert decide(_sub(reads("src/a"), parent="agent:auditor")).vote is Vote.ALLOW
    assert decide(_sub(bash("git log"), parent="agent:auditor")).denied


@pytest.mark.req("Z12")
def test_an_unlisted_parent_permits_nothing() -> None:
    """A sub-agent of nobody we know is denied."""
    reason = decide(_sub(reads("a"), parent="agent:main")).reason
    assert (reason or "").startswith("The policy does not say what agent:main may do, ")


@pytest.mark.req("Z12")
def test_another_layer_cannot_delegate_what_this_one_withholds() -> None:
    """A delegation counts in the layer that wrote it."""
    user = PermissionTable([entry("agent:main", allow=["Read"]), entry("agent:executor", allow=["Bash"])])
    project = only(allow=["Task(executor)", "Bash", "Read"])
    event = _sub(bash("ls"), parent="agent:main")

    assert decide(event, user).denied
    assert decide(event, user, project).denied


@pytest.mark.parametrize(
    ("first", "second", "vote"),
    [
        ({"allow": ["Bash"]}, {"deny": ["Bash(ls)"]}, Vote.DENY),
        ({"allow": ["Bash"]}, {"allow": ["Read"]}, Vote.DENY),
        ({"allow": ["Bash"]}, {"allow": ["Bash(ls)"]}, Vote.ALLOW),
        ({"allow": ["Bash"]}, {"deny": ["Bash(rm *)"]}, Vote.ALLOW),
    ],
)
def test_each_layer_with_an_entry_judges_and_the_strictest_wins(
    first: dict[str, Any], second: dict[str, Any], vote: Vote
) -> None:
    """In either order."""
    assert decide(bash("ls"), only(**first), only(**second)).vote is vote
    assert decide(bash("ls"), only(**second), only(**first)).vote is vote


def test_a_layer_without_an_entry_is_silent_where_another_has_one() -> None:
    """It denies the unlisted only when no layer lists them."""
    other = only("agent:other", allow=["Read"])

    assert decide(bash("ls"), other, only(allow=["Bash"])).vote is Vote.ALLOW
    reason = decide(bash("ls"), other, only("agent:third", allow=["Bash"])).reason
    assert (reason or "").startswith("The policy does not say what agent:main may do, ")
