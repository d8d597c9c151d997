"""The reference pages say what the records of the code say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripts.reference_docs import PAGES, filled, missing

from interlock.builtin_hooks.catalog import BASIC
from interlock.policy.hook_kinds import own_kinds

SECTION = re.compile(r"^## `(?P<kind>\w+)`\n(?P<text>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
SECTIONS = {match["kind"]: match["text"] for match in SECTION.finditer(PAGES[1].read_text("utf-8"))}
KINDS = sorted(own_kinds().keys() - set(BASIC))  # the others are explained with the format


def test_every_hook_has_a_section_and_no_section_is_stale() -> None:
    """One section per hook, none for a hook that is gone."""
    assert sorted(SECTIONS) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_section_has_an_example_and_its_options(kind: str) -> None:
    """A policy to copy, which another test loads, and the table."""
    text = SECTIONS[kind]

    assert re.search(rf"^```yaml\nversion: .*?type: {kind}\b.*?^```$", text, re.DOTALL | re.MULTILINE)
    assert f"<!-- options: {kind} -->\n" in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_hook_is_tried_alone_and_through_the_shim(kind: str) -> None:
    """Unit tests in a file of its own name, and a policy with it before a real daemon."""
    tests = Path(__file__).parent
    tried = "".join(file.read_text("utf-8") for file in (tests / "daemon").glob("test_*.py"))

    assert [*tests.rglob(f"test_{kind}*.py")]
    assert re.search(rf"\btype: {kind}\b|\bpacks: \[{kind}\b", tried)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_are_fresh(page: Path) -> None:
    """They are what the records give today."""
    text = page.read_text("utf-8")

    assert text == filled(text), "stale; run `python -m scripts.reference_docs`"


def test_no_table_is_missing() -> None:
    """Every type of hook and every part of a policy file has its table on one of the pages."""
    pages = "".join(page.read_text("utf-8") for page in PAGES)

    assert missing(pages) == []
    assert missing(pages.replace("<!-- keys: approval -->", "")) == ["<!-- keys: approval -->"]


def test_every_key_says_what_it_means() -> None:
    """No row of a table ends with an empty cell."""
    rows = [line for page in PAGES for line in page.read_text("utf-8").splitlines() if line.endswith("|  |")]

    assert rows == []
