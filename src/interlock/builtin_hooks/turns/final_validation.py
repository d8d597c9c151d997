"""`final_validation`: checks the files that a turn wrote before it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, final

import msgspec

from interlock.builtin_hooks.project_files import read_file
from interlock.builtin_hooks.turns import validation_worker
from interlock.builtin_hooks.worker_thread import in_thread
from interlock.effects.effect import EffectKind
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import SlowRule
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.handlers.process import run_program
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OwnMemory, compile_option

_SPARE: Final = 1.0  # seconds left for the answer
_MOST_FILES: Final = 200
_MOST_LISTED: Final = 20
_FILES: Final = "files"


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the files of a turn are checked for."""

    syntax: Annotated[bool, about("false: JSON, TOML, YAML and Python files are not parsed.")] = True
    conflicts: Annotated[bool, about("false: merge conflicts may remain.")] = True
    without: Annotated[
        tuple[Text, ...],
        about("RE2 patterns that none of the files may contain, such as `breakpoint\\(\\)`."),
    ] = ()
    required: Annotated[tuple[Text, ...], about("Files the project must have.")] = ()
    skip: Annotated[tuple[Text, ...], about("Globs of project paths to skip.")] = ()


@final
class FinalValidation(SlowRule):
    """Notes the files that are written, checks them when the turn would end, and sends it back once."""

    kind: Final = "final_validation"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        self._without: Final = [
            (text, compile_option(("without", at), text)) for at, text in enumerate(options.without)
        ]
        self._memory: Final = OwnMemory(context)

    def run(self, view: CallView, seconds: float) -> Verdict | Awaitable[Verdict]:
        """After a call this only notes the files; at a stop it waits for the checks."""
        event = view.event
        if event.name != EventName.STOP:
            self._note_written(view)
            return NO_OPINION
        if event.extra.get("stop_hook_active") is True:
            return NO_OPINION
        return self._validate(event, seconds)

    def _note_written(self, view: CallView) -> None:
        written = [path for effect in view.effects if (path := _written_path(effect))]
        if not written:
            return
        session = view.event.session_id
        known = self._memory.get(session).get(_FILES, [])
        files = list(dict.fromkeys([*known, *written]))[-_MOST_FILES:]
        if files != known:
            self._memory.put(session, {_FILES: files})

    async def _validate(self, event: Event, seconds: float) -> Verdict:
        root = _root(event)
        files = self._files_in_project(self._take_files(event.session_id), root)
        problems = await in_thread(
            event.session_id, lambda: [*self._find_missing(root), *self._find_forbidden(files, root)], seconds
        )
        if files and (self._options.syntax or self._options.conflicts):
            found = await _find_syntax_errors(files, self._options, max(1.0, seconds - _SPARE))
            problems += [f"`{_short_path(path, root)}` {problem}" for path, problem in found]
        if not problems:
            return NO_OPINION
        listed = "\n".join(f"- {problem}" for problem in problems[:_MOST_LISTED])
        more = f"\n- and {len(problems) - _MOST_LISTED} more" if len(problems) > _MOST_LISTED else ""
        return deny(f"Fix what you wrote before you finish:\n{listed}{more}")

    def _take_files(self, session: str) -> list[str]:
        """The files written since the last check; each is checked once, until it is written again."""
        files: list[str] = self._memory.get(session).get(_FILES, [])
        if files:
            self._memory.put(session, {_FILES: []})
        return files

    def _find_missing(self, root: str) -> list[str]:
        return [f"`{name}` is missing" for name in self._options.required if not Path(root, name).exists()]

    def _files_in_project(self, files: Iterable[str], root: str) -> list[str]:
        prefix = root.rstrip("/") + "/"
        paths = dict.fromkeys(os.path.realpath(path) for path in files)
        return [
            path
            for path in paths
            if path.startswith(prefix)
            and not any(fnmatchcase(path.removeprefix(prefix), glob) for glob in self._options.skip)
        ]

    def _find_forbidden(self, files: list[str], root: str) -> list[str]:
        found: list[str] = []
        for path in files if self._without else ():
            text = (read_file(path) or b"").decode("utf-8", "replace")
            found += [
                f"`{_short_path(path, root)}` contains `{forbidden}`"
                for forbidden, pattern in self._without
                if pattern.search(text) is not None
            ]
        return found


async def _find_syntax_errors(files: list[str], options: Options, seconds: float) -> list[tuple[str, str]]:
    request = msgspec.json.encode({"files": files, "syntax": options.syntax, "conflicts": options.conflicts})
    argv = (sys.executable, "-I", str(validation_worker.__file__))
    finished = await run_program(argv, stdin=request, cwd="/", env={"PATH": os.defpath}, seconds=seconds)
    rows = [msgspec.json.decode(line) for line in finished.stdout.splitlines()]
    return [(row["file"], row["problem"]) for row in rows]


def _written_path(effect: Any) -> str | None:
    if effect.kind is not EffectKind.WRITE or not effect.known or not effect.target:
        return None
    path = os.path.normpath(os.path.join(effect.base or "", effect.target))
    return path if path.startswith("/") and "\0" not in path else None


def _root(event: Event) -> str:
    return os.path.realpath(event.project or event.cwd or "/")


def _short_path(path: str, root: str) -> str:
    return path.removeprefix(root.rstrip("/") + "/")


BUILTIN: Final = Builtin(
    kind="final_validation",
    about="Checks the files a turn wrote before it ends: they parse and have no merge conflicts.",
    options=Options,
    make=FinalValidation,
    events=(EventName.STOP,),
    also=(EventName.POST_TOOL_USE,),
    seconds=20.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
