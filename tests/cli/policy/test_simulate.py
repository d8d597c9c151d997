"""`interlock hooks simulate`: one call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import SAMPLES, Interlock, policy, typed_for_real

_TEST_KEY = str(SAMPLES / "mentu-test-genesis.key")
_MENTU = str(SAMPLES / "mentu-genesis.key")
_BASH = ("hooks", "simulate", "--tool", "Bash")

_NEVER_DELETE = """
version: "2.0"
hooks:
  pre_tool_use:
    - matcher: "Bash(rm -rf *)"
      type: deny
      config:
        reason: "Recursive force delete is never allowed"
"""

_ARCHITECT = """
version: "2.0"
permissions:
  actors:
    agent:architect:
      allow:
        - "Read(*)"
        - "mentu_commit(*)"
      deny:
        - "Write(*)"
        - "Bash(*)"
      guidance:
        "Write(*)": "Architects cannot write files. Create a commitment for an Executor."
"""


def command_policy(folder: Path, command: str) -> str:
    """A policy with one shell hook before every tool."""
    shell = f"pass_context = true\nparse_result = true\ncommand = '''{command}'''\n"
    return policy(folder, f"[[hooks]]\nevent = 'PreToolUse'\n[hooks.shell]\n{shell}", "a.toml")


@pytest.mark.req("M48")
def test_the_documented_command_shows_the_hooks_and_the_result(interlock: Interlock) -> None:
    """The verification command says the decision and why, then every rule that matched."""
    words = (*_BASH, "--args", "git status", "--actor", "agent:executor")
    typed = interlock(*words, "--config", _TEST_KEY)
    rows = typed.out.splitlines()

    assert typed.code == 0
    assert rows[0].startswith("decision: allow (Allowed by pattern: Bash(git *)")
    assert [row.split()[:2] for row in rows[1:]] == [["matched:", "allow"]]
    assert interlock(*words, "--config", _TEST_KEY, "-v").last.startswith("did not match: ")


@pytest.mark.deep
@pytest.mark.req("M48")
def test_the_installed_script_simulates_without_any_policy() -> None:
    """The verification command as written works on a fresh machine and says that nothing is bound."""
    typed = typed_for_real(*_BASH, "--args", "git status", "--actor", "agent:executor")

    assert (typed.code, typed.out) == (0, "decision: allow\nno rule matched\n")


@pytest.mark.req("M83")
@pytest.mark.parametrize(
    ("command", "decision"),
    [("rm x", "deny"), ("rm -rf x", "deny"), ("git log", "allow"), ("ls", "deny"), ("git ${x@P}", "ask")],
)
def test_the_test_key_decides_as_written(interlock: Interlock, command: str, decision: str) -> None:
    """Its deny hook, its deny list, its allow list and the end of both all count."""
    words = (*_BASH, "--args", command, "--actor", "agent:executor", "--config", _TEST_KEY, "--json")

    assert interlock(*words).document["decision"] == decision


@pytest.mark.req("M40", "M42")
def test_a_recursive_delete_is_denied_and_the_alternative_is_not(interlock: Interlock, work: Path) -> None:
    """The document's first example: the agent hears the reason and may try `rm -r`."""
    file = policy(work, _NEVER_DELETE)
    denied = interlock(*_BASH, "--args", "rm -rf /tmp/stuff", "--config", file, "--json").document
    other = interlock(*_BASH, "--args", "rm -r /tmp/stuff", "--config", file, "--json").document

    assert (denied["decision"], denied["reason"]) == ("deny", "Recursive force delete is never allowed")
    assert denied["feedback"] == "Tool denied: Recursive force delete is never allowed"
    assert (other["decision"], other["feedback"]) == ("allow", None)


@pytest.mark.req("M40", "M41")
def test_an_architect_is_told_what_to_do_instead(interlock: Interlock, work: Path) -> None:
    """The document's third example: the denial carries the guidance for this kind of actor."""
    words = ("hooks", "simulate", "--tool", "Write", "--args", "src/index.ts", "--actor", "agent:architect")
    feedback = interlock(*words, "--config", policy(work, _ARCHITECT), "--json").document["feedback"]

    assert feedback.startswith("Tool denied: ")
    assert "Write(*)" in feedback
    assert "Architects cannot write files. Create a commitment for an Executor." in feedback


@pytest.mark.req("M20", "M84")
def test_the_worked_trace_of_the_document_holds_up_to_the_tool(interlock: Interlock) -> None:
    """An executor's commit: enforcement allows by the pattern, the deny hook is skipped."""
    words = (*_BASH, "--args", "git commit -m 'fix'", "--actor", "agent:executor", "--config", _MENTU)
    document = interlock(*words, "--json").document
    first, second, _ = document["votes"]

    assert document["decision"] == "allow"
    assert (first["type"], first["matcher"], first["vote"]) == ("genesis_enforcement", "*", "allow")
    assert "Bash(git *)" in first["reason"]
    assert (second["type"], second["matcher"], second["outcome"]) == ("deny", "Bash(rm -rf *)", "skipped")


@pytest.mark.req("M20")
@pytest.mark.parametrize(
    ("event", "tool", "types"),
    [
        ("PostToolUse", ("--tool", "Edit", "--args", "a"), ["success", "skipped"]),
        ("PostToolUseFailure", ("--tool", "Bash", "--args", "a"), ["skipped", "success"]),
        ("Stop", (), ["success"]),
    ],
)
def test_the_sample_key_is_bound_to_later_moments_too(
    interlock: Interlock, event: str, tool: tuple[str, ...], types: list[str]
) -> None:
    """Capture after edits and commands, the gate at the end of a turn."""
    words = ("hooks", "simulate", "--event", event, *tool, "--config", _MENTU, "--json")

    assert types == [vote["outcome"] for vote in interlock(*words).document["votes"]]


def test_the_json_has_the_promised_keys(interlock: Interlock) -> None:
    """Scripts rely on these names."""
    document = interlock(*_BASH, "--args", "ls", "--config", _TEST_KEY, "--json").document
    keys = {"decision", "reason", "updated_input", "context", "message", "votes", "degraded"}
    row = {"hook", "type", "matcher", "source", "vote", "reason", "outcome", "duration_ms"}

    assert document.keys() >= keys
    assert document["votes"][0].keys() >= row


@pytest.mark.deep
@pytest.mark.parametrize(
    ("words", "event"),
    [
        (("--prompt", "hello"), "UserPromptSubmit"),
        (("--tool", "Bash"), "PreToolUse"),
        (("--tool", "Bash", "--error", "it broke"), "PostToolUseFailure"),
        (("--event", "pre_compact"), "PreCompact"),
        (("--event", "PrePromptSubmit", "--prompt", "x"), "UserPromptSubmit"),
    ],
)
def test_the_moment_follows_from_what_is_given(
    interlock: Interlock, work: Path, words: tuple[str, ...], event: str
) -> None:
    """A hook bound to that moment, and only that, runs."""
    text = f'[[hooks]]\nevent = "{event}"\n[hooks.shell]\ncommand = "echo $HOOK_EVENT > said"\n'
    typed = interlock("hooks", "simulate", *words, "--config", policy(work, text, "a.toml"), "--json")

    assert [vote["outcome"] for vote in typed.document["votes"]] == ["success"]
    assert (work / "said").read_text().strip() == event


@pytest.mark.deep
def test_the_whole_input_reaches_the_hooks(interlock: Interlock, work: Path) -> None:
    """`--input` gives every field; `--cwd`, `--session` and `--actor` say the rest."""
    folder = work / "there"
    folder.mkdir()
    file = command_policy(work, "cat > context.json; pwd > where")
    words = ("--input", '{"file_path": "a", "content": "b"}', "--cwd", "there", "--session", "s9")
    interlock("hooks", "simulate", "--tool", "Write", *words, "--config", file)

    context = json.loads((folder / "context.json").read_text())

    assert (folder / "where").read_text().strip() == str(folder)
    assert context["tool_input"] == {"file_path": "a", "content": "b"}
    assert context["session_id"] == "s9"


@pytest.mark.deep
def test_a_modified_input_is_shown(interlock: Interlock, work: Path) -> None:
    """What the call becomes is said before the decision, and in JSON as `updated_input`."""
    answer = '{"ModifyInput": {"new_input": {"command": "ls -l"}}}'
    file = command_policy(work, f"echo {answer!r}")
    words = (*_BASH, "--args", "ls", "--config", file)

    assert 'input becomes: {"command":"ls -l"}' in interlock(*words).out.splitlines()
    assert interlock(*words, "--json").document["updated_input"] == {"command": "ls -l"}


@pytest.mark.deep
def test_a_changed_prompt_or_output_is_shown(interlock: Interlock, work: Path) -> None:
    """Prompts and outputs that hooks replace are said before the decision, and are in the JSON."""
    prompt = ("PrePromptSubmit", {"ModifyInput": {"new_input": "hi there"}}, ("--prompt", "hi"))
    replaced = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "x"}}
    output = ("PostToolUse", replaced, ("--tool", "Bash", "--event", "PostToolUse", "--output", "secret"))
    for (event, answer, words), key, line in (
        (prompt, "updated_prompt", "prompt becomes: hi there"),
        (output, "updated_output", 'output becomes: "x"'),
    ):
        text = (
            f"[[hooks]]\nevent = '{event}'\n[hooks.shell]\nparse_result = true\ncommand = 'cat answer.json'\n"
        )
        (work / "answer.json").write_text(json.dumps(answer))
        file = policy(work, text, "a.toml")

        assert line in interlock("hooks", "simulate", *words, "--config", file).out.splitlines()
        assert interlock("hooks", "simulate", *words, "--config", file, "--json").document[key]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ((), "--tool"),
        (("--args", "x"), "--tool"),
        (("--prompt", "p", "--args", "x"), "--tool"),
        (("--tool", "", "--args", "x"), "--tool"),
        (("--tool", "Bash", "--args", "x", "--input", "{}"), "keep one"),
        (("--tool", "Bash", "--input", "{bad"), "--input is not a JSON object"),
        (("--tool", "Bash", "--input", "[1]"), "--input is not a JSON object"),
        (
            ("--tool", "Bash", "--input", '{"a":' * 20_000 + "1" + "}" * 20_000),
            "--input is not a JSON object",
        ),
        (("--tool", "Bash", "--event", "PreTolUse"), "did you mean `PreToolUse`?"),
        (("--tool", "Bash", "--event", ""), "unknown event"),
        (("--tool", "Bash", "--config", "nowhere.key"), "there is no policy file `nowhere.key`"),
        (("--batch", "nowhere"), "cannot read `nowhere`: no such file"),
        (("--batch", "."), "is a directory"),
        (("--batch", "-", "--tool", "Bash"), "the lines of --batch"),
    ],
)
@pytest.mark.req("M16")
def test_what_cannot_be_simulated_is_said_in_one_line(
    interlock: Interlock, words: tuple[str, ...], hint: str
) -> None:
    """A mistake in what was typed is exit 2, one line on stderr, nothing on stdout."""
    typed = interlock("hooks", "simulate", *words)

    assert (typed.code, typed.out) == (2, "")
    assert hint in typed.err
    assert typed.err.count("\n") == 1


def test_a_broken_policy_ends_the_simulation(interlock: Interlock, work: Path) -> None:
    """With a policy that cannot be loaded no decision is printed: it would be another policy's."""
    typed = interlock(*_BASH, "--config", policy(work, 'version: "2.0"\nhooks:\n  stopp: []\n'))

    assert (typed.code, typed.out) == (1, "")
    assert ":3: hooks.stopp: " in typed.err


def test_the_users_policy_counts_unless_isolated(interlock: Interlock) -> None:
    """What `init` wrote is in force for the next command, and out of it with `--isolated`."""
    interlock("init")
    words = (*_BASH, "--args", "rm -rf /srv/x")

    assert interlock(*words).first.startswith("decision: deny")
    assert interlock(*words, "--isolated").first == "decision: allow"


@pytest.mark.deep
def test_a_named_layer_is_the_files_layer(interlock: Interlock, work: Path) -> None:
    """`project:FILE` loads a file as a project's, where loosening words do not count."""
    text = """
version: "2.0"
hooks:
  pre_tool_use:
    - type: command
      on_failure: open
      config: {command: "exit 1"}
"""
    file = policy(work, text)

    assert interlock(*_BASH, "--config", file).first.startswith("decision: allow")
    assert not interlock(*_BASH, "--config", f"project:{file}").first.startswith("decision: allow")


def test_a_subagent_acts_below_the_main_actor(interlock: Interlock) -> None:
    """A sub-agent nobody delegated to has no more than its parent."""
    words = ("--subagent", "executor", "--config", _TEST_KEY, "--json")
    document = interlock(*_BASH, "--args", "git status", *words).document

    assert document["decision"] == "deny"


def test_an_argument_that_is_no_utf8_is_decided(interlock: Interlock) -> None:
    """Arguments are bytes; those that are not text are unread, never a defect."""
    bad = b"ls \xff".decode("utf-8", "surrogateescape")
    words = (*_BASH, "--args", bad, "--actor", "agent:executor", "--config", _TEST_KEY)

    assert interlock(*words, "--output", bad).code == 0
    assert interlock(*words, "--json").document["unread"]


@pytest.mark.deep
@pytest.mark.req("Z09")
def test_nothing_a_hook_says_reaches_the_terminal_raw(interlock: Interlock, work: Path) -> None:
    """Escapes, title changes, bidi marks, carriage returns and newlines are written out, one row a hook."""
    answer = r'{"decision": "deny", "reason": "a\u001b]0;t\u0007\u202e\r\nb\u009b2J"}'
    (work / "answer.json").write_text(answer)
    text = 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - type: command\n      name: "x\\e[31m"\n'
    file = policy(work, text + "      config: {command: cat answer.json}\n")
    typed = interlock(*_BASH, "--args", "ls\x1b[2J", "--config", file)
    shown = r"a\x1b]0;t\x07\u202e\r\nb\x9b2J"

    assert len(typed.out.splitlines()) == 3  # the decision, that the text is unread, the row
    assert typed.first == f"decision: deny ({shown})"
    assert "x\\x1b[31m" in typed.out
    assert all(character == "\n" or character.isprintable() for character in typed.out)
    assert interlock(*_BASH, "--config", file, "--json").out.isascii()
