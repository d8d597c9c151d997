"""The toolchains of projects: the files that show one, its commands, and which commands mean the same.

A new toolchain is one entry of `TOOLCHAINS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

Action = Literal["test", "build", "lint", "e2e", "smoke"]
ACTIONS: Final[tuple[Action, ...]] = ("test", "build", "lint", "e2e", "smoke")


class Toolchain(msgspec.Struct, frozen=True, kw_only=True):
    """One toolchain; in commands, `{run}` stands for what starts its programs in this project."""

    name: str
    files: tuple[str, ...]  # any of them shows that a project uses it
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


def _started(starters: tuple[str, ...], **means: str) -> dict[str, str]:
    """What the words after each of these programs mean."""
    return {f"{starter} {word}": action for word, action in means.items() for starter in starters}


# In the order of preference. Runners whose targets people write by hand come before these: see
# `detect.py`.
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
        means=_started(("mvn", "./mvnw"), test="test", package="build", verify="e2e"),
    ),
    Toolchain(
        name="gradle",
        files=("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
        commands={"test": "{run} test", "build": "{run} assemble", "lint": "{run} check"},
        means=_started(("gradle", "./gradlew"), test="test", assemble="build", build="build", check="lint"),
    ),
)


TIMED: Final = re.compile(r"time[ \t]+(?:-p[ \t]+)?")
# `time` and assignments of plain words may stand before a command; nothing else.
_BEFORE: Final = re.compile(rf"(?:{TIMED.pattern})?" + r"(?:[A-Za-z_]\w*=[\w./:,@%+-]*[ \t]+)*")
_MERGED: Final = re.compile(r"\s+2>&1$")
_EVERYTHING: Final = frozenset({"", ".", "./..."})


class KnownCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command split into parts; joined in this order they are the same command."""

    toolchain: str
    action: str
    before: str = ""  # `time`, assignments
    starter: str = ""  # `uv run`, `python -m`
    program: str  # `pytest`, `npm test`
    rest: str = ""  # its arguments as they are written, with the space before them
    after: str = ""  # `2>&1`

    @property
    def arguments(self) -> str:
        """The arguments; empty if they only mean everything."""
        words = self.rest.strip()
        return "" if words in _EVERYTHING else words

    def replaced_by(self, command: str) -> str:
        """Another command in the place of this one."""
        return f"{self.before}{command}{self.after}"


class CommandIndex:
    """Finds the action of a command; the first word of most commands shows that they have none."""

    def __init__(self, toolchains: Iterable[Toolchain]) -> None:
        self._by_first: Final[dict[str, list[tuple[re.Pattern[str], str, str, str]]]] = {}
        for chain in toolchains:
            for program, action in chain.means.items():
                for starter in ("", *chain.starters):
                    self._add(chain.name, starter, program, action)
        for listed in self._by_first.values():
            listed.sort(key=lambda one: -len(one[0].pattern))  # the longest beginning says most

    def _add(self, chain: str, starter: str, program: str, action: str) -> None:
        words = f"{starter} {program}".split()
        pattern = r"[ \t]+".join(map(re.escape, words)) + r"(?=\s|$)"
        if starter:
            split = len(starter.split())
            head, tail = (r"[ \t]+".join(map(re.escape, part)) for part in (words[:split], words[split:]))
            pattern = rf"(?P<starter>{head})[ \t]+(?P<program>{tail})(?=\s|$)"
        else:
            pattern = rf"(?P<starter>)(?P<program>{pattern})"
        entry = (re.compile(pattern, re.IGNORECASE), chain, starter, action)
        self._by_first.setdefault(words[0].lower(), []).append(entry)

    def find(self, text: str) -> KnownCommand | None:
        """The known command that a text is, or None."""
        first = text.split(None, 1)[:1]
        if not first or not (first[0].lower() in self._by_first or first[0] == "time" or "=" in first[0]):
            return None
        before = _BEFORE.match(text)
        start = before.end() if before else 0
        words = text[start:].split(None, 1)
        for pattern, chain, starter, action in self._by_first.get(words[0].lower() if words else "", ()):
            match = pattern.match(text, start)
            if match is not None:
                merged = _MERGED.search(text, match.end())
                end = merged.start() if merged else len(text)
                return KnownCommand(
                    toolchain=chain,
                    action=action,
                    before=text[:start],
                    starter=starter,
                    program=match["program"],
                    rest=text[match.end() : end],
                    after=text[end:],
                )
        return None
