"""What a call changes: by the policy's table, by what is known of the tool, by the words of its name."""

from __future__ import annotations

from typing import Final

from interlock.effects.classification.classes import Classified, Replay, SideEffect, replay_of
from interlock.effects.classification.rules import NO_RULES, ToolRules
from interlock.effects.classification.shell import class_of_shell
from interlock.effects.tools.verbs import words_of
from interlock.events.hook import CallView
from interlock.events.tool import SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS

_READ_ONLY: Final = """
    Read Glob Grep LS NotebookRead WebFetch WebSearch ListMcpResourcesTool ReadMcpResourceTool
    ListAgents TaskOutput TaskGet TaskList TodoRead ToolSearch WaitForMcpServers AskUserQuestion
    SendUserMessage ReportFindings EnterPlanMode ExitPlanMode Artifact"""
_LOCAL: Final = """Write Edit MultiEdit NotebookEdit TodoWrite TaskCreate TaskUpdate TaskStop EnterWorktree
    ExitWorktree Skill CronCreate CronDelete ScheduleWakeup Monitor"""
_EXTERNAL: Final = "PushNotification RemoteTrigger PowerShell"
LAUNCHES: Final = frozenset({"Agent", "Workflow"})

KNOWN: Final[dict[str, SideEffect]] = {
    **dict.fromkeys(_READ_ONLY.split(), SideEffect.READ_ONLY),
    **dict.fromkeys(_LOCAL.split(), SideEffect.LOCAL),
    **dict.fromkeys(_EXTERNAL.split(), SideEffect.EXTERNAL),
    **dict.fromkeys(LAUNCHES, SideEffect.LOCAL),
}

_CHANGES: Final = """
    send create update delete remove add post put patch write insert upload publish submit reply
    forward execute run call invoke trigger start stop cancel approve reject merge close open book
    buy pay charge refund transfer move rename copy set edit modify append replace import deploy
    restart invite share subscribe unsubscribe archive restore reset commit push schedule assign
    comment react upsert drop purge trash draft sync enable disable grant revoke register order save
    store mark tag label link unlink pin click fill type press drag select navigate"""
_LOOKS: Final = """get list search read fetch find query describe show view lookup count check inspect preview
    status stat info browse head tail tree whoami ping explain validate diff compare resolve"""
_MEMORY: Final = frozenset({"memory", "memories", "memorize", "remember"})

_CHANGING: Final = frozenset(_CHANGES.split())
_LOOKING: Final = frozenset(_LOOKS.split())


def known_replay(tool: str, effect: SideEffect) -> Replay | None:
    """A host's tool that starts work of its own is started again; None: its class decides."""
    return Replay.RELAUNCH if tool in LAUNCHES and effect is not SideEffect.READ_ONLY else None


def by_words(namespace: str, tool: str) -> tuple[SideEffect, str] | None:
    """The class that the words of a name tell, and the word; changing weighs more than looking."""
    words = words_of(tool)
    change = next((word for word in words if word in _CHANGING), None)
    if change is None:
        look = next((word for word in words if word in _LOOKING), None)
        return None if look is None else (SideEffect.READ_ONLY, look)
    memory = not _MEMORY.isdisjoint((*words_of(namespace), *words))
    return (SideEffect.MEMORY if memory else SideEffect.EXTERNAL), change


HOST: Final = "host"  # the namespace of the tools a host brings itself
_MCP: Final = "mcp__"


def split_name(name: str) -> tuple[str, str]:
    """`mcp__gmail__send_email` is `send_email` of `gmail`; any other tool is the host's."""
    real = STANDARD_TOOLS.canonical(name)
    if not real.startswith(_MCP):
        return HOST, real
    server, _, tool = real.removeprefix(_MCP).partition("__")
    return (server, tool) if tool else (HOST, real)


class Classifier:
    """Says what calls change under one table of rules; what nobody knows is external."""

    def __init__(self, rules: ToolRules = NO_RULES) -> None:
        self._rules: Final = rules

    def of(self, tool: ToolCall, view: CallView) -> Classified:
        """The class of a call."""
        namespace, name = split_name(tool.name)
        found = self._rules.find(namespace, name)
        if found is not None:
            return found
        effect, matched, rule = _classify(namespace, name, view)
        replay = (known_replay(name, effect) if namespace == HOST else None) or replay_of(effect)
        return Classified(
            effect=effect, replay=replay, namespace=namespace, tool=name, matched=matched, rule=rule
        )


def is_shell(name: str) -> bool:
    """Whether a tool's text is read as a shell's."""
    spec = STANDARD_TOOLS.spec(name)
    return spec is not None and spec.kind is SubjectKind.SHELL


def _classify(namespace: str, name: str, view: CallView) -> tuple[SideEffect, str, str]:
    if namespace == HOST and is_shell(name):
        effect, word = class_of_shell(view)
        return effect, "reading", word
    if namespace == HOST and name in KNOWN:
        return KNOWN[name], "known", name
    found = by_words(namespace, name)
    return (found[0], "verb", found[1]) if found else (SideEffect.EXTERNAL, "default", "")
