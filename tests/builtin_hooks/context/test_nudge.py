"""A word of the prompt leads to an agent or skill; the model hears where, the person why."""

from __future__ import annotations

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.builtin_hooks.context.nudge import ROUTES
from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.verdict import Vote


@pytest.fixture(scope="module")
def engine() -> Engine:
    return made("nudge", "user_prompt_submit")


def said(engine: Engine, text: str | None) -> str | None:
    context = engine.decide_sync(prompt(text)).context
    return context[0] if context else None


@pytest.mark.req("P23", "X38")
def test_the_model_is_told_where_to_go_and_the_person_why(engine: Engine) -> None:
    """A system message alone would never reach the model."""
    decision = engine.decide_sync(prompt("improve the error handling"))

    assert decision.context == ("Invoke @improve.",)
    assert decision.messages == ("nudge: @improve, for the word `improve`",)
    assert decision.vote is Vote.ABSTAIN


@pytest.mark.req("P23")
@pytest.mark.parametrize("text", ["add a field to the form", "", None, "   ", "é" * 10_000])
def test_no_match_says_nothing(engine: Engine, text: str | None) -> None:
    """Neither to the model nor to the person."""
    decision = engine.decide_sync(prompt(text))

    assert (decision.context, decision.messages, decision.open_passes) == ((), (), 0)


@pytest.mark.req("P23")
def test_the_first_word_wins(engine: Engine) -> None:
    """Words are taken in the order of the prompt."""
    assert said(engine, "learn this, then ship it") == "Invoke @learn."


SEED = {
    "ship": "/ship",
    "build": "/build",
    "refine": "/refine",
    "tweet": "/tweet",
    "readme": "@readme",
    "learn": "@learn",
    "improve": "@improve",
    "visual": "@visual",
    "distill": "@distill",
}


@pytest.mark.req("P24")
@pytest.mark.parametrize(("word", "route"), SEED.items())
def test_the_table_we_ship(engine: Engine, word: str, route: str) -> None:
    """Nine words and where they lead, in upper case too."""
    assert said(engine, f"please {word} it") == f"Invoke {route}."
    assert said(engine, f"{word.upper()}!") == f"Invoke {route}."


def test_one_more_keyword_is_known() -> None:
    """Beside the nine."""
    assert {key: value for key, value in ROUTES.items() if key not in SEED} == {"research": "@research"}


@pytest.mark.req("P25", "P39")
@pytest.mark.parametrize(
    ("word", "route"),
    [
        ("imporve", "@improve"),  # two letters of a long keyword
        ("improv", "@improve"),
        ("impro", "@improve"),
        ("imp", None),
        ("shipp", "/ship"),  # one letter of a short one
        ("shpi", "/ship"),  # two neighbours swapped are one mistake
        ("shi", None),  # words of three letters are compared exactly
        ("biuld", "/build"),
        ("bluid", None),  # that is two
        ("buildd", "/build"),
        ("lern", "@learn"),
        ("distil", "@distill"),
    ],
)
def test_words_are_matched_by_edit_distance(engine: Engine, word: str, route: str | None) -> None:
    """One letter for keywords up to five, two for longer ones, none for short words."""
    assert said(engine, f"{word} this") == (f"Invoke {route}." if route else None)


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("don't ship yet", None),
        ("do not build it", None),
        ("never tweet about this", None),
        ("please dont ship, we cannot build it", None),
        ("don’t ship yet, improve it first", "@improve"),
        ("don't forget the readme", "@readme"),
    ],
)
def test_a_word_that_is_negated_leads_nowhere(engine: Engine, text: str, route: str | None) -> None:
    """What somebody asks not to do is not suggested."""
    assert said(engine, text) == (f"Invoke {route}." if route else None)


@pytest.mark.req("P39")
def test_short_keywords_are_exact_and_the_first_in_the_table_wins() -> None:
    """A keyword of three letters forgives nothing; of two that are near, the one written first is meant."""
    engine = made("nudge", "user_prompt_submit", {"routes": {"fix": "/fix", "planer": "/a", "planet": "/b"}})

    assert said(engine, "fix it") == "Invoke /fix."
    assert said(engine, "fixx it") is None
    assert said(engine, "planes") == "Invoke /a."
    assert said(engine, "planet") == "Invoke /b."


@pytest.mark.parametrize("word", ["skip", "shop", "built", "define", "manual", "approve"])
def test_words_of_their_own_are_no_mistakes(engine: Engine, word: str) -> None:
    """A letter away from a keyword, and meant as they are."""
    assert said(engine, f"{word} the tests") is None


@pytest.mark.req("P53")
def test_fuzziness_can_be_given_up() -> None:
    """For the plural alone, or for nothing at all."""
    plural = made("nudge", "user_prompt_submit", {"match": "plural"})
    exact = made("nudge", "user_prompt_submit", {"match": "exact"})

    assert said(plural, "two builds") == "Invoke /build."
    assert said(plural, "buildd") is None
    assert said(exact, "two builds") is None
    assert said(exact, "build") == "Invoke /build."


@pytest.mark.req("P26", "X17")
def test_a_new_agent_is_one_line() -> None:
    """A word, a phrase or a pattern, before the routes we ship."""
    also = {"deploy": "/deploy", "code review": "@reviewer", r"/\bperf(ormance)?\b/": "@profiler"}
    engine = made("nudge", "user_prompt_submit", {"also": also})

    assert said(engine, "depoly now") == "Invoke /deploy."
    assert said(engine, "a code  review, please") == "Invoke @reviewer."
    assert said(engine, "look at PERF here") == "Invoke @profiler."
    assert said(engine, "ship it") == "Invoke /ship."


def test_a_pattern_that_cannot_run_is_a_mistake() -> None:
    """At the key it stands under."""
    with pytest.raises(ConfigError, match="not a regular expression that RE2 supports"):
        made("nudge", "user_prompt_submit", {"also": {"/(/": "@x"}})
    with pytest.raises(ConfigError, match=r"config\.ignore\[0\]"):
        made("nudge", "user_prompt_submit", {"ignore": ["(?=x)"]})


COMMIT = {"words": ["commit"], "text": "Commit rules.\nUse the /commit skill.", "first": True}
NAMES = {
    "words": ["todo", "readme", "changelog", "spec", "architecture", ".md"],
    "text": "Names of documents.",
}


@pytest.mark.req("P40")
@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("commit and ship it", "Commit rules.\nUse the /commit skill."),
        ("write a changelog", "Names of documents."),
        ("see notes.md for it", "Names of documents."),
        ("improve the spec", "Invoke @improve.\n\nNames of documents."),
        ("commit the changelog", "Commit rules.\nUse the /commit skill.\n\nNames of documents."),
    ],
)
def test_words_bring_texts(text: str, context: str | None) -> None:
    """A text may come before all routes; several are parted by an empty line."""
    engine = made("nudge", "user_prompt_submit", {"notes": [COMMIT, NAMES]})

    assert said(engine, text) == context


@pytest.mark.req("P41")
@pytest.mark.parametrize(
    "text",
    [
        "improve the hook",
        "the agent has to check how we ship",
        "improve the agent to fix this issue",
        "debug why the ship nudge fires",
        "check the build settings",
        "invoke the improve agent",
    ],
)
def test_talk_about_the_machinery_is_ignored(engine: Engine, text: str) -> None:
    """It is not a call for what it names."""
    assert said(engine, text) is None


@pytest.mark.parametrize("text", ["/ship now", "let @improve look at what we improve"])
def test_whoever_names_the_place_is_not_sent_there(engine: Engine, text: str) -> None:
    """A typed command, or the route itself in the prompt."""
    assert said(engine, text) is None


def test_the_person_need_not_be_told() -> None:
    """By one option."""
    decision: Decision = made("nudge", "user_prompt_submit", {"tell": False}).decide_sync(prompt("ship it"))

    assert (decision.context, decision.messages) == (("Invoke /ship.",), ())


@pytest.mark.req("P54")
def test_words_have_boundaries(engine: Engine) -> None:
    """A keyword inside a longer word is none."""
    assert said(engine, "the friendship of rebuilding") is None


def test_a_long_prompt_costs_no_more_than_its_beginning(engine: Engine) -> None:
    """What a prompt is about stands at its beginning."""
    assert said(engine, "x" * 5_000 + " ship it") is None
