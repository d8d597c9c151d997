"""Commands go to the project's own toolchain, with all that belongs to them, or stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builtin_hooks.making import bash, command_after, made
from tests.builtin_hooks.toolchain_project import PACKAGE, TARGETS, after, makefile, project

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote


@pytest.fixture(scope="module")
def engine() -> Engine:
    return made("redirect", "pre_tool_use")


@pytest.mark.req("P17", "X40")
@pytest.mark.parametrize(
    ("written", "runs"),
    [
        ("!pytest", "pytest"),
        ("  !pytest -k x", "pytest -k x"),
        ("!./run it", "./run it"),
        ("! pytest", None),  # the shell's own: the opposite exit status
        ("!(pytest)", None),
        ("!", None),
    ],
)
def test_the_escape_is_taken_off(tmp_path: Path, engine: Engine, written: str, runs: str | None) -> None:
    """What is marked runs as it is written, and the shell does not look for `!pytest`."""
    project(tmp_path, Makefile=makefile("test"))

    assert after(engine, written, tmp_path) == runs


DETECTED = {
    "test": [
        "npm test", "npm run test", "yarn test", "yarn run test", "pnpm test", "pnpm run test", "pytest",
        "go test", "cargo test", "python -m pytest", "uv run pytest", "PyTest",
        "npm t", "pnpm t", "npx jest", "jest", "vitest", "npx vitest run", "bun test",
    ],
    "build": [
        "npm build", "npm run build", "yarn build", "pnpm run build", "go build", "cargo build", "tsc",
    ],
    "lint": [
        "npm lint", "npm run lint", "yarn lint", "pnpm run lint", "cargo clippy", "go vet", "ruff check",
    ],
    "e2e": [
        "npx playwright test", "npx cypress run", "pytest -m integration", "pytest tests/", "pnpm run e2e",
        "cargo test --test '*'",
    ],
    "smoke": ["npm run smoke", "pytest --smoke"],
}  # fmt: skip


@pytest.mark.req("P18", "P35")
@pytest.mark.parametrize(("action", "command"), [(a, c) for a, listed in DETECTED.items() for c in listed])
def test_commands_are_detected(tmp_path: Path, engine: Engine, action: str, command: str) -> None:
    """All that are known to mean an action, in whatever case; the first that fits decides."""
    project(tmp_path, Makefile=makefile(*TARGETS.split()))

    assert after(engine, command, tmp_path) == f"make {action}"


@pytest.mark.req("X40")
@pytest.mark.parametrize(
    "command",
    [
        'git commit -m "integration"',
        "cat tests/e2e/smoke.py",
        "grep -r playwright .",
        "echo pytest",
        "pytest-watch",
        "npm testing",
        "cargo test-all",
        "ls smoke",
    ],
)
def test_a_word_somewhere_is_no_command(tmp_path: Path, engine: Engine, command: str) -> None:
    """Only the beginning of a command says what it means."""
    project(tmp_path, Makefile=makefile(*TARGETS.split()))

    assert after(engine, command, tmp_path) is None


@pytest.mark.parametrize(
    "command",
    [
        "pytest; ls",
        "pytest && ls",
        "cd sub && pytest",
        "pytest | tail",
        "pytest &",
        "(pytest)",
        "pytest $(cat args)",
        "pytest\nls",
        "timeout 9 pytest",
        "if true; then pytest; fi",
        "pytest # all of it",
        "pytest 'unclosed",
    ],
)
def test_only_a_command_that_stands_alone_is_changed(tmp_path: Path, engine: Engine, command: str) -> None:
    """Whatever else a text does would be lost or would run twice."""
    project(tmp_path, Makefile=makefile("test"))

    assert after(engine, command, tmp_path) is None


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("time pytest", "time make test"),
        ("time -p CI=1 pytest", "time -p CI=1 make test"),
        ("time pytest; ls", None),
        ("time", None),
        ("timepytest", None),
    ],
)
def test_a_command_that_is_timed_stays_timed(
    tmp_path: Path, engine: Engine, command: str, wanted: str | None
) -> None:
    """`time` belongs to the shell, and measures the project's command as well."""
    project(tmp_path, Makefile=makefile("test"))

    assert after(engine, command, tmp_path) == wanted


def test_a_space_behind_the_escape_is_explained(tmp_path: Path) -> None:
    """The shell then inverts the exit status, which nobody means in front of a test command."""
    engine = made("redirect", "pre_tool_use")
    project(tmp_path, Makefile=makefile("test"))
    decision = engine.decide_sync(bash("! pytest -x", tmp_path))

    assert decision.updated_input is None
    assert decision.context == (
        (
            "`! pytest -x` inverts the exit status: it fails when the command succeeds. "
            "To run the command as written, put `!` in front of it without a space: `!pytest -x`."
        ),
    )
    assert engine.decide_sync(bash("! grep -q x file", tmp_path)).context == ()


@pytest.mark.req("P19", "P22")
def test_what_is_the_projects_own_passes(tmp_path: Path, engine: Engine) -> None:
    """The same command is not a change, and nothing is said."""
    project(tmp_path, Cargo__toml="")
    decision = engine.decide_sync(bash("cargo test --release", tmp_path))

    assert (decision.updated_input, decision.context, decision.messages) == (None, (), ())
    assert decision.vote is Vote.ABSTAIN


@pytest.mark.req("P19", "P20", "P21", "X40")
def test_a_redirect_is_a_changed_input_and_no_approval(tmp_path: Path, engine: Engine) -> None:
    """Its other fields stay, the reason names the action, and the host still asks as it would."""
    project(tmp_path, Makefile=makefile("test"))
    decision = engine.decide_sync(bash("pytest", tmp_path, timeout=5000, description="run"))

    assert decision.updated_input == {"command": "make test", "timeout": 5000, "description": "run"}
    assert decision.trace[0].reason == "Redirected: test"
    assert (decision.vote, decision.auto_approve) == (Vote.ABSTAIN, False)


@pytest.mark.req("X40")
@pytest.mark.parametrize(
    ("recipe", "command", "wanted"),
    [
        ("pytest $(ARGS)", "pytest -k 'a and b'", """make test 'ARGS=-k '"'"'a and b'"'"''"""),
        ("pytest ${PYTEST_ARGS}", "pytest -x", "make test PYTEST_ARGS=-x"),
        ("pytest $(ARGS)", "uv run pytest -x 2>&1", "make test ARGS=-x 2>&1"),
        ("pytest $(ARGS)", "CI=1 pytest -x", "CI=1 make test ARGS=-x"),
        ("pytest $(ARGS)", "pytest $X", None),
        ("pytest $(ARGS)", "pytest > out", None),
        ("cargo test $(ARGS)", "pytest -k x", None),
        ("pytest", "pytest -k x", None),
    ],
)
def test_arguments_are_kept_or_the_command_is(
    tmp_path: Path, engine: Engine, recipe: str, command: str, wanted: str | None
) -> None:
    """They are passed on only to a target that takes them and runs the same program."""
    project(tmp_path, Makefile=f"test:\n\t{recipe}\n")

    assert after(engine, command, tmp_path) == wanted


@pytest.mark.parametrize(
    ("lock", "command", "wanted"),
    [
        ("pnpm-lock.yaml", "npm test -- --watch=false", "pnpm test --watch=false"),
        ("package-lock.json", "yarn test --ci", "npm test -- --ci"),
        ("pnpm-lock.yaml", "npm run test:e2e", "pnpm run test:e2e"),
        ("package-lock.json", "npm run build", None),
        ("package-lock.json", "npm lint", "npm run lint"),
        ("package-lock.json", "tsc", "npm run build"),
        ("package-lock.json", "tsc --noEmit", None),
    ],
)
def test_arguments_of_scripts(
    tmp_path: Path, engine: Engine, lock: str, command: str, wanted: str | None
) -> None:
    """npm wants two dashes before them, others do not."""
    project(tmp_path, package__json=PACKAGE)
    (tmp_path / lock).touch()

    assert after(engine, command, tmp_path) == wanted


def test_a_toolchain_that_is_there_keeps_its_commands(tmp_path: Path, engine: Engine) -> None:
    """In a folder with two languages each command goes to its own."""
    project(tmp_path, Cargo__toml="", package__json=PACKAGE, pyproject__toml="")
    (tmp_path / "package-lock.json").touch()

    assert after(engine, "npm test", tmp_path) is None
    assert after(engine, "pytest", tmp_path) is None


def test_the_agent_hears_of_it_once_a_session(tmp_path: Path) -> None:
    """What ran, how to escape, and why arguments kept a command as it is; then no more of it."""
    engine = made("redirect", "pre_tool_use")
    project(tmp_path, Makefile=makefile("test"))
    first = engine.decide_sync(bash("pytest", tmp_path))
    again = engine.decide_sync(bash("pytest", tmp_path))
    kept = engine.decide_sync(bash("pytest -k x", tmp_path))

    told = "`pytest` was run as `make test`, this project's own command (test). "
    assert first.context == (told + "Put `!` in front of a command to run it as it is written.",)
    assert (again.updated_input is not None, again.context) == (True, ())
    assert kept.updated_input is None
    assert "`make test`" in kept.context[0]
    assert engine.decide_sync(bash("pytest -k x", tmp_path, session="other")).context == kept.context


def test_hints_and_actions_can_be_switched_off(tmp_path: Path) -> None:
    """Each by one option."""
    engine = made("redirect", "pre_tool_use", {"hints": False, "actions": ["test"]})
    project(tmp_path, Makefile=makefile(*TARGETS.split()))

    assert engine.decide_sync(bash("pytest", tmp_path)).context == ()
    assert after(engine, "ruff check", tmp_path) is None


def test_it_can_be_held_to_some_toolchains(tmp_path: Path) -> None:
    """Commands of others pass; a name nobody knows is a mistake."""
    engine = made("redirect", "pre_tool_use", {"of": ["python"]})
    project(tmp_path, Makefile=makefile("test"))

    assert after(engine, "pytest", tmp_path) == "make test"
    assert after(engine, "npm test", tmp_path) is None
    with pytest.raises(ConfigError, match=r"config\.of\[0\]: unknown toolchain `pyhton`"):
        made("redirect", "pre_tool_use", {"of": ["pyhton"]})


@pytest.mark.req("P36", "P54")
@pytest.mark.parametrize("value", [None, 3, "", "   ", {"a": 1}, ["pytest"]])
def test_what_is_no_command_passes(tmp_path: Path, engine: Engine, value: object) -> None:
    """Nothing is said of it, and nothing breaks."""
    project(tmp_path, Makefile=makefile("test"))
    decision = engine.decide_sync(bash(value, tmp_path))

    assert (decision.updated_input, decision.open_passes) == (None, 0)


@pytest.mark.req("P36")
def test_other_tools_pass(tmp_path: Path, engine: Engine) -> None:
    """Only the shell runs commands."""
    project(tmp_path, Makefile=makefile("test"))
    event = Event(
        name="PreToolUse", cwd=str(tmp_path), tool=ToolCall(name="Write", input={"command": "pytest"})
    )

    assert engine.decide_sync(event).updated_input is None


@pytest.mark.req("P38")
def test_an_empty_folder_is_the_current_one_and_home_is_expanded(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell would take them."""
    project(tmp_path, Makefile=makefile("test"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert command_after(engine.decide_sync(bash("pytest", "~"))) == "make test"
    monkeypatch.chdir(tmp_path)
    assert command_after(engine.decide_sync(bash("pytest", ""))) == "make test"


def test_a_changed_file_is_read_again(tmp_path: Path, engine: Engine) -> None:
    """What was known of it holds no longer."""
    project(tmp_path, Makefile=makefile("test"))
    assert after(engine, "pytest", tmp_path) == "make test"
    project(tmp_path, Makefile=makefile("lint"))
    assert after(engine, "pytest", tmp_path) is None
