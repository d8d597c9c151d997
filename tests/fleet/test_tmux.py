"""Laws of colouring the panes of a real tmux."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import Home
from tests.fleet.crew import Crew, patiently
from tests.fleet.screens import NEEDS_TMUX, Screens, three_panes

from interlock.fleet.painter import Painter, clear
from interlock.fleet.tmux import Tmux, TmuxError

pytestmark = NEEDS_TMUX
RED, MINT, BLUE, SAGE = "bg=#3d2020", "bg=#081a10", "bg=#080c10", "bg=#0a1005"


@pytest.fixture
def screens() -> Iterator[Screens]:
    """Three panes, and a short path since a socket's must be."""
    folder = Path(tempfile.mkdtemp(prefix="ilk-"))
    try:
        with three_panes(folder) as found:
            yield found
    finally:
        shutil.rmtree(folder)


def crew_in(screens: Screens, crew: Crew, *statuses: str) -> None:
    """An agent in each pane: `a`, `b`, `c`."""
    for name, pane, status in zip("abc", screens.panes(), statuses, strict=True):
        crew.agent(name, status, pane=pane, tmux=screens.variable())


@pytest.mark.req("E42", "E63")
def test_panes_have_the_colours_of_their_agents(screens: Screens, crew: Crew) -> None:
    """And change with them; tmux itself is asked."""
    crew_in(screens, crew, "working", "attention", "error")
    one, two, three = screens.panes()
    painter = Painter(screens.tmux, screens.tmux.server())
    painter.paint(crew.rows())
    first = [screens.style(pane) for pane in (one, two, three)]
    window = screens.run("display-message", "-p", "-t", one, "#{@interlock_status}")
    crew.agent("a", "attention")
    crew.agent("b", "working")
    crew.agent("c", "done")
    painter.paint(crew.rows())

    assert first == [BLUE, MINT, RED]
    assert window == "working"
    assert [screens.style(pane) for pane in (one, two, three)] == [MINT, BLUE, MINT]
    assert [screens.status(pane) for pane in (one, two, three)] == ["attention", "working", "unchecked"]
    assert screens.run("show-options", "-w", "-v", "-t", one, "@interlock_status") == "attention"


def test_nothing_is_left_behind(screens: Screens, crew: Crew) -> None:
    """Styles a pane had of its own come back, and the others are as if nobody had been there."""
    crew_in(screens, crew, "working", "attention", "error")
    one, two, _ = screens.panes()
    screens.run("set-option", "-p", "-t", one, "window-style", "bg=#123456")
    painter = Painter(screens.tmux, screens.tmux.server())
    painter.paint(crew.rows())
    between = screens.style(one)
    painter.restore()

    assert between == BLUE
    assert (screens.style(one), screens.style(two)) == ("bg=#123456", "")
    assert screens.run("show-options", "-p", "-t", two) == ""
    assert screens.run("show-options", "-w", "-t", two) == ""


def test_what_a_killed_run_left_can_be_cleared(screens: Screens, crew: Crew) -> None:
    """Its colours are not taken for the pane's own by the next one either."""
    crew_in(screens, crew, "working", "attention", "error")
    Painter(screens.tmux, screens.tmux.server()).paint(crew.rows())
    again = Painter(screens.tmux, screens.tmux.server())
    again.paint(crew.rows())
    again.restore()
    after_restore = [screens.style(pane) for pane in screens.panes()]
    Painter(screens.tmux, screens.tmux.server()).paint(crew.rows())

    assert after_restore == ["", "", ""]
    assert clear(screens.tmux) == 3
    assert [screens.style(pane) for pane in screens.panes()] == ["", "", ""]


def test_a_pane_that_closes_meanwhile_is_no_matter(screens: Screens, crew: Crew) -> None:
    """The others get their colours all the same."""
    crew_in(screens, crew, "working", "attention", "error")
    one, two, three = screens.panes()
    painter = Painter(screens.tmux, screens.tmux.server())
    painter.paint(crew.rows())
    screens.run("kill-pane", "-t", one)
    crew.agent("b", "error")
    screens.tmux.do([screens.tmux.set_pane(one, "@x", "1"), screens.tmux.set_pane(three, "@x", "1")])
    painter.paint(crew.rows())

    assert screens.style(two) == RED
    assert screens.run("show-options", "-p", "-v", "-t", three, "@x") == "1"


@pytest.mark.req("E42", "E63")
def test_a_pane_somebody_comes_to_is_checked(screens: Screens, place: Home) -> None:
    """The command itself, a person's own key, the daemon's own store; at the end every pane is as it was."""
    place.start()
    crew = Crew(database=place.places.database, now=time.time() - 60)
    crew_in(screens, crew, "working", "error", "attention")
    one, two, three = screens.panes()
    command = [SCRIPT, "fleet", "tmux", "--socket", str(screens.socket)]
    env = {**os.environ, "INTERLOCK_HOME": str(place.folder)}
    with screens.somebody() as keys:
        painting = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            patiently(lambda: screens.style(three) == MINT, "the pane that waits is mint")
            os.write(keys, b"\x02o")  # to the pane beside it
            patiently(lambda: screens.style(three) == SAGE, "the pane is checked once somebody came to it")
            shown = {row.agent: row.shown for row in crew.rows()}
            colours = [screens.style(pane) for pane in (one, two, three)]
        finally:
            painting.send_signal(signal.SIGINT)
            _, said = painting.communicate(timeout=30)

    assert shown == {"a": "working", "b": "error", "c": "checked"}
    assert colours == [BLUE, RED, SAGE]
    assert (painting.returncode, said) == (0, b"")
    assert [screens.style(pane) for pane in (one, two, three)] == ["", "", ""]
    assert [entry.body["agents"] for entry in place.entries("work")] == [["c"]]


def test_a_tmux_that_does_not_run_is_told(tmp_path: Path) -> None:
    """With what to do about it."""
    with pytest.raises(TmuxError, match="start it, or name its socket by --socket"):
        Tmux(str(tmp_path / "none")).server()
