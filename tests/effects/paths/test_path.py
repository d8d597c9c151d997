"""A path in every spelling a pattern may be written against."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.builders import allowed, denied, write

from interlock.effects.paths.path import PathReader, read_path


@pytest.mark.req("M28")
@pytest.mark.parametrize(
    "path",
    ["src/a.ts", "./src/a.ts", "/w/app/src/a.ts", "src/../src/a.ts", "/w/app//src/a.ts", "x/../src/a.ts"],
)
def test_a_relative_pattern_meets_every_spelling_of_a_file(path: str) -> None:
    """`Write(src/*)` means the file, however it is written."""
    assert denied("Write(src/*)", write(path))
    assert allowed(write(path), "Write(src/*)")
    assert allowed(write(path), "Write(/w/app/src/*)")


@pytest.mark.req("P03")
@pytest.mark.parametrize(
    "path", ["src/../.env", "src/../../other/x", "/w/app/src/../.git/hooks/x", "../app-evil/src/x"]
)
def test_dots_do_not_lead_out_of_an_allowed_folder(path: str) -> None:
    """An allow is tested against where the path really leads."""
    assert not allowed(write(path), "Write(src/*)")


@pytest.mark.req("P02")
def test_a_folder_with_the_same_beginning_is_another_folder() -> None:
    """Containment is not a prefix of characters."""
    assert not allowed(write("/w/app-evil/src/x"), "Write(src/*)")
    assert read_path("/w/app-evil/x", "/w/app").allow == (("/w/app-evil/x",),)


@pytest.mark.req("P01")
def test_a_link_is_followed_before_it_is_judged(tmp_path: Path) -> None:
    """Denies see the link and its target, allows only the target; a linked parent counts too."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "id_rsa").touch()
    project = tmp_path / "app"
    (project / "src").mkdir(parents=True)
    (project / "src" / "notes").symlink_to(tmp_path / "secret" / "id_rsa")
    (project / "src" / "folder").symlink_to(tmp_path / "secret")

    for path in ("src/notes", "src/folder/id_rsa"):
        event = write(path, cwd=str(project))
        assert denied(f"Write({tmp_path}/secret/*)", event)
        assert denied("Write(src/*)", event)
        assert denied("Write(id_rsa)", event)
        assert not allowed(event, "Write(src/*)")


def test_a_project_reached_by_a_link_is_the_project(tmp_path: Path) -> None:
    """A linked working folder changes nothing about what is inside it."""
    (tmp_path / "real" / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert allowed(write("src/a", cwd=str(tmp_path / "link")), "Write(src/*)")


@pytest.mark.parametrize("path", [".env", "deep/.env.local", "/elsewhere/.env"])
def test_a_deny_without_a_slash_also_means_the_name(path: str) -> None:
    """`Write(.env*)` protects the file wherever it lies; an allow does not spread like that."""
    assert denied("Write(.env*)", write(path))
    assert allowed(write(path), "Write(.env*)") is (path == ".env")


def test_a_home_path_is_resolved(home: Path) -> None:
    """`~` is the home of whoever decides."""
    assert denied(f"Write({home}/.ssh/*)", write("~/.ssh/k"))
    assert denied("Write(~/.ssh/*)", write("~/.ssh/k"))


def test_a_path_that_is_no_text_can_be_denied_and_never_allowed(tmp_path: Path) -> None:
    """A link to a name that is not UTF-8 breaks nothing."""
    (tmp_path / "l").symlink_to(os.fsdecode(os.fsencode(tmp_path) + b"/src/\xff"))
    event = write("l", cwd=str(tmp_path))

    assert read_path("l", str(tmp_path)).unread
    assert denied("Write(src/*)", event)
    assert not allowed(event, "Write(src/*)", "Write(/*)")


def test_a_nul_is_never_allowed() -> None:
    """Programs would see another path than the policy."""
    assert read_path("src/a\0.ts", "/w").unread
    assert not allowed(write("src/a\0.ts"), "Write(src/*)")
    assert not allowed(write("src/a.ts", cwd="/w\0"), "Write(src/*)")


def test_without_a_working_folder_a_path_starts_at_the_root() -> None:
    """A host that does not say where it is leaves nothing to the folder we happen to be in."""
    assert read_path("src/a", "").allow == (("src/a", "/src/a", "./src/a"),)


@pytest.mark.req("P03")
def test_dots_behind_a_link_count_as_the_text_and_as_the_system_reads_them(tmp_path: Path) -> None:
    """A deny of either place denies; an allow has to cover both."""
    project = tmp_path / "app"
    (project / "src").mkdir(parents=True)
    (tmp_path / "other" / "deep").mkdir(parents=True)
    (project / "src" / "link").symlink_to(tmp_path / "other" / "deep")
    event = write("src/link/../x", cwd=str(project))

    assert denied(f"Write({tmp_path}/other/*)", event)
    assert denied("Write(src/x)", event)
    assert not allowed(event, "Write(src/*)")
    assert not allowed(event, f"Write({tmp_path}/other/*)")
    assert allowed(event, "Write(src/*)", f"Write({tmp_path}/other/*)")


def test_patterns_speak_of_paths_in_the_project_wherever_the_agent_has_gone() -> None:
    """A deny finds the project's file from a sub-folder; an allow does not move with the agent."""
    below = read_path("/p/secrets/k", "/p/a", "/p")
    away = read_path("/etc/src/x", "/etc", "/p")

    assert "secrets/k" in below.deny
    assert below.allow == (("secrets/k", "/p/secrets/k", "./secrets/k"),)
    assert "src/x" in away.deny
    assert away.allow == (("/etc/src/x",),)


def test_a_link_on_the_way_counts_as_much_as_its_end(tmp_path: Path) -> None:
    """What passes through a denied name is denied, wherever it ends."""
    (tmp_path / "end").touch()
    (tmp_path / ".env").symlink_to("end")
    (tmp_path / "notes").symlink_to(".env")
    reading = read_path("notes", str(tmp_path))

    assert {"notes", ".env", "end"} <= set(reading.deny)
    assert reading.allow == (("end", f"{tmp_path}/end", "./end"),)


def test_links_in_a_circle_are_never_allowed(tmp_path: Path) -> None:
    """Nobody knows where they lead."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert read_path("a", str(tmp_path)).unread


def test_a_link_swapped_between_two_calls_is_seen(tmp_path: Path) -> None:
    """Nothing about links is remembered from one call to the next."""
    (tmp_path / "out").mkdir()
    (tmp_path / "app" / "src").mkdir(parents=True)
    first = read_path("src/x", str(tmp_path / "app"))
    (tmp_path / "app" / "src").rmdir()
    (tmp_path / "app" / "src").symlink_to(tmp_path / "out")
    second = read_path("src/x", str(tmp_path / "app"))

    assert first.allow[0][0] == "src/x"
    assert second.allow == ((f"{tmp_path}/out/x",),)


def test_one_reader_of_a_call_gives_what_single_readings_give(tmp_path: Path) -> None:
    """What it has looked at for one path does not change the next."""
    (tmp_path / "d").mkdir()
    (tmp_path / "l").symlink_to("d")
    paths = ["d/x", "l/x", "l", "d", "l/../y", "missing/x", "/etc/passwd", "~/k", "d/x/../../l/z"]
    reader = PathReader(str(tmp_path), str(tmp_path))

    assert [reader.read(path) for path in paths] == [read_path(path, str(tmp_path)) for path in paths]


def test_the_project_is_spelt_with_a_dot_and_what_is_outside_with_two() -> None:
    """`./*` is everything in the project and `../*` everything outside of it, from wherever the agent is."""
    within = read_path("../lib/x", "/p/a", "/p")
    outside = read_path("../../q/x", "/p/a", "/p")

    assert "./lib/x" in within.deny
    assert not [text for text in within.deny if text.startswith("../")]
    assert "../q/x" in outside.deny
    assert not [text for text in outside.deny if text.startswith("./")]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/proc/self/environ", "process"),
        ("/proc/1/mem", "process"),
        ("/proc/self/fd/3", "process"),
        ("/proc/self/task/7/root/etc/x", "process"),
        ("/proc/net/../environ", "process"),
        ("/dev/fd/3", "descriptor"),
        ("/dev/tcp/h/80", "network"),
        ("/dev/sda", "device"),
        ("/dev/../proc/self/environ", "process"),
        ("/.vol/1/2", "without their names"),
    ],
)
def test_what_is_no_file_is_never_allowed(path: str, reason: str) -> None:
    """Devices, descriptors and processes lead where no pattern can see; the reason names which."""
    assert reason in (read_path(path, "/w").unread or "")


@pytest.mark.parametrize(
    "path", ["/dev/null", "/dev/stdin", "/dev/tty", "/dev/shm/x", "/proc/cpuinfo", "/proc/mounts"]
)
def test_plain_devices_and_facts_of_the_system_are_paths_like_others(path: str) -> None:
    """They are compared as written, and not led into the process that judges."""
    reading = read_path(path, "/w")

    assert reading.unread is None
    assert reading.allow == ((path,),)


def test_a_link_into_a_process_is_not_followed_into_ours(tmp_path: Path) -> None:
    """The folder meant is that of whoever acts, not of the program that judges."""
    (tmp_path / "l").symlink_to("/proc/self/cwd/.env")
    reading = read_path("l", str(tmp_path))

    assert reading.unread
    assert f"{tmp_path}/.env" in reading.deny


@pytest.mark.parametrize(
    "path",
    [
        *(
            "src/a.ts",
            "./src/a.ts",
            "a",
            ".",
            "",
            "/",
            "//x",
            "/etc/passwd",
            "SRC/A.ts",
            "a.",
            "a~1",
            "x:$DATA",
        ),
        *(
            "../x",
            "a/../b",
            "~/x",
            "~nobody-here/x",
            "$HOME/x",
            "link/a.ts",
            "link",
            "link/../x",
            "a\0b",
            "é/ü",
        ),
    ],
)
def test_what_a_deny_compares_is_the_same_without_what_an_allow_asks(path: str, tmp_path: Path) -> None:
    """The short way of reading a path for denies spells all that the long way does."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "link").symlink_to("../elsewhere")
    cwd, project = str(tmp_path / "app" / "src"), str(tmp_path / "app")

    for here, root in ((cwd, project), (project, None), (f"{project}/link", project), ("/", None)):
        short, long = PathReader(here, root).denied_spellings(path), read_path(path, here, root).deny
        assert sorted(short) == sorted(long)
