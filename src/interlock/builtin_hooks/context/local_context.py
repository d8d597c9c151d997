"""`local_context` and `recall`: add files to the context, and again when the session might forget them."""

from __future__ import annotations

from typing import Annotated, Final, final

import msgspec

from interlock.builtin_hooks.context.prompt_words import Phrases
from interlock.builtin_hooks.project_files import find_file, read_note
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory

_CUT: Final = "\n[cut: the file is longer]"
_GIVEN: Final = "given"

WORDS: Final = ("continue", "recap", "where were we", "what's next")
RULES: Final = """\
Rules of this project:
- Build, lint, test and clean by `make`.
- After about 50 lines, build, test and lint.
- Do what was asked for, and nothing beyond it.
- Stage files by name, never by `git add -A`.
- Make a new commit, never `--amend` one.
- Write no Co-Authored-By line."""
KEEP: Final = (
    "These instructions, and what CLAUDE.md teaches about this project, must survive the summary: "
    "repeat them in it, word for word where they are rules."
)


class FilesOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options that both hooks have; each has its own default for `files`."""

    files: tuple[Text, ...]
    words: Annotated[
        tuple[Text, ...], about("Phrases in a prompt that ask for the files again, unless negated.")
    ] = WORDS
    most_bytes: Annotated[int, about("At most this much of each file.", ge=1, le=65_536)] = 8_192


class LocalOptions(FilesOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which files and rules are added, and which words ask for them."""

    files: Annotated[
        tuple[Text, ...], about("Files to add, in this order, if they exist; relative to the project.")
    ] = ("~/.claude/LOCAL.md", "LOCAL.md")
    rules: Annotated[str, about("Text added with them before and after a summary; empty: none.")] = RULES


class RecallOptions(FilesOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which instructions are repeated, and which words ask for them."""

    files: Annotated[
        tuple[Text, ...],
        about("Files to add, in this order, if they exist; relative to the project.", min_length=1),
    ] = ("~/.claude/RECLAUDE.md",)
    keep: Annotated[str, about("Text added before a summary so that it keeps them; empty: none.")] = KEEP


class _FilesHook(Helper):
    """Base of both: adds the files that exist, and knows whether a prompt asks for them."""

    def __init__(self, options: FilesOptions, context: BuildContext) -> None:
        super().__init__(options)
        self._files: Final = options.files
        self._most: Final = options.most_bytes
        self._home: Final = context.environ.get("HOME", "")
        self._phrases: Final = Phrases(options.words)

    def _context(self, event: Event, *more: str) -> Verdict:
        project = event.project or event.cwd or "."
        paths = {name: find_file(name, project, self._home) for name in self._files}
        files = [read_note(name, path, self._most, _CUT) for name, path in paths.items()]
        text = "\n\n".join(filter(None, (*files, *more)))
        return Verdict(context=text) if text else NO_OPINION


def _is_new(event: Event) -> bool:
    """Whether a session begins, and not one that continues after a summary."""
    return event.name == EventName.SESSION_START and event.extra.get("source") != "compact"


@final
class LocalContext(_FilesHook):
    """Adds files at the first prompt, and files and rules around a summary or when a prompt asks for them."""

    kind: Final = "local_context"

    def __init__(self, options: LocalOptions, context: BuildContext) -> None:
        super().__init__(options, context)
        self._rules: Final = options.rules.strip()
        self._memory: Final = OwnMemory(context)
        if not options.files and not self._rules:
            raise OptionError("files", "there is nothing to add; name a file or write `rules`")

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if _is_new(event):
            return NO_OPINION
        if event.name != EventName.USER_PROMPT_SUBMIT or self._phrases.found(event.prompt or ""):
            self._is_first(event)
            return self._context(event, self._rules)
        return self._context(event) if self._is_first(event) else NO_OPINION

    def _is_first(self, event: Event) -> bool:
        """Whether this is the first prompt of its session."""
        session = event.session_id or "default"
        if event.name != EventName.USER_PROMPT_SUBMIT or self._memory.get(session).get(_GIVEN):
            return False
        self._memory.put(session, {_GIVEN: True})
        return True


@final
class Recall(_FilesHook):
    """Adds the files before a summary, after it, and when a prompt asks for them."""

    kind: Final = "recall"

    def __init__(self, options: RecallOptions, context: BuildContext) -> None:
        super().__init__(options, context)
        self._keep: Final = options.keep.strip()

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.USER_PROMPT_SUBMIT and not self._phrases.found(event.prompt or ""):
            return NO_OPINION
        if _is_new(event):
            return NO_OPINION
        found = self._context(event)
        if found.context and event.name == EventName.PRE_COMPACT and self._keep:
            return Verdict(context=f"{found.context}\n\n{self._keep}")
        return found


LOCAL_CONTEXT: Final = Builtin(
    kind="local_context",
    about="Adds LOCAL.md to the context at the first prompt, and the rules before and after a summary.",
    options=LocalOptions,
    make=LocalContext,
    events=(EventName.USER_PROMPT_SUBMIT, EventName.PRE_COMPACT),
    also=(EventName.USER_PROMPT_SUBMIT, EventName.PRE_COMPACT, EventName.SESSION_START),
    seconds=3.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
RECALL: Final = Builtin(
    kind="recall",
    about="Repeats the project's instructions before and after a summary, and when a session resumes.",
    options=RecallOptions,
    make=Recall,
    events=(EventName.PRE_COMPACT, EventName.USER_PROMPT_SUBMIT),
    also=(EventName.PRE_COMPACT, EventName.USER_PROMPT_SUBMIT, EventName.SESSION_START),
    seconds=3.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
