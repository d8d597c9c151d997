"""What a call changes: by the policy's table, by what is known of the tool, by the words of its name."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

import msgspec
import re2

from interlock.effects.command import Command
from interlock.effects.effect import EffectKind
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.tools.fields import words_of
from interlock.events.hook import CallView
from interlock.events.tool import SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS

_PROGRAMS: Final = """
    [ [[ : arch base32 base64 basename bat cal cat cd cksum clear cmp column comm compgen cut date
    df diff dir dirname dirs du echo egrep env expand expr export false fd fgrep file find fmt fold
    free getconf getent grep groups hash head hexdump hostname id jobs join jq less local locale ls
    lsblk lscpu lsof man md5sum more nl nproc od paste pathchk popd pr printenv printf ps pushd pwd
    read readlink realpath return rev rg sed seq set sha1sum sha224sum sha256sum sha384sum sha512sum
    shift shuf sleep sort stat strings sum tac tail test tokei tput tr tree true tsort tty type
    ulimit uname unexpand uniq unset uptime users vdir w wait wc which who whoami xxd yes yq zcat
    zgrep awk gawk mawk nawk ag cloc exit break continue eval history alias"""
_GIT: Final = """status log diff show blame rev-parse ls-files ls-tree cat-file describe shortlog rev-list
    merge-base grep show-ref for-each-ref name-rev count-objects whatchanged diff-tree diff-index
    diff-files check-ignore var version help"""
_DOCKER: Final = "ps images version info"

# What they write and whom they reach are effects; a command of an option is looked at itself.
MOVERS: Final = frozenset({"tee", "sponge", "rsync"})

QUIET: Final = frozenset(
    (
        *_PROGRAMS.split(),
        *(f"git {word}" for word in _GIT.split()),
        *(f"docker {word}" for word in _DOCKER.split()),
    )
)


_LEAVES_MARK: Final = frozenset({EffectKind.WRITE, EffectKind.DELETE})


def class_of_shell(view: CallView) -> tuple[SideEffect, str]:
    """The class of a shell text, and the word for why."""
    if view.unread is not None or view.gaps:
        return SideEffect.EXTERNAL, "unread"
    kinds = {effect.kind for effect in view.effects}
    if EffectKind.NETWORK in kinds:
        return SideEffect.EXTERNAL, "network"
    loud = [found for one in view.commands if (found := _loudness(one)) is not None]
    if any(runs_others for runs_others in loud):
        return SideEffect.EXTERNAL, "run"
    changing = next((kind for kind in EffectKind if kind in kinds & _LEAVES_MARK), None)
    if changing is not None:
        return SideEffect.LOCAL, str(changing)
    return (SideEffect.LOCAL, "run") if loud else (SideEffect.READ_ONLY, "read")


def unread_programs(view: CallView) -> list[str]:
    """The commands that run code nobody has read, as they are written: what it changes is not known."""
    return [one.written for one in view.commands if _loudness(one)]


def _loudness(command: Command) -> bool | None:
    """None for a program that leaves no mark of its own, else whether it may run what nobody has read."""
    if command.transparent or not command.words:
        return None
    arguments = command.arguments or sort_arguments(command.words)
    if arguments.name in QUIET or arguments.commands:
        return None  # of a wrapper, the commands inside are looked at themselves
    program = arguments.program
    return program is None or (program.hands_on and arguments.name not in MOVERS)


_REMEMBERED: Final = 1_024  # names, so that made-up ones cannot fill the memory


class ToolRule(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table."""

    id: str
    tools: str  # an RE2 expression for the whole name, without its namespace
    effect: SideEffect
    namespace: str = ".*"  # an RE2 expression for the whole namespace
    replay: Replay | None = None  # None: as the class has it
    same_by: tuple[str, ...] = ()


def compiled(expression: str) -> Any:
    """An expression ready to match whole names in any case; raise ValueError when it is none."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_nl = False
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        words = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else error
        raise ValueError(f"`{expression}` is not an RE2 expression: {words}; correct it") from error


class ToolRules:
    """Rules in order, those of overlays first; the first that fits stands."""

    def __init__(self, rules: Iterable[ToolRule] = ()) -> None:
        self.rules: Final = tuple(rules)
        self._compiled: Final = [(compiled(one.namespace), compiled(one.tools), one) for one in self.rules]
        self._known: Final[dict[tuple[str, str], Classified | None]] = {}

    def find(self, namespace: str, tool: str) -> Classified | None:
        """What the first fitting rule says of a tool."""
        name = (namespace, tool)
        if name not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[name] = self._find(namespace, tool)
        return self._known[name]

    def _find(self, namespace: str, tool: str) -> Classified | None:
        for spaces, tools, rule in self._compiled:
            if spaces.fullmatch(namespace) and tools.fullmatch(tool):
                return Classified(
                    effect=rule.effect,
                    replay=rule.replay or replay_of(rule.effect),
                    namespace=namespace,
                    tool=tool,
                    matched="policy",
                    rule=rule.id,
                    same_by=rule.same_by,
                )
        return None


NO_RULES: Final = ToolRules()


class SideEffect(StrEnum):
    """Where a call leaves its mark."""

    EXTERNAL = "external"  # outside this machine, or nobody knows where
    MEMORY = "memory"  # in what an agent remembers
    LOCAL = "local"  # on this machine
    READ_ONLY = "read_only"  # nowhere


class Replay(StrEnum):
    """What a repeat of a call that succeeded is."""

    EXACT = "REPLAY_EXACT"  # the same deed twice: its receipt stands for it
    IDEMPOTENT = "REPLAY_IDEMPOTENT"  # harmless
    RELAUNCH = "RELAUNCH"  # the start of another piece of work


class Repeat(StrEnum):
    """What the policy says of a repeat."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class RunScope(StrEnum):
    """Within what a call counts as made before."""

    SESSION = "session"
    PROJECT = "project"


class Classified(msgspec.Struct, frozen=True, kw_only=True):
    """The class of a call, and what it was told by."""

    effect: SideEffect
    replay: Replay
    namespace: str
    tool: str
    matched: str  # policy, known, reading, verb or default
    rule: str = ""  # the rule or word it was
    same_by: tuple[str, ...] = ()  # the fields that alone make two calls the same; none: all of them


_REPLAY: Final = {SideEffect.READ_ONLY: Replay.IDEMPOTENT}


def replay_of(effect: SideEffect) -> Replay:
    """What a repeat is where no rule says otherwise."""
    return _REPLAY.get(effect, Replay.EXACT)


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
