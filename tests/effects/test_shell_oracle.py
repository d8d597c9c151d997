"""What a real shell starts is what the reader said it would start, over corpora, random and changed texts.

`ORACLE_TEXTS` sets how many random and changed texts are tried, `ORACLE_SEED` which ones.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Final

import pytest
from tests.effects.oracle.corpus import load
from tests.effects.oracle.flows import Flows
from tests.effects.oracle.mutation import mutate
from tests.effects.oracle.portable import is_portable
from tests.effects.oracle.sandbox import FOLDER, HOME, Sandbox, open_sandbox
from tests.effects.oracle.shell_texts import Texts
from tests.effects.oracle.trial import Trial, shortest, trial, well_formed

from interlock.effects.command import GapKind, Script
from interlock.effects.reading import read_script

pytestmark = pytest.mark.deep

COUNT: Final = int(os.environ.get("ORACLE_TEXTS", "2000"))
SEED: Final = int(os.environ.get("ORACLE_SEED", "1"))
SHOWN: Final = 15  # misses made short before a test gives up listing them
CORPORA: Final = ("benign", "hostile")
MOST_UNREAD_BENIGN: Final = 0.02
MOST_UNREAD_RANDOM: Final = 0.3


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One build of the stubs for all texts."""
    with open_sandbox() as opened:
        yield opened


def read(text: str) -> Script:
    """A text as it would be read in the sandbox's folder."""
    return read_script(text, FOLDER, home=HOME)


def rows(*names: str) -> list[str]:
    """The texts of corpora that a process can be given at all."""
    return [row.text for name in names for row in load(name) if "\0" not in row.text]


def random_texts(count: int) -> list[str]:
    """Texts of the grammar."""
    draw = Texts(SEED)
    return [draw.text() for _ in range(count)]


def changed_texts(count: int) -> list[str]:
    """Rows of the corpora and some random texts with small changes."""
    rng, known = random.Random(SEED), [*rows(*CORPORA), *random_texts(300)]
    return [mutate(rng.choice(known), rng) for _ in range(count)]


def hold(sandbox: Sandbox, texts: Sequence[str], shell: str = "bash") -> Trial:
    """Fail with each miss as short as it can be made."""
    found = trial(sandbox, read, texts, shell)
    sys.stdout.write(f"seed {SEED}, {shell}: {found}\n")
    missed = list(dict.fromkeys(miss.text for miss in found.misses))
    short = dict.fromkeys(str(shortest(sandbox, read, text, shell) or text) for text in missed[:SHOWN])
    assert not missed, (
        f"seed {SEED}, {shell}: {len(missed)} texts did what was not said, shortest:\n" + "\n".join(short)
    )
    return found


@pytest.mark.req("X11")
@pytest.mark.parametrize("name", CORPORA)
def test_all_that_runs_was_said_for_every_row_of_the_corpora(sandbox: Sandbox, name: str) -> None:
    """No row starts a program that the reader did not name, unless it calls the row unread."""
    found = hold(sandbox, rows(name))

    assert found.ran > found.texts / 3


@pytest.mark.req("X11")
def test_all_that_runs_was_said_for_random_texts(sandbox: Sandbox) -> None:
    """The same over texts of a grammar, most of which can be read."""
    found = hold(sandbox, random_texts(COUNT // 2))

    unread = len(well_formed(sandbox, found.unread)) / found.texts
    sys.stdout.write(f"seed {SEED}: {unread:.1%} of the random texts are unread though bash accepts them\n")
    assert unread <= MOST_UNREAD_RANDOM


@pytest.mark.req("X11")
def test_all_that_runs_was_said_for_changed_texts(sandbox: Sandbox) -> None:
    """The same over rows with a sign or word put in, taken out, doubled or swapped."""
    hold(sandbox, changed_texts(COUNT - COUNT // 2))


@pytest.mark.req("X11")
def test_all_that_runs_was_said_whatever_may_have_set_its_name(sandbox: Sandbox) -> None:
    """The same where a name comes from variables, parameters and files that branches and functions set."""
    draw = Flows(SEED)
    found = hold(sandbox, [draw.text() for _ in range(COUNT // 2)])

    assert found.ran > found.texts / 3


@pytest.mark.req("X11")
def test_dash_starts_nothing_else(sandbox: Sandbox) -> None:
    """Texts that keep to what all shells share do in dash, too, only what was said."""
    texts = [*rows(*CORPORA), *random_texts(COUNT // 2), *changed_texts(COUNT // 4)]

    found = hold(sandbox, [text for text in texts if is_portable(text)], "dash")
    assert found.texts > len(texts) / 4


@pytest.mark.req("case:C23")
def test_everyday_commands_are_read() -> None:
    """Text from a variable or the network runs in no benign row, and nearly all of them are read whole."""
    gaps = {row.text: read(row.text).gaps for row in load("benign")}

    opened = [text for text, found in gaps.items() if any(gap.kind is GapKind.OPEN for gap in found)]
    unread = [text for text, found in gaps.items() if any(gap.kind is not GapKind.CODE for gap in found)]
    assert not opened
    assert len(unread) <= MOST_UNREAD_BENIGN * len(gaps), "\n".join(unread)


def test_the_corpora_are_large_and_repeat_nothing() -> None:
    """At least 300 rows each, every one with its reason, none twice."""
    for name in CORPORA:
        found = load(name)
        assert len(found) >= 300
        assert len({row.text for row in found}) == len(found)
        assert all(row.why for row in found)
