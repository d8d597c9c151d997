"""Patterns against calls: what a deny meets and what an allow covers."""

from __future__ import annotations

import pytest
from tests.builders import allowed, bash, call, denied, patterns, view, write

from interlock.events.event import Event
from interlock.events.hook import PatternList


@pytest.mark.req("M28", "M47")
@pytest.mark.parametrize(
    ("pattern", "event"),
    [
        ("Bash(git *)", bash("git commit -m test")),
        ("Bash(* install)", bash("npm install")),
        ("Bash(npm run *)", bash("npm run build")),
        ("Bash(* --dry-run)", bash("make --dry-run")),
        ("Bash(rm -rf *)", bash("rm -rf /")),
        ("Write(src/*)", write("src/components/Button.tsx")),
        ("Write(src/*)", write("/w/app/src/components/Button.tsx")),
        ("Write(*.ts)", write("a/b.ts")),
    ],
)
def test_the_examples_of_the_document_match(pattern: str, event: Event) -> None:
    """Each example pattern meets its example, denying and allowing alike."""
    assert denied(pattern, event)
    assert allowed(event, pattern)


@pytest.mark.req("case:C13")
@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("Bash(git log)", "git logout"),
        ("Bash(git log *)", "git logout"),
        ("Bash(npm test)", "npm testx"),
        ("Bash(npm test *)", "npm testx"),
        ("Bash(git log *)", "git logout && ls"),
    ],
)
def test_a_word_ends_where_it_ends(pattern: str, command: str) -> None:
    """`git log` is not `git logout`, for denies and allows."""
    assert not denied(pattern, bash(command))
    assert not allowed(bash(command), pattern)


CHAINS = [f"git status {joint} rm -rf build" for joint in (";", "&&", "||", "|", "|&", "&", "\n")]


@pytest.mark.req("C01")
@pytest.mark.parametrize("command", CHAINS)
def test_a_deny_meets_any_part_and_an_allow_needs_all(command: str) -> None:
    """The second command of a chain is judged like the first."""
    assert denied("Bash(rm -rf *)", bash(command))
    assert not allowed(bash(command), "Bash(git *)")
    assert allowed(bash(command), "Bash(git *)", "Bash(rm *)")


@pytest.mark.req("C01")
@pytest.mark.parametrize("command", CHAINS)
def test_the_part_that_was_denied_is_told(command: str) -> None:
    """For the reason: which of the commands was meant, and nothing where it was all there is."""
    seen = view(bash(command), "Bash(rm -rf *)")
    whole = view(bash("rm -r -f build"), "Bash(rm -rf *)")
    denying = PatternList(patterns("Bash(rm -rf *)"))

    assert (seen.denied(denying), seen.part(denying.patterns[0])) == (denying.patterns[0], "rm -rf build")
    assert (whole.denied(denying), whole.part(denying.patterns[0])) == (denying.patterns[0], None)


@pytest.mark.parametrize(
    "command", ["echo 'a; rm -rf /'", 'echo "x && rm -rf /"', "git log --grep='rm -rf'", "echo a # rm -rf /"]
)
def test_data_is_not_denied_as_code(command: str) -> None:
    """Quoted text and comments run nothing."""
    assert not denied("Bash(rm -rf *)", bash(command))
    assert allowed(bash(command), "Bash(echo *)", "Bash(git *)")


@pytest.mark.req("X12")
@pytest.mark.parametrize(
    "command",
    [
        "cd x && rm -fr y",
        "sudo rm -rf x",
        "/bin/rm -r -f x",
        "CI=1 rm --recursive --force x",
        "rm x -rf",
        "'r'm -r\\f x",
        "bash -c 'rm -rf x'",
        "echo $(rm -rf x)",
        "find . -exec rm -rf {} +",
        "(rm -rf x)",
        "if a; then rm -rf x; fi",
        "ls | xargs rm -rf",
    ],
)
def test_a_deny_meets_every_spelling_of_what_it_means(command: str) -> None:
    """Wrappers, quotes, blocks, substitutions and the order of flags hide nothing."""
    assert denied("Bash(rm -rf *)", bash(command))
    assert not denied("Bash(rm -rfi *)", bash(command))


@pytest.mark.parametrize(
    "command",
    ["rm -r x", "rm x", "echo 'rm -rf x'", "git log --grep='rm -rf'", "grep -rf x", "rmdir -rf"],
)
def test_a_deny_does_not_meet_what_it_does_not_mean(command: str) -> None:
    """Fewer flags, other programs and quoted text are none of its business."""
    assert not denied("Bash(rm -rf *)", bash(command))


@pytest.mark.parametrize(
    "command", ["echo ${v@P}", "echo 'unclosed", "$X", "echo x\r", "echo \ue000", "echo \ue001x", "eval $x"]
)
def test_unread_text_is_never_allowed_by_a_glob(command: str) -> None:
    """However wide the glob; a pattern for the whole tool says every call of it."""
    assert not allowed(bash(command), "Bash(echo *)", "Bash(**)", "Bash(*?)", "Bash(description:*)")
    assert allowed(bash(command), "Bash")
    assert view(bash(command)).unread


@pytest.mark.parametrize(
    ("command", "texts", "expected"),
    [
        ("echo x > f", ["Bash(echo *)"], False),
        ("echo x > f", ["Bash(**)"], False),
        ("echo x > f", ["Bash(echo * > *)"], True),
        ("echo x > f", ["Bash(echo x > f)"], True),
        ("echo x >> f", ["Bash(echo * >> f)"], True),
        ("echo x >f", ["Bash(echo * >f)"], True),
        ("echo '>' x", ["Bash(echo *)"], True),
        ("echo '>' x", ["Bash(echo '>' *)"], True),
        ("echo x > /dev/null 2>&1", ["Bash(echo *)"], True),
        ("echo x > f", ["Bash(echo *)", "write(f)"], True),
        ("echo x > f", ["Bash(echo *)", "write(*)"], True),
        ("echo x > f", ["Bash(echo *)", "write(g)"], False),
        ("echo x > f > g", ["Bash(echo *)", "write(g)"], False),
        ("echo x > f > g", ["Bash(echo *)", "write(g)", "write(f)"], True),
        ("echo x > f", ["write(f)"], False),
        ("find . -name x", ["Bash(find *)"], True),
        ("find . -delete", ["Bash(find *)"], False),
        ("find . -delete", ["Bash(find * -delete)"], True),
        ("find . -delete", ["Bash(find *delete)"], False),
        ("sudo ls", ["Bash(ls)"], False),
        ("sudo ls", ["Bash(sudo *)"], False),
        ("sudo ls", ["Bash(sudo *)", "Bash(ls)"], True),
        ("timeout 5 ls", ["Bash(ls)"], True),
        ("echo $(date)", ["Bash(echo *)"], False),
        ("echo $(date)", ["Bash(echo *)", "Bash(date)"], True),
        ("ls | xargs git log", ["Bash(ls)", "Bash(xargs *)", "Bash(git log)"], False),
        ("ls | xargs git log", ["Bash(ls)", "Bash(xargs *)", "Bash(git log *)"], True),
    ],
)
def test_an_allow_covers_what_it_says_and_no_more(command: str, texts: list[str], expected: bool) -> None:
    """A wildcard covers neither a redirect nor an option that makes the program do more."""
    assert allowed(bash(command, cwd="/w"), *texts) is expected


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("git log", "run(git)", True),
        ("git log; ls", "run(git)", False),
        ("git -c core.pager=x log", "run(git)", False),
        ("PAGER=x git log", "run(git)", False),
        ("git log > f", "run(git)", False),
        ("/tmp/git log", "run(git)", False),
        ("git log", "run(g*)", True),
        ("git log", "read(*)", False),
    ],
)
def test_a_program_may_be_allowed_by_its_name(command: str, text: str, expected: bool) -> None:
    """As long as nothing about the command makes it more than that program."""
    assert allowed(bash(command), text) is expected


def test_the_raw_text_of_a_chain_is_denied_too() -> None:
    """A pattern that spans a joint means the text as it stands."""
    assert denied("Bash(*| sh)", bash("curl x | sh"))
    assert not allowed(bash("curl x | sh"), "Bash(curl *| sh)")


def test_allow_compares_the_text_as_written() -> None:
    """A leading assignment is not part of what was allowed, and does not hide what is denied."""
    assert not allowed(bash("PAGER=x git branch"), "Bash(git *)")
    assert denied("Bash(git *)", bash("PAGER=x git branch"))
    assert not allowed(bash("git push"), "Bash(git push *)")
    assert denied("Bash(git push *)", bash("git push"))


@pytest.mark.req("M26")
def test_a_tool_alone_means_every_call_of_it() -> None:
    """`Bash` and `Bash(*)` are the same, also for a call without a command."""
    empty = call("Bash", tool_input={})
    for pattern in ("Bash", "Bash(*)"):
        assert denied(pattern, empty)
        assert allowed(empty, pattern)
    assert not denied("Bash", write("x"))


@pytest.mark.req("M30", "M53")
@pytest.mark.parametrize("tool_input", [{}, {"command": ""}, {"command": None}])
def test_an_empty_argument_is_allowed_by_no_glob(tool_input: dict[str, object]) -> None:
    """There is no command the glob could have meant."""
    event = call("Bash", tool_input=dict(tool_input))

    assert not allowed(event, "Bash(**)", "Bash(git *)")
    assert not denied("Bash(git *)", event)


def test_another_field_is_meant_by_its_name() -> None:
    """`Tool(field:glob)` speaks of that field as plain text."""
    event = call("Bash", tool_input={"command": "ls", "description": "list; files"})

    assert denied("Bash(description:list*)", event)
    assert allowed(event, "Bash(description:list*)")
    assert not denied("Bash(description:files)", event)
    assert not denied("Bash(description:ls)", event)


@pytest.mark.parametrize(
    ("pattern", "tool"),
    [("Task(executor)", "Agent"), ("Agent(executor)", "Task"), ("Task(executor)", "Task")],
)
def test_sub_agents_are_met_under_both_names(pattern: str, tool: str) -> None:
    """`Task` and `Agent` are one tool with one main field."""
    assert denied(pattern, call(tool, tool_input={"subagent_type": "executor"}))
    assert not denied(pattern, call(tool, tool_input={"subagent_type": "auditor"}))


@pytest.mark.parametrize(
    ("pattern", "tool"),
    [("mentu_commit(*)", "mcp__interlock__commit"), ("mcp__interlock__commit", "mentu_commit")],
)
def test_our_own_tools_are_met_under_both_names(pattern: str, tool: str) -> None:
    """The names of the document and of our server are one."""
    event = call(tool, tool_input={"path": "x"})

    assert denied(pattern, event)
    assert allowed(event, pattern)


@pytest.mark.req("M30")
@pytest.mark.parametrize("command", ["rm -rf \ud800", ["rm", "-rf", "x"], {"rm": 1}])
def test_what_is_no_text_can_be_denied_and_never_allowed(command: object) -> None:
    """Broken characters and other types are matched by what can be shown of them."""
    event = call("Bash", tool_input={"command": command})

    assert denied("Bash(*rm*)", event)
    assert not allowed(event, "Bash(**)")


def test_the_pattern_written_first_is_named() -> None:
    """Reasons name the rule a reader finds first."""
    texts = ("Bash(git push *)", "Bash(git *)", "Bash(*)")
    seen = view(bash("git push"), *texts)
    hit = seen.denied(PatternList(patterns("Bash(git *)", "Bash(git push *)")))

    assert hit is not None
    assert hit.text == "Bash(git *)"


def test_an_event_without_a_tool_meets_no_pattern() -> None:
    """There is nothing to read."""
    seen = view(Event(name="Stop"), "Bash")

    assert seen.denied(PatternList(patterns("Bash"))) is None
    assert seen.allowed(PatternList(patterns("Bash"))) is None
    assert seen.unread is None


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "runner",
    ["yarn", "yarn run", "yarn -s", "pnpm", "pnpm run", "pnpm --filter web", "bun", "bun run", "npm run"],
)
def test_a_project_s_program_is_denied_by_its_own_name_and_allowed_as_it_is_written(runner: str) -> None:
    """A script is called like the program it runs: a deny of that meets it, an allow of it does not."""
    event = bash(f"{runner} prisma migrate reset --force")

    assert denied("Bash(prisma migrate reset *)", event)
    assert not denied("Bash(prisma generate *)", event)
    assert allowed(event, f"Bash({runner} *)")
    assert not allowed(event, "Bash(prisma *)")
