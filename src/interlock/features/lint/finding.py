"""One thing a lint has to say about a policy."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Weight(StrEnum):
    """Whether a finding alone makes the lint fail."""

    ERROR = "error"  # a rule does not do what it says
    WARNING = "warning"  # it does, and a person should look at it


class Code(StrEnum):
    """The kinds of findings."""

    DEAD = "dead"  # can never match
    UNKNOWN_TOOL = "unknown-tool"  # names a tool of no host we know
    SHADOWED = "shadowed"  # an earlier rule always decides before it
    CONTRADICTORY = "contradictory"  # allowed and denied by the same file
    BROAD = "too-broad"  # lets pass, or stops, more than anyone means
    SPELLING = "one-spelling"  # a deny that only holds for the text as it is spelt
    SUGGESTION = "bad-suggestion"  # advises what the policy itself stops
    FAILS_OPEN = "fails-open"  # a judge whose failure lets the call pass
    DUPLICATE = "duplicate-name"  # traces cannot tell it from another
    UNMATCHED = "never-matched"  # the ledger has no call it was asked about


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Where, which rule, one sentence, and what to do."""

    weight: Weight
    code: Code
    file: str
    line: int
    rule: str
    message: str
    cure: str

    @property
    def place(self) -> str:
        """The file and line, as editors understand it."""
        return f"{self.file}:{self.line}" if self.line else self.file
