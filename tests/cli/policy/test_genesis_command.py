"""`interlock genesis validate`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import SAMPLES, Interlock, policy, typed_for_real

_ONE_DENY = 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - '


@pytest.mark.req("M46", "M83")
def test_the_documented_test_key_validates(interlock: Interlock) -> None:
    """The verification command of the document prints the count and exits 0."""
    typed = interlock("genesis", "validate", str(SAMPLES / "mentu-test-genesis.key"))

    assert (typed.code, typed.out) == (0, "valid: 1 hooks, 1 actors\n")
    assert "genesis_enforcement" in typed.err


@pytest.mark.deep
@pytest.mark.req("M46", "M83")
def test_the_installed_script_validates_the_test_key() -> None:
    """The same through the real script."""
    typed = typed_for_real("genesis", "validate", str(SAMPLES / "mentu-test-genesis.key"))

    assert (typed.code, typed.out) == (0, "valid: 1 hooks, 1 actors\n")


@pytest.mark.req("M20", "M46")
@pytest.mark.parametrize(
    ("sample", "line"),
    [
        ("mentu-genesis.key", "valid: 6 hooks, 3 actors\n"),
        ("cocode-hooks.toml", "valid: 3 hooks, 0 actors\n"),
        ("cocode-validate-bash.toml", "valid: 1 hooks, 0 actors\n"),
        ("cocode-log-edits.toml", "valid: 1 hooks, 0 actors\n"),
        ("cocode-session-notify.toml", "valid: 1 hooks, 0 actors\n"),
    ],
)
def test_every_sample_of_the_documents_validates(interlock: Interlock, sample: str, line: str) -> None:
    """The documents' own policies load unchanged."""
    typed = interlock("genesis", "validate", str(SAMPLES / sample))

    assert (0, line) == (typed.code, typed.out)


@pytest.mark.req("M16", "M46", "T06")
@pytest.mark.parametrize(
    ("name", "text", "place", "words"),
    [
        ("a.key", 'version: "2.0"\nhooks:\n  pre_tool_us: []\n', ":3: hooks.pre_tool_us: ", "PreToolUse"),
        ("a.key", _ONE_DENY + "type: denny\n", ":4: hooks.pre_tool_use[0].type: ", "did you mean `deny`?"),
        ("a.key", _ONE_DENY + "type: deny\n      matchr: Bash\n", ":5: hooks.pre_tool_use[0].", "`matcher`"),
        ("a.key", _ONE_DENY + "type: deny\n      config: {reson: x}\n", ":5: hooks", "`reason`"),
        ("a.key", _ONE_DENY + 'type: deny\n      matcher: "Bash,Write"\n', ":5: hooks", "`|`"),
        ("a.key", _ONE_DENY + 'type: deny\n      matcher: "Bash("\n', ":5: hooks", "Tool(glob)"),
        ("a.key", _ONE_DENY + "type: deny\n      timeout: soon\n", ":5: hooks", "a number"),
        ("a.key", 'version: "2.0"\nhooks: 3\n', ":2: hooks: ", "expected"),
        (
            "a.key",
            'version: "2.0"\npermissions:\n  actors:\n    agent:x:\n      denny: []\n',
            ":5: permissions.actors",
            "did you mean `deny`?",
        ),
        ("a.key", "", ":1: ", "empty"),
        ("a.key", "# only words\n", ":1: ", "empty"),
        ("a.key", "hooks: [\n", ":2: ", "YAML"),
        ("a.key", "a: &a [x, x]\nb: &b [*a, *a]\nhooks: [*b, *b]\n", ":1: ", "anchor"),
        ("a.toml", '[[hooks]]\nevent = "PreToolUse"\n', ":1: hooks[0]: ", "neither"),
        (
            "a.toml",
            '[[hooks]]\nevent = "Stop"\n[hooks.shell]\ncommand = "x"\n[hooks.webhook]\nurl = "https://x.example"\n',
            ":1: hooks[0]: ",
            "keep one",
        ),
        (
            "a.toml",
            '[[hooks]]\nevent = "PreTolUse"\n[hooks.shell]\ncommand = "x"\n',
            ":2: hooks[0].event: ",
            "PreToolUse",
        ),
        ("a.toml", "[[hooks]]\nevent = 3\n", ":2: hooks[0].event: ", "a string"),
        (
            "a.toml",
            '[[hooks]]\nevent = "Stop"\n[hooks.shell]\ncomand = "x"\n',
            ":4: hooks[0].shell.comand: ",
            "`command`",
        ),
        ("a.toml", "[[hooks]\n", ":1: ", "TOML"),
        ("a.json", "{}", ":1: ", "genesis.key"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_nearest_word(  # noqa: PLR0917 - a table's columns
    interlock: Interlock, work: Path, name: str, text: str, place: str, words: str
) -> None:
    """Every mistake has a line `FILE:LINE: path: message` on stdout, and the exit code is 1."""
    file = policy(work, text, name)
    typed = interlock("genesis", "validate", file)

    assert (typed.code, typed.err) == (1, "")
    assert [line for line in typed.out.splitlines() if line.startswith(file + place) and words in line]


@pytest.mark.req("M16")
def test_a_file_that_is_no_policy_is_refused_in_one_line(interlock: Interlock, work: Path) -> None:
    """Ten megabytes, random bytes, a folder, a pipe and a missing file are all told apart."""
    (work / "big.key").write_bytes(b"a" * 10_000_000)
    (work / "binary.key").write_bytes(bytes(range(256)))
    (work / "latin.key").write_bytes(b'version: "2.0"\n# \xe9\n')
    (work / "folder").mkdir()
    os.mkfifo(work / "pipe.key")
    expected = {
        "big.key": "too large",
        "binary.key": "binary",
        "latin.key": "UTF-8",
        "folder": "not a regular file",
        "pipe.key": "not a regular file",
        "missing.key": "no such file",
    }
    for name, words in expected.items():
        typed = interlock("genesis", "validate", name)
        assert typed.code == 1
        assert typed.out.startswith(f"{name}:")
        assert typed.out.count("\n") == 1
        assert words in typed.out


@pytest.mark.req("M16")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_refused_in_one_line(interlock: Interlock, work: Path) -> None:
    """A file without read permission is named with the reason."""
    file = work / "closed.key"
    file.write_text('version: "2.0"\n')
    file.chmod(0)
    typed = interlock("genesis", "validate", "closed.key")

    assert (
        typed.code,
        typed.out,
    ) == (1, "closed.key:1: unreadable: permission denied; check the path and its permissions\n")


@pytest.mark.req("M46")
def test_every_mistake_of_a_file_has_its_line(interlock: Interlock, work: Path) -> None:
    """A person corrects a file once, not once for each mistake."""
    file = policy(work, _ONE_DENY + "type: denny\n    - type: deny\n      timout: 3\n")
    lines = interlock("genesis", "validate", file).out.splitlines()

    assert [line.removeprefix(file)[:3] for line in lines] == [":4:", ":6:"]


def test_the_result_as_json_has_every_part_of_a_mistake(interlock: Interlock, work: Path) -> None:
    """A script gets file, line, path and message apart; a valid file its counts."""
    file = policy(work, 'version: "2.0"\nhooks:\n  stopp: []\n')
    bad = interlock("genesis", "validate", file, "--json")
    good = interlock("genesis", "validate", str(SAMPLES / "mentu-test-genesis.key"), "--json")

    assert bad.code == 1
    assert bad.document["valid"] is False
    assert [(file, 3, "hooks.stopp")] == [(e["file"], e["line"], e["path"]) for e in bad.document["errors"]]
    assert (good.code, good.err) == (0, "")
    assert (good.document["valid"], good.document["hooks"], good.document["actors"]) == (True, 1, 1)
    assert [note["line"] for note in good.document["notes"]] == [8]


def test_a_project_file_that_loosens_is_told_so_when_checked_as_one(interlock: Interlock, work: Path) -> None:
    """The same words mean another thing in another layer; `--layer` says which."""
    loosening = "type: command\n      on_failure: open\n      config: {command: x}\n"
    file = policy(work, _ONE_DENY + loosening)

    user = interlock("genesis", "validate", file)
    project = interlock("genesis", "validate", file, "--layer", "project")

    assert "only the managed or user layer" not in user.out + user.err
    assert "only the managed or user layer" in project.out + project.err
    assert interlock("genesis", "validate", file, "--layer", "usr").code == 2


@pytest.mark.req("Z09")
def test_a_policy_cannot_write_to_the_terminal_through_its_mistakes(interlock: Interlock, work: Path) -> None:
    """Escapes and bidi marks in a stranger's file are written out, by every command that reads it."""
    file = policy(work, 'version: "2.0"\nhooks:\n  "\\e[2J\\u202e\\n:": []\n')
    checked = interlock("genesis", "validate", file)
    used = interlock("hooks", "list", "--config", file)

    for text in (checked.out, used.err):
        assert text.count("\n") == 1
        assert "\\x1b[2J\\u202e\\n" in text
        assert not {"\x1b", "\u202e"} & set(text)


def test_a_name_that_is_no_utf8_is_no_defect(interlock: Interlock) -> None:
    """File names are bytes; one that is not text is shown written out, in both forms."""
    name = b"a\xff.key".decode("utf-8", "surrogateescape")

    assert interlock("genesis", "validate", name).out.startswith("a\\udcff.key:1: unreadable")
    assert interlock("genesis", "validate", name, "--json").document["errors"][0]["file"] == name


def test_every_judge_that_can_fail_open_is_named(interlock: Interlock, work: Path) -> None:
    """A program whose failure would let an action pass is listed; one that fails closed is not."""
    entry = "    - {type: command, name: %s, %sconfig: {command: 'true'}}\n"
    text = (
        'version: "2.0"\nhooks:\n  pre_tool_use:\n'
        + entry % ("loose", "on_failure: open, ")
        + entry % ("tight", "")
    )
    file = policy(work, text)
    typed = interlock("genesis", "validate", file)

    assert (typed.code, typed.out) == (0, "valid: 2 hooks, 0 actors\n")
    assert f"{file}:4: loose: can fail open" in typed.err
    assert "tight" not in typed.err


@pytest.mark.req("C6", "C13", "C14")
def test_an_event_that_no_agent_here_reports_is_named(interlock: Interlock, tmp_path: Path) -> None:
    """One that none ever reports, one that a setting brings, and one that installing again brings."""
    unsent = ("PostUserMessage", "StatusLine", "FileSuggestion", "CwdChanged")
    hooks = [
        f'[[hooks]]\nevent = "{event}"\n[hooks.shell]\ncommand = "true"\n' for event in (*unsent, "Stop")
    ]
    named = policy(tmp_path, "".join(hooks), "hooks.toml")
    settings = Path(os.environ["HOME"], ".claude", "settings.json")
    settings.parent.mkdir()

    def notes(document: dict[str, Any]) -> list[str]:
        settings.write_text(json.dumps(document))
        return [note for note in interlock("genesis", "validate", named).err.splitlines() if "report" in note]

    assert [f"reports `{event}`" in note for event, note in zip(unsent, notes({}), strict=False)] == [
        True
    ] * 3
    stop = {
        "Stop": [{"hooks": [{"type": "command", "command": "/x/interlock-hook", "args": ["claude-code"]}]}]
    }
    *_, install = told = notes({"hooks": stop})
    assert len(told) == 4
    assert install.endswith("does not report `CwdChanged` yet; run `interlock install claude-code`")
    shown = {
        "statusLine": {"type": "command", "command": "interlock status-line"},
        "fileSuggestion": {"type": "command", "command": "/x/interlock file-suggestion"},
    }
    (left,) = notes(shown)
    assert left.endswith("reports `PostUserMessage`; this hook runs in Python agents only")
