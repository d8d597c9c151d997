"""What a project runs itself is told by its files, and a new toolchain is one entry."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.builtin_hooks.making import made
from tests.builtin_hooks.toolchain_project import PACKAGE, SCRIPTS, TARGETS, after, makefile, project

from interlock.engine.engine import Engine
from interlock.errors import ConfigError


@pytest.fixture(scope="module")
def engine() -> Engine:
    return made("redirect", "pre_tool_use")


@pytest.mark.req("P9")
@pytest.mark.parametrize(("other", "own_first"), [("gradle test", True), ("python -m pytest", False)])
def test_the_first_toolchain_of_the_order_is_taken(tmp_path: Path, other: str, *, own_first: bool) -> None:
    """Makefile, then Cargo, Go, Node, Python; each shows itself when those before it are gone.

    Always for a command of none of them, and for all when a toolchain does not keep its own commands.
    """
    engine = made("redirect", "pre_tool_use", {"own_first": own_first})
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


@pytest.mark.req("P9")
def test_of_several_lock_files_the_first_of_the_order_counts(tmp_path: Path, engine: Engine) -> None:
    """pnpm, then yarn, then npm."""
    project(tmp_path, package__json=PACKAGE)
    locks = ("pnpm-lock.yaml", "yarn.lock", "package-lock.json")
    for lock in locks:
        (tmp_path / lock).touch()
    found = []
    for lock in locks:
        found.append(after(engine, "gradle test", tmp_path))
        (tmp_path / lock).unlink()

    assert found == ["pnpm test", "yarn test", "npm test"]


@pytest.mark.req("P9", "P37")
def test_a_makefile_counts_only_with_the_target(tmp_path: Path, engine: Engine) -> None:
    """A word in a comment, after `.PHONY` alone, in a variable or in a pattern rule is not a target."""
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
    """Neither a folder, nor a pipe that nobody writes, nor bytes that are not text hold anything up."""
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
def test_a_package_without_lock_file_uses_npm(tmp_path: Path, engine: Engine) -> None:
    """npm comes with Node; a command of another package manager stays, for nobody knows better."""
    project(tmp_path, package__json=PACKAGE)

    assert after(engine, "gradle test", tmp_path) == "npm test"
    assert after(engine, "npx jest", tmp_path) == "npm test"
    assert after(engine, "npm test", tmp_path) is None
    assert after(engine, "yarn test", tmp_path) is None


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
    """Files, commands and what its own commands mean, in a policy too; it comes before ours."""
    zig = {"files": ["build.zig"], "commands": {"test": "zig build test"}, "means": {"zig test": "test"}}
    engine = made("redirect", "pre_tool_use", {"toolchains": {"zig": zig}})
    project(tmp_path, build__zig="")

    assert after(engine, "pytest", tmp_path) == "zig build test"
    assert after(engine, "gradle test", project(tmp_path, Cargo__toml="")) == "zig build test"
    assert after(engine, "zig test a.zig", project(tmp_path, Makefile=makefile("test"))) is None
    assert after(engine, "zig test", tmp_path) == "make test"


def test_an_unknown_action_is_a_mistake() -> None:
    """It would never be asked for."""
    own = {"files": ["x"], "commands": {"tset": "x"}}
    with pytest.raises(ConfigError, match=r"config\.toolchains\.mine\.commands\.tset: unknown action `tset`"):
        made("redirect", "pre_tool_use", {"toolchains": {"mine": own}})
