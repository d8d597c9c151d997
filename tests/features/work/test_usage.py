"""How full a window is follows from the newest answer in its transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.transcript import LARGE_WINDOW, WINDOW, Usage, usage_in, window_of


def answer(
    tokens: Any = 1_000, cached: Any = 0, created: Any = 0, model: str = "claude-x", **more: Any
) -> Any:
    usage = {
        "input_tokens": tokens,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": created,
        "output_tokens": 7,
    }
    return {"type": "assistant", "message": {"role": "assistant", "model": model, "usage": usage}, **more}


def usage(folder: Path, *entries: Any, sub_agent: bool = False) -> Usage | None:
    file = folder / "t.jsonl"
    file.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return usage_in(str(file), sub_agent=sub_agent)


def test_what_was_sent_and_what_was_cached_fill_the_window(tmp_path: Path) -> None:
    """Input, cache read and cache written count; the newest answer counts alone."""
    found = usage(tmp_path, answer(9), answer(1_000, 150_000, 29_000))

    assert found == Usage(tokens=180_000, model="claude-x")
    assert found.share() == pytest.approx(0.9)
    assert found.share(360_000) == pytest.approx(0.5)


def test_an_error_of_the_api_counts_nothing(tmp_path: Path) -> None:
    """The client writes zeros for it, which would hide a full window."""
    error = answer(0, model="<synthetic>", isApiErrorMessage=True)

    assert usage(tmp_path, answer(5_000), error) == Usage(tokens=5_000, model="claude-x")


def test_after_a_compaction_nothing_is_known_until_the_next_answer(tmp_path: Path) -> None:
    """The counts before it are of a window that is gone."""
    boundary = {"type": "system", "subtype": "compact_boundary"}

    assert usage(tmp_path, answer(190_000), boundary) is None
    assert usage(tmp_path, answer(190_000), boundary, answer(20_000)) == Usage(
        tokens=20_000, model="claude-x"
    )


def test_a_sub_agent_fills_its_own_window_only(tmp_path: Path) -> None:
    """In its parent's transcript its counts are passed over, in its own they are all there is."""
    entries = [answer(5_000), answer(90_000, isSidechain=True)]

    assert usage(tmp_path, *entries) == Usage(tokens=5_000, model="claude-x")
    assert usage(tmp_path, *entries, sub_agent=True) == Usage(tokens=90_000, model="claude-x")


@pytest.mark.parametrize("between", [10, 200_000, 900_000])
def test_a_long_result_does_not_hide_the_count_before_it(tmp_path: Path, between: int) -> None:
    """The end is read first, and more of it where it says nothing."""
    long = {"type": "user", "message": {"role": "user", "content": "x" * between}}

    assert usage(tmp_path, answer(5_000), long) == Usage(tokens=5_000, model="claude-x")


def test_without_a_count_there_is_no_usage(tmp_path: Path) -> None:
    """Not zero: unknown."""
    odd = [
        {"type": "assistant"},
        answer("many", None, True),
        {"type": "assistant", "message": {"usage": [1]}},
    ]

    assert usage(tmp_path) is None
    assert usage(tmp_path, *odd) is None
    assert usage_in(str(tmp_path / "missing")) is None


def test_the_window_follows_from_the_model() -> None:
    """Its name has a mark for the large one; counts beyond the small one give it away too."""
    assert window_of("claude-x") == window_of(None) == WINDOW == 200_000
    assert window_of("claude-x[1m]") == LARGE_WINDOW
    assert window_of("claude-x", tokens=200_001) == LARGE_WINDOW
    assert Usage(tokens=100_000, model="claude-x[1m]").share() == pytest.approx(0.1)


@settings(deadline=None)
@given(tokens=st.integers(0, 10**12), window=st.none() | st.integers(1, 10**9))
def test_a_share_is_between_nothing_and_all(tokens: int, window: int | None) -> None:
    """Whatever a transcript says, since the store takes nothing else."""
    assert 0 <= Usage(tokens=tokens).share(window) <= 1
