"""`nudge`: a word of the prompt brings the agent or skill that is there for it to mind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Final, Literal, final

import msgspec
import re2
from msgspec import Meta

from interlock.builtin_hooks.context.prompt_words import LOOKED_AT, Phrases, words_of
from interlock.events.hook import CallView, Handler, OnFailure
from interlock.events.names import EventName
from interlock.events.quiet_regex import compile_quietly
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.hook_kind import BuildContext, Builtin, Field

_Text = Annotated[str, Meta(min_length=1)]
_SECONDS: Final = 3.0
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
# Talk about the machinery is not a call for it.
META: Final = (
    r"\bhooks?\b",
    r"\bagents?\b.*\b(check|fix|issue)",
    r"\b(check|fix|debug)\b.*\b(hooks?|agents?|nudge|settings)\b",
    r"\binvoke\b.*\bagents?\b",
)
# Words of their own, a letter away from a keyword.
NO_MISTAKES: Final = (
    *("skip", "shop", "slip", "chip", "whip", "ships", "shape", "built", "guild", "lean", "earn", "yearn"),
    *("define", "refund", "tweed", "sweet", "tweets", "manual", "virtual", "casual", "remove", "approve"),
)


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that words of the prompt bring."""

    words: Annotated[tuple[_Text, ...], Meta(description="Words or phrases; any of them.")]
    text: Annotated[_Text, Meta(description="The text for the model.")]
    first: Annotated[bool, Meta(description="true: routes are not searched after this one.")] = False


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which words lead where."""

    routes: Annotated[
        dict[str, _Text],
        Meta(description="Keyword → agent or skill; the first match wins. A keyword in slashes is RE2."),
    ] = msgspec.field(default_factory=lambda: dict(ROUTES))
    also: Annotated[dict[str, _Text], Meta(description="More routes, searched before `routes`.")] = {}
    notes: Annotated[
        tuple[Note, ...], Meta(description="Text added when a word appears, at most once a prompt.")
    ] = ()
    match: Annotated[
        Literal["fuzzy", "plural", "exact"],
        Meta(description="How closely a word must match: a typing mistake, an `s` more or less, exactly."),
    ] = "fuzzy"
    no_mistakes: Annotated[
        tuple[_Text, ...], Meta(description="Words that are never read as a mistyped keyword.")
    ] = NO_MISTAKES
    ignore: Annotated[
        tuple[_Text, ...],
        Meta(description="RE2 patterns of prompts to leave alone, such as talk about hooks."),
    ] = META
    tell: Annotated[bool, Meta(description="false: only the model sees it, not the user.")] = True


class _Route(msgspec.Struct, frozen=True, kw_only=True):
    keyword: str
    target: str


@final
class Nudge(Helper):
    """Adds a line for the model, and a message so that the person knows where it comes from."""

    kind: Final = "nudge"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        table = {**options.also, **{k: v for k, v in options.routes.items() if k not in options.also}}
        routes = [_Route(keyword=keyword, target=target) for keyword, target in table.items()]
        self._patterns: Final = [
            (compile_quietly(one.keyword[1:-1], caseless=True), one)
            for one in routes
            if _is_pattern(one.keyword)
        ]
        plain = [one for one in routes if not _is_pattern(one.keyword)]
        self._phrases: Final = [
            (Phrases([one.keyword]), one) for one in plain if len(one.keyword.split()) > 1
        ]
        self._exact: Final = {one.keyword.lower(): one for one in plain}
        self._never: Final = frozenset(word.lower() for word in options.no_mistakes)
        self._near: Final = _nearness(options.match, tuple(self._exact))
        self._ignore: Final = [compile_quietly(one, caseless=True) for one in options.ignore]
        self._notes: Final = [(Phrases(note.words), note) for note in options.notes]
        self._tell: Final = options.tell

    def run(self, view: CallView, seconds: float) -> Verdict:
        prompt = view.event.prompt
        if not prompt or prompt.lstrip().startswith("/"):  # whoever types a command knows where to go
            return NO_OPINION
        beginning = prompt[:LOOKED_AT]
        if any(one.search(beginning) for one in self._ignore):
            return NO_OPINION
        notes = [note for phrases, note in self._notes if phrases.found(beginning)]
        found = None if any(note.first for note in notes) else self._route(beginning)
        texts = [*([f"Invoke {found[0]}."] if found else []), *(note.text for note in notes)]
        if not texts:
            return NO_OPINION
        message = f"nudge: {found[0]}, for the word `{found[1]}`" if found and self._tell else None
        return Verdict(context="\n\n".join(texts), message=message)

    def _route(self, prompt: str) -> tuple[str, str] | None:
        """Where the prompt leads and by which word; nowhere if it names the place itself."""
        found = next(self._matches(prompt), None)
        return None if found is None or found[0] in prompt else found

    def _matches(self, prompt: str) -> Iterator[tuple[str, str]]:
        for pattern, route in self._patterns:
            if match := pattern.search(prompt):
                yield route.target, match.group(0)
        for phrases, route in self._phrases:
            if phrases.found(prompt):
                yield route.target, route.keyword
        for word in words_of(prompt):
            exact = self._exact.get(word)
            keyword = word if exact else self._mistyped(word)
            if keyword is not None:
                yield self._exact[keyword].target, word

    def _mistyped(self, word: str) -> str | None:
        return None if word in self._never else self._near(word)


def _nearness(match: str, keywords: tuple[str, ...]) -> Callable[[str], str | None]:
    """Which keyword a word stands for that is none itself."""
    if match == "exact":
        return lambda _: None
    if match == "plural":
        singular = {
            **{f"{one}s": one for one in keywords},
            **{one.removesuffix("s"): one for one in keywords},
        }
        return singular.get
    from rapidfuzz.distance import OSA

    distance = OSA.distance  # two neighbouring letters swapped count as one mistake
    limits = [(one, 1 if len(one) <= _ONE_LETTER else 2) for one in keywords if len(one) >= _SHORT]

    def near(word: str) -> str | None:
        if len(word) < _SHORT:
            return None
        return next((one for one, most in limits if distance(word, one, score_cutoff=most) <= most), None)

    return near


def _is_pattern(keyword: str) -> bool:
    return bool(keyword[1:-1]) and keyword[0] == keyword[-1] == "/"


def make(options: Options, making: BuildContext) -> Handler | None:
    """Make the hook; patterns that cannot be run are mistakes at their place."""
    patterns: list[tuple[Field, str]] = [
        (("ignore", index), text) for index, text in enumerate(options.ignore)
    ]
    named = [("also", key) for key in options.also] + [("routes", key) for key in options.routes]
    patterns += [((field, key), key[1:-1]) for field, key in named if _is_pattern(key)]
    for field, text in patterns:
        try:
            compile_quietly(text, caseless=True)
        except re2.error:
            making.problem(field, f"`{text}` is not a regular expression that RE2 supports; correct it")
            return None
    return Nudge(options)


BUILTIN: Final = Builtin(
    kind="nudge",
    about="Suggests the agent or skill that a word in the prompt calls for.",
    options=Options,
    make=make,
    events=(EventName.USER_PROMPT_SUBMIT,),
    seconds=_SECONDS,
    on_failure=OnFailure.OPEN,
    tightens=True,
)
