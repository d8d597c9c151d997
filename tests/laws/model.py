"""The fold and the permission rule a second time, in plain lines, to compare the engine with.

It knows one tool, `Bash`, and commands of words, single spaces, ` && `, ` ; ` and `${x@P}` for the unread.
That patterns also meet other spellings of a command is taken from the product; it has laws of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from interlock.effects.canonical_form import form_of, pattern_form
from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.patterns.glob import GlobSet

ABSTAIN, ALLOW, ASK, DENY = range(4)


@dataclass(frozen=True)
class Lists:
    """One actor's entry; globs, with None for the whole tool."""

    allow: tuple[str | None, ...] | None
    deny: tuple[str | None, ...]
    delegates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One hook: a vote, a rewrite or permissions; `matcher` None means everything."""

    matcher: tuple[str, ...] | None = None
    vote: int = ABSTAIN
    rewrite: tuple[str, str] | None = None
    layer: int | None = None  # judges by this permission table
    observe: bool = False
    shadow: bool = False
    auto: bool = False


@dataclass(frozen=True)
class Call:
    """Who wants to run what."""

    command: str
    actor: str = "agent:main"
    parent: str | None = None
    agent_type: str | None = None


Table = tuple[tuple[str, Lists], ...]


@cache
def glob(pattern: str, text: str) -> bool:
    """`*` any run, `?` one character, the rest itself."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return glob(pattern[1:], text) or (bool(text) and glob(pattern, text[1:]))
    return bool(text) and pattern[0] in ("?", text[0]) and glob(pattern[1:], text[1:])


def meets(pattern: str, text: str) -> bool:
    """A glob as a deny reads it."""
    before, _, last = pattern.rpartition(" ")
    if before.strip() and re.fullmatch(r"--\w+", last):
        ends = [found.start() for found in re.finditer(rf" {last}(?= |=|$)", text)]
        return any(glob(before, text[:end]) or glob(before + " *", text[:end]) for end in ends)
    return glob(pattern, text) or (bool(before.strip(" *")) and last == "*" and glob(before, text))


def parts(command: str) -> list[str]:
    return [part for part in re.split(r" (?:&&|;) ", command) if part]


def denies(patterns: tuple[str | None, ...], command: str) -> bool:
    texts = [command, *parts(command)]
    return any(
        pattern is None or any(meets(pattern, text) or meets_form(pattern, text) for text in texts)
        for pattern in patterns
    )


@cache
def meets_form(pattern: str, text: str) -> bool:
    """The same in one form, for a single command."""
    expression = pattern_form(pattern)
    if expression is None or len(parts(text)) != 1:
        return False
    form = form_of(sort_arguments([Word(word, "$" not in word) for word in text.split()]))
    return bool(GlobSet([("it", expression)]).hits(form))


def allows(patterns: tuple[str | None, ...], command: str) -> bool:
    if None in patterns:
        return True
    if "@P" in command or not parts(command):
        return False
    return all(any(glob(pattern or "", part) for pattern in patterns) for part in parts(command))


def lists_of(table: Table, actor: str) -> Lists | None:
    fitting = [
        (name != actor, -len(name), lists) for name, lists in table if name == actor or glob(name, actor)
    ]
    return min(fitting, key=lambda one: one[:2])[2] if fitting else None


def judge_actor(actor: str, own: Table, tables: tuple[Table, ...], command: str) -> int:
    lists = lists_of(own, actor)
    if lists is None:
        return ABSTAIN if any(lists_of(table, actor) for table in tables) else DENY
    if denies(lists.deny, command):
        return DENY
    if lists.allow is None:
        return ASK if "@P" in command and lists.deny else ABSTAIN
    if allows(lists.allow, command):
        return ALLOW
    return ASK if "@P" in command and lists.allow else DENY


def permit(layer: int, tables: tuple[Table, ...], call: Call, command: str) -> int:
    own = tables[layer]
    if not own:
        return ABSTAIN
    earlier = tables[:layer]
    vote = judge_actor(call.actor, own, earlier, command)
    above = lists_of(own, call.parent) if call.parent else None
    if call.parent in (None, call.actor) or (above and call.agent_type in above.delegates):
        return vote
    return max(vote, judge_actor(call.parent or "", own, earlier, command))


@dataclass(frozen=True)
class Result:
    vote: int
    command: str
    auto_approve: bool


def decide(rules: list[Rule], tables: tuple[Table, ...], call: Call) -> Result:  # noqa: C901 - the chain on one page
    """The chain: in order, the first deny ends it, stale judges once more on the final input."""
    command, version, votes, seen, grants = call.command, 0, [ABSTAIN], {}, {}

    def fires(rule: Rule) -> bool:
        return rule.matcher is None or denies(rule.matcher, command)

    def grants_all(rule: Rule) -> bool:
        return rule.auto and (rule.matcher is None or allows(rule.matcher, command))

    def count(place: int, rule: Rule) -> bool:
        vote = rule.vote if rule.layer is None else permit(rule.layer, tables, call, command)
        seen[place] = version
        if rule.observe or rule.shadow or rule.rewrite:
            return False
        votes.append(vote)
        grants[place] = grants_all(rule) and vote == ALLOW
        return vote == DENY

    def result() -> Result:
        fresh = any(given and seen[place] == version for place, given in grants.items())
        final = call.command if max(votes) == DENY else command
        return Result(max(votes), final, max(votes) == ALLOW and fresh)

    for place, rule in enumerate(rules):
        if not fires(rule):
            continue
        if count(place, rule):
            return result()
        if rule.rewrite and not (rule.observe or rule.shadow):
            changed = command.replace(*rule.rewrite)
            command, version = changed, version + (changed != command)
    for place, rule in enumerate(rules) if version else ():
        silent = rule.observe or rule.shadow or rule.rewrite
        if not silent and seen.get(place) != version and fires(rule) and count(place, rule):
            break
    return result()
