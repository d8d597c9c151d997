"""Unread instructions allow a few more calls; then they have to be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.directives import GRACE, find_unread, judge_reading, read_target

PENDING = ("/p/AGENTS.md", "/p/src/INVARIANTS.md")


@pytest.mark.req("E67")
def test_three_more_calls_and_then_none_until_all_is_read() -> None:
    """The reason names what to read; reading passes; what is read frees the rest."""
    waited = 0
    for _ in range(3):
        waited, reason = judge_reading(PENDING, waited, None)
        assert reason is None
    assert judge_reading(PENDING, waited, None) == (
        waited,
        "directive-gate: read `/p/AGENTS.md`, `/p/src/INVARIANTS.md` first; then repeat this call",
    )
    assert judge_reading(PENDING, waited, "/p/AGENTS.md") == (waited, None)
    assert judge_reading(PENDING[1:], waited, "/p/other.md")[1] is not None
    assert judge_reading((), waited, None) == (0, None)


@settings(deadline=None)
@given(grace=st.integers(0, 20), calls=st.lists(st.sampled_from([None, "/p/AGENTS.md", "/x"]), max_size=40))
def test_as_many_calls_pass_as_grace_gives(grace: int, calls: list[str | None]) -> None:
    """Whatever is read in between, and reading itself is never held."""
    waited = passed = 0
    for target in calls:
        waited, reason = judge_reading(PENDING, waited, target, grace=grace)
        if target in PENDING:
            assert reason is None
        elif reason is None:
            passed += 1

    others = sum(target not in PENDING for target in calls)
    assert passed == min(grace, others)


def test_three_is_the_default() -> None:
    """As in the document."""
    assert GRACE == 3


def test_what_was_read_or_is_gone_is_not_pending(tmp_path: Path) -> None:
    """Nobody can read a file that is no longer there."""
    one, two = tmp_path / "AGENTS.md", tmp_path / "INVARIANTS.md"
    one.write_text("x")
    two.write_text("x")

    found = [str(one), str(two), str(one), str(tmp_path / "gone.md")]
    assert find_unread(found, ()) == (str(one), str(two))
    assert find_unread(found, {str(one)}) == (str(two),)


def test_the_file_a_call_reads_is_known_by_its_real_path(tmp_path: Path) -> None:
    """Links and relative paths lead to the same file; no other tool reads it."""
    (tmp_path / "real.md").write_text("x")
    (tmp_path / "link.md").symlink_to("real.md")
    real = str(tmp_path / "real.md")

    assert read_target("Read", {"file_path": "link.md"}, str(tmp_path)) == real
    assert read_target("Write", {"file_path": "link.md"}, str(tmp_path)) is None
    assert read_target("Read", {"file_path": "a\0b"}, str(tmp_path)) is None
    assert read_target("Read", {}, str(tmp_path)) is None
