"""`nudge`: suggests the agent or skill that a word in the prompt calls for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final, Literal, final

import msgspec

from interlock.builtin_hooks.context.prompt_words import LOOKED_AT, Phrases, words_of
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, compile_option

_SHORT: Final = 4  # words and keywords below this many letters are compared exactly
_ONE_LETTER: Final = 5  # a keyword up to this length forgives one letter, a longer one two

ROUTES: Final = {
    "ship": "/ship",
    "build": "/build",
    "refine": "/refine",
    "tweet": "/tweet",
    "readme": "@readme",
    "learn": "@learn",
    "improve": "@improve",
    "visual": "@visual",
    "distill": "@distill",
    "research": "@research",
}
# A prompt about hooks and agents themselves does not call for them.
META: Final = (
    r"\bhooks?\b",
    r"\bagents?\b.*\b(check|fix|issue)",
    r"\b(check|fix|debug)\b.*\b(hooks?|agents?|nudge|settings)\b",
    r"\binvoke\b.*\bagents?\b",
)
# Real words that are one letter away from a keyword.
NO_MISTAKES: Final = (
    *("skip", "shop", "slip", "chip", "whip", "ships", "shape", "built", "guild", "lean", "earn", "yearn"),
    *("define", "refund", "tweed", "sweet", "tweets", "manual", "virtual", "casual", "remove", "approve"),
)


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that is added when the prompt has one of its words."""

    words: Annotated[tuple[Text, ...], about("Words or phrases; any of them.")]
    text: Annotated[Text, about("The text for the model.")]
    first: Annotated[bool, about("true: routes are not searched after this one.")] = False


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which words call for which agent, skill or text."""

    routes: Annotated[
        dict[str, Text], about("Keyword → agent or skill; the first match wins. A keyword in slashes is RE2.")
    ] = msgspec.field(default_factory=lambda: dict(ROUTES))
    also: Annotated[dict[str, Text], about("More routes, searched before `routes`.")] = {}
    notes: Annotated[tuple[Note, ...], about("Text added when a word appears, at most once a prompt.")] = ()
    match: Annotated[
        Literal["fuzzy", "plural", "exact"],
        about("How closely a word must match: a typing mistake, an `s` more or less, exactly."),
    ] = "fuzzy"
    no_mistakes: Annotated[tuple[Text, ...], about("Words that are never read as a mistyped keyword.")] = (
        NO_MISTAKES
    )
    ignore: Annotated[
        tuple[Text, ...], about("RE2 patterns of prompts to leave alone, such as talk about hooks.")
    ] = META
    tell: Annotated[bool, about("false: only the model sees it, not the user.")] = True


@final
class Nudge(Helper):
    """Adds a line for the model, and a message that tells the person why."""

    kind: Final = "nudge"
    _options: Options

    def __init__(self, options: Options, _: BuildContext) -> None:
        super().__init__(options)
        table = {**options.also, **{k: v for k, v in options.routes.items() if k not in options.also}}
        self._patterns: Final = [
            (_compile(word, "also" if word in options.also else "routes"), target)
            for word, target in table.items()
            if _is_pattern(word)
        ]
        plain = {word: target for word, target in table.items() if not _is_pattern(word)}
        self._phrases: Final = [
            (Phrases([word]), word, target) for word, target in plain.items() if " " in word.strip()
        ]
        self._exact: Final = {word.lower(): target for word, target in plain.items()}
        self._never: Final = frozenset(word.lower() for word in options.no_mistakes)
        self._near: Final = _nearness(options.match, tuple(self._exact))
        self._ignore: Final = [
            compile_option(("ignore", at), text, caseless=True) for at, text in enumerate(options.ignore)
        ]
        self._notes: Final = [(Phrases(note.words), note) for note in options.notes]

    def run(self, view: CallView, seconds: float) -> Verdict:
        prompt = view.event.prompt
        if not prompt or prompt.lstrip().startswith("/"):  # a command already names what to use
            return NO_OPINION
        beginning = prompt[:LOOKED_AT]
        if any(pattern.search(beginning) for pattern in self._ignore):
            return NO_OPINION
        notes = [note for phrases, note in self._notes if phrases.found(beginning)]
        texts, message = [note.text for note in notes], None
        target, word = ("", "") if any(note.first for note in notes) else self._find_route(beginning)
        if target:
            texts = [f"Invoke {target}.", *texts]
            message = f"nudge: {target}, for the word `{word}`" if self._options.tell else None
        return Verdict(context="\n\n".join(texts), message=message) if texts else NO_OPINION

    def _find_route(self, prompt: str) -> tuple[str, str]:
        """What the prompt calls for, and the word that does; both empty if it already names it."""
        target, word = next(self._matches(prompt), ("", ""))
        return ("", "") if target in prompt else (target, word)

    def _matches(self, prompt: str) -> Iterator[tuple[str, str]]:
        for pattern, target in self._patterns:
            if match := pattern.search(prompt):
                yield target, match.group(0)
        for phrases, keyword, target in self._phrases:
            if phrases.found(prompt):
                yield target, keyword
        for word in words_of(prompt):
            near = word if word in self._exact else None if word in self._never else self._near(word)
            if near is not None:
                yield self._exact[near], word


def _nearness(match: str, keywords: tuple[str, ...]) -> Callable[[str], str | None]:
    """A function that finds the keyword that a word nearly is."""
    if match == "exact":
        return lambda _: None
    if match == "plural":
        variants = {f"{keyword}s": keyword for keyword in keywords}
        return {**variants, **{keyword.removesuffix("s"): keyword for keyword in keywords}}.get
    from rapidfuzz.distance import OSA

    distance = OSA.distance  # two neighbouring letters swapped count as one mistake
    limits = [(word, 1 if len(word) <= _ONE_LETTER else 2) for word in keywords if len(word) >= _SHORT]

    def find_near(word: str) -> str | None:
        if len(word) < _SHORT:
            return None
        near = (known for known, most in limits if distance(word, known, score_cutoff=most) <= most)
        return next(near, None)

    return find_near


def _compile(word: str, option: str) -> Any:
    return compile_option((option, word), word[1:-1], caseless=True)


def _is_pattern(keyword: str) -> bool:
    return bool(keyword[1:-1]) and keyword[0] == keyword[-1] == "/"


BUILTIN: Final = Builtin(
    kind="nudge",
    about="Suggests the agent or skill that a word in the prompt calls for.",
    options=Options,
    make=Nudge,
    events=(EventName.USER_PROMPT_SUBMIT,),
    seconds=3.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
