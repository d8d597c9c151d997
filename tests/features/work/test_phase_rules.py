"""A skill's phases are entered in order; leaving the order takes a reason."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.phase_rules import enter, read_label, read_phase
from interlock.features.work.records import Code, RefusedError

PLAIN = ("0: Setup", "1: Questions", "2: Plan", "3: Build", "3.A: Alone", "3.B: With others", "4: Report")

numbers = st.one_of(
    st.integers(0, 9999).map(str),
    st.tuples(st.integers(0, 9999), st.sampled_from("ABCXYZ")).map(lambda pair: f"{pair[0]}.{pair[1]}"),
    st.tuples(st.integers(0, 9999), st.integers(0, 9999)).map(lambda pair: f"{pair[0]}.{pair[1]}"),
)


def refused(current: str | None, wanted: str, declared: tuple[str, ...] = PLAIN) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        enter(declared, current, wanted)
    return caught.value


@pytest.mark.parametrize(
    ("current", "wanted"),
    [
        (None, "0: Setup"),
        ("0: Setup", "1: Questions"),
        ("3: Build", "3.A: Alone"),
        ("3.A: Alone", "3.B: With others"),
        ("3.B: With others", "4: Report"),
        ("3.A: Alone", "4: Report"),  # a part to the next phase
        ("3: Build", "4: Report"),  # parts are ways to go, none has to be taken
    ],
)
@pytest.mark.req("E61")
def test_the_next_phase_is_free(current: str | None, wanted: str) -> None:
    """The next in order, and from a phase or any of its parts the phase after it."""
    step = enter(PLAIN, current, wanted)

    assert step is not None
    assert (step.label, step.phases, step.appended) == (wanted, PLAIN, False)


@pytest.mark.req("E61")
def test_the_same_phase_again_changes_nothing() -> None:
    """However it is written."""
    assert enter(PLAIN, "2: Plan", "2: Plan") is None
    assert enter(PLAIN, "2: Plan", " 02 :  Plan ") is None
    assert enter(PLAIN, "2: Plan", "2") is None
    assert enter((), "2: Plan", "2: Plan") is None


@pytest.mark.parametrize(
    ("current", "wanted", "expected"),
    [
        (None, "1: Questions", "0: Setup"),
        ("0: Setup", "2: Plan", "1: Questions"),
        ("2: Plan", "1: Questions", "3: Build"),
        ("3: Build", "3.B: With others", "3.A: Alone"),
        ("2: Plan", "3.A: Alone", "3: Build"),
        ("4: Report", "0: Setup", None),
    ],
)
@pytest.mark.req("E61")
def test_any_other_phase_needs_a_reason(current: str | None, wanted: str, expected: str | None) -> None:
    """Skipping and going back are refused with the phase that would come, and pass with a reason."""
    error = refused(current, wanted)

    assert error.code is Code.PHASE_NOT_SEQUENTIAL
    assert error.about == {"expected": expected, "phase": wanted}
    step = enter(PLAIN, current, wanted, reason="the user asked for it")
    assert step is not None
    assert step.label == wanted


def test_a_blank_reason_is_none() -> None:
    """Saying nothing gives no reason."""
    with pytest.raises(RefusedError, match="PHASE_NOT_SEQUENTIAL"):
        enter(PLAIN, "0: Setup", "4: Report", reason="  ")


@pytest.mark.parametrize(
    "wanted", ["9: Nowhere", "9.A: Nowhere", "3: Biuld", "3.A: Another", "Build", "", "3", "x" * 500]
)
@pytest.mark.req("E61")
def test_an_unknown_phase_is_refused(wanted: str) -> None:
    """Also with a reason, and also when the number is taken by another name."""
    with pytest.raises(RefusedError) as caught:
        enter(("1: Plan", "3.A: Alone", "4: Build"), "1: Plan", wanted, reason="because")

    assert caught.value.code is Code.UNKNOWN_PHASE
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_misspelt_phase_gets_the_nearest() -> None:
    """The number says which is meant."""
    assert "did you mean `3: Build`?" in str(refused("2: Plan", "3: Biuld"))


@pytest.mark.parametrize(
    ("current", "new", "place"),
    [("3: Build", "3.C: Review", 6), ("3.A: Alone", "3.C: Review", 6), ("2: Plan", "2.1: Sketch", 3)],
)
@pytest.mark.req("E61")
def test_a_new_part_joins_the_phase_it_belongs_to(current: str, new: str, place: int) -> None:
    """It stands after the parts before it, and the phases are known with it from then on."""
    step = enter(PLAIN, current, new)

    assert step is not None
    assert step.appended
    assert step.phases == (*PLAIN[:place], new, *PLAIN[place:])
    assert enter(step.phases, new, step.phases[place + 1]) is not None


def test_a_new_part_of_another_phase_needs_a_reason() -> None:
    """It would be a way around the order."""
    assert refused("0: Setup", "3.C: Review").code is Code.PHASE_NOT_SEQUENTIAL
    assert refused("3.B: With others", "3.1: Back").code is Code.UNKNOWN_PHASE  # 3.1 is 3.A
    assert refused(None, "3.C: Review").code is Code.PHASE_NOT_SEQUENTIAL


def test_a_skill_without_phases_may_be_in_any() -> None:
    """What nobody declared cannot be out of order; it is still written as a phase."""
    step = enter((), "7: Last", "1: First")

    assert step is not None
    assert (step.label, step.phases) == ("1: First", ())
    assert refused(None, "first", ()).code is Code.UNKNOWN_PHASE


def test_a_phase_that_was_dropped_keeps_its_place() -> None:
    """The skill's file changed while an effort was in a phase: it goes on with the one that follows."""
    step = enter(("0: Setup", "2: Plan"), "1: Questions", "2: Plan")

    assert step is not None
    assert step.label == "2: Plan"


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("2.a: x", None),
        ("2: ", None),
        (7, None),
        ({"name": "Plan"}, None),
        ({"label": "2.A", "name": "Plan"}, "2.A: Plan"),
        ({"label": 2, "name": "Plan"}, "2: Plan"),
        ({"major": 2, "minor": 0, "name": "Plan"}, "2: Plan"),
        ({"major": 2, "minor": 1, "name": "Plan"}, "2.1: Plan"),
    ],
)
def test_phases_are_read_in_every_form_of_skill_files(value: object, label: str | None) -> None:
    """A label, or a mapping with its parts; nothing else is a phase."""
    phase = read_phase(value)

    assert (phase.label if phase else None) == label


@settings(deadline=None)
@given(number=numbers, name=st.text(min_size=1, max_size=50))
def test_a_label_read_once_reads_the_same_again(number: str, name: str) -> None:
    """One form: reading what was read changes nothing."""
    first = read_label(f"{number}: {name}")
    if first is not None:
        assert read_label(first.label) == first


@settings(deadline=None)
@given(
    declared=st.lists(st.tuples(numbers, st.sampled_from("ab")), max_size=8, unique_by=lambda pair: pair[0]),
    current=st.one_of(st.none(), numbers),
    wanted=st.text(max_size=12) | numbers.map(lambda number: f"{number}: a"),
    reason=st.none() | st.just("because"),
)
def test_a_step_is_taken_or_refused_with_a_code(
    declared: list[tuple[str, str]], current: str | None, wanted: str, reason: str | None
) -> None:
    """Whatever is asked: the label is among the phases afterwards, and asking again is not a step."""
    labels = tuple(f"{number}: {name}" for number, name in declared)
    here = f"{current}: a" if current else None
    try:
        step = enter(labels, here, wanted, reason=reason)
    except RefusedError as error:
        step, code = None, error.code
    else:
        code = Code.UNKNOWN_PHASE
    assert code in (Code.UNKNOWN_PHASE, Code.PHASE_NOT_SEQUENTIAL)
    if step is not None:
        assert not step.phases or step.label in step.phases
        assert len(step.phases) - len(labels) in (0, 1)
        assert enter(step.phases, step.label, step.label) is None
