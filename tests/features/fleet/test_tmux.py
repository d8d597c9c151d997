"""Laws of colouring the panes of a real tmux."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import Home, event, remove
from tests.features.fleet.crew import Crew, patiently
from tests.features.fleet.screens import NEEDS_TMUX, Screens, three_panes

from interlock.features.fleet.pane_colors import Painter, Tmux, TmuxError, clear, set_pane

pytestmark = [NEEDS_TMUX, pytest.mark.deep]
RED, MINT, BLUE, SAGE = "bg=#3d2020", "bg=#081a10", "bg=#080c10", "bg=#0a1005"


@pytest.fixture
def screens() -> Iterator[Screens]:
    """Three panes, and a short path since a socket's must be."""
    folder = Path(tempfile.mkdtemp(prefix="ilk-"))
    try:
        with three_panes(folder) as found:
            yield found
    finally:
        remove(folder)


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


def test_a_terminal_of_256_colours_gets_those(screens: Screens, crew: Crew) -> None:
    """The dark ones would all be black there; when such a client leaves, the others get theirs back."""
    crew_in(screens, crew, "working", "attention", "error")
    painter = Painter(screens.tmux, screens.tmux.server())
    with screens.somebody(features="256"):
        patiently(lambda: screens.run("list-clients"), "the client is there")
        painter.paint(crew.rows())
        few = [screens.style(pane) for pane in screens.panes()]
    patiently(lambda: not screens.run("list-clients"), "the client is gone")
    painter.paint(crew.rows())

    assert few == ["bg=colour17", "bg=colour22", "bg=colour52"]
    assert [screens.style(pane) for pane in screens.panes()] == [BLUE, MINT, RED]


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
    screens.tmux.do([set_pane(one, "@x", "1"), set_pane(three, "@x", "1")])
    painter.paint(crew.rows())

    assert screens.style(two) == RED
    assert screens.run("show-options", "-p", "-v", "-t", three, "@x") == "1"


def happen(place: Home, screens: Screens, session: str, pane: str, name: str, **fields: object) -> None:
    """An agent in a pane reports something, through the real shim."""
    told = event(name, session_id=session, **fields)
    place.shim(told, TMUX=screens.variable(), TMUX_PANE=pane)


@pytest.mark.req("E42", "E63")
def test_a_pane_somebody_comes_to_is_checked(screens: Screens, place: Home) -> None:
    """Hooks say how agents are, the command colours their panes, a person's own key makes one checked.

    At the end every pane is as it was.
    """
    place.write_policy('version: "2.0"\nsettings: {packs: [work]}\n')
    place.start()
    one, two, three = screens.panes()
    for session, pane in zip("abc", (one, two, three), strict=True):
        happen(place, screens, session, pane, "SessionStart", source="startup")
        happen(place, screens, session, pane, "UserPromptSubmit", prompt="go")
    failed = {"tool_name": "Bash", "tool_input": {"command": "false"}, "error": "exit code 1"}
    happen(place, screens, "b", two, "PostToolUseFailure", **failed)
    command = [SCRIPT, "fleet", "tmux", "--socket", str(screens.socket)]
    env = {**os.environ, "INTERLOCK_HOME": str(place.folder)}
    with screens.somebody() as keys:
        painting = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            patiently(lambda: screens.style(two) == RED, "the pane of the one that failed is red")
            waits = {"message": "may I?", "notification_type": "permission_prompt"}
            happen(place, screens, "c", three, "Notification", **waits)
            patiently(lambda: screens.style(three) == MINT, "the pane that waits is mint")
            os.write(keys, b"\x02o")  # to the pane beside it
            patiently(lambda: screens.style(three) == SAGE, "the pane is checked once somebody came to it")
            shown = {row.agent: row.shown for row in Crew(database=place.places.database).rows()}
            colours = [screens.style(pane) for pane in (one, two, three)]
        finally:
            painting.send_signal(signal.SIGINT)
            _, said = painting.communicate(timeout=90)

    assert shown == {"a": "working", "b": "error", "c": "checked"}
    assert colours == [BLUE, RED, SAGE]
    assert (painting.returncode, said) == (0, b"")
    assert [screens.style(pane) for pane in (one, two, three)] == ["", "", ""]
    looked = [entry.body for entry in place.entries("work") if entry.body["deed"] == "looked"]
    assert [body["agents"] for body in looked] == [["c"]]


def test_a_tmux_that_does_not_run_is_told(tmp_path: Path) -> None:
    """With what to do about it."""
    with pytest.raises(TmuxError, match="start it, or name its socket with --socket"):
        Tmux(str(tmp_path / "none")).server()
