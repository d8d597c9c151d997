"""`cleaning`: what can be rebuilt may be deleted; what cannot is stopped."""

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

# Globs of single names. What git does not ignore is not cleaned by its name alone.
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
_MADE: Final = re.compile(r"(?:\$\(|`)\s*mktemp\b[^;|&$`]*[)`]")
_ASSIGNING: Final = frozenset({"export", "local", "declare", "typeset", "readonly"})
_FILLING: Final = frozenset({"read", "mapfile", "readarray", "getopts", "printf"})
_GIVEN: Final = "TMPDIR"


def leads_to_temporary(target: str, commands: Sequence[Command]) -> bool:
    """Whether a target lies in `$TMPDIR` or in what `mktemp` made, as far as the text tells."""
    path = _FROM_VARIABLE.fullmatch(target)
    if path is None or ".." in path["rest"].split("/"):
        return False
    name = path["bare"] or path["braced"]
    values = list(_values(name, commands))
    if name == _GIVEN and not values:
        return bool(path["rest"])
    return bool(values) and all(_MADE.fullmatch(value.strip("\"'")) for value in values)


def _values(name: str, commands: Sequence[Command]) -> Iterator[str]:
    """Everything the text puts into a variable; an empty text where that is not known."""
    start = f"{name}="
    for command in commands:
        yield from (word.text for variable, word in command.environment if variable == name)
        program = command.words[0].text if command.words else ""
        if program in _ASSIGNING:
            yield from (one.text[len(start) :] for one in command.words if one.text.startswith(start))
        if program in _FILLING and any(word.text == name for word in command.words):
            yield ""


_VARIABLE: Final = re.compile(r"[$`]")
_RUNS: Final = re.compile(r"\$\(|`")
_NAMED_ALONE: Final = re.compile(r"(\./)?\$(\w+|\{\w+\})")  # each file of the loop, and no other in it
_LOSING: Final = frozenset({EffectKind.DELETE, EffectKind.WRITE})
_LOCK: Final = ".lock"
_SHOWN: Final = 60

_MAY_GO: Final = frozenset({Location.REBUILDABLE, Location.TEMPORARY})
# One file in the project may go as well: whoever may write may empty it, too.
_MAY_GO_ALONE: Final = _MAY_GO | {Location.INSIDE, Location.PROJECT}
_WORST: Final = frozenset({Location.OUTSIDE, Location.PROJECT, Location.REPOSITORY})
_AROUND: Final = frozenset({Location.OUTSIDE, Location.PROJECT})  # the home may be in it
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
_ASIDE: Final = "put them aside with `git stash push -u`."
_UNKNOWN: Final = "This would delete {}, which is only known when the command runs."
_WRITE_OUT: Final = "write the path in full."

_LaterVerdict: TypeAlias = Callable[[], Verdict]  # the disk or git must be asked first


@final
class Cleaning(Rule):
    """Judges what a call would delete by where it lies; it never allows, it only does not object."""

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
        found = find_deletions(commands) if commands else _find_tool_deletions(event, view.effects)
        found += _find_loop_globs(found, view.effects) if commands else []
        spelled = _spelled_out(view.effects) if commands else frozenset()
        judged = [
            self._judge(one, event, commands) for one in found if not self._is_covered_by_loop(one, spelled)
        ]
        judged += [
            _stop(_DISCARDS.format(_quote(path)), _ASIDE, self._otherwise)
            for path, _ in find_discards(commands)
        ]
        worst = _strictest(one for one in judged if isinstance(one, Verdict))
        later = [one for one in judged if not isinstance(one, Verdict)]
        if not later or worst.vote is Vote.DENY:
            return worst
        return self._answer_later(worst, later, event.session_id, seconds)

    async def _answer_later(
        self, worst: Verdict, later: Sequence[_LaterVerdict], session_id: str, seconds: float
    ) -> Verdict:
        return _strictest([worst, *await in_thread(session_id, lambda: [one() for one in later], seconds)])

    def _is_covered_by_loop(self, removal: Deletion, spelled: frozenset[str]) -> bool:
        """Whether `"$d/dist"` of a loop is judged by its folders: what goes is of a known name."""
        folder, _, name = removal.target.rpartition("/")
        named = not removal.known and folder and not _VARIABLE.search(name) and self._places.is_made(name)
        return bool(named) and removal.by in spelled

    def _judge(self, removal: Deletion, event: Event, commands: Sequence[Command]) -> Verdict | _LaterVerdict:
        wide = removal.deep or is_everything(removal.target.rpartition("/")[2])
        variable = not removal.known and (not removal.target or _VARIABLE.search(removal.target))
        relative = removal.base is None and not removal.target.startswith(("/", "~"))
        if variable and leads_to_temporary(removal.target, commands):
            return NO_OPINION
        if variable or relative:
            # A file called `$f` may go like any other; many of them, or what a command prints, may not.
            alone = removal.target and not wide and not _RUNS.search(removal.target)
            return (
                NO_OPINION
                if alone
                else _stop(_UNKNOWN.format(_describe(removal)), _WRITE_OUT, self._otherwise)
            )
        place = self._locate(removal, event, ask_git=wide)
        if isinstance(place, Question):
            question = place
            return lambda: self._verdict(self._places.answer(question), removal, event, wide=wide)
        return self._verdict(place, removal, event, wide=wide)

    def _verdict(self, place: Location, removal: Deletion, event: Event, *, wide: bool) -> Verdict:
        if place is Location.INSIDE and not removal.names and removal.target.rpartition("/")[2] in LOCK_FILES:
            return NO_OPINION
        if place in (_MAY_GO if wide else _MAY_GO_ALONE) or (not wide and removal.target.endswith(_LOCK)):
            return NO_OPINION
        vote = self._outside if removal.deep and place in _WORST else self._otherwise
        if removal.deep and not removal.names and place in _AROUND:
            base = removal.base or event.project or event.cwd or "/"
            if (loss := lost_with(removal.target, base, self._home)) is not None:
                return _stop(loss, _INSTEAD, vote)
        if (
            place is Location.INSIDE
            and not removal.names
            and self._places.is_made(_last_name(removal.target))
        ):
            return _stop(_NOT_IGNORED.format(_quote(removal.target)), _IGNORE, vote)
        return _stop(_WHY[place].format(_describe(removal)), _INSTEAD, vote)

    def _locate(self, removal: Deletion, event: Event, *, ask_git: bool) -> Location | Question:
        if removal.target.startswith("~"):
            return Location.OUTSIDE  # somebody's home
        project = event.project or event.cwd or "/"
        base = removal.base or project
        return self._places.locate(removal.target, base, project, removal.names, ask_git=ask_git)


def _stop(loss: str, instead: str, vote: Vote) -> Verdict:
    who = f" {ONLY_THE_USER}" if vote is Vote.DENY else ""
    return Verdict(vote=vote, reason=f"{loss} Instead: {instead}{who}")


def _describe(removal: Deletion) -> str:
    """What goes, as the command names it."""
    target = _quote(removal.target) if removal.target else "files"
    return f"{_quote(' '.join(removal.names))} below {target}" if removal.names else target


def _last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _strictest(verdicts: Iterable[Verdict]) -> Verdict:
    return max(verdicts, key=attrgetter("vote"), default=NO_OPINION)


def _spelled_out(effects: Sequence[Effect]) -> frozenset[str]:
    """The commands that delete what is written with variables and, of a loop, without."""
    gone = [one for one in effects if one.kind is EffectKind.DELETE and one.target]
    written = {one.by for one in gone if _VARIABLE.search(one.target)}
    return frozenset(one.by for one in gone if one.by in written and not _VARIABLE.search(one.target))


def _find_loop_globs(removed: Sequence[Deletion], effects: Sequence[Effect]) -> list[Deletion]:
    """The globs that a variable stands for in what is removed: `for f in src/*; do rm "$f"; done`."""
    by = {one.by: one for one in removed if not one.known and _VARIABLE.search(one.target)}
    if not by:
        return []
    each = frozenset(name for name, one in by.items() if _NAMED_ALONE.fullmatch(one.target))
    return [
        Deletion(one.target, one.base, False, by[one.by].deep or _is_work(one, each), one.by)
        for one in effects
        if one.kind in _LOSING and one.by in by and not one.known
        if one.target and not _VARIABLE.search(one.target)
    ]


def _is_work(effect: Effect, each: frozenset[str]) -> bool:
    """Whether a loop takes all files of a glob; copies that were left over are not work."""
    return effect.by in each and not effect.target.endswith(LEFT_OVER)


def _find_tool_deletions(event: Event, effects: Sequence[Effect]) -> list[Deletion]:
    """What a tool that is not a shell deletes; a folder goes with all that is in it."""
    name = event.tool.name if event.tool else ""
    return [
        Deletion(one.target, base, one.known, os.path.isdir(os.path.join(base, one.target)), name)
        for one in effects
        if one.kind is EffectKind.DELETE
        for base in (one.base or event.cwd or "/",)
    ]


def _quote(text: str) -> str:
    return f"`{printable_line(text, _SHOWN)}`"


class CleaningConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be deleted, and what is said of the rest."""

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
