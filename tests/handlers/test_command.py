"""Shell hooks, run for real."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.handlers.view import EventView, bash_event

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Dialect, Handler
from interlock.events.verdict import NO_OPINION, Verdict, Vote
from interlock.handlers.command import CommandHandler

pytestmark = pytest.mark.deep

PATIENCE = 60.0  # far more than any of these hooks needs; never waited for
PATH = "/usr/local/bin:/usr/bin:/bin"


def command(text: str, **options: Any) -> CommandHandler:
    return CommandHandler(text, base_env={"HOME": "/home/u", "TOKEN": "t"}, path=PATH, **options)


async def verdict_of(text: str, event: Event | None = None, **options: Any) -> Verdict:
    return await command(text, **options).run(EventView(event or bash_event()), PATIENCE)


async def failure_of(text: str, event: Event | None = None, **options: Any) -> HookFailedError:
    with pytest.raises(HookFailedError) as raised:
        await verdict_of(text, event, **options)
    return raised.value


@pytest.mark.req("C27", "C28")
def test_a_command_is_a_handler_that_judges_and_takes_its_time() -> None:
    """It fits the engine's protocol; its context and result are on by default."""
    handler: Handler = command("true")

    assert (handler.kind, handler.judges, handler.instant, handler.patterns) == ("command", True, False, ())
    assert handler.fingerprint() == ["true", True, True, []]
    assert "TOKEN" not in repr(handler)


@pytest.mark.req("C29")
async def test_the_command_runs_in_a_shell_where_the_event_happened(tmp_path: Path) -> None:
    """Shell syntax works, and the working directory is the event's."""
    await verdict_of("echo here | cat > file", bash_event(cwd=str(tmp_path)))

    assert (tmp_path / "file").read_text() == "here\n"


@pytest.mark.req("C30")
async def test_the_environment_names_the_event_and_nothing_uninvited() -> None:
    """HOOK_* are set, `pass_env` is honoured, everything else stays outside."""
    told = "$HOOK_EVENT $HOOK_SESSION_ID $HOOK_TOOL_NAME [$TOKEN]"
    script = f"""printf '{{"decision":"deny","reason":"%s"}}' "{told}" """

    assert (await verdict_of(script)).reason == "PreToolUse s1 Bash []"
    assert (await verdict_of(script, pass_env=("TOKEN",))).reason == "PreToolUse s1 Bash [t]"
    assert (await verdict_of(script, Event(name="Stop"))).reason == "Stop   []"


@pytest.mark.req("C30")
def test_a_variable_that_changes_what_runs_is_refused_at_load() -> None:
    """The mistake is found when the policy loads, not when the hook runs."""
    with pytest.raises(ValueError, match="`LD_PRELOAD` in `pass_env`"):
        command("true", pass_env=("LD_PRELOAD",))


@pytest.mark.req("C28", "C31", "C18", "M8")
async def test_the_context_document_is_on_standard_input(tmp_path: Path) -> None:
    """A hook reads the whole document as JSON."""
    await verdict_of("cat > seen.json", bash_event("git push", cwd=str(tmp_path)))

    document = json.loads((tmp_path / "seen.json").read_text())
    assert document["tool_input"] == {"command": "git push"}
    assert document["hook_event_name"] == document["event"] == "PreToolUse"
    assert document["env"]["HOOK_TOOL_NAME"] == "Bash"


@pytest.mark.req("C28", "C31")
async def test_without_pass_context_standard_input_is_empty() -> None:
    """A hook that does not want the context gets none."""
    script = """[ -p /dev/stdin ] || [ -n "$(cat)" ] || echo '{"decision":"deny","reason":"empty"}'"""

    assert (await verdict_of(script, pass_context=False)).reason == "empty"


@pytest.mark.req("C31")
async def test_a_hook_that_reads_nothing_still_answers() -> None:
    """A failed write of the context is not a failure of the hook."""
    event = bash_event("x" * 2_000_000)

    assert (await verdict_of("""exec <&-; echo '{"decision":"allow"}'""", event)).vote is Vote.ALLOW


@pytest.mark.req("C32", "C67", "P6")
@pytest.mark.parametrize("dialect", Dialect)
async def test_exit_zero_and_an_answer_is_that_answer(dialect: Dialect) -> None:
    """What the hook prints decides."""
    verdict = await verdict_of("""echo '{"Reject": {"reason": "no"}}'""", dialect=dialect)

    assert verdict == Verdict(vote=Vote.DENY, reason="no")


@pytest.mark.req("C33")
@pytest.mark.parametrize(
    "script", ['echo \'{"decision":"deny"}\'', "echo garbage", "head -c 2000000 /dev/zero"]
)
async def test_with_parse_result_off_standard_output_is_ignored(script: str) -> None:
    """Whatever such a hook prints, exit 0 is not an opinion."""
    assert await verdict_of(script, parse_result=False) == NO_OPINION


@pytest.mark.req("C33", "D06")
async def test_garbage_is_a_failure_except_in_hooks_toml() -> None:
    """A partial answer is never a pass by itself; the document of `hooks.toml` lets it pass, marked."""
    script = """printf '{"decision": "de'"""

    assert (await failure_of(script)).kind is FailureKind.GARBAGE
    assert (await failure_of(script, dialect=Dialect.CLAUDE)).kind is FailureKind.GARBAGE
    assert await verdict_of(script, dialect=Dialect.HOOKS_TOML) == Verdict(ignored=True)


@pytest.mark.req("D06")
@pytest.mark.parametrize("dialect", Dialect)
async def test_an_answer_longer_than_the_cap_is_garbage(dialect: Dialect) -> None:
    """A cut answer is not read, whatever its beginning says."""
    failure = await failure_of("head -c 50000000 /dev/zero", dialect=dialect)

    assert failure.kind is FailureKind.GARBAGE
    assert "printed more than 1 MiB" in failure.message


@pytest.mark.req("C34")
@pytest.mark.parametrize("dialect", Dialect)
async def test_a_failing_exit_carries_the_documents_words(dialect: Dialect) -> None:
    """The message is `Hook failed:` and what the hook wrote to standard error."""
    failure = await failure_of("echo 'disk full ' >&2; exit 1", dialect=dialect)

    assert (failure.kind, failure.message) == (FailureKind.EXIT, "Hook failed: disk full")


@pytest.mark.req("C34")
async def test_a_silent_failing_exit_says_how_it_ended() -> None:
    """Without standard error the exit code or signal is told."""
    assert (await failure_of("exit 7")).message == "Hook failed: exit code 7"
    assert (await failure_of("kill -9 $$")).message == "Hook failed: killed by signal 9"


@pytest.mark.req("C34")
async def test_standard_error_is_cut_and_need_not_be_text() -> None:
    """A long or binary standard error makes a short, readable message."""
    failure = await failure_of(
        "printf '\\377'; printf '\\377' >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1"
    )

    assert failure.message.startswith("Hook failed: \N{REPLACEMENT CHARACTER}xxx")
    assert len(failure.message) < 2100


@pytest.mark.req("C34", "D06")
@pytest.mark.parametrize("dialect", [Dialect.GENESIS, Dialect.HOOKS_TOML])
async def test_a_valid_answer_with_a_failing_exit_is_a_failure(dialect: Dialect) -> None:
    """An allow printed by a hook that then failed is not believed."""
    failure = await failure_of("""echo '{"decision":"allow"}'; exit 1""", dialect=dialect)

    assert failure.kind is FailureKind.EXIT


@pytest.mark.req("C32", "D06")
async def test_a_claude_hooks_object_decides_whatever_its_exit() -> None:
    """Claude Code ignores the exit code, other than 2, when there is an answer."""
    verdict = await verdict_of("""echo '{"decision":"block","reason":"r"}'; exit 1""", dialect=Dialect.CLAUDE)

    assert verdict == Verdict(vote=Vote.DENY, reason="r")


@pytest.mark.req("C34")
@pytest.mark.parametrize("printed", ["", "text", '{"decision": "bl', '{"decision": "maybe"}', '"Continue"'])
async def test_a_claude_hook_that_fails_without_an_answer_is_a_failure(printed: str) -> None:
    """Text or a broken object does not turn a failing exit into an answer."""
    failure = await failure_of(f"printf '%s' '{printed}'; exit 1", dialect=Dialect.CLAUDE)

    assert failure.kind is FailureKind.EXIT


@pytest.mark.req("C34")
@pytest.mark.parametrize("dialect", [Dialect.GENESIS, Dialect.CLAUDE])
@pytest.mark.parametrize("printed", ["", "text", '{"decision":"allow"}', "{", '{"systemMessage":1}'])
async def test_exit_two_denies_with_standard_error(dialect: Dialect, printed: str) -> None:
    """Exit 2 says no, and nothing printed undoes that."""
    verdict = await verdict_of(f"printf '%s' '{printed}'; echo why >&2; exit 2", dialect=dialect)

    assert verdict == Verdict(vote=Vote.DENY, reason="why")


@pytest.mark.req("C34")
async def test_exit_two_takes_the_reason_of_an_answer_that_blocks() -> None:
    """A printed no may say it in its own words."""
    script = """echo '{"decision":"block","reason":"own"}'; echo why >&2; exit 2"""

    assert (await verdict_of(script, dialect=Dialect.CLAUDE)).reason == "own"
    assert (await verdict_of(script, dialect=Dialect.CLAUDE, parse_result=False)).reason == "why"


@pytest.mark.req("C34")
async def test_exit_two_without_a_word_still_gives_a_reason() -> None:
    """Who is denied is told at least how."""
    assert (await verdict_of("exit 2")).reason == "the hook exited with code 2 and gave no reason"


@pytest.mark.req("C34")
async def test_exit_two_of_a_hooks_toml_hook_is_like_any_other_failing_exit() -> None:
    """Its document knows only zero and not zero."""
    failure = await failure_of("echo why >&2; exit 2", dialect=Dialect.HOOKS_TOML)

    assert (failure.kind, failure.message) == (FailureKind.EXIT, "Hook failed: why")


@pytest.mark.req("C35")
@pytest.mark.parametrize("cwd", ["/no/such/place", "/etc/passwd", "/a\0b"])
async def test_a_missing_directory_is_an_error_that_names_it(cwd: str) -> None:
    """A hook is not run somewhere else instead."""
    failure = await failure_of("true", bash_event(cwd=cwd))

    assert failure.kind is FailureKind.SPAWN
    assert failure.message == f"Hook error: the working directory `{cwd}` does not exist"


@pytest.mark.req("C35")
@pytest.mark.parametrize("text", ["true \0", ": " + "x" * 3_000_000])
async def test_a_command_that_cannot_be_started_is_a_hook_error(text: str) -> None:
    """What the system refuses to start has the documents' words too."""
    failure = await failure_of(text)

    assert failure.kind is FailureKind.SPAWN
    assert failure.message.startswith("Hook error: ")


@pytest.mark.req("C34")
async def test_a_command_nobody_knows_is_a_failing_exit() -> None:
    """The shell's own complaint is the message."""
    failure = await failure_of("no-such-program-here")

    assert failure.kind is FailureKind.EXIT
    assert "no-such-program-here" in failure.message


@pytest.mark.req("C49", "D04")
async def test_a_hook_that_takes_too_long_is_a_timeout() -> None:
    """The budget ends the hook, and the failure says how long it had."""
    with pytest.raises(HookFailedError, match="no answer within 0") as raised:
        await command("sleep 600").run(EventView(bash_event()), 0.1)

    assert raised.value.kind is FailureKind.TIMEOUT


@pytest.mark.req("C67", "C68")
async def test_a_module_in_the_project_is_not_imported_by_a_hook(tmp_path: Path) -> None:
    """A `json.py` beside the code cannot take over a hook that uses Python."""
    (tmp_path / "json.py").write_text("raise SystemExit('taken over')")
    script = """python3 -c "import json; print(json.dumps({'decision': 'deny', 'reason': 'safe'}))" """

    handler = CommandHandler(script, base_env={}, path=_python_path())

    assert (await handler.run(EventView(bash_event(cwd=str(tmp_path))), PATIENCE)).reason == "safe"


@pytest.mark.req("C67")
@pytest.mark.parametrize(("line", "vote"), [("sudo rm -rf /", Vote.DENY), ("ls", Vote.ABSTAIN)])
async def test_a_script_that_screens_commands_works_as_documented(line: str, vote: Vote) -> None:
    """A Python one-liner reads the context and rejects what it finds dangerous."""
    script = """python3 -c "
import json, sys
asked = json.load(sys.stdin)['tool_input']['command']
bad = any(word in asked for word in ('rm -rf /', 'sudo rm'))
print(json.dumps({'Reject': {'reason': 'Dangerous command blocked'}} if bad else 'Continue'))
" """
    handler = CommandHandler(script, dialect=Dialect.HOOKS_TOML, base_env={}, path=_python_path())

    assert (await handler.run(EventView(bash_event(line)), PATIENCE)).vote is vote


@pytest.mark.req("C68", "C70")
async def test_a_hook_may_write_a_log_of_its_own(tmp_path: Path) -> None:
    """A hook that only appends a line to a file in the home works, and has no opinion."""
    handler = CommandHandler(
        'echo "$HOOK_TOOL_NAME" >> ~/edits.log', base_env={"HOME": str(tmp_path)}, path=PATH
    )

    verdict = await handler.run(EventView(bash_event(name="PostToolUse")), PATIENCE)

    assert verdict == NO_OPINION
    assert (tmp_path / "edits.log").read_text() == "Bash\n"


def _python_path() -> str:
    """Where this interpreter's `python3` stands; PYTHONSAFEPATH needs 3.11."""

    return f"{Path(sys.executable).parent}:{PATH}"


@pytest.mark.req("T09")
async def test_a_command_with_its_own_folder_runs_there(tmp_path: Path) -> None:
    """The folder is the process's; the context still says where the event happened."""
    told = tmp_path / "told"
    event = bash_event(cwd="/")
    await verdict_of(f"pwd > {told}; cat >> {told}", event, folder=str(tmp_path))

    where, context = told.read_text().split("\n", 1)
    assert (where, json.loads(context)["cwd"]) == (str(tmp_path), "/")
    assert "does not exist" in (await failure_of("true", event, folder=str(tmp_path / "gone"))).message
