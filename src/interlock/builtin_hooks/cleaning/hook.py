"""`cleaning`: stops deletions of what cannot be rebuilt."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, Final, Literal, TypeAlias, final

import msgspec
from msgspec import UNSET, UnsetType

from interlock.builtin_hooks.cleaning.deletions import Deletion, find_deletions, find_discards
from interlock.builtin_hooks.cleaning.path_location import (
    GitIgnored,
    IgnoreCheck,
    Location,
    Places,
    Question,
    is_everything,
)
from interlock.builtin_hooks.great_losses import ONLY_THE_USER, lost_with
from interlock.builtin_hooks.worker_thread import in_thread
from interlock.effects.command import Command
from interlock.effects.effect import Effect, EffectKind
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler
from interlock.events.rule import Rule
from interlock.events.text import printable_line
from interlock.events.verdict import NO_OPINION, Verdict, Vote
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, VoteWord

# Globs of single names. In a repository, git must also ignore what may be deleted.
REBUILDABLE: Final = tuple(
    """
    node_modules bower_components .next .nuxt .svelte-kit .astro .output .turbo .parcel-cache .vite .angular
    .docusaurus storybook-static _cacache .eslintcache .stylelintcache *.tsbuildinfo
    __pycache__ *.pyc *.pyo .venv venv .tox .nox .eggs *.egg-info .pytest_cache .mypy_cache .ruff_cache
    .hypothesis .ipynb_checkpoints htmlcov .coverage coverage .nyc_output .pytype .pyre wheelhouse
    build dist out target bin obj cmake-build-* CMakeFiles CMakeCache.txt .cmake bazel-*
    *.o *.obj *.a *.so *.dylib *.class *.jar *.war .gradle .kotlin .bloop .metals .dart_tool .build
    DerivedData Pods _build .elixir_ls .stack-work dist-newstyle .terraform .serverless
    .cache caches .sass-cache .jekyll-cache _site .ccache tmp temp .tmp *.log
    test-results playwright-report .DS_Store Thumbs.db *.swp *.orig *.rej *.tmp *.temp *.bak *~
    """.split()
)
# `$NAME` is taken from the environment; `~` is the person's home.
TEMPORARY: Final = ("$TMPDIR", "/tmp", "/var/tmp", "~/.cache", "~/Library/Caches")  # noqa: S108 - names, not files of ours
# What editors and tools leave beside the file itself.
LEFT_OVER: Final = (".bak", ".orig", ".rej", ".old", ".tmp", ".temp", ".swp", "~", ".log")
# What a package manager writes again, and git has besides.
LOCK_FILES: Final = frozenset(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    poetry.lock uv.lock pdm.lock Pipfile.lock Cargo.lock Gemfile.lock composer.lock mix.lock pubspec.lock
    Podfile.lock flake.lock go.sum
    """.split()
)


# With an unset variable, `$d/*` would be `/*`: what follows must be a name.
_FROM_VARIABLE: Final = re.compile(
    r"\$(?:(?P<bare>\w+)|\{(?P<braced>\w+)(?::?[-?][^}$`]*)?\})(?P<rest>(?:/[\w.@%+=:,-]+)*)/?"
)
_MKTEMP: Final = re.compile(r"(?:\$\(|`)\s*mktemp\b[^;|&$`]*[)`]")
_ASSIGNING: Final = frozenset({"export", "local", "declare", "typeset", "readonly"})
_FILLING: Final = frozenset({"read", "mapfile", "readarray", "getopts", "printf"})
_TMPDIR: Final = "TMPDIR"


def leads_to_temporary(target: str, commands: Sequence[Command]) -> bool:
    """Whether the text shows that a target lies in `$TMPDIR` or in what `mktemp` made."""
    path = _FROM_VARIABLE.fullmatch(target)
    if path is None or ".." in path["rest"].split("/"):
        return False
    name = path["bare"] or path["braced"]
    values = list(_values(name, commands))
    if name == _TMPDIR and not values:
        return bool(path["rest"])
    return bool(values) and all(_MKTEMP.fullmatch(value.strip("\"'")) for value in values)


def _values(name: str, commands: Sequence[Command]) -> Iterator[str]:
    """Every value that the text gives a variable; empty where the value is not known."""
    start = f"{name}="
    for command in commands:
        yield from (word.text for variable, word in command.environment if variable == name)
        program = command.words[0].text if command.words else ""
        if program in _ASSIGNING:
            yield from (word.text[len(start) :] for word in command.words if word.text.startswith(start))
        if program in _FILLING and any(word.text == name for word in command.words):
            yield ""


_VARIABLE: Final = re.compile(r"[$`]")
_RUNS: Final = re.compile(r"\$\(|`")
_VARIABLE_ALONE: Final = re.compile(r"(\./)?\$(\w+|\{\w+\})")  # each file of a loop
_LOSING: Final = frozenset({EffectKind.DELETE, EffectKind.WRITE})
_LOCK: Final = ".lock"
_SHOWN: Final = 60

_MAY_GO: Final = frozenset({Location.REBUILDABLE, Location.TEMPORARY})
# A single file of the project may be deleted: who may write it may empty it, too.
_MAY_GO_ALONE: Final = _MAY_GO | {Location.INSIDE, Location.PROJECT}
_WORST: Final = frozenset({Location.OUTSIDE, Location.PROJECT, Location.REPOSITORY})
_AROUND: Final = frozenset({Location.OUTSIDE, Location.PROJECT})  # may contain the home
# What would be lost; `{}` is what the command names.
_WHY: Final = {
    Location.OUTSIDE: "This would delete {}, which is outside the project.",
    Location.ELSEWHERE: "This would delete {}, which is outside the project.",
    Location.PROJECT: "This would delete the whole project ({}).",
    Location.REPOSITORY: "This would delete git history in {}, which may exist nowhere else.",
    Location.UNKNOWN: "This would delete {}, and git did not say in time whether it contains your work.",
    Location.INSIDE: "This would delete {}, which may contain work that exists nowhere else.",
}
_NOT_IGNORED: Final = "{} is not in .gitignore, so it may contain your work."
_IGNORE: Final = "add it to .gitignore, or move the files to the folder that `mktemp -d` prints."
_INSTEAD: Final = "delete single files by name, or move them to the folder that `mktemp -d` prints."
_DISCARDS: Final = "This would discard your changes in {}, and git has no copy of them."
_STASH: Final = "put them aside with `git stash push -u`."
_UNKNOWN: Final = "This would delete {}, which is only known when the command runs."
_UNKNOWN_FILES: Final = "This would delete files that are only known when the command runs."
_WRITE_OUT: Final = "write the path in full."

_LaterVerdict: TypeAlias = Callable[[], Verdict]  # the disk or git must be asked first


@final
class Cleaning(Rule):
    """Judges what a call would delete by where it lies. It never votes to allow."""

    kind: Final = "cleaning"
    judges_carried = True

    def __init__(
        self,
        *,
        names: Sequence[str] = REBUILDABLE,
        temporary: Sequence[str] = TEMPORARY,
        outside: Vote = Vote.DENY,
        otherwise: Vote = Vote.ASK,
        environ: Mapping[str, str] = os.environ,
        ignored: IgnoreCheck | None = None,
    ) -> None:
        self._fingerprint: Final = [list(names), list(temporary), str(outside), str(otherwise)]
        self._places: Final = Places(names, temporary, environ, ignored or GitIgnored(environ))
        self._home: Final = environ.get("HOME") or "/"
        self._outside: Final = outside
        self._otherwise: Final = otherwise

    def fingerprint(self) -> Any:
        return self._fingerprint

    def run(self, view: CallView, seconds: float) -> Verdict | Awaitable[Verdict]:
        event = view.event
        if event.tool is None:
            return NO_OPINION
        commands: Sequence[Command] = view.commands
        deletions = find_deletions(commands) if commands else _find_tool_deletions(event, view.effects)
        deletions += _find_loop_globs(deletions, view.effects) if commands else []
        expanded = _expanded_loops(view.effects) if commands else frozenset()
        answers = [
            self._judge(deletion, event, commands)
            for deletion in deletions
            if not self._is_covered_by_loop(deletion, expanded)
        ]
        verdicts = [answer for answer in answers if isinstance(answer, Verdict)]
        verdicts += [
            _stop(_DISCARDS.format(_quote(path)), _STASH, self._otherwise) for path in find_discards(commands)
        ]
        strictest = _strictest(verdicts)
        later = [answer for answer in answers if not isinstance(answer, Verdict)]
        if not later or strictest.vote is Vote.DENY:
            return strictest
        return self._answer_later(strictest, later, event.session_id, seconds)

    async def _answer_later(
        self, strictest: Verdict, later: Sequence[_LaterVerdict], session_id: str, seconds: float
    ) -> Verdict:
        verdicts = await in_thread(session_id, lambda: [decide() for decide in later], seconds)
        return _strictest([strictest, *verdicts])

    def _is_covered_by_loop(self, deletion: Deletion, expanded: frozenset[str]) -> bool:
        """Whether `"$d/dist"` of a loop, a name that tools make, is judged in each folder of the loop."""
        folder, _, name = deletion.target.rpartition("/")
        named = not deletion.known and folder and not _VARIABLE.search(name) and self._places.is_made(name)
        return bool(named) and deletion.by in expanded

    def _judge(
        self, deletion: Deletion, event: Event, commands: Sequence[Command]
    ) -> Verdict | _LaterVerdict:
        wide = deletion.deep or is_everything(deletion.target.rpartition("/")[2])
        variable = not deletion.known and (not deletion.target or _VARIABLE.search(deletion.target))
        relative = deletion.base is None and not deletion.target.startswith(("/", "~"))
        if variable and leads_to_temporary(deletion.target, commands):
            return NO_OPINION
        if variable or relative:
            # A single file called `$f` may be deleted; many files, or what a command prints, may not.
            if deletion.target and not wide and not _RUNS.search(deletion.target):
                return NO_OPINION
            loss = _UNKNOWN.format(_describe(deletion)) if deletion.target else _UNKNOWN_FILES
            return _stop(loss, _WRITE_OUT, self._otherwise)
        place = self._locate(deletion, event, ask_git=wide)
        if isinstance(place, Question):
            return lambda: self._verdict(self._places.answer(place), deletion, event, wide=wide)
        return self._verdict(place, deletion, event, wide=wide)

    def _verdict(self, place: Location, deletion: Deletion, event: Event, *, wide: bool) -> Verdict:
        if (
            place is Location.INSIDE
            and not deletion.names
            and deletion.target.rpartition("/")[2] in LOCK_FILES
        ):
            return NO_OPINION
        if place in (_MAY_GO if wide else _MAY_GO_ALONE) or (not wide and deletion.target.endswith(_LOCK)):
            return NO_OPINION
        vote = self._outside if deletion.deep and place in _WORST else self._otherwise
        if deletion.deep and not deletion.names and place in _AROUND:
            base = deletion.base or event.project or event.cwd or "/"
            if (loss := lost_with(deletion.target, base, self._home)) is not None:
                return _stop(loss, _INSTEAD, vote)
        if (
            place is Location.INSIDE
            and not deletion.names
            and self._places.is_made(_last_name(deletion.target))
        ):
            return _stop(_NOT_IGNORED.format(_quote(deletion.target)), _IGNORE, vote)
        base = deletion.base or event.project or event.cwd or "/"
        return _stop(_WHY[place].format(_describe(deletion) + _meaning(deletion, base)), _INSTEAD, vote)

    def _locate(self, deletion: Deletion, event: Event, *, ask_git: bool) -> Location | Question:
        if deletion.target.startswith("~"):
            return Location.OUTSIDE  # somebody's home
        project = event.project or event.cwd or "/"
        base = deletion.base or project
        return self._places.locate(deletion.target, base, project, deletion.names, ask_git=ask_git)


def _stop(loss: str, instead: str, vote: Vote) -> Verdict:
    who = f" {ONLY_THE_USER}" if vote is Vote.DENY else ""
    return Verdict(vote=vote, reason=f"{loss} Instead: {instead}{who}")


def _describe(deletion: Deletion) -> str:
    """What is deleted, as the command names it."""
    target = _quote(deletion.target)
    return f"{_quote(' '.join(deletion.names))} below {target}" if deletion.names else target


def _meaning(deletion: Deletion, base: str) -> str:
    """The path that a target with `..` leads to, in brackets."""
    folder, _, name = deletion.target.rpartition("/")
    if ".." not in deletion.target.split("/") or deletion.names or deletion.target.startswith("~"):
        return ""
    if "\0" in deletion.target:  # a path no system has
        return ""
    whole = name in {"", ".", ".."}  # else the last name may be a link, which goes itself
    meant = os.path.realpath(os.path.join(base, deletion.target if whole else folder))
    return f" ({_quote(meant if whole else os.path.join(meant, name))})"


def _last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _strictest(verdicts: Iterable[Verdict]) -> Verdict:
    return max(verdicts, key=attrgetter("vote"), default=NO_OPINION)


def _expanded_loops(effects: Sequence[Effect]) -> frozenset[str]:
    """The commands of loops whose deletions are known with the variable and with each of its values."""
    deletions = [effect for effect in effects if effect.kind is EffectKind.DELETE and effect.target]
    with_variable = frozenset(effect.by for effect in deletions if _VARIABLE.search(effect.target))
    return with_variable & {effect.by for effect in deletions if not _VARIABLE.search(effect.target)}


def _find_loop_globs(deletions: Sequence[Deletion], effects: Sequence[Effect]) -> list[Deletion]:
    """The globs that a variable in a deletion stands for: `for f in src/*; do rm "$f"; done`."""
    by_command = {one.by: one for one in deletions if not one.known and _VARIABLE.search(one.target)}
    return [
        Deletion(effect.target, effect.base, False, _deletes_work(effect, by_command[effect.by]), effect.by)
        for effect in effects
        if effect.kind in _LOSING and effect.by in by_command and not effect.known
        if effect.target and not _VARIABLE.search(effect.target)
    ]


def _deletes_work(effect: Effect, deletion: Deletion) -> bool:
    """Whether a loop deletes folders or all files of a glob; copies that tools left behind are not work."""
    all_files = _VARIABLE_ALONE.fullmatch(deletion.target) and not effect.target.endswith(LEFT_OVER)
    return deletion.deep or bool(all_files)


def _find_tool_deletions(event: Event, effects: Sequence[Effect]) -> list[Deletion]:
    """What a tool that is not a shell deletes; a folder is deleted with all that is in it."""
    name = event.tool.name if event.tool else ""
    return [
        Deletion(effect.target, base, effect.known, os.path.isdir(os.path.join(base, effect.target)), name)
        for effect in effects
        if effect.kind is EffectKind.DELETE
        for base in (effect.base or event.cwd or "/",)
    ]


def _quote(text: str) -> str:
    return f"`{printable_line(text, _SHOWN)}`"


class CleaningConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be deleted, and the decision for the rest."""

    rebuildable: (
        Annotated[list[Text], about("Names, as globs, of files and folders that tools build.")] | UnsetType
    ) = UNSET
    also: Annotated[list[Text], about("More names, in addition to `rebuildable`.")] = []
    temporary: (
        Annotated[
            list[Text], about("Folders in which anything may be deleted; `$NAME` and `~/` are expanded.")
        ]
        | UnsetType
    ) = UNSET
    outside: Annotated[
        Literal["ask", "deny"],
        about("The decision for paths outside the project, the project itself and `.git`."),
    ] = "deny"
    otherwise: Annotated[Literal["ask", "deny"], about("The decision for everything else.")] = "ask"


def _make(options: CleaningConfig, context: BuildContext) -> Handler:
    return Cleaning(
        names=(*(options.rebuildable or REBUILDABLE), *options.also),
        temporary=tuple(options.temporary or TEMPORARY),
        outside=_VOTES[options.outside],
        otherwise=_VOTES[options.otherwise],
        environ=context.environ,
    )


def _reword(options: CleaningConfig, word: VoteWord) -> tuple[str, CleaningConfig]:
    return "cleaning", msgspec.structs.replace(options, outside=word, otherwise=word)


_VOTES: Final = {"ask": Vote.ASK, "deny": Vote.DENY}
BUILTIN: Final = Builtin(
    kind="cleaning",
    about="Stops deletions of files that cannot be rebuilt.",
    options=CleaningConfig,
    make=_make,
    votes=True,
    tightens=True,
    reword=_reword,
)
