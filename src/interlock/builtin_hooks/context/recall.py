"""`recall`: the instructions a session was given come back when it is about to forget them."""

from __future__ import annotations

from typing import Annotated, Final, final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.context.local_context import WORDS, GivenFiles
from interlock.builtin_hooks.context.prompt_words import Phrases
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.hook_kind import BuildContext, Builtin

_Text = Annotated[str, Meta(min_length=1)]
_SECONDS: Final = 3.0

FILES: Final = ("~/.claude/RECLAUDE.md",)
KEEP: Final = (
    "These instructions, and what CLAUDE.md teaches about this project, must survive the summary: "
    "repeat them in it, word for word where they are rules."
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which instructions come back, and which words ask for them."""

    files: Annotated[
        tuple[_Text, ...],
        Meta(
            min_length=1, description="Files to add, in this order, if they exist; relative to the project."
        ),
    ] = FILES
    keep: Annotated[
        str, Meta(description="Text added before a summary so that it keeps them; empty: none.")
    ] = KEEP
    words: Annotated[
        tuple[_Text, ...], Meta(description="Phrases in a prompt that ask for them, unless negated.")
    ] = WORDS
    most_bytes: Annotated[int, Meta(ge=1, le=65_536, description="At most this much of each file.")] = 8_192


@final
class Recall(Helper):
    """Gives the files before a summary, after it, and when a prompt asks to go on."""

    kind: Final = "recall"

    def __init__(self, options: Options, making: BuildContext) -> None:
        super().__init__(options)
        home = making.environ.get("HOME", "")
        self._files: Final = GivenFiles(options.files, home, options.most_bytes)
        self._keep: Final = options.keep.strip()
        self._phrases: Final = Phrases(options.words)

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.USER_PROMPT_SUBMIT and not self._phrases.found(event.prompt or ""):
            return NO_OPINION
        if event.name == EventName.SESSION_START and event.extra.get("source") != "compact":
            return NO_OPINION
        texts = self._files.texts(event)
        if texts and event.name == EventName.PRE_COMPACT and self._keep:
            texts.append(self._keep)
        return Verdict(context="\n\n".join(texts)) if texts else NO_OPINION


def make(options: Options, making: BuildContext) -> Handler:
    """Make the hook."""
    return Recall(options, making)


BUILTIN: Final = Builtin(
    kind="recall",
    about="Repeats the project's instructions before and after a summary, and when a session resumes.",
    options=Options,
    make=make,
    events=(EventName.PRE_COMPACT, EventName.USER_PROMPT_SUBMIT),
    also=(EventName.PRE_COMPACT, EventName.USER_PROMPT_SUBMIT, EventName.SESSION_START),
    seconds=_SECONDS,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
