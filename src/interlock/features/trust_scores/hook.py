"""`trust_gate`: allows or denies by an actor's trust score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, final

import msgspec
from msgspec import UNSET, UnsetType

from interlock.events.hook import CallView, Handler, Pattern, PatternList
from interlock.events.rule import Rule
from interlock.events.verdict import Verdict, Vote
from interlock.features.trust_scores.scores import WEIGHTS, Score, Scores, check_weights
from interlock.patterns.matcher import parse_pattern
from interlock.policy.format.entry import about
from interlock.policy.hook_kind import BuildContext, Builtin

ALLOWS: Final = 0.80
DESTRUCTIVE: Final = 0.90
DENIES: Final = 0.40
# What cannot be undone: deletions by any tool, and commands that end, reset or overwrite something.
_DESTRUCTIVE: Final = PatternList(
    parse_pattern(text)
    for text in (
        "delete(*)",
        "Bash(git reset --hard *)",
        "Bash(git clean *)",
        "Bash(git push --force*)",
        "Bash(git push --force-with-lease*)",
        "Bash(git branch -D *)",
        "Bash(kill *)",
        "Bash(pkill *)",
        "Bash(killall *)",
        "Bash(dd *)",
        "Bash(mkfs*)",
        "Bash(truncate *)",
        "Bash(shred *)",
        "Bash(dropdb *)",
        "write(*.env*)",
        "write(*/.ssh/*)",
        "write(*/.gnupg/*)",
        "write(*credentials*)",
    )
)


@final
class TrustGate(Rule):
    """Allows at a high score, denies at a low one, and has no opinion in between."""

    kind: Final = "trust_gate"

    def __init__(self, weights: Mapping[str, float] = WEIGHTS, scores: Scores | None = None) -> None:
        check_weights(weights)
        self._weights: Final = dict(weights)
        self._scores: Final = scores

    def fingerprint(self) -> Any:
        return None if self._weights == WEIGHTS else self._weights

    @property
    def patterns(self) -> Sequence[Pattern]:
        return _DESTRUCTIVE.patterns

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        score = Score()
        if self._scores is not None:
            score = self._scores.score(event.actor, event.project or event.cwd, self._weights)
        # A call that cannot be read may destroy something.
        destructive = view.unread is not None or view.denied(_DESTRUCTIVE) is not None
        needed = DESTRUCTIVE if destructive else ALLOWS
        trust = f"trust in {event.actor} is {score.value:.2f}"
        if score.value < DENIES:
            why = f"{trust}, below {DENIES:.2f}: {score.explained}; `interlock trust-score` shows the entries"
            return Verdict(vote=Vote.DENY, reason=why)
        if score.value >= needed:
            return Verdict(vote=Vote.ALLOW, reason=f"{trust}, at least {needed:.2f}: {score.explained}")
        return Verdict(reason=f"{trust}, between {DENIES:.2f} and {needed:.2f}: {score.explained}")


class TrustGateConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    weights: Annotated[dict[str, float], about("By factor; they add up to 1.")] | UnsetType = UNSET


def _make(options: TrustGateConfig, context: BuildContext) -> Handler | None:
    weights = dict(options.weights) if options.weights else WEIGHTS
    return context.attempt("weights", TrustGate, weights, context.services.find(Scores))


BUILTIN: Final = Builtin(
    kind="trust_gate",
    about="Decides by what the ledger says about the actor.",
    options=TrustGateConfig,
    make=_make,
    votes=True,
    tightens=True,
)
