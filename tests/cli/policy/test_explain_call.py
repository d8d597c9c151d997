"""`interlock hooks explain`: the reading of a command, and the rule that decides."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.typed import Interlock, policy, typed_for_real

_POLICY = """version: "2.0"
hooks:
  pre_tool_use:
    - name: no-force-delete
      type: deny
      matcher: "Bash(rm -rf *)"
      config: {reason: "Never."}
    - name: no-env
      type: deny
      matcher: "write(.env*)"
"""
_COMMAND = 'cd /srv && sudo rm -fr "$x" > log; echo $(ls); eval "$y"'


@pytest.fixture
def explain(interlock: Interlock, work: Path) -> Interlock:
    """Explain under a policy of two rules, in the folder `/project`."""
    file = policy(work, _POLICY)
    return lambda *words: interlock(
        "hooks", "explain", *words, "--isolated", "--config", file, "--cwd", "/project"
    )


def test_the_tree_shows_what_each_command_was_looked_through(explain: Interlock) -> None:
    """Commands stand in their order, a wrapped or substituted one below the one it was found in."""
    typed = explain(_COMMAND)
    tree = typed.out.partition("effects\n")[0].splitlines()[2:]  # below the decision and its reason

    assert typed.code == 0
    assert tree == [
        "reading",
        "  ├─ cd /srv",
        '  ├─ sudo rm -fr "$x" > log',
        "  │  │  in /srv; redirects to /srv/log",
        '  │  └─ rm -fr "$x"',
        "  │        via sudo",
        "  ├─ echo $(ls)",
        "  │  │  in a folder that is not certain",
        "  │  └─ ls",
        "  │        via $(…)",
        '  └─ eval "$y"',
        "     │  in a folder that is not certain",
        "     └─ $y",
        "           via eval",
    ]


def test_effects_say_what_is_known(explain: Interlock) -> None:
    """Each effect has its kind and target, and whether the target is decided only when it runs."""
    rows = explain(_COMMAND).out.partition("effects\n")[2].partition("unread\n")[0].splitlines()
    words = [row.split(maxsplit=2) for row in rows]

    assert ["run", "sudo"] in words
    assert ["write", "/srv/log"] in words
    assert ["delete", "/srv/$x", "only known when it runs"] in words


def test_what_is_unread_is_pointed_at(explain: Interlock) -> None:
    """The kind of gap, why, its line and column, and a caret below its first letter."""
    lines = explain(_COMMAND).out.partition("unread\n")[2].partition("rules\n")[0].splitlines()

    assert lines[0].startswith("  1:54 open: `eval`")
    assert lines[1] == f"      {_COMMAND}"
    assert lines[2] == " " * (6 + _COMMAND.index("$y")) + "^"


def test_the_rule_that_decided_is_named_with_its_line(explain: Interlock) -> None:
    """Which rule, where it is written, and what it says."""
    typed = explain(_COMMAND)

    assert "  deny    no-force-delete  deny Bash(rm -rf *)  " in typed.out
    assert typed.out.splitlines()[1] == "  Never."
    assert typed.out.count("Never.") == 1
    (decided,) = [line for line in typed.out.splitlines() if line.startswith("decision: ")]
    assert decided.startswith("decision: deny by no-force-delete (")
    assert decided.endswith("genesis.key:4)")


def test_a_person_is_shown_the_lines_that_would_allow_it(interlock: Interlock, work: Path) -> None:
    """For a rule of a pack, what to write into the user's file; for one of their own, where it stands."""
    packs = policy(work, 'version: "2.0"\nsettings: {packs: [baseline]}\n')
    words = (
        "hooks",
        "explain",
        "git push --force",
        "--isolated",
        "--config",
        f"USER:{packs}",
        "--cwd",
        "/srv",
    )
    typed, found = interlock(*words), interlock(*words, "--json").document["allowing"]

    assert found["file"].endswith("/genesis.key")
    assert "force-push: ask" in found["text"]
    assert '- "Bash(git push --force)"' in found["text"]
    assert f"To allow this, a person can add to {found['file']}:" in typed.out


def test_once_the_lines_are_written_it_says_that_they_let_the_call_pass(
    interlock: Interlock, work: Path
) -> None:
    """What was shown is written into the file, and is not asked for again."""
    settings = (
        "{packs: [baseline], projects: {/srv: {grants: {agent:main: ['Bash(git reset --hard HEAD~1)']}}}}"
    )
    packs = policy(work, f'version: "2.0"\nsettings: {settings}\n')
    words = ("--isolated", "--config", f"USER:{packs}", "--cwd", "/srv")
    typed = interlock("hooks", "explain", "git reset --hard HEAD~1", *words)

    assert typed.last.startswith("granted for this folder in ")
    assert typed.last.endswith(", so it is allowed")
    assert "HEAD~2" in interlock("hooks", "explain", "git reset --hard HEAD~2", *words).last


def test_a_rule_of_ones_own_is_changed_where_it_stands(explain: Interlock) -> None:
    """Its file and line are named, and what switching it off does."""
    typed = explain("rm -rf src")

    assert re.search(
        r"a person can add to the rule `\S+` in \S+genesis.key:4:\n  enabled: false\nThis turns the rule off",
        typed.out,
    )
    assert "to allow this" not in explain("ls").out


def test_a_call_that_nobody_objects_to_says_so(explain: Interlock) -> None:
    """Without a deciding rule the decision stands alone."""
    typed = explain("ls")

    assert typed.first == "decision: allow (no rule objects)"
    assert "rules" not in typed.out.splitlines()


def test_a_rule_of_a_pack_without_an_opinion_is_only_shown_on_request(
    interlock: Interlock, tmp_path: Path
) -> None:
    """Rules of packs that match everything would else stand below every call."""
    policy = tmp_path / "genesis.key"
    policy.write_text('version: "2.0"\nsettings: {packs: [baseline]}\n', "utf-8")
    words = ("--config", f"user:{policy}", "--isolated")

    assert "cleaning" not in interlock("explain", "ls", *words).out
    assert "abstain baseline/cleaning" in interlock("explain", "ls", "--verbose", *words).out
    simulated = interlock("hooks", "simulate", "--tool", "Bash", "--args", "ls", *words)
    assert simulated.out == "decision: allow\nno rule matched\n"
    asked = interlock("hooks", "simulate", "--tool", "Bash", "--args", "ls", "-v", *words)
    assert "abstain  baseline/cleaning" in asked.out


def test_another_tool_has_effects_and_no_tree(explain: Interlock) -> None:
    """A file tool is explained by what it does to its file."""
    typed = explain(".env", "--tool", "Write")

    assert "reading" not in typed.out
    assert "  write  .env" in typed.out
    assert typed.out.startswith("decision: deny by no-env (")


def test_the_document_holds_all_of_it(explain: Interlock) -> None:
    """Scripts get the commands, effects, gaps with their places, the votes and the deciding rule."""
    document = explain(_COMMAND, "--json").document

    assert [one["written"] for one in document["commands"]][:3] == [
        "cd /srv",
        'sudo rm -fr "$x" > log',
        'rm -fr "$x"',
    ]
    assert document["commands"][2]["via"] == ["sudo"]
    assert document["commands"][1]["writes"][0]["target"] == "log"
    assert {
        "kind": "delete",
        "target": "$x",
        "base": "/srv",
        "known": False,
        "by": 'rm -fr "$x"',
        "value": None,
    } in document["effects"]
    assert next((gap["line"], gap["column"], gap["kind"]) for gap in document["gaps"]) == (1, 54, "open")
    assert document["decided_by"]["hook"] == "no-force-delete"
    assert document["decided_by"]["source"].endswith(":4")
    assert document["decision"] == "deny"


@pytest.mark.parametrize("text", ["echo '\x1b[2Jgone'", "echo \u202egnp", "ls\r\nrm x", "echo 'a\x07"])
def test_nothing_of_the_command_reaches_the_terminal_raw(explain: Interlock, text: str) -> None:
    """Characters that could change what a reader sees are written out, and the command ends well."""
    typed = explain(text)

    assert typed.code == 0
    assert all(letter.isprintable() or letter == "\n" for letter in typed.out)


@pytest.mark.deep
def test_lines_fit_a_narrow_terminal(work: Path) -> None:
    """At 80 columns no line is longer, and nothing of the command is lost."""
    long = "find . -name '*.pyc' -exec rm {} + | xargs -0 -n1 grep -R " + "word-" * 30
    typed = typed_for_real("hooks", "explain", long, "--isolated", "--cwd", "/project", COLUMNS="80")

    assert typed.code == 0
    assert max(map(len, typed.out.splitlines())) <= 80
    assert "word-" * 30 in "".join(line.strip(" │├└─") for line in typed.out.splitlines())


@pytest.mark.deep
def test_the_output_is_whole_where_no_terminal_is(work: Path) -> None:
    """A pipe has no width, so that a search finds what it looks for."""
    long = "echo " + "word " * 60
    typed = typed_for_real("hooks", "explain", long, "--isolated", COLUMNS="")

    assert long.strip() in typed.out


def test_an_interpreter_s_text_is_unread_as_code(explain: Interlock) -> None:
    """Program text for another language has its place inside the command."""
    (gap,) = explain('python -c "import os"', "--json").document["gaps"]

    assert (gap["kind"], gap["column"]) == ("code", 12)
    assert json.dumps(gap["text"]) == '"import os"'


def test_a_changed_input_is_shown(interlock: Interlock, work: Path) -> None:
    """What a rule makes of the call stands below the rules."""
    rule = '{name: dry, type: modify, matcher: Bash, config: {set: {command: "ls"}}}'
    file = policy(work, f'version: "2.0"\nhooks: {{pre_tool_use: [{rule}]}}\n')
    typed = interlock("hooks", "explain", "rm x", "--isolated", "--config", file)

    assert '  input becomes: {"command":"ls"}' in typed.out.splitlines()
