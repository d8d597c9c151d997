"""The toolchains of projects: what shows one, what its commands are, and which commands mean the same.

A new toolchain is one entry of `TOOLCHAINS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

Action = Literal["test", "build", "lint", "e2e", "smoke"]
ACTIONS: Final[tuple[Action, ...]] = ("test", "build", "lint", "e2e", "smoke")


class Toolchain(msgspec.Struct, frozen=True, kw_only=True):
    """One of them; in commands `{run}` stands for whatever starts its programs in this project."""

    name: str
    files: tuple[str, ...]  # any of them shows it
    commands: Mapping[str, str]  # by action; a found toolchain without one ends the search
    means: Mapping[str, str] = {}  # how its own commands begin, and the action they mean
    starters: tuple[str, ...] = ()  # what may stand before its programs: `uv run`, `python -m`


_MANAGERS: Final = ("npm", "yarn", "pnpm", "bun")


def _scripts() -> dict[str, str]:
    """How package managers are told to run a script."""
    means: dict[str, str] = {}
    for manager in _MANAGERS:
        for action in ACTIONS:
            means[f"{manager} run {action}"] = action
        means |= {f"{manager} build": "build", f"{manager} lint": "lint", f"{manager} run test:e2e": "e2e"}
        means[f"{manager} test"] = "test"
    return {**means, "npm t": "test", "pnpm t": "test"}


def _runners() -> dict[str, str]:
    """Test runners of Node, called directly or by a manager."""
    programs = ("jest", "vitest", "vitest run")
    return {
        f"{by}{program}": "test" for program in programs for by in ("", "npx ", "yarn ", "pnpm ", "bunx ")
    }


# In the order of preference. Runners whose targets people write by hand come before these: see
# `project_toolchain.py`.
TOOLCHAINS: Final[tuple[Toolchain, ...]] = (
    Toolchain(
        name="cargo",
        files=("Cargo.toml",),
        commands={
            "test": "cargo test",
            "build": "cargo build",
            "lint": "cargo clippy",
            "e2e": "cargo test --test '*'",
        },
        means={
            "cargo test --test '*'": "e2e",
            "cargo test --test": "e2e",
            "cargo test": "test",
            "cargo build": "build",
            "cargo clippy": "lint",
        },
    ),
    Toolchain(
        name="go",
        files=("go.mod",),
        commands={
            "test": "go test ./...",
            "build": "go build ./...",
            "lint": "go vet ./...",
            "e2e": "go test -tags=e2e ./...",
        },
        means={
            "go test -tags=e2e": "e2e",
            "go test": "test",
            "go build": "build",
            "go vet": "lint",
        },
    ),
    Toolchain(
        name="node",
        files=("package.json",),
        commands={
            "test": "{run} test",
            "build": "{run} run build",
            "lint": "{run} run lint",
            "e2e": "{run} run e2e",
            "smoke": "{run} run smoke",
        },
        means={
            **_scripts(),
            **_runners(),
            "npx playwright test": "e2e",
            "playwright test": "e2e",
            "npx cypress run": "e2e",
            "cypress run": "e2e",
            "npx tsc": "build",
            "tsc": "build",
        },
    ),
    Toolchain(
        name="python",
        files=("pyproject.toml",),
        commands={
            "test": "{run} pytest",
            "lint": "{run} ruff check .",
            "e2e": "{run} pytest tests/",
            "smoke": "{run} pytest --smoke",
        },
        means={
            "pytest --smoke": "smoke",
            "pytest -m smoke": "smoke",
            "pytest -m e2e": "e2e",
            "pytest -m integration": "e2e",
            "pytest tests/e2e": "e2e",
            "pytest tests/": "e2e",
            "pytest": "test",
            "ruff check": "lint",
        },
        starters=("python -m", "python3 -m", "uv run", "poetry run", "hatch run"),
    ),
    Toolchain(
        name="maven",
        files=("pom.xml",),
        commands={"test": "{run} test", "build": "{run} package", "e2e": "{run} verify"},
        means={
            "mvn test": "test",
            "./mvnw test": "test",
            "mvn package": "build",
            "./mvnw package": "build",
            "mvn verify": "e2e",
            "./mvnw verify": "e2e",
        },
    ),
    Toolchain(
        name="gradle",
        files=("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
        commands={"test": "{run} test", "build": "{run} assemble", "lint": "{run} check"},
        means={
            "gradle test": "test",
            "./gradlew test": "test",
            "gradle assemble": "build",
            "./gradlew assemble": "build",
            "gradle build": "build",
            "./gradlew build": "build",
            "gradle check": "lint",
            "./gradlew check": "lint",
        },
    ),
)
