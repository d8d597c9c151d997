"""What hosts' own tools do, and what the words in a tool's name tell of it."""

from __future__ import annotations

from typing import Final

from interlock.effects.classification.classes import Replay, SideEffect
from interlock.effects.tools.verbs import words_of

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
    """A host's tool that begins work of its own is begun anew; None: as its class has it."""
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
