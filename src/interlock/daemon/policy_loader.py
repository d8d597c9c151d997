"""The policy of each project, loaded when its files change."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import msgspec

from interlock.engine.engine import Engine
from interlock.engine.session_memory import OnceMemory, Rounds, counted
from interlock.errors import ConfigError, InterlockError
from interlock.events.actor import ActorMap
from interlock.events.hook import Hook
from interlock.events.source import Layer
from interlock.events.tool import ToolTable
from interlock.patterns.analyzed_call_view import LongReader
from interlock.policy.file_watch import Glance, Stamp, Watch, note_parts, noting_reads
from interlock.policy.files.read import FileKind, PolicyText
from interlock.policy.hook_kind import NO_SERVICES, HookServices
from interlock.policy.hook_variables import read_hook_environment, secret_patterns
from interlock.policy.load import load_policy
from interlock.policy.locations import policy_files
from interlock.policy.policy import Policy
from interlock.policy.projects import inside, marked_root, project_root, way_to
from interlock.policy.protected_paths import Guarded
from interlock.policy.settings.installed import FEATURES
from interlock.policy.settings.ledger import REDACTION, RETENTION, Retention
from interlock.policy.settings.people import ACTORS
from interlock.policy.tightening import only_tightening
from interlock.policy.trust import Trust, TrustList, TrustState, project_files
from interlock.redaction.redactor import Own

T = TypeVar("T")
Where = tuple[str, str | None]  # the folder of an event, and its session's own project
_MOST: Final = 1_024  # folders at a time; an agent may visit any number


class FoundBefore(Generic[T]):
    """Asked at every event: a few looks instead of finding the same once more."""

    def __init__(self) -> None:
        self._found: Final[dict[Where, tuple[T, tuple[Glance, ...]]]] = {}

    def get(self, where: Where) -> T | None:
        """What was found, unless one of its glances sees a change."""
        if (known := self._found.get(where)) is None:
            return None
        found, glances = known
        for glance in glances:
            if not glance.unchanged():
                return None
        return found

    def put(self, where: Where, found: T, *glances: Glance) -> None:
        """Remember it for as long as nothing changes that these look at."""
        if len(self._found) >= _MOST:
            self._found.clear()
        self._found[where] = (found, glances)

    def clear(self) -> None:
        """Forget everything."""
        self._found.clear()


_log: Final = logging.getLogger(__name__)
_REMEMBERED: Final = 256  # projects at a time; an agent may visit any number of folders
_COMPILED: Final = 12  # policies at a time; with all that is learned about patterns each takes about 4 MB
Files: TypeAlias = list[tuple[Layer, Path | PolicyText]]
Content: TypeAlias = tuple[Stamp, tuple[bytes, ...]]  # all that a policy is made of


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A project's policy as it stands, with what is wrong with its files, if anything."""

    engine: Engine
    revision: str
    root: str
    settings: Mapping[str, Any] = {}  # what it sets, by its key: `PART.of(loaded)`
    problem: str | None = None  # why the newest files could not be used
    usable: bool = True  # False: no good revision has ever been loaded
    notice: str | None = None  # to tell the person once a session: a project's policy waits for trust
    actors: ActorMap = ActorMap()  # who acts


class _Compiled(msgspec.Struct, frozen=True, kw_only=True, weakref=True, eq=False):
    """A policy, and the engine of every folder whose files have this content."""

    policy: Policy
    engine: Engine


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded policy and what its files looked like."""

    watch: Watch
    stamp: Stamp | None  # None: they changed while they were read
    loaded: Loaded
    compiled: _Compiled | None = None  # None: the files could not be used


class Policies:
    """Finds the policy for a folder; a broken change keeps the last good revision."""

    def __init__(
        self,
        layers: Sequence[tuple[Layer, Path]],
        tools: ToolTable,
        once: OnceMemory,
        environ: Mapping[str, str],
        alarm: Callable[[str, str], object],
        *,
        trust: TrustList | None = None,
        follow: Callable[[str, tuple[Hook, ...]], object] | None = None,
        guarded: Guarded | None = None,
        read: LongReader | None = None,
        redact: Callable[[Own], object] | None = None,
        features: Callable[[tuple[str, ...]], object] | None = None,
        services: HookServices = NO_SERVICES,
        variables: Path | None = None,
    ) -> None:
        self._layers: Final = tuple(layers)  # managed and user folders
        self._tools: Final = tools
        self._once: Final = once
        self._environ: Final = dict(environ)
        self._alarm: Final = alarm
        self._guarded: Final = guarded  # the daemon's own places; None: those of whoever runs it
        self._read: Final = read  # who reads long texts; None: the engine itself
        self._follow: Final = follow  # told of every policy that is loaded
        self._redact: Final = redact  # told what the user's own secrets look like
        self._features: Final = features  # told which features of other distributions are named
        self._services: Final = services  # what hooks may ask while they run
        self._variables: Final = variables  # the file of those a person gave to hooks
        self._trust: Final = trust  # None: no project's policy is loaded
        named = tuple(f"{folder}/{kind}" for _, folder in self._layers for kind in FileKind)
        self._always: Final = Watch(files=(*named, *((str(variables),) if variables else ())))
        self._beside: tuple[str, ...] = ()  # tables that the policies name, and files that were broken
        self._cache: Final[dict[tuple[str, ...], _Kept]] = {}
        # Those of the cache: folders with the same files share what was made of them.
        self._compiled: Final = WeakValueDictionary[Content, _Compiled]()
        self._idle: Final = self._engine((), "")  # of folders whose files could never be used
        self._before: Final = FoundBefore[Loaded]()
        self._told: Final[dict[str, Stamp]] = {}  # problems, and the files they were told of
        self.newest = ""  # the revision loaded last

    def for_folder(self, cwd: str, project: str | None = None) -> Loaded:
        """The policy in force in an event's folder; a session's own project counts wherever it goes."""
        if (found := self._before.get((cwd, project))) is not None:
            return found
        roots = self._roots(cwd, project)
        kept = self._cache.get(roots)
        if kept is None or kept.watch.stamp() != kept.stamp:
            kept = self._renewed(roots, kept)
        self._remember(cwd, project, roots, kept)
        return kept.loaded

    def retention(self) -> Retention | None:
        """How long evidence is kept; None where nobody knows, so that nothing is removed."""
        loaded = self.for_folder("")
        return RETENTION.of(loaded) if loaded.usable else None

    def _remember(self, cwd: str, project: str | None, roots: tuple[str, ...], kept: _Kept) -> None:
        way = self._way(dict.fromkeys((cwd, project or cwd)), kept.watch.places)
        if way is None or kept.stamp is None:
            return
        stamp = way.stamp()
        if self._roots(cwd, project) == roots:  # else the way has changed between the two looks at it
            self._before.put((cwd, project), kept.loaded, way.glance(stamp), kept.watch.glance(kept.stamp))

    def _way(self, folders: Iterable[str], seen: Sequence[str]) -> Watch | None:
        """What decides to which projects folders belong, beside what is seen anyway; None behind a link."""
        known = self._trust.store.roots() if self._trust else ()
        ways: dict[str, None] = {}
        marks: dict[str, None] = {}
        for folder in folders:
            if not folder or os.path.realpath(folder) != folder:
                return None
            above, looked = way_to(folder, marked_root(folder, known))
            ways |= dict.fromkeys(above)
            marks |= dict.fromkeys(looked)
        return Watch(ways=tuple(ways), places=tuple(mark for mark in marks if mark not in seen))

    def _renewed(self, roots: tuple[str, ...], kept: _Kept | None) -> _Kept:
        # Looked at before it is read: what changes in between is noticed at the next event.
        self._before.clear()
        watch = self._watch(roots)
        stamp = watch.stamp()
        with noting_reads() as reads:
            loaded, compiled = self._load(roots, kept.loaded if kept else None)
        settled = self._watch(roots) == watch and watch.agrees(stamp, reads)
        renewed = _Kept(watch=watch, stamp=stamp if settled else None, loaded=loaded, compiled=compiled)
        self._cache.pop(roots, None)
        self._cache[roots] = renewed  # as the newest
        self.newest = loaded.revision
        if self._follow is not None:
            self._follow(loaded.root, loaded.engine.hooks)
        while len(self._cache) > _REMEMBERED or len(self.engines) > _COMPILED:
            self._cache.pop(next(iter(self._cache)))
        return renewed

    def _roots(self, cwd: str, project: str | None) -> tuple[str, ...]:
        # By where they lead: a link inside the project, or a `..`, may be the way out of it.
        if not project or cwd == project or inside(os.path.realpath(cwd), os.path.realpath(project)):
            return (self._root(cwd),)
        return tuple(dict.fromkeys((self._root(project), self._root(cwd))))

    @property
    def engines(self) -> list[Engine]:
        """Every engine in use."""
        return list({id(kept.loaded.engine): kept.loaded.engine for kept in self._cache.values()}.values())

    def _root(self, cwd: str) -> str:
        if self._trust is None or not cwd:
            return project_root(cwd)
        # By real paths, as trust is given; and a trusted folder stays a project without its `.interlock`.
        return project_root(os.path.realpath(cwd), self._trust.store.roots())

    def marked(self, cwd: str) -> str | None:
        """The project a folder belongs to, by its real path; None where nothing marks one."""
        return marked_root(os.path.realpath(cwd), self._trust.store.roots() if self._trust else ())

    def _watch(self, roots: Sequence[str]) -> Watch:
        always = self._always + Watch(files=self._beside) if self._beside else self._always
        if self._trust is None:
            return always
        return sum((self._trust.watch_above(root) for root in roots), always)

    def _load(self, roots: Sequence[str], before: Loaded | None) -> tuple[Loaded, _Compiled | None]:
        root = roots[0]
        states = _distinct(self._trust, roots) if self._trust else []
        compiled = None
        try:
            compiled = self._compile(self._files(states))
        except ConfigError as error:
            self._watch_broken(error, roots)
            self._tell(root, error)
            loaded = self._broken(root, str(error), before, states)
        else:
            policy = compiled.policy
            self._told.clear()  # what breaks after this is a new problem
            _log.info("policy revision %s for %s: %d hooks", policy.revision, root or "/", len(policy.hooks))
            loaded = _good(root, compiled)
        waiting = "\n".join(state.notice for state in states if state.notice)
        return msgspec.structs.replace(loaded, notice=waiting or None), compiled

    def _compile(self, files: Files) -> _Compiled:
        """What these files come to; the same object for as long as their content is the same."""
        # Looked at before they are read, so that no later content is ever kept under an earlier name.
        looked, beside = self._always + Watch(files=self._beside), self._beside
        content = looked.stamp(), _texts(files)
        note_parts(zip(looked.files, content[0], strict=True))
        if (known := self._compiled.get(content)) is not None:
            return known
        given = self._given_variables()
        environ = {**given, **self._environ}
        with noting_reads() as reads:
            policy = load_policy(files, environ=environ, guarded=self._guarded, services=self._services)
        note_parts(reads.items())
        if self._redact is not None:
            own = REDACTION.of(policy)
            self._redact(msgspec.structs.replace(own, patterns=(*own.patterns, *secret_patterns(given))))
        if self._features is not None:
            self._features(FEATURES.of(policy))
        self._beside = policy.watched
        for notice in policy.notices:
            _log.info("%s", notice)
        compiled = _Compiled(policy=policy, engine=self._engine(policy.pipeline, policy.revision))
        # Else nobody has looked at what it was made of.
        if policy.watched == beside and looked.agrees(content[0], reads):
            self._compiled[content] = compiled
        return compiled

    def _given_variables(self) -> dict[str, str]:
        """What a person gave to hooks; a file that cannot be trusted gives nothing, and its hooks fail."""
        try:
            return read_hook_environment(self._variables) if self._variables else {}
        except InterlockError as error:
            self._alarm("", str(error))
            return {}

    def _engine(self, hooks: Sequence[Hook], revision: str) -> Engine:
        rounds = self._services.find(Rounds)
        return Engine(
            hooks,
            revision=revision,
            tools=self._tools,
            once=self._once,
            read=self._read,
            one_more=counted(rounds) if rounds else None,
        )

    def _watch_broken(self, error: ConfigError, roots: Sequence[str]) -> None:
        """A table that could not be used must be noticed when it is fixed."""
        known = self._watch(roots).files
        new = (one.file for one in error.problems if one.file not in known)
        self._beside = tuple(dict.fromkeys((*self._beside, *new)))

    def _tell(self, root: str, error: ConfigError) -> None:
        """Raise the alarm, once while the files stay as they are: every project runs into the same ones."""
        problem = str(error)
        stamp = Watch(files=tuple(one.file for one in error.problems)).stamp()
        if self._told.get(problem) != stamp:
            self._told[problem] = stamp
            self._alarm(root, problem)

    def _files(self, states: Sequence[TrustState]) -> Files:
        files: Files = [(layer, path) for layer, folder in self._layers for path in policy_files(folder)]
        return files + [file for state in states for file in project_files(state)]

    def _broken(self, root: str, problem: str, before: Loaded | None, states: Sequence[TrustState]) -> Loaded:
        _log.error("policy of %s does not load: %s", root or "/", problem)
        if before is None or not before.usable:
            idle = self._idle
            return Loaded(engine=idle, revision="", root=root, problem=problem, usable=False)
        # What was good stays, but a project whose trust has gone meanwhile runs nothing.
        hooks = _still_trusted(before.engine.hooks, states)
        same = len(hooks) == len(before.engine.hooks)
        engine = before.engine if same else self._engine(hooks, before.revision)
        return msgspec.structs.replace(before, engine=engine, problem=problem)


def _good(root: str, compiled: _Compiled) -> Loaded:
    policy = compiled.policy
    return Loaded(
        engine=compiled.engine,
        revision=policy.revision,
        root=root,
        settings=policy.settings,
        actors=ACTORS.of(policy),
    )


def _content_of(file: Path | PolicyText) -> tuple[object, ...]:
    """What tells a file from others: its content, or its name where that is looked at."""
    if isinstance(file, Path):
        return (str(file),)
    return (str(file.shown), file.content, file.folder, file.search, file.tightening_only)


def _texts(files: Files) -> tuple[bytes, ...]:
    return tuple(
        hashlib.sha256(msgspec.json.encode((int(layer), _content_of(text)))).digest() for layer, text in files
    )


def _distinct(trust: TrustList, roots: Sequence[str]) -> list[TrustState]:
    """The projects at and above all roots, each once."""
    states = [state for root in roots for state in trust.states_above(root)]
    return list({state.root: state for state in states}.values())


def _still_trusted(hooks: Sequence[Hook], states: Sequence[TrustState]) -> list[Hook]:
    trusted = [state for state in states if state.status is Trust.TRUSTED]
    files = {str(text.shown) for state in trusted for _, text in project_files(state)}
    tight = {id(hook) for hook in only_tightening(hooks)}
    return [h for h in hooks if h.source.layer.trusted or h.source.file in files or id(h) in tight]
