"""`interlock test`: cases in, decisions compared, a test runner's output."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.typed import SCRIPT, Interlock, policy

_POLICY = """version: "2.0"
hooks:
  pre_tool_use:
    - {name: no-push, type: deny, matcher: "Bash(git push *)", config: {reason: "A person pushes."}}
    - {name: ask-publish, type: ask, matcher: "Bash(npm publish *)"}
  user_prompt_submit:
    - {name: no-secret, type: deny, if: "event.prompt.contains('secret')"}
permissions:
  actors:
    agent:auditor: {allow: ["Read(src/*)"]}
    agent:main: {deny: ["Bash(sudo *)"]}
"""
_HEAD = "policy: genesis.key\ndefaults: {tool: Bash}\ncases:\n"


@pytest.fixture
def cases(work: Path) -> Path:
    """A folder with a policy, for files of cases."""
    policy(work, _POLICY)
    return work


def _write(folder: Path, text: str, name: str = "cases.yaml") -> str:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    "case",
    [
        "{args: git push, expect: deny, rule: no-push, reason: A person}",
        "{args: cd x && git push origin main, expect: deny}",
        "{args: npm publish, expect: ask, rule: ask-publish}",
        "{args: git status, expect: allow}",
        "{args: git status, expect: pass}",
        "{input: {command: git push}, expect: deny}",
        "{event: pre_tool_use, args: git push, expect: deny}",
        "{event: PostToolUse, args: git push, expect: pass}",
        "{prompt: a secret thing, expect: deny, rule: no-secret}",
        "{tool: Read, args: src/a.py, actor: agent:auditor, expect: allow, rule: genesis_enforcement}",
        "{tool: Read, args: a.py, actor: agent:auditor, cwd: src, expect: deny}",
        "{args: sudo ls, expect: deny, reason: Bash(sudo *)}",
    ],
)
def test_a_case_that_holds_passes(interlock: Interlock, cases: Path, case: str) -> None:
    """Every key of a case is understood, and the decision is the engine's own."""
    typed = interlock("test", _write(cases, f"{_HEAD}  - {case}\n"))

    assert typed.code == 0, typed.out
    assert typed.last.startswith("1 passed in ")


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            "{args: git status, expect: deny}",
            ["expected: deny", "actual:   pass", "no rule applied"],
        ),
        (
            "{args: git push, expect: pass}",
            ["actual:   deny by no-push", "deny no-push (", ": A person pushes."],
        ),
        ("{args: git push, expect: deny, rule: ask-publish}", ["expected: deny by ask-publish"]),
        ("{args: git push, expect: deny, reason: nothing}", ["because of `nothing`"]),
        ("{args: npm publish, expect: allow}", ["actual:   ask by ask-publish"]),
        ("{tool: Read, args: src/a.py, actor: agent:auditor, expect: pass}", ["actual:   allow"]),
    ],
)
def test_a_case_that_does_not_hold_says_what_came_instead(
    interlock: Interlock, cases: Path, case: str, words: list[str]
) -> None:
    """Expected and actual stand below each other, with what the rules said, and the exit code is 1."""
    file = _write(cases, f"{_HEAD}  - {case}\n  - {{args: ls, expect: pass}}\n")
    typed = interlock("test", file)

    assert typed.code == 1
    assert typed.out.startswith(f"{file} F.\n")
    assert f"FAILED {file}:4 " in typed.out
    assert [word for word in words if word not in typed.out] == []
    assert typed.last.startswith("1 passed, 1 failed in ")


def test_verbose_gives_each_case_a_line(interlock: Interlock, cases: Path) -> None:
    """By its name, or by what it calls."""
    text = f"{_HEAD}  - {{args: ls, expect: pass}}\n  - {{name: no pushing, args: git push, expect: deny}}\n"
    file = _write(cases, text)

    assert interlock("test", "-v", file).out.splitlines()[:-1] == [
        f"PASS {file}:4 Bash ls",
        f"PASS {file}:5 no pushing",
    ]


@pytest.mark.req("T06")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (f"{_HEAD}  - {{args: ls, expect: denied}}\n", 4, "did you mean `deny`?"),
        (f"{_HEAD}  - {{args: ls, expekt: deny}}\n", 4, "did you mean `expect`?"),
        (f"{_HEAD}  - {{args: ls, expect: deny, rule: no-psuh}}\n", 4, "did you mean `no-push`?"),
        (f"{_HEAD}  - {{event: PreTolUse, args: ls, expect: deny}}\n", 4, "did you mean `PreToolUse`?"),
        (f"{_HEAD}  - {{args: ls, input: {{}}, expect: deny}}\n", 4, "keep one of them"),
        ("policy: genesis.key\ncases:\n  - {args: ls, expect: deny}\n", 3, "nothing happens in this case"),
        (
            "policy: gone.key\ncases:\n  - {tool: Bash, args: ls, expect: pass}\n",
            1,
            "there is no policy file",
        ),
        ("defalts: {}\ncases: []\n", 1, "did you mean `defaults`?"),
        ("cases: []\n", 1, "there are no cases"),
        ("", 1, "empty file of tests"),
        ("cases: [\n", 2, "invalid YAML"),
    ],
)
def test_a_mistake_in_the_tests_is_told_with_its_line(
    interlock: Interlock, cases: Path, text: str, line: int, words: str
) -> None:
    """Nothing is run: a test that cannot be read must not look as if it passed."""
    file = _write(cases, text)
    typed = interlock("test", file)

    assert (typed.code, typed.out) == (2, "")
    assert f"{file}:{line}: " in typed.err
    assert words in typed.err


def test_a_broken_policy_is_told_as_such(interlock: Interlock, cases: Path) -> None:
    """The exit code tells a policy that does not load from a test that fails."""
    policy(cases, _POLICY.replace("matcher", "matchr", 1))
    typed = interlock("test", _write(cases, f"{_HEAD}  - {{args: ls, expect: pass}}\n"), "--json")

    assert typed.code == 2
    assert "did you mean `matcher`?" in typed.document["errors"][0]["message"]


def test_all_mistakes_of_all_files_are_told_together(interlock: Interlock, cases: Path) -> None:
    """Whoever corrects them need not start over for each."""
    first = _write(cases, f"{_HEAD}  - {{args: ls, expect: denied}}\n", "a.yaml")
    second = _write(cases, f"{_HEAD}  - {{args: ls, expect: pas}}\n", "b.yaml")
    typed = interlock("test", first, second)

    assert [line.partition(":")[0] for line in typed.err.splitlines()] == [first, second]


def test_the_tests_beside_the_policy_are_found(interlock: Interlock, work: Path) -> None:
    """Without a word, `.interlock/tests` is run against the policy above it, trusted or not."""
    (work / ".interlock").mkdir()
    policy(work / ".interlock", _POLICY)
    _write(work, "cases: [{tool: Bash, args: git push, expect: deny}]\n", ".interlock/tests/a.yaml")
    _write(work, "cases: [{tool: Bash, args: ls, expect: pass}]\n", ".interlock/tests/b.yml")
    _write(work, "no cases at all", ".interlock/tests/README.md")
    typed = interlock("test")

    assert typed.code == 0, typed.err
    assert typed.out.startswith(".interlock/tests/a.yaml .\n.interlock/tests/b.yml .\n2 passed in ")
    assert interlock("test", ".interlock/tests").code == 0


@pytest.mark.deep
def test_the_policy_of_the_user_counts_unless_the_tests_name_theirs(interlock: Interlock, work: Path) -> None:
    """Layers as loaded by default; files that are named stand alone."""
    user = work / "home" / "config"
    user.mkdir(parents=True)
    policy(user, _POLICY)
    policy(work, 'version: "2.0"\n', "empty.key")
    case = "{tool: Bash, args: git push, expect: deny}"
    inherited = _write(work, f"cases: [{case}]\n", "a/x.yaml")
    alone = _write(work, f"policy: ../empty.key\ncases: [{case}]\n", "a/y.yaml")
    # The home of Interlock is read from the environment of a real process.
    codes = [
        subprocess.run(
            [SCRIPT, "test", file],
            cwd=work,
            env={"INTERLOCK_HOME": str(work / "home"), "HOME": str(work), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            check=False,
            timeout=60,
        ).returncode
        for file in (inherited, alone)
    ]

    assert codes == [0, 1]


def test_no_tests_is_no_success(interlock: Interlock, work: Path) -> None:
    """A check that checks nothing says what to do."""
    typed = interlock("test")

    assert typed.code == 2
    assert "`.interlock/tests`" in typed.err


def test_each_case_is_a_session_of_its_own(interlock: Interlock, work: Path) -> None:
    """What `once` used up in one case is there again in the next."""
    rule = '{name: first, type: ask, once: true, matcher: "Bash(ls *)"}'
    policy(work, f'version: "2.0"\nhooks: {{pre_tool_use: [{rule}]}}\n')
    case = "  - {args: ls x, expect: ask}\n"

    assert interlock("test", _write(work, _HEAD + case + case)).code == 0


def test_the_document_holds_every_case(interlock: Interlock, cases: Path) -> None:
    """Scripts get what was expected, what came and why."""
    text = f"{_HEAD}  - {{args: git push, expect: deny}}\n  - {{args: ls, expect: ask}}\n"
    document = interlock("test", _write(cases, text), "--json").document

    assert (document["passed"], document["failed"], document["not_run"]) == (1, 1, 0)
    good, bad = document["cases"]
    assert (good["passed"], good["line"], good["actual"]["rule"]) == (True, 4, "no-push")
    assert (bad["passed"], bad["failures"]) == (False, ["expected ask, got pass"])


def test_junit_is_what_build_servers_read(interlock: Interlock, cases: Path) -> None:
    """One suite a file, a failure with its text; what XML cannot hold is written out."""
    text = f'{_HEAD}  - {{name: "a\\x01b", args: ls, expect: ask}}\n  - {{args: ls, expect: pass}}\n'
    interlock("test", _write(cases, text), "--junit", "out.xml")
    suite = ET.parse(cases / "out.xml").getroot()[0]

    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite[0].get("name") == "a\\x01b"
    failure = suite[0].find("failure")
    assert failure is not None
    assert failure.get("message") == "expected ask, got pass"


def test_junit_that_cannot_be_written_is_told(interlock: Interlock, cases: Path) -> None:
    """A missing folder is not a success."""
    typed = interlock(
        "test", _write(cases, f"{_HEAD}  - {{args: ls, expect: pass}}\n"), "--junit", "x/out.xml"
    )

    assert typed.code == 2
    assert "cannot write `x/out.xml`" in typed.err


@pytest.mark.deep
def test_an_interrupt_shows_what_was_done(cases: Path) -> None:
    """Ctrl-C in the middle prints the results so far, and how many are missing."""
    started = cases / "started"
    slow = f"touch {started}; sleep 60"
    rule = f'{{name: slow, type: command, matcher: "Bash(slow *)", config: {{command: "{slow}"}}}}'
    policy(cases, f'version: "2.0"\nhooks: {{pre_tool_use: [{rule}]}}\n')
    lines = "  - {args: ls, expect: pass}\n  - {args: slow x, expect: pass}\n  - {args: ls, expect: pass}\n"
    running = subprocess.Popen(
        [SCRIPT, "test", _write(cases, _HEAD + lines)],
        cwd=cases,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(1_800):
        if started.exists():
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)

    assert running.returncode == 130, err
    assert out.splitlines()[-1].startswith("1 passed, 2 not run in ")
