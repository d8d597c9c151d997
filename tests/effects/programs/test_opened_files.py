"""What editors, viewers and archivers do with the files they are given."""

from __future__ import annotations

import pytest

from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_script

EDITORS = (
    "nano pico micro joe mcedit hx kak mg gedit kate kwrite geany subl zed code codium cursor emacs "
    "emacsclient vi vim nvim lvim view ex ed sensible-editor editor hexedit meld"
)
VIEWERS = (
    "less more most bat batcat moar ccat highlight pygmentize glow mdcat rich jless lnav hexyl od xxd "
    "hexdump strings base64 xmllint pr fold lp enscript groff difft zless"
)


def effects(command: str, kind: EffectKind) -> set[str]:
    """The paths that a command has this effect on."""
    return {effect.target for effect in read_script(command, "/w").effects if effect.kind is kind}


@pytest.mark.parametrize("program", EDITORS.split())
def test_an_editor_reads_and_may_write_what_it_opens(program: str) -> None:
    """A rule on either finds it: what is edited is seen."""
    assert ".env" in effects(f"{program} .env", EffectKind.READ)
    assert ".env" in effects(f"{program} .env", EffectKind.WRITE)


@pytest.mark.parametrize("program", VIEWERS.split())
def test_a_viewer_reads_what_it_shows(program: str) -> None:
    """However the program presents it."""
    assert ".env" in effects(f"{program} .env", EffectKind.READ)


@pytest.mark.parametrize(
    ("command", "read", "written"),
    [
        ("nano -Y sh +3 .env", {".env"}, {".env"}),
        ("code --wait -g .env", {".env"}, {".env"}),
        ("code -d a .env", {"a", ".env"}, set()),
        ("emacs -nw --find-file .env", {".env"}, {".env"}),
        ("vim -R .env", {".env"}, set()),
        ("glow -w 80 .env", {".env"}, set()),
        ("lp -d office .env", {".env"}, set()),
        ("ugrep -i token .env", {".env"}, set()),
        ("jq -R . .env", {".env"}, set()),
        ("pax -w .env", {".env"}, set()),
        ("pax -wf a.pax -x ustar .env", {".env"}, {"a.pax"}),
        ("pax -w -f a.pax .env src", {".env", "src"}, {"a.pax"}),
        ("pax -rw -s ,a,b, .env", {".env"}, {""}),
        ("pax -f a.pax .env", {"a.pax"}, set()),
        ("pax -r -f a.pax .env", {"a.pax"}, {""}),
        ("zip a.zip .env", {".env"}, {"a.zip"}),
        ("7z a a.7z .env", {".env"}, {"a.7z"}),
        ("ar rcs a.a .env", {".env"}, {"a.a"}),
        ("mksquashfs .env a.sq", {".env", "a.sq"}, {".env", "a.sq", ""}),
        ("lrzip -o a.lrz .env", {".env"}, {".env", "a.lrz"}),
    ],
)
def test_options_and_patterns_are_no_files(command: str, read: set[str], written: set[str]) -> None:
    """What is read and written is what the program opens, and nothing else."""
    assert effects(command, EffectKind.READ) == read
    assert effects(command, EffectKind.WRITE) == written


@pytest.mark.req("C09")
@pytest.mark.parametrize(
    "command",
    [
        "lnav -e 'rm -rf x' a",
        "multitail -l 'rm -rf x'",
        "tspin --exec 'rm -rf x'",
        "delta --pager 'rm -rf x' a b",
        "ugrep --filter='rm -rf x' a b",
    ],
)
def test_what_a_viewer_runs_is_a_command(command: str) -> None:
    """A pager, a filter or a command to follow is read like any other text of a shell."""
    last = read_script(command).commands[-1]
    assert [word.text for word in last.words] == ["rm", "-rf", "x"]
