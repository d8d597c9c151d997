"""How long things took: quantiles of any number of durations in a few hundred counts."""

from __future__ import annotations

import math
from typing import Final

_STEP: Final = math.log(1.05)  # a bucket is 5 % wide, and so is the error
_LEAST: Final = 0.001  # milliseconds; what is recorded has three places
_BUCKETS: Final = 512  # up to two years
_COARSE: Final = 4


class Durations:
    """Counts by bucket; adding one costs a logarithm and no memory."""

    def __init__(self) -> None:
        self._counts: Final[dict[int, int]] = {}
        self.count = 0

    def add(self, milliseconds: float) -> None:
        """Take in one duration."""
        self.add_bucket(bucket_of(milliseconds), 1)

    def add_bucket(self, bucket: int, count: int) -> None:
        """Take in durations that were counted before."""
        self._counts[bucket] = self._counts.get(bucket, 0) + count
        self.count += count

    def quantile(self, share: float) -> float | None:
        """The duration this share of them stays within, to 5 %; None when there are none."""
        left = share * self.count
        for bucket in sorted(self._counts):
            left -= self._counts[bucket]
            if left <= 0:
                return longest_in(bucket)
        return None


def bucket_of(milliseconds: float) -> int:
    """The bucket a duration is counted in."""
    return min(0 if milliseconds <= _LEAST else int(math.log(milliseconds / _LEAST) / _STEP) + 1, _BUCKETS)


def longest_in(bucket: int) -> float:
    """The longest duration of a bucket, in milliseconds."""
    return round(_LEAST * math.exp(bucket * _STEP), 3)


def coarse(bucket: int) -> int:
    """One bucket for each four, where there are many durations to keep: to 10 % instead of 5."""
    return bucket // _COARSE * _COARSE + _COARSE // 2
