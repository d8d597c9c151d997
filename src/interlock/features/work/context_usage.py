"""The tokens of a session, by the counts in its transcript."""

from __future__ import annotations

from interlock.features.work.sessions.usage import usage_in


class TranscriptWindow:
    """Looks at the end of a transcript each time it is asked."""

    def tokens(self, transcript: str) -> int | None:
        """What the newest answer of the model took in; None where nobody can tell."""
        found = usage_in(transcript)
        return found.tokens if found else None
