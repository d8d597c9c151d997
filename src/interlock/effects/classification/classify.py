"""What a call changes, by the policy's table, by what is known of the tool, or by the words of its name."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

import msgspec
import re2

from interlock.effects.command import Command
from interlock.effects.effect import EffectKind
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.tool_fields import split_words
from interlock.events.hook import CallView
from interlock.events.tool import SubjectKind, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS


class SideEffect(StrEnum):
    """Where a call changes something."""

    EXTERNAL = "external"  # outside this machine, or at an unknown place
    MEMORY = "memory"  # in what an agent remembers
    LOCAL = "local"  # on this machine
    READ_ONLY = "read_only"  # nowhere


class Replay(StrEnum):
    """What a repeat of a successful call is."""

    EXACT = "REPLAY_EXACT"  # the same action twice: its receipt stands for it
    IDEMPOTENT = "REPLAY_IDEMPOTENT"  # harmless
    RELAUNCH = "RELAUNCH"  # the start of another piece of work


class Repeat(StrEnum):
    """What the policy says about a repeat."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class RunScope(StrEnum):
    """Where a call counts as a repeat."""

    SESSION = "session"
    PROJECT = "project"


class Classified(msgspec.Struct, frozen=True, kw_only=True):
    """The class of a call, and what decided it."""

    effect: SideEffect
    replay: Replay
    namespace: str
    tool: str
    matched: str  # policy, known, reading, verb or default
    rule: str = ""  # the rule or word that decided
    same_by: tuple[str, ...] = ()  # the fields that identify a call; none: all of them


def replay_of(effect: SideEffect) -> Replay:
    """Return the replay class unless a rule says otherwise."""
    return Replay.IDEMPOTENT if effect is SideEffect.READ_ONLY else Replay.EXACT


_MAX_CACHED: Final = 1_024  # names; made-up ones must not fill the memory


class ToolRule(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table."""

    id: str
    tools: str  # an RE2 expression for the whole name, without its namespace
    effect: SideEffect
    namespace: str = ".*"  # an RE2 expression for the whole namespace
    replay: Replay | None = None  # None: by the effect
    same_by: tuple[str, ...] = ()


def compile_expression(expression: str) -> Any:
    """Compile an RE2 expression that ignores case; raise ValueError if it is none."""
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
    """Rules in order, those of overlays first; the first match wins."""

    def __init__(self, rules: Iterable[ToolRule] = ()) -> None:
        self.rules: Final = tuple(rules)
        self._compiled: Final = [
            (compile_expression(rule.namespace), compile_expression(rule.tools), rule) for rule in self.rules
        ]
        self._cache: Final[dict[tuple[str, str], Classified | None]] = {}

    def find(self, namespace: str, tool: str) -> Classified | None:
        """Classify a tool by the first matching rule."""
        name = (namespace, tool)
        if name not in self._cache:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[name] = self._find(namespace, tool)
        return self._cache[name]

    def _find(self, namespace: str, tool: str) -> Classified | None:
        for namespaces, tools, rule in self._compiled:
            if namespaces.fullmatch(namespace) and tools.fullmatch(tool):
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

_READ_ONLY: Final = """
    Read Glob Grep LS NotebookRead WebFetch WebSearch ListMcpResourcesTool ReadMcpResourceTool
    ListAgents TaskOutput TaskGet TaskList TodoRead ToolSearch WaitForMcpServers AskUserQuestion
    SendUserMessage ReportFindings EnterPlanMode ExitPlanMode Artifact"""
_LOCAL: Final = """Write Edit MultiEdit NotebookEdit TodoWrite TaskCreate TaskUpdate TaskStop EnterWorktree
    ExitWorktree Skill CronCreate CronDelete ScheduleWakeup Monitor"""
_EXTERNAL: Final = "PushNotification RemoteTrigger PowerShell"
_LAUNCHES: Final = frozenset({"Agent", "Workflow"})
_HOST_TOOLS: Final[dict[str, SideEffect]] = {
    **dict.fromkeys(_READ_ONLY.split(), SideEffect.READ_ONLY),
    **dict.fromkeys(_LOCAL.split(), SideEffect.LOCAL),
    **dict.fromkeys(_EXTERNAL.split(), SideEffect.EXTERNAL),
    **dict.fromkeys(_LAUNCHES, SideEffect.LOCAL),
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
_HOST: Final = "host"  # the namespace of a host's own tools
_MCP: Final = "mcp__"


class Classifier:
    """Classifies calls under one table of rules; unknown tools are external."""

    def __init__(self, rules: ToolRules = NO_RULES) -> None:
        self._rules: Final = rules

    def classify(self, tool: ToolCall, view: CallView) -> Classified:
        """Return the class of a call."""
        namespace, name = _split_name(tool.name)
        by_rule = self._rules.find(namespace, name)
        if by_rule is not None:
            return by_rule
        effect, matched, rule = _classify(namespace, name, view)
        # A host's tool that starts work of its own starts it again.
        launches = namespace == _HOST and name in _LAUNCHES and effect is not SideEffect.READ_ONLY
        replay = Replay.RELAUNCH if launches else replay_of(effect)
        return Classified(
            effect=effect, replay=replay, namespace=namespace, tool=name, matched=matched, rule=rule
        )


def _split_name(name: str) -> tuple[str, str]:
    """Split `mcp__gmail__send_email` into `gmail` and `send_email`; any other tool is the host's."""
    real = STANDARD_TOOLS.canonical(name)
    if not real.startswith(_MCP):
        return _HOST, real
    server, _, tool = real.removeprefix(_MCP).partition("__")
    return (server, tool) if tool else (_HOST, real)


def is_shell(name: str) -> bool:
    spec = STANDARD_TOOLS.spec(name)
    return spec is not None and spec.kind is SubjectKind.SHELL


def _classify(namespace: str, name: str, view: CallView) -> tuple[SideEffect, str, str]:
    if namespace == _HOST and is_shell(name):
        effect, word = _classify_shell(view)
        return effect, "reading", word
    if namespace == _HOST and name in _HOST_TOOLS:
        return _HOST_TOOLS[name], "known", name
    words = split_words(name)
    change = next((word for word in words if word in _CHANGING), None)
    if change is not None:  # it outweighs a word for looking
        memory = not _MEMORY.isdisjoint((*split_words(namespace), *words))
        return (SideEffect.MEMORY if memory else SideEffect.EXTERNAL), "verb", change
    look = next((word for word in words if word in _LOOKING), None)
    return (SideEffect.READ_ONLY, "verb", look) if look else (SideEffect.EXTERNAL, "default", "")


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
_QUIET: Final = frozenset(
    (
        *_PROGRAMS.split(),
        *(f"git {word}" for word in _GIT.split()),
        *(f"docker {word}" for word in _DOCKER.split()),
    )
)
# Their effects are known, and commands in their options are checked themselves.
_MOVERS: Final = frozenset({"tee", "sponge", "rsync"})


def _classify_shell(view: CallView) -> tuple[SideEffect, str]:
    """Return the class of a shell text and the word for why, by what its commands do and not their names."""
    if view.unread is not None or view.gaps:
        return SideEffect.EXTERNAL, "unread"
    kinds = {effect.kind for effect in view.effects}
    if EffectKind.NETWORK in kinds:
        return SideEffect.EXTERNAL, "network"
    loud = [runs for command in view.commands if (runs := _runs_unread_code(command)) is not None]
    if any(loud):
        return SideEffect.EXTERNAL, "run"
    changing = next((kind for kind in (EffectKind.WRITE, EffectKind.DELETE) if kind in kinds), None)
    if changing is not None:
        return SideEffect.LOCAL, str(changing)
    return (SideEffect.LOCAL, "run") if loud else (SideEffect.READ_ONLY, "read")


def unread_programs(view: CallView) -> list[str]:
    """Return the commands, as written, that run code nobody has read: nobody knows what it changes."""
    return [command.written for command in view.commands if _runs_unread_code(command)]


def _runs_unread_code(command: Command) -> bool | None:
    """Return whether a program may run code nobody has read; None if it leaves no mark of its own."""
    if command.transparent or not command.words:
        return None
    arguments = command.arguments or sort_arguments(command.words)
    if arguments.name in _QUIET or arguments.commands:
        return None  # the commands inside a wrapper are checked themselves
    program = arguments.program
    return program is None or (program.hands_on and arguments.name not in _MOVERS)
