"""`local_context`: the notes and rules of a project, when a session begins and when it might forget them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Final, final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.context.prompt_words import Phrases
from interlock.builtin_hooks.project_files import is_inside, read_file
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.hook_kind import BuildContext, Builtin, memory_of

_CUT: Final = "\n[cut: the file is longer]"


class GivenFiles:
    """Reads those that are there; one that is missing or unreadable is silent."""

    def __init__(self, names: Sequence[str], home: str, most: int) -> None:
        self._names: Final = tuple(names)
        self._home: Final = home
        self._most: Final = most

    def texts(self, event: Event) -> list[str]:
        """The content of each under its name."""
        project = event.project or event.cwd or "."
        return [f"{name}:\n{text}" for name in self._names if (text := self._read_text(name, project))]

    def _read_text(self, name: str, project: str) -> str:
        """The content of a file; of a project's, only what lies in the project."""
        if name.startswith("~/"):
            path = f"{self._home}/{name[2:]}" if self._home else ""
        else:
            path = os.path.join(project, name)
            # A link in a repository must not lead to a file of the person.
            if not name.startswith("/") and not is_inside(path, project):
                return ""
        content = read_file(path, self._most + 1) if path else None
        if content is None:
            return ""
        text = content[: self._most].decode("utf-8", "replace").strip()
        return text + _CUT if text and len(content) > self._most else text


_Text = Annotated[str, Meta(min_length=1)]
_SECONDS: Final = 3.0
_GIVEN: Final = "given"

FILES: Final = ("~/.claude/LOCAL.md", "LOCAL.md")
WORDS: Final = ("continue", "recap", "where were we", "what's next")
RULES: Final = """\
Rules of this project:
- Build, lint, test and clean by `make`.
- After about 50 lines, build, test and lint.
- Do what was asked for, and nothing beyond it.
- Stage files by name, never by `git add -A`.
- Make a new commit, never `--amend` one.
- Write no Co-Authored-By line."""


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is given, and which words ask for it."""

    files: Annotated[
        tuple[_Text, ...],
        Meta(description="Files to add, in this order, if they exist; relative to the project."),
    ] = FILES
    rules: Annotated[
        str, Meta(description="Text added with them before and after a summary; empty: none.")
    ] = RULES
    words: Annotated[
        tuple[_Text, ...],
        Meta(description="Phrases in a prompt that ask for the files again, unless negated."),
    ] = WORDS
    most_bytes: Annotated[int, Meta(ge=1, le=65_536, description="At most this much of each file.")] = 8_192


@final
class LocalContext(Helper):
    """Gives files at the first prompt, and files and rules around a summary or when asked to go on."""

    kind: Final = "local_context"

    def __init__(self, options: Options, making: BuildContext) -> None:
        super().__init__(options)
        self._rules: Final = options.rules.strip()
        self._phrases: Final = Phrases(options.words)
        self._name: Final = making.name
        home = making.environ.get("HOME", "")
        self._files: Final = GivenFiles(options.files, home, options.most_bytes)
        self._memory: Final = memory_of(making)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.USER_PROMPT_SUBMIT:
            return self._at_prompt(event)
        if event.name == EventName.SESSION_START and event.extra.get("source") != "compact":
            return NO_OPINION
        return self._context([*self._files.texts(event), self._rules])

    def _at_prompt(self, event: Event) -> Verdict:
        asked = self._phrases.found(event.prompt or "")
        first = self._is_first(event)
        if not (asked or first):
            return NO_OPINION
        return self._context([*self._files.texts(event), self._rules if asked else ""])

    def _is_first(self, event: Event) -> bool:
        session = event.session_id or "default"
        if self._memory.get(session, self._name).get(_GIVEN):
            return False
        self._memory.put(session, self._name, {_GIVEN: True})
        return True

    def _context(self, texts: list[str]) -> Verdict:
        told = "\n\n".join(filter(None, texts))
        return Verdict(context=told) if told else NO_OPINION


def make(options: Options, making: BuildContext) -> Handler | None:
    """Make the hook; without anything to give it would be none."""
    if not options.files and not options.rules.strip():
        making.problem("files", "there is nothing to add; name a file or write `rules`")
        return None
    return LocalContext(options, making)


BUILTIN: Final = Builtin(
    kind="local_context",
    about="Adds LOCAL.md to the context at the first prompt, and the rules before and after a summary.",
    options=Options,
    make=make,
    events=(EventName.USER_PROMPT_SUBMIT, EventName.PRE_COMPACT),
    also=(EventName.USER_PROMPT_SUBMIT, EventName.PRE_COMPACT, EventName.SESSION_START),
    seconds=_SECONDS,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
