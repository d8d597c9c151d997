"""Laws of files that are swapped while they are looked at: what counts is what was read."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.daemon.test_policies import Person
from tests.policy.project import DENY, GUARD, hooks

pytestmark = pytest.mark.deep

ROUNDS = 150
GOOD, EVIL = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 2\n"  # of one length


@contextmanager
def swapping(swap: Callable[[int], None]) -> Iterator[None]:
    """Somebody swaps without rest, and leaves the second of the two."""
    stopped = threading.Event()

    def run() -> None:
        turn = 0
        while not stopped.is_set():
            swap(turn % 2)
            turn += 1
        swap(1)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def links(place: Path, targets: tuple[str, str]) -> Callable[[int], None]:
    """Let a link lead to the one or the other; neither file is touched by that."""
    half = place.with_name("half-link")

    def swap(which: int) -> None:
        half.symlink_to(targets[which])
        half.replace(place)

    return swap


def exchanged(place: Path, contents: tuple[str, str]) -> Callable[[int], None]:
    """Let a file be the one or the other, by its name."""
    kept = [place.with_name(f"kept-{number}") for number in range(2)]
    for file, content in zip(kept, contents, strict=True):
        file.write_text(content)
        file.chmod(0o755)
    half = place.with_name("half-file")

    def swap(which: int) -> None:
        half.unlink(missing_ok=True)
        os.link(kept[which], half)
        half.replace(place)

    return swap


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """A person whose project names a script in a folder behind a link."""
    found = Person(tmp_path)
    app = found.app
    for name, content in (("good", GOOD), ("evil", EVIL)):
        app.write(f"{name}/guard.sh", content)
    links(app.root / "tools", ("good", "evil"))(0)
    app.policy(DENY, GUARD.replace("./guard.sh", "./tools/guard.sh"))
    app.confirm()
    return found


def caught(person: Person, swap: Callable[[int], None]) -> int:
    """How often the second was taken for what was trusted, once the swapping had ended."""
    wrong = 0
    for _ in range(ROUNDS):
        with swapping(swap):
            for _ in range(3):
                person.policies = person.started()
                person.loaded()
        wrong += "guard" in person.names()
    return wrong


def test_what_nobody_swaps_is_looked_at_and_not_read_again(person: Person) -> None:
    """Also behind a link, and with files that are not there."""
    assert person.loaded() is person.loaded()
    assert "guard" in person.names()


def test_a_script_behind_a_swapped_link_never_counts_as_the_trusted_one(person: Person) -> None:
    """Whatever stood there while it was looked at: in the end the other one is seen to be there."""
    assert caught(person, links(person.app.root / "tools", ("good", "evil"))) == 0


def test_a_script_whose_own_link_is_swapped_never_counts_as_the_trusted_one(person: Person) -> None:
    """The same where the link is the file itself."""
    app = person.app
    app.write("guard-good.sh", GOOD)
    app.write("guard-evil.sh", EVIL)
    swap = links(app.root / "guard.sh", ("guard-good.sh", "guard-evil.sh"))
    (app.root / "guard.sh").unlink(missing_ok=True)
    swap(0)
    app.policy(DENY, GUARD)
    app.confirm()

    assert caught(person, swap) == 0


def test_a_policy_file_that_is_swapped_never_counts_as_the_trusted_one(person: Person) -> None:
    """Neither by its name nor through the folder it stands in."""
    app = person.app
    good = (app.root / ".interlock" / "genesis.key").read_text()
    evil = good.replace("exit 0", "exit 2") + "# more\n"
    app.write("other/.interlock/genesis.key", evil)

    assert caught(person, exchanged(app.root / ".interlock" / "genesis.key", (good, evil))) == 0


def test_a_policy_folder_that_is_swapped_never_counts_as_the_trusted_one(person: Person) -> None:
    """A link inside the project may stand for `.interlock`; what is read behind it counts."""
    app = person.app
    (app.root / ".interlock").rename(app.root / "policy-good")
    app.write("policy-evil/genesis.key", hooks(GUARD.replace("./guard.sh", "./evil/guard.sh")))
    swap = links(app.root / ".interlock", ("policy-good", "policy-evil"))
    swap(0)
    app.confirm()

    assert caught(person, swap) == 0


def test_the_users_own_policy_is_the_one_that_was_read_last(person: Person) -> None:
    """After the swapping the rules are those of the file that is there."""
    other = person.config / "other.key"
    other.write_text(hooks("    - {type: deny, name: other-rule, matcher: 'Bash(forbidden*)'}\n"))
    person.file.rename(person.config / "one.key")
    swap = links(person.file, ("one.key", "other.key"))
    swap(0)
    for _ in range(ROUNDS):
        with swapping(swap):
            for _ in range(3):
                person.policies = person.started()
                person.loaded()
        assert "other-rule" in person.names()
