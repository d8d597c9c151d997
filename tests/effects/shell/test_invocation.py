"""Laws of one program: what it wraps, hands on, writes and talks to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effects.shell.readings import ELSEWHERE, command, effects, kinds, ran, read

from interlock.effects.command import GapKind
from interlock.effects.effect import EffectKind

TRANSPARENT = [
    "timeout 5",
    "nice -n 9",
    "nohup",
    "command",
    "builtin",
    "exec",
    "stdbuf -oL",
    "setsid",
    "ionice -c 3",
]
OTHERS = [
    "sudo",
    "sudo -u ann",
    "doas",
    "env A=1",
    "xargs",
    "busybox",
    "chroot /x",
    "docker exec box",
    "kubectl exec p --",
]


@pytest.mark.req("C08")
@given(st.lists(st.sampled_from([*TRANSPARENT, *OTHERS]), min_size=1, max_size=6))
def test_wrappers_are_looked_through_in_their_order(wrappers: list[str]) -> None:
    """The innermost command is found, with the names of all around it."""
    text = " ".join([*wrappers, "rm -rf x"])

    found = command(text, "rm")

    assert [word.text for word in found.words[:3]] == ["rm", "-rf", "x"]
    assert found.via == tuple(wrapper.split()[0] for wrapper in wrappers)
    assert len([c for c in read(text).commands if c.words[:1] != found.words[:1]]) == len(wrappers)


@pytest.mark.req("C08")
@pytest.mark.parametrize("wrapper", [*TRANSPARENT, "env", "bash -c", "sh -c"])
def test_a_wrapper_that_changes_nothing_needs_no_allow(wrapper: str) -> None:
    """Only what it runs does."""
    outer, inner = read(f"{wrapper} ls").commands

    assert (outer.transparent, inner.transparent) == (True, False)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "wrapper", [*OTHERS, "ssh host", "find . -exec", "timeout 5 > f", "LD_PRELOAD=x timeout 5"]
)
def test_a_wrapper_that_changes_something_needs_its_own(wrapper: str) -> None:
    """Another person, machine, environment or file."""
    assert not read(f"{wrapper} ls").commands[0].transparent


def test_another_user_is_no_transparent_wrapper() -> None:
    """`su` needs an allow of its own."""
    assert not read("su -c ls").commands[0].transparent


@pytest.mark.req("C04", "C08")
@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("bash -c 'rm -rf x'", ("bash",)),
        ("sh -ec 'rm -rf x'", ("sh",)),
        ("/usr/bin/env bash -c 'rm -rf x'", ("env", "bash")),
        ("sudo sh -c 'timeout 5 rm -rf x'", ("sudo", "sh", "timeout")),
        ("bash -c \"bash -c 'rm -rf x'\"", ("bash", "bash")),
        ("eval 'rm -rf x'", ("eval",)),
        ("eval rm -rf x", ("eval",)),
        ("eval eval rm -rf x", ("eval", "eval")),
        ("trap 'rm -rf x' EXIT", ("trap",)),
        ("alias l='rm -rf x'", ("alias",)),
        ("ssh host rm -rf x", ("ssh",)),
        ("ssh -p 22 ann@host 'cd a && rm -rf x'", ("ssh",)),
        ("env -S 'rm -rf x'", ("env",)),
        ("watch rm -rf x", ("watch",)),
        ("su ann -c 'rm -rf x'", ("su",)),
        ("echo $(bash -c 'rm -rf x')", ("$(…)", "bash")),
        ("git -c alias.y='!rm -rf x' y", ("git",)),
        ("git -c core.pager='rm -rf x' log", ("git",)),
        ("git -C . -c core.editor='rm -rf x' commit", ("git",)),
        ("echo 'rm -rf x' | sh 3< /dev/null", ("sh",)),
    ],
)
def test_a_text_for_a_shell_is_read(text: str, via: tuple[str, ...]) -> None:
    """Whoever starts the shell, and what it was looked through."""
    found = command(text, "rm")

    assert [word.text for word in found.words] == ["rm", "-rf", "x"]
    assert found.via == via


@pytest.mark.req("C07")
@pytest.mark.parametrize("action", ["-exec", "-execdir", "-ok", "-okdir"])
@pytest.mark.parametrize("end", ["{} +", "{} \\;", "a{}b ';'"])
def test_what_find_runs_is_read(action: str, end: str) -> None:
    """With a file that is not known yet, perhaps elsewhere."""
    found = command(f"find . -name y {action} rm -rf {end}", "rm")

    assert (found.via, found.words[1].text, found.words[2].fixed) == (("find",), "-rf", False)
    assert (found.cwd is None) is action.endswith("dir")


@pytest.mark.req("C08")
def test_what_xargs_runs_gets_more() -> None:
    """Words that are known from the text are given, all others may follow."""
    assert command("ls | xargs -n1 rm -rf", "rm").more
    assert ran("xargs")[-1] == "echo"
    assert "rm -rf a b" in ran("echo a b | xargs rm -rf")
    assert [word.fixed for word in command("ls | xargs -I{} rm -rf d/{}", "rm").words] == [True, True, False]


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "wrapped",
    ["env", "env A=1", "sudo -u ann", "timeout 5", "nice", "sh -c", "sh", "python -c", "ssh host", "eval"],
)
def test_words_that_a_wrapper_gets_later_decide_what_runs(wrapped: str) -> None:
    """Unless they stand where its own words say, or it only looks at them."""
    assert GapKind.OPEN in kinds(f"cat f | xargs {wrapped}")
    assert not kinds(f"cat f | xargs {wrapped.replace('eval', 'env')} ls" if " -c" not in wrapped else "ls")
    assert not kinds("cat f | xargs -I{} ssh {} uptime") | kinds("cat f | xargs command -v")


@pytest.mark.req("C04")
@pytest.mark.parametrize(
    "text",
    [
        "exec 3<<< 'rm -rf x'; sh <&3",
        "exec <<< 'rm -rf x'; sh",
        "exec <<< 'rm -rf x'; (cd sub; bash -s)",
        "cd /dev; bash stdin <<< 'rm -rf x'",
        "bash /proc/$$/fd/0 <<< 'rm -rf x'",
        "echo rm -rf x > >(sh)",
        "echo rm -rf x | tee >(bash)",
        "exec > >(sh); echo rm -rf x",
        "bash -c 'sh' <<< 'rm -rf x'",
        "echo 'rm -rf x' | ssh host 'bash -s'",
        "eval sh <<< 'rm -rf x'",
        "eval 'exec <<< \"rm -rf x\"'; sh",
        "cat /dev/fd/3 3<<< 'rm -rf x' | sh",
        "cp /dev/stdin f <<< 'rm -rf x'; sh f",
        "cp /dev/fd/3 f 3<<< 'rm -rf x'; sh f",
        "echo rm -rf x > f; sh /proc/self/cwd/f",
    ],
)
def test_a_shell_runs_what_was_opened_for_it_elsewhere(text: str) -> None:
    """By a number, by `exec`, or at the other end of a pipe."""
    assert GapKind.OPEN in kinds(text) or "rm -rf x" in ran(text)[1:]


@pytest.mark.req("C14")
@pytest.mark.parametrize("program", ["make -f -", "crontab -", "crontab", "sed -f - f", "sftp -b - h"])
def test_a_file_called_dash_is_the_input(program: str) -> None:
    """What a program runs of it is program text."""
    assert GapKind.CODE in kinds(f"{program} <<< 'all:; rm -rf x'")
    assert not kinds(f"{program} < f")


@pytest.mark.req("C08")
@pytest.mark.parametrize("text", ["exec -a$x ls rm y", "sudo -u$x ls rm y", "nice -n`a` ls rm y"])
def test_an_option_that_may_be_empty_makes_the_command_open(text: str) -> None:
    """Then it takes the next word, and the command begins later."""
    assert GapKind.OPEN in kinds(text)
    assert not kinds("sudo -u ann ls") | kinds('sudo -u "$x" ls') | kinds('sudo --user="$x" ls')


@pytest.mark.req("C04")
def test_a_shell_gives_its_words_to_the_text() -> None:
    """`$1` is what follows, when that is known."""
    assert ran("bash -c 'rm \"$1\"' _ 'a b'")[-1] == "rm a b"
    assert ran("find . -exec sh -c 'rm \"$1\"' _ {} \\;")[-1] == "rm ?$(…)"


@pytest.mark.req("C04", "case:C11")
@pytest.mark.parametrize(
    "text",
    ["$x a", "$(p u) a", "/bin/r? a", "r* a", "${x}y a", "eval $x", "bash -c $x", "ssh h $x", ". $x"],
)
def test_a_program_or_text_that_only_the_run_decides_is_open(text: str) -> None:
    """A variable or a glob where a program stands, or a text to run."""
    assert GapKind.OPEN in kinds(text)


@pytest.mark.req("C04", "case:C11")
@pytest.mark.parametrize("run", ["{} a", "eval {}", "bash -c {}", 'ssh h "{}"', "x=1 {}"])
@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("curl u", GapKind.NETWORK),
        ("wget -qO- u", GapKind.NETWORK),
        ("curl u | head", GapKind.NETWORK),
        ("base64 -d f", GapKind.DECODED),
        ("curl u | base64 -d", GapKind.DECODED),
        ("p u", GapKind.OPEN),
    ],
)
def test_open_text_says_where_it_comes_from(run: str, source: str, kind: GapKind) -> None:
    """From another machine, from a decoder, whatever came before it, or from anywhere else."""
    assert kinds(run.format(f"$({source})")) & ELSEWHERE == {kind}


@pytest.mark.req("case:C12")
@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("f() { a; }; f x", True),
        ("{ f() { a; }; }; f x", True),
        ("f() { a; } && f x", True),
        ("if a; then f() { a; }; f x; fi", True),
        ("if a; then f() { a; }; fi; f x", False),
        ("if a; then f() { a; }; else f x; fi", False),
        ("a && f() { a; }; f x", False),
        ("a && f() { a; } || f x", False),
        ("for i in 1; do f() { a; }; done; f x", False),
        ("g() { return; f() { a; }; }; g; f x", False),
        ("f() { a; }; unset -f f; f x", False),
        ("f() { a; }; unset $v; f x", False),
    ],
)
def test_a_function_that_may_not_be_there_is_a_program_too(text: str, sure: bool) -> None:
    """Its name then needs an allow, as what it would run does."""
    assert command(text, "f").transparent == sure
    assert "a" in ran(text)


@pytest.mark.req("C05")
@pytest.mark.parametrize(
    "text",
    [
        "python -c 'a()'",
        "python3 - <<< 'a()'",
        "node -e 'a()'",
        "perl -e 'a()'",
        "ruby -e 'a()'",
        "echo 'a()' | python",
    ],
)
def test_program_text_for_an_interpreter_is_code(text: str) -> None:
    """It is not read as a shell's, and kept as it stands."""
    (gap,) = read(text).gaps

    assert (gap.kind, gap.text.strip()) == (GapKind.CODE, "a()")


@pytest.mark.req("case:C19")
def test_a_program_name_that_is_not_plain_is_unread() -> None:
    """A letter that looks like another."""
    assert kinds("\u0433m -rf x") == {GapKind.SYNTAX}
    assert not kinds("cat 你好.txt")


@pytest.mark.req("C04")
@pytest.mark.parametrize(
    "text", ["$'a'", "<(a)", "[[ a ]]", "((1))", "a &> b", "a |& b", "a <<< b", "{a,b}", "x=(1)"]
)
def test_what_a_plain_shell_reads_otherwise_is_doubted(text: str) -> None:
    """`sh` may be any shell; `bash` is one."""
    quoted = text.replace("'", "'\\''")

    assert GapKind.SYNTAX in kinds(f"sh -c '{quoted}'")
    assert GapKind.SYNTAX not in kinds(f"bash -c '{quoted}'")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rm -rf a b", ["delete a", "delete b"]),
        ("cat a", ["read a"]),
        ("tee a b", ["write a", "write b"]),
        ("cp a b", ["read a", "write b"]),
        ("mv a b", ["read a", "delete a", "write b"]),
        ("curl https://Ann@E.example:8/x", ["network e.example"]),
        ("export A=1", ["env A"]),
        ("A=1 B=2 ls", ["env A", "env B"]),
        ("env A=1 ls", ["env A", "env A"]),
        ("cat ./~/x '~'", ["read ./~/x", "read ./~"]),
    ],
)
def test_a_program_has_its_effects(text: str, told: list[str]) -> None:
    """On the targets its words name."""
    kinds_of = [kind for kind in EffectKind if kind is not EffectKind.RUN]

    assert effects(text, *kinds_of) == told


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("curl https://e.example/x", ["network e.example"]),
        ("curl a.example b.example", ["network a.example", "network b.example"]),
        ("curl", ["network ?"]),
        ("curl -K f", ["network ?"]),
        ('curl "$u"', ["network ?$u"]),
    ],
)
def test_a_host_that_is_not_named_is_an_effect_only_where_none_is(text: str, told: list[str]) -> None:
    """One effect for each host, else one whose host is not known."""
    assert effects(text, EffectKind.NETWORK) == told


@pytest.mark.req("case:C16")
def test_effects_start_in_the_folder_an_option_names() -> None:
    """For that program only."""
    found = {effect.base for effect in read("git -C sub rm a; cat b").effects if effect.target in {"a", "b"}}

    assert found == {"/project/sub", "/project"}


def test_every_program_is_an_effect() -> None:
    """By its own name, whatever it is called by."""
    assert effects("sudo /bin/rm x", EffectKind.RUN) == ["run sudo", "run rm"]


@pytest.mark.req("case:C17")
def test_wrappers_without_end_are_a_limit() -> None:
    """What was read before stays."""
    found = read("sudo " * 200 + "rm x")

    assert GapKind.LIMIT in {gap.kind for gap in found.gaps}
    assert 5 < len(found.commands) < 50


def test_a_module_is_also_the_program_it_runs() -> None:
    """So that a deny of the program sees it."""
    found = command("python -m pip install x", "pip")

    assert (found.via, found.transparent) == (("python -m",), True)


@pytest.mark.req("C04")
@pytest.mark.parametrize("text", [". python", "source git", "source -- ls"])
def test_a_program_is_no_text_to_source(text: str) -> None:
    """A bare name is looked for among the programs first; a file of the project is sourced as it is."""
    assert read(text).gaps
    assert not read("source .env && . ./activate && source venv/bin/activate").gaps
