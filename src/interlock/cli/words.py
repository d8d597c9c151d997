"""Words that are typed as values: a wrong one gets the nearest, instead of a list that is empty."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from interlock.errors import InterlockError
from interlock.events.source import Layer
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Vote
from interlock.policy.files.words import hint, near_miss
from interlock.policy.policy import Policy

DECISIONS: Final = tuple(str(vote) for vote in (Vote.ALLOW, Vote.ASK, Vote.DENY))
_LAYERS: Final = tuple(name.lower() for name in Layer.__members__)
# What people say for a decision, beside words that are only mistyped.
_MEANT: Final = {"allowed": "allow", "denied": "deny", "blocked": "deny", "asked": "ask"}


def one_of(word: str, valid: Iterable[str], what: str) -> str:
    """The word, which has to be one of these."""
    words = tuple(valid)
    if word in words:
        return word
    meant = _MEANT.get(word.lower())
    raise InterlockError(f"`{word}` is not a {what}; {hint(meant if meant in words else word, words)}")


def probably(word: str, known: Iterable[str], what: str) -> str:
    """The word, which may be new, unless it is surely one of these, mistyped."""
    words = tuple(known)
    if word not in words and near_miss(word, words):
        raise InterlockError(f"there is no {what} `{word}`; {hint(word, words)}")
    return word


def decision_word(word: str | None) -> str | None:
    """For an option: a decision."""
    return None if word is None else one_of(word, DECISIONS, "decision")


def layer_word(word: str) -> str:
    """For an option: a layer of policies."""
    return one_of(word.lower(), _LAYERS, "layer")


def actor_word(word: str | None, policy: Policy) -> str | None:
    """An actor, which the policy may not name."""
    return None if word is None else probably(word, {*policy.actors.names, *policy.permitted}, "actor")


def tool_word(word: str | None) -> str | None:
    """For an option: a tool, which may be one that only its agent knows."""
    return None if word is None else probably(word, STANDARD_TOOLS.known, "tool")
