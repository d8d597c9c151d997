"""The rule of permissions: deny list, then allow list, no match is deny."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.hooks import Pattern, Sight
from interlock.permissions.guidance import guidance_for
from interlock.permissions.table import ActorLists, PermissionTable
from interlock.standard_tools import STANDARD_TOOLS
from interlock.tool import ToolTable
from interlock.verdict import NO_OPINION, Verdict, allow, ask, deny


def judge(
    own: PermissionTable,
    others: Sequence[PermissionTable],
    sight: Sight,
    tools: ToolTable = STANDARD_TOOLS,
) -> Verdict:
    """Judge a call by one layer; a layer without an entry is silent while another has one."""
    event = sight.event
    if event.tool is None or not own.actors:
        return NO_OPINION
    verdict = _judge_actor(event.actor, own, others, sight, tools)
    parent = event.parent_actor
    if parent is None or parent == event.actor or _delegated(parent, event.agent_type, own):
        return verdict
    above = _judge_actor(parent, own, others, sight, tools)
    return above if above.vote > verdict.vote else verdict


def _judge_actor(
    actor: str,
    own: PermissionTable,
    others: Sequence[PermissionTable],
    sight: Sight,
    tools: ToolTable,
) -> Verdict:
    lists = own.lists_of(actor)
    if lists is not None:
        return _judge_lists(lists, sight, tools)
    if any(table.lists_of(actor) for table in others):
        return NO_OPINION
    if _is_neutral(sight, tools):
        return NO_OPINION
    return deny(f"no entry for {actor}")


def _delegated(parent: str, agent_type: str | None, own: PermissionTable) -> bool:
    """Whether the parent's allow list in this layer names the sub-agent, which then acts for itself."""
    # Only this layer's: a delegation written in another would loosen what this one says of the parent.
    lists = own.lists_of(parent)
    return lists is not None and agent_type is not None and lists.delegates_to(agent_type)


def _judge_lists(lists: ActorLists, sight: Sight, tools: ToolTable) -> Verdict:
    tool = sight.event.tool.name if sight.event.tool else ""
    hit = sight.denied(lists.deny)
    if hit is not None:
        return deny(_with_guidance(f"Denied by pattern: {hit.text}", lists, hit, tools.canonical(tool)))
    if lists.allow is None:
        return NO_OPINION
    allowed = sight.allowed(lists.allow)
    if allowed is not None:
        return allow(f"Allowed by pattern: {allowed.text}")
    if _is_neutral(sight, tools):
        return NO_OPINION
    if sight.unread and lists.lists(tools.canonical(tool)):
        return ask(f"cannot read the whole call ({sight.unread}), so no allow pattern can match it")
    reason = f"No matching allow pattern for {lists.entry.actor} and {tool}"
    return deny(_with_guidance(reason, lists, None, tools.canonical(tool)))


def _is_neutral(sight: Sight, tools: ToolTable) -> bool:
    spec = tools.spec(sight.event.tool.name) if sight.event.tool else None
    return spec is not None and spec.neutral


def _with_guidance(reason: str, lists: ActorLists, pattern: Pattern | None, tool: str) -> str:
    advice = guidance_for(lists.entry, pattern, tool)
    return f"{reason}. {advice}" if advice else reason
