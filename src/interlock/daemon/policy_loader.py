"""The policy of each project, loaded when its files change."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

import msgspec

from interlock.daemon.paths import Places
from interlock.engine.engine import Engine
from interlock.engine.session_memory import OnceMemory, Rounds
from interlock.errors import ConfigError, InterlockError
from interlock.events.actor import ActorMap
from interlock.events.bounded_dict import BoundedDict
from interlock.events.hook import Hook, Layer
from interlock.events.tool import ToolTable
from interlock.hosts.host_notes import TIMEOUTS_FILE, read_waiting
from interlock.patterns.analyzed_call_view import LongReader
from interlock.policy.compile.context import tightening_hooks
from interlock.policy.file_watch import Glance, Stamp, Watch, note_parts, noting_reads
from interlock.policy.files.read import FileKind, PolicyText
from interlock.policy.hook_kind import NO_SERVICES, HookServices
from interlock.policy.hook_variables import read_hook_environment, secret_patterns
from interlock.policy.load import load_policy
from interlock.policy.locations import Locations, inside, marked_root, policy_files, project_root, way_to
from interlock.policy.policy import Policy
from interlock.policy.protected_paths import Guarded, guarded_at
from interlock.policy.settings.installed import FEATURES
from interlock.policy.settings.ledger import REDACTION, RETENTION, Retention
from interlock.policy.settings.people import ACTORS
from interlock.policy.trust import Trust, TrustList, TrustState, project_files
from interlock.redaction.redactor import Own

Where = tuple[str, str | None]  # the folder of an event, and its session's own project
_MOST: Final = 1_024  # folders at a time; an agent may visit any number


class FolderCache:
    """The policy of each folder; every event asks it, and a few glances tell whether it still holds."""

    def __init__(self) -> None:
        self._policies: Final = BoundedDict[Where, tuple[Loaded, tuple[Glance, ...]]](_MOST)

    def get(self, where: Where) -> Loaded | None:
        """The policy, unless one of its glances sees a change."""
        if (entry := self._policies.get(where)) is None:
            return None
        policy, glances = entry
        for glance in glances:
            if not glance.unchanged():
                return None
        return policy

    def put(self, where: Where, policy: Loaded, *glances: Glance) -> None:
        """Remember a policy until one of the glances sees a change."""
        self._policies[where] = (policy, glances)

    def clear(self) -> None:
        self._policies.clear()


_log: Final = logging.getLogger(__name__)
_REMEMBERED: Final = 256  # projects at a time; an agent may visit any number
_COMPILED: Final = 12  # policies at a time; each takes about 4 MB with its compiled patterns
Files: TypeAlias = list[tuple[Layer, Path | PolicyText]]
Content: TypeAlias = tuple[Stamp, tuple[bytes, ...]]  # everything that goes into a policy


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A project's policy in force, and the problem with its files, if there is one."""

    engine: Engine
    revision: str
    root: str
    settings: Mapping[str, Any] = {}  # read with `PART.get(loaded)`
    problem: str | None = None  # why the newest files could not be used
    usable: bool = True  # False: no good revision was ever loaded
    notice: str | None = None  # shown once a session: a project's policy waits for trust
    actors: ActorMap = ActorMap()


class _Compiled(msgspec.Struct, frozen=True, kw_only=True, weakref=True, eq=False):
    """A policy and its engine, shared by all folders whose files have the same content."""

    policy: Policy
    engine: Engine


class _CachedPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded policy and what its files looked like."""

    watch: Watch
    stamp: Stamp | None  # None: the files changed while they were read
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
        self._guarded: Final = guarded  # the daemon's own paths; None: those of the user who runs this
        self._read: Final = read  # reads long texts; None: the engine reads them
        self._follow: Final = follow  # called with every loaded policy
        self._redact: Final = redact  # gets the user's own patterns of secrets
        self._features: Final = features  # gets the names of features of other distributions
        self._services: Final = services  # for hooks while they run
        self._variables: Final = variables  # the file of variables that a person gave to hooks
        self._trust: Final = trust  # None: load no project's policy
        named = tuple(f"{folder}/{kind}" for _, folder in self._layers for kind in FileKind)
        self._always: Final = Watch(files=(*named, *((str(variables),) if variables else ())))
        self._tables: tuple[str, ...] = ()  # tables that the policies name, and files that were broken
        self._cache: Final[dict[tuple[str, ...], _CachedPolicy]] = {}
        # Those in the cache: folders with the same files share a policy.
        self._compiled: Final = WeakValueDictionary[Content, _Compiled]()
        self._idle: Final = self._engine((), "")  # for folders without a usable policy
        self._folders: Final = FolderCache()
        self._alarms: Final[dict[str, Stamp]] = {}  # problem → its files when the alarm was raised
        self.newest = ""  # the revision loaded last

    def for_folder(self, cwd: str, project: str | None = None) -> Loaded:
        """The policy in force in an event's folder; the session's own project counts everywhere."""
        if (found := self._folders.get((cwd, project))) is not None:
            return found
        roots = self._roots(cwd, project)
        entry = self._cache.get(roots)
        if entry is None or entry.watch.stamp() != entry.stamp:
            entry = self._reload(roots, entry)
        self._remember(cwd, project, roots, entry)
        return entry.loaded

    def retention(self) -> Retention | None:
        """How long evidence is kept; None if unknown, so that nothing is removed."""
        loaded = self.for_folder("")
        return RETENTION.get(loaded) if loaded.usable else None

    def _remember(self, cwd: str, project: str | None, roots: tuple[str, ...], entry: _CachedPolicy) -> None:
        way = self._way(dict.fromkeys((cwd, project or cwd)), entry.watch.places)
        if way is None or entry.stamp is None:
            return
        stamp = way.stamp()
        if self._roots(cwd, project) == roots:  # else the folders changed between the two looks
            self._folders.put(
                (cwd, project), entry.loaded, way.glance(stamp), entry.watch.glance(entry.stamp)
            )

    def _way(self, folders: Iterable[str], seen: Sequence[str]) -> Watch | None:
        """What decides to which projects these folders belong, besides `seen`; None behind a link."""
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

    def _reload(self, roots: tuple[str, ...], entry: _CachedPolicy | None) -> _CachedPolicy:
        # The stamp is taken before reading, so that a change in between is noticed at the next event.
        self._folders.clear()
        watch = self._watch(roots)
        stamp = watch.stamp()
        with noting_reads() as reads:
            loaded, compiled = self._load(roots, entry.loaded if entry else None)
        settled = self._watch(roots) == watch and watch.agrees(stamp, reads)
        stamp_if_settled = stamp if settled else None
        renewed = _CachedPolicy(watch=watch, stamp=stamp_if_settled, loaded=loaded, compiled=compiled)
        self._cache.pop(roots, None)
        self._cache[roots] = renewed  # as the newest
        self.newest = loaded.revision
        if self._follow is not None:
            self._follow(loaded.root, loaded.engine.hooks)
        while len(self._cache) > _REMEMBERED or len(self.engines) > _COMPILED:
            self._cache.pop(next(iter(self._cache)))
        return renewed

    def _roots(self, cwd: str, project: str | None) -> tuple[str, ...]:
        # By real paths: a link inside the project, or a `..`, may lead out of it.
        if not project or cwd == project or inside(os.path.realpath(cwd), os.path.realpath(project)):
            return (self._root(cwd),)
        return tuple(dict.fromkeys((self._root(project), self._root(cwd))))

    @property
    def engines(self) -> list[Engine]:
        return list(dict.fromkeys(entry.loaded.engine for entry in self._cache.values()))

    def _root(self, cwd: str) -> str:
        if self._trust is None or not cwd:
            return project_root(cwd)
        # By real paths, as trust is given. A trusted folder stays a project even without its `.interlock`.
        return project_root(os.path.realpath(cwd), self._trust.store.roots())

    def marked(self, cwd: str) -> str | None:
        """The project a folder belongs to, by its real path; None if no mark shows one."""
        return marked_root(os.path.realpath(cwd), self._trust.store.roots() if self._trust else ())

    def _watch(self, roots: Sequence[str]) -> Watch:
        always = self._always + Watch(files=self._tables) if self._tables else self._always
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
            # A broken table must be watched, to notice when it is fixed.
            watched = self._watch(roots).files
            new = (problem.file for problem in error.problems if problem.file not in watched)
            self._tables = tuple(dict.fromkeys((*self._tables, *new)))
            self._raise_alarm(root, error)
            loaded = self._keep_last(root, str(error), before, states)
        else:
            policy = compiled.policy
            self._alarms.clear()  # what breaks after this is a new problem
            _log.info("policy revision %s for %s: %d hooks", policy.revision, root or "/", len(policy.hooks))
            loaded = Loaded(
                engine=compiled.engine,
                revision=policy.revision,
                root=root,
                settings=policy.settings,
                actors=ACTORS.get(policy),
            )
        waiting = "\n".join(state.notice for state in states if state.notice)
        return msgspec.structs.replace(loaded, notice=waiting or None), compiled

    def _compile(self, files: Files) -> _Compiled:
        """Compile these files; the same object as long as their content is the same."""
        # The stamp is taken before reading, so that newer content is never kept under an older stamp.
        watch, tables = self._always + Watch(files=self._tables), self._tables
        content = watch.stamp(), _texts(files)
        note_parts(zip(watch.files, content[0], strict=True))
        if (known := self._compiled.get(content)) is not None:
            return known
        given = self._given_variables()
        environ = {**given, **self._environ}
        with noting_reads() as reads:
            policy = load_policy(files, environ=environ, guarded=self._guarded, services=self._services)
        note_parts(reads.items())
        if self._redact is not None:
            own = REDACTION.get(policy)
            self._redact(msgspec.structs.replace(own, patterns=(*own.patterns, *secret_patterns(given))))
        if self._features is not None:
            self._features(FEATURES.get(policy))
        self._tables = policy.watched
        for notice in policy.notices:
            _log.info("%s", notice)
        compiled = _Compiled(policy=policy, engine=self._engine(policy.pipeline, policy.revision))
        # Otherwise the stamp does not cover all that was read.
        if policy.watched == tables and watch.agrees(content[0], reads):
            self._compiled[content] = compiled
        return compiled

    def _given_variables(self) -> dict[str, str]:
        """The variables a person gave to hooks; none if the file cannot be trusted, and those hooks fail."""
        try:
            return read_hook_environment(self._variables) if self._variables else {}
        except InterlockError as error:
            self._alarm("", str(error))
            return {}

    def _engine(self, hooks: Sequence[Hook], revision: str) -> Engine:
        return Engine(
            hooks,
            revision=revision,
            tools=self._tools,
            once=self._once,
            read=self._read,
            rounds=self._services.find(Rounds),
        )

    def _raise_alarm(self, root: str, error: ConfigError) -> None:
        """Raise the alarm once while the files stay the same: every project runs into the same ones."""
        problem = str(error)
        stamp = Watch(files=tuple(mistake.file for mistake in error.problems)).stamp()
        if self._alarms.get(problem) != stamp:
            self._alarms[problem] = stamp
            self._alarm(root, problem)

    def _files(self, states: Sequence[TrustState]) -> Files:
        files: Files = [(layer, path) for layer, folder in self._layers for path in policy_files(folder)]
        return files + [file for state in states for file in project_files(state)]

    def _keep_last(
        self, root: str, problem: str, before: Loaded | None, states: Sequence[TrustState]
    ) -> Loaded:
        """The last good revision, if there is one; a project that is no longer trusted runs nothing."""
        _log.error("policy of %s does not load: %s", root or "/", problem)
        if before is None or not before.usable:
            return Loaded(engine=self._idle, revision="", root=root, problem=problem, usable=False)
        hooks = _still_trusted(before.engine.hooks, states)
        same = len(hooks) == len(before.engine.hooks)
        engine = before.engine if same else self._engine(hooks, before.revision)
        return msgspec.structs.replace(before, engine=engine, problem=problem)


def _texts(files: Files) -> tuple[bytes, ...]:
    """A digest of each file: of a text's content, or of the path where a stamp covers the content."""
    keys = (
        (int(layer), str(file))
        if isinstance(file, Path)
        else (int(layer), str(file.shown), file.content, file.folder, file.search, file.tightening_only)
        for layer, file in files
    )
    return tuple(hashlib.sha256(msgspec.json.encode(key)).digest() for key in keys)


def _distinct(trust: TrustList, roots: Sequence[str]) -> list[TrustState]:
    """The projects at and above all roots, each once."""
    states = [state for root in roots for state in trust.states_above(root)]
    return list({state.root: state for state in states}.values())


def _still_trusted(hooks: Sequence[Hook], states: Sequence[TrustState]) -> list[Hook]:
    trusted = [state for state in states if state.status is Trust.TRUSTED]
    files = {str(text.shown) for state in trusted for _, text in project_files(state)}
    tight = {id(hook) for hook in tightening_hooks(hooks)}
    return [h for h in hooks if h.source.layer.trusted or h.source.file in files or id(h) in tight]


def guarded_of(places: Places) -> Guarded:
    """All paths of this home, and the host settings that contain our entries."""
    locations = Locations(
        managed_config=places.managed_config,
        user_config=places.user_config,
        project_config=Path("/.interlock"),
        state=places.state,
        database=places.database,
        socket=places.socket,
        log=places.log,
    )
    settings = [path for files in read_waiting(places.state / TIMEOUTS_FILE).values() for path in files]
    return guarded_at(locations, {}, home=Path.home(), settings=settings)
