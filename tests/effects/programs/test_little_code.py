"""Small programs in `sed` and `awk` that touch nothing but their input."""

from __future__ import annotations

import pytest

from interlock.effects.effect import Word
from interlock.effects.programs.roles import is_plain_awk, is_plain_code, is_plain_sed


@pytest.mark.req("C05", "case:C23")
@pytest.mark.parametrize(
    "code",
    [
        "s/a/b/",
        "s/a/b/g;s/c/d/2",
        "s|/a/b|/c|gI",
        "1,5p",
        "/x/d",
        "/a/,/b/p",
        "$!N;$!D",
        "5q",
        "y/abc/xyz/",
        "1i\\\nhello",
        "a hello e rm",
        ":a;N;$!ba;s/\\n/ /g",
        "/x/{s/a/b/;p}",
        "s/\\(a\\)/\\1/",
        "# note",
        "s/[a-z]/x/",
        "2~3d",
        "/x/!d",
        "s/a\\/b/c/",
        "n;d",
        "",
        "p;p",
        "s,a,b,",
    ],
)
def test_plain_sed_scripts_are_plain(code: str) -> None:
    """Everyday scripts need no question."""
    assert is_plain_sed(code)


@pytest.mark.req("C05")
@pytest.mark.parametrize(
    "code",
    [
        "1e rm -rf x",
        "e",
        "s/a/b/e",
        "s/a/b/ge",
        "s/a/b/w out",
        "w out",
        "W out",
        "r /etc/passwd",
        "R f",
        "1,2e rm",
        "/x/e rm",
        "s/a/b/;e rm",
        "{e rm\n}",
        "p;1e rm",
        "s/a/b",
        "s",
        "k",
        "1i\\\nx\ne rm",
        "a x\\\\\ne rm",
        "\\,x,e rm",
        "s/[/]/e rm",
        "y/a/b/;w x",
        "b x\ne rm",
        "#x\ne rm",
        "v 4",
        "F",
        "0~",
        "s\\a\\b\\",
    ],
)
def test_sed_scripts_that_run_read_or_write_are_not(code: str) -> None:
    """So is everything that was not understood to the end."""
    assert not is_plain_sed(code)


@pytest.mark.req("C05", "case:C23")
@pytest.mark.parametrize(
    "code",
    [
        "{print $1}",
        "$3 > 5",
        "$3 > 5 {print $1}",
        "{if ($1 > 2) print}",
        "/a|b/ {n++} END {print n}",
        "NR==1",
        "{s+=$1} END {print s/NR}",
        'BEGIN {FS=","} {print $2 "|" $3}',
        "!seen[$0]++",
        "{print (a > b)}",
        '{gsub(/x|y/, "z"); print}',
        "$1 ~ /^a/ && $2 || $3",
        "# note\n{print}",
        "{print length($0)}",
        "/Filesystem/ {next} {print $5}",
        '/systemd/ {print "loaded " $1}',
        '{print $2 > "/dev/stderr"}',
        '{print > "/dev/stdout"; n++}',
    ],
)
def test_plain_awk_programs_are_plain(code: str) -> None:
    """Comparisons and alternatives in expressions are not redirects and pipes."""
    assert is_plain_awk(code)


@pytest.mark.req("C05")
@pytest.mark.parametrize(
    "code",
    [
        'BEGIN{system("rm")}',
        '{print | "sh"}',
        '{print > "f"}',
        '{print >> "f"}',
        '"date" | getline x',
        '{while ((getline l < "f") > 0) print l}',
        'BEGIN{ARGV[1]="/etc/passwd"}',
        '@load "x"',
        "{@f(1)}",
        '{if (1) /"/; print "x" | "sh" #"}',
        '{printf("a") > "f"}',
        '{close("x")}',
        '{print "a',
        "BEGIN{x=`rm`}|",
        'BEGIN { "sys" "tem" |& x }',
        '{print $1 |& "cmd"}',
        'BEGIN{x = 1system("rm")}',
        'BEGIN{x = 0x1system("rm")}',
        '{print > "/dev/stderr" x}',
        '{print > "/dev/stderrs"}',
        '{print > "/dev/stderr"; print > "f"}',
        '{print > "/dev/" "stderr"}',
    ],
)
def test_awk_programs_that_run_read_or_write_are_not(code: str) -> None:
    """Commands, pipes, redirects and further files make it code."""
    assert not is_plain_awk(code)


def test_code_that_is_not_known_or_long_is_not_plain() -> None:
    """A variable may hold anything."""
    assert is_plain_code("sed", Word("s/a/b/"))
    assert not is_plain_code("sed", Word("s/a/$x/", fixed=False))
    assert not is_plain_code("sed", Word("p;" * 3000))
