"""Commands go to the project's own toolchain, with all that belongs to them, or stay as they are."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.builtin.making import bash, command_after, made

from interlock.engine import Engine
from interlock.errors import ConfigError
from interlock.event import Event
from interlock.tool import ToolCall
from interlock.verdict import Vote

SCRIPTS = dict.fromkeys(("test", "build", "lint", "e2e", "smoke"), "x")
PACKAGE = json.dumps({"scripts": SCRIPTS})
TARGETS = "test build lint e2e smoke"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return made("redirect", "pre_tool_use")


def project(folder: Path, **files: str) -> Path:
    """A folder with these files; two underlines stand for a dot."""
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)
    return folder


def after(engine: Engine, command: str, folder: Path) -> str | None:
    return command_after(engine.decide_sync(bash(command, folder)))


def makefile(*targets: str) -> str:
    return "".join(f"{target}:\n\ttrue\n" for target in targets)


@pytest.mark.req("P9")
def test_the_first_toolchain_of_the_order_is_taken(tmp_path: Path, engine: Engine) -> None:
    """Makefile, then Cargo, Go, Node, Python; each shows itself when those before it are gone."""
    other = "gradle test"
    project(
        tmp_path,
        Makefile=makefile("test"),
        Cargo__toml="",
        go__mod="",
        package__json=PACKAGE,
        pyproject__toml="",
    )
    (tmp_path / "yarn.lock").touch()
    (tmp_path / "uv.lock").touch()
    found = []
    for gone in ("Makefile", "Cargo.toml", "go.mod", "package.json", "pyproject.toml"):
        found.append(after(engine, other, tmp_path))
        (tmp_path / gone).unlink()

    assert found == ["make test", "cargo test", "go test ./...", "yarn test", "uv run pytest"]
    assert after(engine, other, tmp_path) is None


@pytest.mark.req("P9", "P37")
def test_a_makefile_counts_only_with_the_target(tmp_path: Path, engine: Engine) -> None:
    """A word in a comment, after `.PHONY` alone, in a variable or in a pattern rule is no target."""
    text = "# test: x\n.PHONY: test lint\ntest_dir := x\nlint = y\n%.test: z\n\ttrue\ndefine test:\nendef\n"
    project(tmp_path, Makefile=text, Cargo__toml="")

    assert after(engine, "pytest", tmp_path) == "cargo test"


@pytest.mark.parametrize(
    "text",
    [
        "test:\n\ttrue\n",
        "build test lint: deps\n\ttrue\n",
        "test::\n\ttrue\n",
        "build \\\n  test: x\n\ttrue\n",
        "test : ; true\n",
        "ifdef X\ntest:\n\ttrue\nendif\n",
        "test:\r\n\ttrue\r\n",
    ],
)
def test_targets_are_read_as_make_reads_them(tmp_path: Path, engine: Engine, text: str) -> None:
    """Several to a line, double colons, joined lines and recipes on the same line."""
    project(tmp_path, Makefile=text)

    assert after(engine, "pytest", tmp_path) == "make test"


@pytest.mark.req("P37")
def test_an_unreadable_makefile_falls_to_the_next(tmp_path: Path, engine: Engine) -> None:
    """Neither a folder, nor a pipe that nobody writes, nor bytes that are no text hold anything up."""
    project(tmp_path, Cargo__toml="")
    (tmp_path / "GNUmakefile").mkdir()
    os.mkfifo(tmp_path / "makefile")
    (tmp_path / "Makefile").write_bytes(b"\xff\xfe\0")

    assert after(engine, "pytest", tmp_path) == "cargo test"


ACTION = {
    "test": "pytest",
    "build": "tsc",
    "lint": "ruff check",
    "e2e": "cypress run",
    "smoke": "pytest --smoke",
}


@pytest.mark.req("P10", "P11")
@pytest.mark.parametrize("action", ACTION)
def test_make_has_all_actions(tmp_path: Path, engine: Engine, action: str) -> None:
    """Each goes to the target of its name."""
    project(tmp_path, Makefile=makefile(*TARGETS.split()))

    assert after(engine, ACTION[action], tmp_path) == f"make {action}"


@pytest.mark.req("P12")
@pytest.mark.parametrize(
    ("action", "command"),
    [
        ("test", "cargo test"),
        ("build", "cargo build"),
        ("lint", "cargo clippy"),
        ("e2e", "cargo test --test '*'"),
        ("smoke", None),
    ],
)
def test_cargo(tmp_path: Path, engine: Engine, action: str, command: str | None) -> None:
    """Its own commands, and none for smoke tests."""
    project(tmp_path, Cargo__toml="")

    assert after(engine, ACTION[action], tmp_path) == command


@pytest.mark.req("P13", "P38", "X18")
@pytest.mark.parametrize(
    ("action", "command"),
    [
        ("test", "go test ./..."),
        ("build", "go build ./..."),
        ("lint", "go vet ./..."),
        ("e2e", "go test -tags=e2e ./..."),
        ("smoke", None),
    ],
)
def test_go(tmp_path: Path, engine: Engine, action: str, command: str | None) -> None:
    """Of two tables the one that runs: the tag alone would test one package."""
    project(tmp_path, go__mod="")

    assert after(engine, ACTION[action], tmp_path) == command


@pytest.mark.req("P14")
@pytest.mark.parametrize(
    ("lock", "manager"),
    [
        ("package-lock.json", "npm"),
        ("yarn.lock", "yarn"),
        ("pnpm-lock.yaml", "pnpm"),
    ],
)
@pytest.mark.parametrize("action", SCRIPTS)
def test_node(tmp_path: Path, engine: Engine, lock: str, manager: str, action: str) -> None:
    """The lock file tells who runs the scripts."""
    project(tmp_path, package__json=PACKAGE)
    (tmp_path / lock).touch()
    command = "gradle test" if action == "test" else ACTION[action]
    if action in {"build", "e2e"}:
        command = {"build": "cargo build", "e2e": "mvn verify"}[action]
    wanted = f"{manager} test" if action == "test" else f"{manager} run {action}"

    assert after(engine, command, tmp_path) == wanted


def test_a_script_that_is_not_there_is_not_run(tmp_path: Path, engine: Engine) -> None:
    """Neither a missing one nor what `npm init` writes in its place."""
    scripts = {"test": 'echo "Error: no test specified" && exit 1'}
    project(tmp_path, package__json=json.dumps({"scripts": scripts}), yarn__lock="")

    assert after(engine, "npm test", tmp_path) is None
    assert after(engine, "npm run build", tmp_path) is None


def test_bun_runs_scripts_and_not_its_own_tests(tmp_path: Path, engine: Engine) -> None:
    """`bun test` would be another runner."""
    project(tmp_path, package__json=PACKAGE, bun__lock="")

    assert after(engine, "npm test", tmp_path) == "bun run test"


@pytest.mark.req("P37")
def test_a_package_without_lock_file_counts_as_pnpm(tmp_path: Path, engine: Engine) -> None:
    """For commands of other toolchains; one of a package manager stays, for nobody knows better."""
    project(tmp_path, package__json=PACKAGE)

    assert after(engine, "gradle test", tmp_path) == "pnpm test"
    assert after(engine, "npm test", tmp_path) is None


def test_the_package_file_may_name_its_manager(tmp_path: Path, engine: Engine) -> None:
    """`packageManager` tells where no lock file does."""
    project(tmp_path, package__json=json.dumps({"scripts": SCRIPTS, "packageManager": "yarn@4.1.0"}))

    assert after(engine, "npm run build", tmp_path) == "yarn run build"


@pytest.mark.req("P15", "P38", "X18")
@pytest.mark.parametrize(
    ("action", "command"),
    [
        ("test", "pytest"),
        ("build", None),
        ("lint", "ruff check ."),
        ("e2e", "pytest tests/"),
        ("smoke", "pytest --smoke"),
    ],
)
@pytest.mark.parametrize(
    "start", [("uv.lock", "uv run"), ("README", "python -m"), ("poetry.lock", "poetry run")]
)
def test_python(
    tmp_path: Path, engine: Engine, action: str, command: str | None, start: tuple[str, str]
) -> None:
    """The lock file tells what starts the programs; without one Python does."""
    lock, runner = start
    project(tmp_path, pyproject__toml="")
    (tmp_path / lock).touch()
    asked = {
        "test": "cargo test",
        "build": "cargo build",
        "lint": "cargo clippy",
        "e2e": "mvn verify",
        "smoke": "yarn run smoke",
    }[action]

    assert after(engine, asked, tmp_path) == (f"{runner} {command}" if command else None)


@pytest.mark.req("P15")
def test_plain_python_stays_as_it_is(tmp_path: Path, engine: Engine) -> None:
    """Where nothing special starts its programs, `pytest` is what the project runs."""
    project(tmp_path, pyproject__toml="")

    assert after(engine, "pytest", tmp_path) is None


def test_hatch_is_told_by_its_environments(tmp_path: Path, engine: Engine) -> None:
    """It has no lock file."""
    project(tmp_path, pyproject__toml='[tool.hatch.envs.default]\ndependencies = ["pytest"]\n')

    assert after(engine, "pytest -x", tmp_path) == "hatch run pytest -x"


@pytest.mark.parametrize(
    ("files", "command", "wanted"),
    [
        (
            {"justfile": "default:\n  true\n@test *args:\n  pytest {{args}}\n"},
            "pytest -k x",
            "just test -k x",
        ),
        ({"justfile": "test:\n  pytest\n"}, "pytest", "just test"),
        ({"justfile": "test := 'x'\n"}, "pytest", None),
        (
            {"Taskfile__yml": "version: '3'\ntasks:\n  test:\n    cmds:\n      - pytest {{.CLI_ARGS}}\n"},
            "pytest -x",
            "task test -- -x",
        ),
        ({"Taskfile__yml": "vars:\n  test: x\ntasks:\n  lint:\n    cmd: ruff check\n"}, "pytest", None),
        ({"pom__xml": "", "mvnw": ""}, "mvn test -q", "./mvnw test -q"),
        ({"pom__xml": ""}, "pytest", "mvn test"),
        ({"build__gradle__kts": "", "gradlew": ""}, "gradle test --info", "./gradlew test --info"),
        ({"build__gradle": ""}, "pytest", "gradle test"),
    ],
)
def test_other_runners(
    tmp_path: Path, engine: Engine, files: dict[str, str], command: str, wanted: str | None
) -> None:
    """just, Task, Maven and Gradle, each with what it takes."""
    assert after(engine, command, project(tmp_path, **files)) == wanted


@pytest.mark.req("P16")
def test_a_new_toolchain_is_one_entry(tmp_path: Path) -> None:
    """Files, commands and what its own commands mean, in a policy too."""
    zig = {"files": ["build.zig"], "commands": {"test": "zig build test"}, "means": {"zig test": "test"}}
    engine = made("redirect", "pre_tool_use", {"toolchains": {"zig": zig}})
    project(tmp_path, build__zig="")

    assert after(engine, "pytest", tmp_path) == "zig build test"
    assert after(engine, "zig test a.zig", project(tmp_path, Makefile=makefile("test"))) is None
    assert after(engine, "zig test", tmp_path) == "make test"


def test_an_unknown_action_is_a_mistake() -> None:
    """It would never be asked for."""
    own = {"files": ["x"], "commands": {"tset": "x"}}
    with pytest.raises(ConfigError, match=r"config\.toolchains\.mine\.commands\.tset: unknown action `tset`"):
        made("redirect", "pre_tool_use", {"toolchains": {"mine": own}})


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
    ],
    "build": [
        "npm build", "npm run build", "yarn build", "pnpm run build", "go build", "cargo build", "tsc",
    ],
    "lint": [
        "npm lint", "npm run lint", "yarn lint", "pnpm run lint", "cargo clippy", "go vet", "ruff check",
    ],
    "e2e": ["npx playwright test", "npx cypress run", "pytest -m integration", "pnpm run e2e"],
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
        "time pytest",
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


@pytest.mark.req("P19", "P22")
def test_what_is_the_projects_own_passes(tmp_path: Path, engine: Engine) -> None:
    """The same command is no change, and nothing is said."""
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

    told = "`pytest` was run as `make test`, this project's own (test). "
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
