"""`genesis_enforcement`: may this actor do this? Deny list, then allow list, no match is deny."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, final

import msgspec

from interlock.effects.effect import EffectKind
from interlock.effects.tool_fields import CARRIED_BY
from interlock.events.actor import MAIN
from interlock.events.hook import CallView, Pattern, PatternList
from interlock.events.rule import Rule
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import NO_OPINION, Verdict, Vote, allow, ask, deny
from interlock.patterns.glob import GlobSet, glob_expression


class ActorEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The lists of one actor, or of every actor whose name fits a pattern such as `agent:*`."""

    actor: str
    allow: tuple[Pattern, ...] | None = None  # None: no list was written, the deny list alone judges
    deny: tuple[Pattern, ...] = ()
    guidance: Mapping[str, str] = {}  # pattern text, or `*` for every denial, to advice for the agent


class ActorLists:
    """One entry with its lists prepared for matching."""

    def __init__(self, entry: ActorEntry) -> None:
        self.entry: Final = entry
        self.deny: Final = PatternList(entry.deny)
        self.allow: Final = None if entry.allow is None else PatternList(entry.allow)
        self._allowed_tools: Final = frozenset(p.tool for p in entry.allow or ())
        self._delegates: Final = GlobSet(
            (p.text, glob_expression(p.glob))
            for p in entry.allow or ()
            if p.tool == "Agent" and p.field is None and p.glob
        )

    def lists(self, tool: str) -> bool:
        """Whether the allow list speaks of a tool at all."""
        return tool in self._allowed_tools

    def delegates_to(self, agent_type: str) -> bool:
        """Whether the allow list names this kind of sub-agent, as in `Task(executor)`."""
        return bool(self._delegates.hits(agent_type))


class PermissionTable:
    """Entries by actor: an exact name beats a longer pattern beats a shorter one."""

    def __init__(self, entries: Iterable[ActorEntry] = ()) -> None:
        lists = [ActorLists(entry) for entry in entries]
        self._exact: Final = {one.entry.actor: one for one in lists if "*" not in one.entry.actor}
        globs = [one for one in lists if "*" in one.entry.actor]
        globs.sort(key=lambda one: len(one.entry.actor), reverse=True)
        self._globs: Final = [
            (GlobSet([(one.entry.actor, glob_expression(one.entry.actor))]), one) for one in globs
        ]
        self.actors: Final = tuple(one.entry.actor for one in lists)
        self.patterns: Final[tuple[Pattern, ...]] = tuple(
            pattern for one in lists for pattern in (*one.entry.deny, *(one.entry.allow or ()))
        )

    def lists_of(self, actor: str) -> ActorLists | None:
        """The entry that speaks for an actor, or None."""
        exact = self._exact.get(actor)
        if exact is not None:
            return exact
        return next((one for globs, one in self._globs if globs.hits(actor)), None)


_WRITING: Final = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_RUNNING: Final = frozenset({"Bash"})

# The author types of a genesis key have duties everybody shares; an entry's own guidance comes first.
_BY_ROLE: Final = {
    ("architect", _WRITING): "Architects cannot write files. Create a commitment for an Executor.",
    ("architect", _RUNNING): "Architects cannot run commands. Create a commitment for an Executor.",
    (
        "auditor",
        _WRITING,
    ): "Auditors cannot write files. Reject with what you found and let an Executor change it.",
}


def guidance_for(entry: ActorEntry, pattern: Pattern | None, tool: str) -> str | None:
    """The entry's advice for this pattern, else for every denial, else the role's."""
    if pattern is not None and pattern.text in entry.guidance:
        return entry.guidance[pattern.text]
    if "*" in entry.guidance:
        return entry.guidance["*"]
    role = entry.actor.partition(":")[2]
    return next((text for (name, tools), text in _BY_ROLE.items() if name == role and tool in tools), None)


# Of the agent's own text, a reason shows this many characters.
_SHOWN: Final = 120
_LISTED: Final = 140  # and of the patterns that are allowed instead


@final
class GenesisEnforcement(Rule):
    """Judges by one file's permissions, knowing which actors other files speak for."""

    kind: Final = "genesis_enforcement"
    judges_carried = True

    def __init__(
        self, own: PermissionTable, others: Sequence[PermissionTable] = (), approvers: Sequence[str] = ()
    ) -> None:
        self._own: Final = own
        self._others: Final = tuple(others)
        self._approvers: Final = tuple(approvers)

    @property
    def patterns(self) -> Sequence[Pattern]:
        """The lists of this file; the other files' enforcement hooks bring their own."""
        return self._own.patterns

    def cure_for(self, actor: str) -> str | None:
        """What gives an actor an entry where every call of it would be denied for want of one; else None."""
        if not self._own.actors or any(table.lists_of(actor) for table in (self._own, *self._others)):
            return None
        line = naming_line(actor, None, self._own)
        return f"add `{line}` to the user's policy" if line else f"write an entry for `{actor}`"

    def fingerprint(self) -> Any:
        return [list(self._own.actors), [pattern.text for pattern in self._own.patterns]]

    def run(self, view: CallView, seconds: float) -> Verdict:
        verdict = judge(self._own, self._others, view)
        if not self._approvers or verdict.vote is not Vote.ASK:
            return verdict
        return msgspec.structs.replace(verdict, approvers=self._approvers)


def judge(
    own: PermissionTable,
    others: Sequence[PermissionTable],
    view: CallView,
    tools: ToolTable = STANDARD_TOOLS,
) -> Verdict:
    """Judge a call by one layer; a layer without an entry is silent while another has one."""
    event = view.event
    if event.tool is None or not own.actors:
        return NO_OPINION
    if CARRIED_BY in event.extra:
        return _judge_carried(own, view)
    verdict = _judge_actor(event.actor, own, others, view, tools)
    parent = event.parent_actor
    if parent is None or parent == event.actor or _delegated(parent, event.agent_type, own):
        return verdict
    above = _judge_actor(parent, own, others, view, tools)
    return above if above.vote > verdict.vote else verdict


def _judge_carried(own: PermissionTable, view: CallView) -> Verdict:
    """The text that another tool gives to a shell: denied like any, and allowed by what allows the tool."""
    actors = dict.fromkeys((view.event.actor, view.event.parent_actor or view.event.actor))
    for lists in map(own.lists_of, actors):
        hit = view.denied(lists.deny) if lists is not None else None
        if hit is not None and lists is not None:
            place = _describe_part(view.part(hit))
            return deny(_with_guidance(f"Denied by pattern: {hit.text}{place}", lists, hit, hit.tool))
    return NO_OPINION


def _judge_actor(
    actor: str,
    own: PermissionTable,
    others: Sequence[PermissionTable],
    view: CallView,
    tools: ToolTable,
) -> Verdict:
    lists = own.lists_of(actor)
    if lists is not None:
        return _judge_lists(lists, view, tools)
    if any(table.lists_of(actor) for table in others):
        return NO_OPINION
    if _is_neutral(view, tools):
        return NO_OPINION
    return deny(_unlisted(actor, own, view))


def _unlisted(actor: str, own: PermissionTable, view: CallView) -> str:
    """That nobody wrote what this actor may do, and the line with which a person says who it is."""
    line = naming_line(actor, view.event.agent_type, own)
    also = f", or say who it is in the user's policy, for example with `{line}`" if line else ""
    return (
        f"The policy does not say what {actor} may do, so it may not do this. "
        f"The user can list it under `permissions.actors`{also}."
    )


def naming_line(actor: str, agent_type: str | None, own: PermissionTable) -> str | None:
    """The setting by which an actor that only has its default name becomes one with an entry."""
    known = next((one for one in own.actors if "*" not in one), None)
    if known is not None and actor == MAIN:
        return f"settings: {{actors: {{main: {known}}}}}"
    if known is not None and agent_type and actor == f"agent:{agent_type}":
        return f"settings: {{actors: {{subagents: {{{agent_type}: {known}}}}}}}"
    return None


def _delegated(parent: str, agent_type: str | None, own: PermissionTable) -> bool:
    """Whether the parent's allow list in this layer names the sub-agent, which then acts for itself."""
    # Only this layer's: a delegation written in another would loosen what this one says of the parent.
    lists = own.lists_of(parent)
    return lists is not None and agent_type is not None and lists.delegates_to(agent_type)


def _judge_lists(lists: ActorLists, view: CallView, tools: ToolTable) -> Verdict:
    hit = view.denied(lists.deny)
    allowed = view.allowed(lists.allow) if hit is None and lists.allow is not None else None
    if allowed is not None:
        return _allowed_by(allowed.text)
    name = view.event.tool.name if view.event.tool else ""
    tool = tools.canonical(name)
    if hit is not None:
        place = _describe_part(view.part(hit))
        return deny(_with_guidance(f"Denied by pattern: {hit.text}{place}", lists, hit, tool))
    if lists.allow is None:
        return _judge_opening(lists, view, tool)
    if _is_neutral(view, tools):
        return NO_OPINION
    listed = lists.lists(tool) or lists.lists(EffectKind.RUN)
    if view.unread and listed and not view.decoded:
        return ask(
            f"Interlock cannot read the whole call ({_line(view.unread)}), so no allow pattern can match it"
        )
    reason = f"No matching allow pattern for {lists.entry.actor} and {name}; {_allowed(lists, tool)}"
    if view.decoded:
        reason = f"Text that was decoded is not run ({_line(view.decoded)})"
    return deny(_with_guidance(reason, lists, None, tool))


def _allowed(lists: ActorLists, tool: str) -> str:
    """What the list allows instead: of this tool, or where there is nothing of it, of the others."""
    patterns = lists.entry.allow or ()
    own = [one.text for one in patterns if one.tool == tool]
    texts = own or [one.text for one in patterns]
    if not texts:
        return "nothing is allowed"
    fitting = [text for n, text in enumerate(texts) if sum(map(len, texts[: n + 1])) <= _LISTED]
    listed = ", ".join(f"`{_line(text)}`" for text in fitting or texts[:1])
    return f"allowed: {listed}" + (", …" if len(texts) > max(len(fitting), 1) else "")


@lru_cache(maxsize=4_096)  # the same few patterns allow most calls
def _allowed_by(pattern: str) -> Verdict:
    return allow(f"Allowed by pattern: {pattern}")


def _judge_opening(lists: ActorLists, view: CallView, tool: str) -> Verdict:
    """Under a deny list alone: what is decided only when it runs is asked about if the list is about it."""
    opening = view.opening
    if opening is None or not any(p.effect or p.tool == tool for p in lists.deny.patterns):
        return NO_OPINION
    return ask(
        f"Interlock cannot read the whole call ({_line(opening)}), so no deny pattern can decide about "
        "what it runs"
    )


def _describe_part(part: str | None) -> str:
    return f" (in `{_line(part)}`)" if part else ""


def _line(text: str) -> str:
    """Text of the call that is fit for a reason: one line, printable, not too long."""
    line = "".join(one if one.isprintable() else " " for one in text[: _SHOWN * 2])
    return line if len(line) <= _SHOWN and len(text) <= _SHOWN * 2 else line[: _SHOWN - 1] + "…"


def _is_neutral(view: CallView, tools: ToolTable) -> bool:
    spec = tools.spec(view.event.tool.name) if view.event.tool else None
    return spec is not None and spec.neutral


def _with_guidance(reason: str, lists: ActorLists, pattern: Pattern | None, tool: str) -> str:
    advice = guidance_for(lists.entry, pattern, tool)
    return f"{reason}. {advice}" if advice else reason
