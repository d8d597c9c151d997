"""Every requirement in scope is held by a test, and every mark names a requirement that exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.requirements.departures import DEPARTURES, DOCUMENTS
from tests.requirements.ids import IN_SCOPE, KNOWN, expand, expand_all
from tests.requirements.marks import marks_in, marks_under

TESTS = Path(__file__).resolve().parent


@pytest.mark.deep
def test_every_requirement_in_scope_is_named_by_a_test() -> None:
    """No id in in_scope.txt is missing from the marks of all test files."""
    named = {mark.id for mark in marks_under(TESTS)}

    missing = [name for name in IN_SCOPE if name not in named]
    assert not missing, f"{len(missing)} of {len(IN_SCOPE)} ids are named by no test: {' '.join(missing)}"


@pytest.mark.deep
def test_every_mark_names_an_id_that_exists() -> None:
    """Each argument of each mark is a known id, written out as a string."""
    unknown = [str(mark) for mark in marks_under(TESTS) if mark.id not in KNOWN]

    assert not unknown, "\n".join(unknown)


def test_the_scope_lists_known_ids_once() -> None:
    """in_scope.txt repeats nothing and invents nothing."""
    assert len(set(IN_SCOPE)) == len(IN_SCOPE)
    assert set(IN_SCOPE) <= set(KNOWN)


def test_a_departure_names_what_it_departs_from_and_why() -> None:
    """Its ids are of its document, it is told in full sentences, and a table can show it."""
    for one in DEPARTURES:
        assert one.requirements, one
        assert all(name in KNOWN and name[0] == DOCUMENTS[one.document] for name in one.requirements), one
        told = (one.says, one.does, one.because)
        assert all(text.endswith(".") and "|" not in text and "\n" not in text for text in told), one


@pytest.mark.deep
def test_a_departed_line_that_is_built_is_held_by_a_test() -> None:
    """What happens instead is as certain as what is written; names of other projects are not applicable."""
    named = {mark.id for mark in marks_under(TESTS)}
    departed = {name for one in DEPARTURES if "Not applicable" not in one.does for name in one.requirements}

    assert departed <= named


def test_a_range_keeps_the_spelling_of_its_ids() -> None:
    """Requirement C1 and case C01 stay apart, and a lone id is a range of one."""
    assert list(expand("C8-C11")) == ["C8", "C9", "C10", "C11"]
    assert list(expand("C08-C11")) == ["C08", "C09", "C10", "C11"]
    assert expand_all("# none\nU1  # one\nU3-U4 M83") == ("U1", "U3", "U4", "M83")


def test_a_case_spelt_like_a_requirement_has_a_name_of_its_own() -> None:
    """`C10` is the requirement, `case:C10` the case, and no id is known twice."""
    assert {"C1", "C01", "C10", "case:C10", "P9", "P09"} <= set(KNOWN)
    assert len(set(KNOWN)) == len(KNOWN)


@pytest.mark.parametrize("text", ["C", "c1", "C1-M4", "C1..C4", "C1-", "1"])
def test_what_is_no_range_is_refused(text: str) -> None:
    """A misspelt line of in_scope.txt never passes as an empty one."""
    with pytest.raises(ValueError, match=text):
        list(expand(text))


def test_marks_are_found_wherever_pytest_honours_them() -> None:
    """Functions, classes, `pytestmark` and parameters count."""
    text = """
import pytest
pytestmark = [pytest.mark.req("C1")]
CASES = [pytest.param(1, marks=pytest.mark.req("C2"))]
@pytest.mark.req("C3")
class TestOne:
    pytestmark = pytest.mark.req("C4")
    @pytest.mark.req("C5", "C6")
    async def test_two(self): ...
@pytest.mark.parametrize("n", [pytest.param(1, marks=[pytest.mark.req("C7")])])
def test_three(n): ...
"""
    assert {mark.id for mark in marks_in(text, "t.py")} == {"C1", "C2", "C3", "C4", "C5", "C6", "C7"}


def test_marks_that_mark_nothing_do_not_count() -> None:
    """A mark on a function that is not a test, in a text or in a comment, holds no requirement."""
    text = '''
@pytest.mark.req("C1")
def build(): ...
TEXT = """pytest.mark.req("C2")"""  # pytest.mark.req("C3")
'''
    assert not list(marks_in(text, "t.py"))


@pytest.mark.parametrize("arguments", ["*IDS", "NAME", "", "3"])
def test_a_mark_that_is_not_written_out_has_no_id(arguments: str) -> None:
    """A mark nobody can read is reported with its place instead of passing for one that names something."""
    marks = list(marks_in(f"@pytest.mark.req({arguments})\ndef test_one(): ...\n", "t.py"))

    assert [str(mark) for mark in marks] == ["t.py:1: not a written-out id"]
