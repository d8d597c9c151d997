"""Random policies and events, for the model and for the engine."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st
from tests.builders import Says, bash, hook, patterns, rewriting
from tests.laws.model import Call, Lists, Rule, Table

from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.verdict import Verdict, Vote
from interlock.permissions.judge import ActorEntry, GenesisEnforcement, PermissionTable

WORDS = ("git", "log", "push", "rm", "-rf", "x", "ls", "logx", "--force", "--forced", "--force=1", "${x@P}")
ACTORS = ("agent:main", "agent:sub", "agent:other", "human:me")
PROGRAMS = ("git", "rm", "ls")

_part = st.builds(
    lambda program, rest: " ".join([program, *rest]),
    st.sampled_from(PROGRAMS),
    st.lists(st.sampled_from(WORDS), max_size=3),
)
commands = st.builds(
    lambda first, rest: first + "".join(joint + part for joint, part in rest),
    _part,
    st.lists(st.tuples(st.sampled_from([" && ", " ; "]), _part), max_size=2),
)
globs = st.one_of(
    st.sampled_from(
        [
            "git *",
            "git log",
            "git log *",
            "rm -rf *",
            "* --force",
            "git push --force",
            "l?",
            "*x",
            "**",
            "* *",
        ]
    ),
    st.lists(st.sampled_from([*PROGRAMS, "log", "push", "x", "*", "?s", "--force"]), min_size=1, max_size=3)
    .map(" ".join)
    .filter(lambda text: text != "*"),
)
patterns_or_tool = st.lists(st.one_of(st.none(), globs, globs, globs), max_size=3).map(tuple)
lists = st.builds(
    Lists,
    allow=st.none() | patterns_or_tool,
    deny=st.lists(globs, max_size=2).map(tuple),
)
delegating = st.builds(
    lambda one, names: Lists(one.allow, one.deny, names if one.allow is not None else ()),
    lists,
    st.sampled_from([(), ("sub",)]),
)
tables = st.dictionaries(st.sampled_from([*ACTORS, "agent:*", "*"]), delegating, max_size=3).map(
    lambda found: tuple(found.items())
)
layers = st.lists(tables, max_size=3).map(tuple)
calls = st.builds(
    Call,
    command=commands,
    actor=st.sampled_from(ACTORS),
    parent=st.none() | st.sampled_from(ACTORS),
    agent_type=st.sampled_from([None, "sub", "other"]),
)
matchers = st.none() | st.lists(globs, min_size=1, max_size=2).map(tuple)
voting = st.builds(
    Rule,
    matcher=matchers,
    vote=st.integers(0, 3),
    observe=st.sampled_from([False, False, False, True]),
    shadow=st.sampled_from([False, False, False, True]),
    auto=st.sampled_from([False, False, True]),
)
changing = st.builds(
    Rule,
    matcher=matchers,
    rewrite=st.sampled_from([("git", "rm"), ("rm", "git"), ("log", "push"), (" x", ""), ("ls", "ls x")]),
    observe=st.sampled_from([False, False, True]),
)
chains = st.lists(st.one_of(voting, voting, changing), max_size=6)


def built_hook(rule: Rule, layered: list[PermissionTable]) -> Hook:
    """A rule of the model as a hook of the engine."""
    matcher = "*" if rule.matcher is None else "|".join(f"Bash({glob})" for glob in rule.matcher)
    handler: Says | GenesisEnforcement
    if rule.rewrite is not None:
        handler = rewriting(*rule.rewrite)
    elif rule.layer is not None:
        # As files are loaded: only an earlier layer may speak for an actor this one does not list.
        handler = GenesisEnforcement(layered[rule.layer], layered[: rule.layer])
    else:
        handler = Says(Verdict(vote=Vote(rule.vote), reason="because"))
    flags = {"observe": rule.observe, "shadow": rule.shadow, "auto_approve": rule.auto}
    return hook(handler, matcher=matcher, **flags)


def built_table(table: Table) -> PermissionTable:
    """A table of the model as the engine's."""
    return PermissionTable(_entry(actor, found) for actor, found in table)


def _entry(actor: str, found: Lists) -> ActorEntry:
    written = None if found.allow is None else [_written(glob) for glob in found.allow]
    named = [f"Task({name})" for name in found.delegates]
    return ActorEntry(
        actor=actor,
        allow=None if written is None else patterns(*written, *named),
        deny=patterns(*map(_written, found.deny)),
    )


def _written(glob: str | None) -> str:
    return "Bash" if glob is None else f"Bash({glob})"


def built_engine(rules: list[Rule], layered: tuple[Table, ...]) -> Engine:
    """An engine for the rules and tables of the model."""
    built = [built_table(table) for table in layered]
    return Engine([built_hook(rule, built) for rule in rules])


def built_event(call: Call) -> Event:
    """A call of the model as an event."""
    return bash(call.command, actor=call.actor, parent_actor=call.parent, agent_type=call.agent_type)


def written_file(path: Path, table: Table) -> Path:
    """A table as the policy file that says it; JSON is YAML too."""
    actors = {
        ("agent:m*" if actor == "*" else actor): {
            "deny": [_written(glob) for glob in found.deny],
            **({} if found.allow is None else {"allow": _allowed(found)}),
        }
        for actor, found in table
    }
    path.write_text(json.dumps({"version": "2.0", **({"permissions": {"actors": actors}} if actors else {})}))
    return path


def _allowed(found: Lists) -> list[str]:
    return [*(_written(glob) for glob in found.allow or ()), *(f"Task({name})" for name in found.delegates)]
