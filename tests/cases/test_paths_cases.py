"""The ways around a path list, several spellings for each case."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Any, Final

import pytest
import re2

from interlock.effects.effect import Effect, EffectKind
from interlock.effects.paths.globs import ProtectedFiles, denied_paths, inside, pattern_path
from interlock.effects.paths.path import read_path
from interlock.effects.tool_effects import effects_of_call
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.patterns.glob import glob_expression

_OPTIONS: Final = re2.Options()
_OPTIONS.dot_nl = True


def _matches(globs: tuple[str, ...], texts: tuple[str, ...]) -> bool:
    expressions = [re2.compile(glob_expression(glob), _OPTIONS) for glob in globs]
    return any(one.fullmatch(text) for one in expressions for text in texts)


class World:
    """A home with keys, a project in it, and a neighbour with a longer name."""

    def __init__(self, base: Path) -> None:
        self.home: Final = base / "home"
        self.project: Final = self.home / "app"
        for folder in (".ssh", ".aws", "app/src", "app/.git/hooks", "app-evil"):
            (self.home / folder).mkdir(parents=True)
        for file in (".ssh/id_rsa", ".aws/credentials", "app/.env", "app/src/a.ts"):
            (self.home / file).write_text("x")

    def caught(self, glob: str, path: str) -> bool:
        """Whether a deny of the glob sees the path."""
        return _matches(denied_paths(glob, str(self.home)), read_path(path, str(self.project)).deny)

    def covered(self, glob: str, path: str) -> bool:
        """Whether an allow of the glob covers the path."""
        reading = read_path(path, str(self.project))
        globs = pattern_path(glob, str(self.home))
        return not reading.unread and all(_matches(globs, part) for part in reading.allow)

    def effects(self, tool: str, fields: dict[str, Any]) -> tuple[Effect, ...]:
        """What a call from the project does."""
        call = ToolCall(name=tool, input=fields)
        return effects_of_call(call, STANDARD_TOOLS.spec(tool), str(self.project), str(self.project))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A fresh world whose home is ours."""
    found = World(tmp_path.resolve())
    monkeypatch.setenv("HOME", str(found.home))
    return found


def rows(case: str, *values: Any) -> pytest.MarkDecorator:
    """The spellings of one case, each with its id."""
    found = [pytest.param(value, id=f"case:{case}-{number}") for number, value in enumerate(values, 1)]
    return pytest.mark.parametrize("spelling", found)


@pytest.mark.req("P01")
@rows(
    "P01",
    "notes",
    "./notes",
    "src/notes",
    "keys/id_rsa",
    "src/up/notes",
    "twice",
    "keys/../.ssh/id_rsa",
    "new/x",
)
def test_a_link_is_followed_before_it_is_judged(world: World, spelling: str) -> None:
    """A deny sees where a link or a linked folder leads; an allow of where it stands does not cover it."""
    (world.project / "notes").symlink_to("../.ssh/id_rsa")
    (world.project / "src" / "notes").symlink_to(world.home / ".ssh/id_rsa")
    (world.project / "keys").symlink_to(world.home / ".ssh")
    (world.project / "src" / "up").symlink_to("..")
    (world.project / "twice").symlink_to("src/notes")
    (world.project / "new").symlink_to("../.ssh/not-there-yet")

    assert world.caught("~/.ssh/**", spelling)
    assert not world.covered("./**", spelling)


@pytest.mark.req("P02")
@rows("P02", "../app-evil/x", "{home}/app-evil/x", "src/../../app-evil/x", "~/app-evil/x", "$HOME/app-evil/x")
def test_a_longer_name_is_outside(world: World, spelling: str) -> None:
    """A neighbour whose name begins like the project is not part of it."""
    path = spelling.format(home=world.home)

    assert not world.covered("./**", path)
    assert not world.covered(f"{world.project}/**", path)
    assert world.caught("../**", path)
    assert not inside(f"{world.home}/app-evil/x", str(world.project))


@pytest.mark.req("P03")
@rows(
    "P03",
    "../.aws/credentials",
    "src/../../.aws/credentials",
    "{home}//.aws///credentials",
    "/{home}/.aws/credentials",
    "{home}/./.aws/credentials/",
    "~/.aws/credentials",
    "~/.ssh/../.aws/credentials",
    "$HOME/.aws/credentials",
    "${{HOME}}/.aws/credentials",
    "$PWD/../.aws/credentials",
    "~/.aws",
    "~/.aws/",
)
@pytest.mark.parametrize("glob", ["~/.aws/", "~/.aws/**", "$HOME/.aws/*", "${HOME}//.aws/", "~/x/../.aws/"])
def test_every_spelling_of_path_and_pattern_is_one(world: World, spelling: str, glob: str) -> None:
    """Slashes, dots, homes and variables change nothing on either side."""
    path = spelling.format(home=world.home)

    assert world.caught(glob, path)
    assert not world.covered("./**", path)


@pytest.mark.req("P03")
@rows("P03-user", "~root/.ssh/k", "~root//.ssh/./k", "~root/x/../.ssh/k")
def test_the_home_of_another_is_theirs(world: World, spelling: str) -> None:
    """`~user` is known to paths and patterns alike."""
    assert world.caught("~root/.ssh/", spelling)
    assert world.caught(str(Path("~root").expanduser() / ".ssh/**"), spelling)


@pytest.mark.req("P04")
@rows(
    "P04",
    ".GIT/hooks/x",
    ".Git/HOOKS/x",
    "src/../.gIT/hooks/x",
    ".g\u200bit/hooks/x",
    ".git\u200d/hooks/x",
    "\ufeff.git/hooks/x",
    "GIT~1/hooks/x",
    "git~1/hooks/x",
    ".git::$DATA/hooks/x",
    ".git::$INDEX_ALLOCATION/hooks/x",
    ".git./hooks/x",
    ".git /hooks/x",
    ".git\\hooks\\x",
    "\uff0e\uff47\uff49\uff54/hooks/x",
)
def test_names_a_disk_may_take_for_a_protected_one_are_caught(world: World, spelling: str) -> None:
    """The protected set is matched folded, on every disk."""
    assert world.caught(".git/**", spelling)
    assert world.caught(f"{world.project}/.git/**", spelling)


@pytest.mark.req("P04")
@rows("P04-letters", ".cursor/mcp.json", ".CURSOR/MCP.JSON", ".Cursor/mcp.json", "CURSOR~1/mcp.json")
def test_a_pattern_with_capitals_is_folded_too(world: World, spelling: str) -> None:
    """Letter case counts on neither side."""
    assert world.caught(".Cursor/mcp.json", spelling)
    assert world.caught(".cursor/*", spelling)


@pytest.mark.req("P04")
@rows("P04-composed", "NFC", "NFD", "NFKC", "NFKD")
def test_composed_and_decomposed_names_are_one(world: World, spelling: Any) -> None:
    """A pattern in one form meets a path in the other, with its capitals."""
    glob = unicodedata.normalize("NFC", "Geheim/Schlüssel*")

    assert world.caught(glob, unicodedata.normalize(spelling, "Geheim/Schlüssel.txt"))
    assert world.caught(
        unicodedata.normalize("NFD", glob), unicodedata.normalize(spelling, "geheim/schlüssel")
    )


@pytest.mark.req("P05")
@rows(
    "P05", ".git/hooks/pre-commit", ".git/hooks/new/x", "src/../.git/hooks/y", "later/.git/../../.git/hooks/z"
)
def test_creating_a_protected_file_is_changing_it(world: World, spelling: str) -> None:
    """A path that does not exist yet is judged like one that does."""
    found = world.effects("Write", {"file_path": spelling, "content": "x"})

    assert [effect.kind for effect in found] == [EffectKind.WRITE]
    assert world.caught(".git/hooks/**", found[0].target)


@pytest.mark.req("P06")
@rows("P06", "src/a.ts", "src/new.ts")
def test_a_path_swapped_for_a_link_is_another_path_at_the_next_look(world: World, spelling: str) -> None:
    """What was found before is not believed again: a look after the call sees the swap."""
    before = world.covered("./src/**", spelling)
    (world.project / spelling).unlink(missing_ok=True)
    (world.project / spelling).symlink_to(world.home / ".ssh/id_rsa")

    assert before
    assert not world.covered("./src/**", spelling)
    assert world.caught("~/.ssh/**", spelling)


@pytest.mark.req("P07")
@rows(
    "P07",
    ("~/.ssh/id_rsa", "copy"),
    ("~/.ssh/**", "copy"),
    ("~/.ssh/", "src/../copy"),
    ("**/.env", "env-copy"),
)
def test_a_hard_link_to_a_protected_file_is_that_file(world: World, spelling: tuple[str, str]) -> None:
    """Device and inode tell what no path does."""
    glob, path = spelling
    os.link(world.home / ".ssh/id_rsa", world.project / "copy")
    os.link(world.project / ".env", world.project / "env-copy")
    protected = ProtectedFiles([glob], str(world.home))

    assert protected.hit(path, str(world.project)) == glob
    assert protected.hit("src/a.ts", str(world.project)) is None


@pytest.mark.req("P08")
@rows(
    "P08",
    "/proc/self/environ",
    "/proc/1/environ",
    "//proc/self/./environ",
    "/proc/thread-self/root/{home}/.env",
    "/proc/self/root/etc/passwd",
    "/proc/self/task/1/cwd/.env",
    "/proc/1/fd/3",
    "/dev/fd/3",
    "/dev/tcp/h/80",
    "/dev/udp/h/53",
    "/dev/mem",
    "door/environ",
)
def test_a_process_device_or_connection_is_never_allowed(world: World, spelling: str) -> None:
    """No allow pattern covers it, and a deny of where it stands catches it."""
    (world.project / "door").symlink_to("/proc/self")
    path = spelling.format(home=world.home)

    assert not world.covered("**", path)
    assert world.caught("/proc/**", path) or world.caught("/dev/**", path)


@pytest.mark.req("P08")
@rows(
    "P08-root",
    "/proc/self/root{path}",
    "/proc/1/root/{path}",
    "/proc/self/cwd/.env",
    "/proc/self/cwd/src/../.env",
)
def test_a_process_is_looked_through(world: World, spelling: str) -> None:
    """A deny of the file behind it catches it as well."""
    assert world.caught("**/.env", spelling.format(path=world.project / ".env"))


@pytest.mark.req("P08")
@rows("P08-network", "/dev/tcp/evil.com/80", "/dev/udp/evil.com/53")
def test_a_connection_written_as_a_path_is_one(world: World, spelling: str) -> None:
    """It is an effect on the network, with its host."""
    found = world.effects("Write", {"file_path": spelling})

    assert [(effect.kind, effect.target) for effect in found] == [(EffectKind.NETWORK, "evil.com")]


SEARCHES: Final[list[tuple[str, dict[str, Any]]]] = [
    ("Grep", {"pattern": "KEY", "path": ".env"}),
    ("Grep", {"pattern": "KEY", "glob": ".env"}),
    ("Grep", {"pattern": "KEY", "glob": "**/.env*"}),
    ("Grep", {"pattern": "KEY", "glob": "*"}),
    ("Grep", {"pattern": "KEY", "path": "src/..", "glob": "{.env,x}"}),
    ("grep_search", {"query": "KEY", "include_pattern": ".e*"}),
    ("mcp__fs__search_files", {"path": ".", "pattern": "KEY", "glob": ".env"}),
    ("mcp__fs__read_multiple_files", {"paths": ["src/a.ts", ".env"]}),
    ("mcp__any__thing", {"what": "./.env"}),
]


@pytest.mark.req("P09")
@rows("P09", *SEARCHES)
def test_a_search_that_prints_a_protected_file_reads_it(
    world: World, spelling: tuple[str, dict[str, Any]]
) -> None:
    """A tool that shows a file has read it, whatever the tool is called."""
    found = world.effects(*spelling)

    assert any(e.kind is EffectKind.READ and world.caught("**/.env", e.target) for e in found)


@pytest.mark.req("P03", "P04")
@rows(
    "must-allow",
    "src/a.ts",
    "./src/a.ts",
    "src//b.ts",
    "src/../src/c.ts",
    "src/Ünder.ts",
    "src/My File.ts",
    "~/app/src/d",
)
def test_ordinary_paths_are_left_alone(world: World, spelling: str) -> None:
    """What lies in the project is covered, and no list of secrets catches it."""
    assert world.covered("./src/**", spelling)
    for glob in ("~/.ssh/**", "~/.aws/", "**/.env", ".git/**", "../**", "/etc/**", "/proc/**"):
        assert not world.caught(glob, spelling)
