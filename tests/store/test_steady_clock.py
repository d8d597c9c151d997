"""Laws of the time by which a yes ends."""

from __future__ import annotations

from pathlib import Path

from interlock.store.clock import SteadyClock, boot_name, seconds_of, since_boot

DAY = 86_400.0


class Machine:
    """A machine with a clock that people set, and one that they cannot."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "clock.json"
        self.wall, self.passed, self.boot = 1_000_000.0, 500.0, "one"

    def clock(self, floor: float = 0.0) -> SteadyClock:
        """The clock of a daemon that starts now."""
        return SteadyClock(
            self.file, floor=floor, wall=lambda: self.wall, passed=lambda: self.passed, boot=self.boot
        )

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.wall += seconds
        self.passed += seconds

    def restart(self) -> None:
        """The machine starts anew."""
        self.boot, self.passed = self.boot + "x", 3.0


def test_it_is_the_clock_on_the_wall_as_long_as_nobody_sets_that(tmp_path: Path) -> None:
    """Nothing is gained and nothing lost."""
    machine = Machine(tmp_path)
    clock = machine.clock()
    machine.wait(60)

    assert clock() == machine.wall == 1_000_060.0


def test_a_clock_that_is_put_back_gives_no_time_back(tmp_path: Path) -> None:
    """What passes meanwhile counts, also over a restart of the daemon."""
    machine = Machine(tmp_path)
    clock = machine.clock()
    machine.wall -= DAY
    machine.wait(60)

    assert clock() == machine.clock()() == 1_000_060.0


def test_a_clock_that_is_put_forward_counts_at_once_and_is_not_taken_back(tmp_path: Path) -> None:
    """Whichever of both is later: what has ended stays ended."""
    machine = Machine(tmp_path)
    clock = machine.clock()
    machine.wall += DAY
    ahead = clock()
    machine.wall -= DAY
    machine.wait(60)

    assert ahead == 1_000_000.0 + DAY
    assert clock() == machine.clock()() == 1_000_060.0 + DAY


def test_after_a_restart_of_the_machine_the_wall_counts_but_not_before_the_last_entry(tmp_path: Path) -> None:
    """Nobody knows how long it was off."""
    machine = Machine(tmp_path)
    machine.clock()
    machine.restart()
    machine.wall += 7 * DAY
    assert machine.clock()() == machine.wall
    machine.restart()
    machine.wall -= 30 * DAY
    assert machine.clock(floor=1_000_000.0)() == 1_000_000.0
    machine.wait(5)
    assert machine.clock(floor=1_000_000.0)() == 1_000_005.0


def test_a_file_that_cannot_be_believed_is_no_clock(tmp_path: Path) -> None:
    """One that others could have written, garbage, or a folder: the wall and the last entry count."""
    machine = Machine(tmp_path)
    machine.clock()
    machine.file.write_bytes(b'{"boot":"one","ahead":9e9}')
    machine.file.chmod(0o666)
    assert machine.clock()() == machine.wall
    machine.file.write_bytes(b"{")
    assert machine.clock()() == machine.wall
    machine.file.unlink()
    machine.file.mkdir()
    assert machine.clock()() == machine.wall


def test_the_machine_has_such_a_clock_and_entries_have_such_times(tmp_path: Path) -> None:
    """As they are stored, to the second."""
    assert 0 < since_boot() <= since_boot()
    assert boot_name() == boot_name()
    assert seconds_of("1970-01-02T00:00:01.999Z") == DAY + 1.999
    assert seconds_of("soon") == 0
    assert SteadyClock(tmp_path / "clock.json")() > 1_700_000_000
