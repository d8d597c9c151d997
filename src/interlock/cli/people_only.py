"""Commands for people only: who typed this, and the passphrase that proves it."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from interlock.cli.policy_source import here
from interlock.daemon.caller_kind import FILE, Kind, Standing, read_roster, standing_of
from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import Places, places_of
from interlock.errors import InterlockError
from interlock.files.own_files import write_whole
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import hash_passphrase, matches, passphrase_file, read_stored

# Agent → what it sets for every program it starts. The shim's `pause` knows the same names (shim/pause.h).
AGENT_MARKS: Final[dict[str, tuple[str, ...]]] = {
    "any": ("AI_AGENT",),
    "Claude Code": ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"),
    "Codex": ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"),
    "Cursor": ("CURSOR_AGENT",),
    "Gemini CLI": ("GEMINI_CLI",),
    "Qwen Code": ("QWEN_CODE",),
    "OpenCode": ("OPENCODE",),
    "Crush": ("CRUSH",),
    "Cline": ("CLINE_ACTIVE",),
    "Copilot": ("COPILOT_AGENT", "COPILOT_CLI"),
    "Factory": ("DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"),
    "hooks": ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "CRUSH_PROJECT_DIR"),
}
MARKS: Final = tuple(mark for marks in AGENT_MARKS.values() for mark in marks)

_OWN_TERMINAL: Final = "type it in your own terminal"
_WAYS: Final = (
    "type it in a terminal that was open before the agent started, answer on the dashboard, or run "
    "`interlock install claude-code --passphrase` in such a terminal to set a passphrase"
)
_TERMINAL: Final = "/dev/tty"
_SHORTEST: Final = 8
_TRIES: Final = 3
_SECONDS: Final = 30.0

# A passphrase that was typed in a process that could be an agent's, until a daemon has been told it.
PROOF: Final[list[str]] = []
_NAMED: Final[list[bool]] = []  # not empty once the daemon knows which of several people sits here


def mark_in(environ: Mapping[str, str]) -> str | None:
    """The first variable that says an agent started this, or None."""
    return next((mark for mark in MARKS if environ.get(mark)), None)


def require_person(command: str, *, terminal: bool = False, passphrase: bool = False) -> str | None:
    """Refuse a command that controls Interlock when an agent runs it; the attempt is recorded.

    With `terminal`, somebody must be there to answer. With `passphrase`, they must type the one that was
    set, which is returned. A caller that could be an agent must type it in any case.
    """
    places = places_of(here())
    found = standing_here(os.environ, places)
    if found.kind is Kind.AGENT:
        raise _refusal(command, found, places, _OWN_TERMINAL)
    unclear = found.kind is Kind.UNKNOWN
    if unclear and not has_passphrase(places.state):
        raise _refusal(command, found, places, _WAYS)
    if terminal and not has_terminal():
        raise InterlockError(
            f"`interlock {command}` must be confirmed in a terminal, and this is not one; open a terminal"
        )
    given = check_passphrase(places.state) if passphrase or unclear else None
    if unclear and given is not None:
        _tell_daemon(given, places)
    return given


def ask_who_it_is(places: Places) -> None:
    """Before a request that agents may send too: ask for the passphrase where this could be either."""
    if not has_passphrase(places.state) or not has_terminal() or PROOF:
        return
    if standing_here(os.environ, places).kind is Kind.UNKNOWN:
        given = check_passphrase(places.state)
        if given is not None:
            _tell_daemon(given, places)


def standing_here(environ: Mapping[str, str], places: Places) -> Standing:
    """Whose process this is: by a variable that agents set, or by what the system knows of processes.

    In the second way only agents whose hooks call this home's daemon count: that they run is certain.
    """
    mark = mark_in(environ)
    if mark is not None:
        return Standing(Kind.AGENT, None, f"`{mark}` shows that an agent started this")
    try:
        found = request(places.socket, "person.check")
        return Standing(Kind(found["standing"]), found["session"], found["why"])
    except (DaemonError, KeyError):  # no daemon runs, or one of an older version
        return standing_of(os.getpid(), read_roster(places.state / FILE))


def _refusal(command: str, found: Standing, places: Places, ways: str) -> InterlockError:
    with suppress(DaemonError):  # nobody is there to record it
        request(places.socket, "person.refused", {"command": command, "reason": found.why})
    return InterlockError(f"`interlock {command}` is for people, and {found.why}; {ways}")


def _tell_daemon(given: str, places: Places) -> None:
    """Prove to the daemon, or to the one that will be started, that a person sits here."""
    PROOF.append(given)
    with suppress(DaemonError):
        prove(places.socket)


def prove(socket: Path) -> None:
    """Send a typed passphrase to the daemon once; raise DaemonError when it does not answer."""
    if PROOF:
        request(socket, "person.prove", {"passphrase": PROOF[-1]}, seconds=_SECONDS)
        PROOF.clear()


def say_who(socket: Path) -> None:
    """Ask for the personal passphrase where several people share a login or somebody has one of their own."""
    try:
        people = request(socket, "person.check", seconds=_SECONDS).get("people")
    except DaemonError:
        return
    if not people or _NAMED or not has_terminal():
        return
    given = getpass.getpass(f"Passphrase of {' or '.join(people)}: ")
    try:
        request(socket, "person.prove", {"passphrase": given}, seconds=_SECONDS)
    except DaemonError as error:
        raise InterlockError(error.sentence) from error
    _NAMED.append(True)


def has_terminal() -> bool:
    """Whether somebody can be asked."""
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def has_passphrase(state: Path) -> bool:
    """Whether a passphrase is set; a file that cannot be read counts as one."""
    return os.path.lexists(state / PASSPHRASE)


def check_passphrase(state: Path, person: str | None = None) -> str | None:
    """Ask for the passphrase if one is set, and return it; raise InterlockError if it is wrong."""
    kept = read_stored(passphrase_file(state, person))
    if kept is None:
        return None
    _need_terminal()
    for _ in range(_TRIES):
        given = getpass.getpass(f"{f'Passphrase of {person}' if person else 'Interlock passphrase'}: ")
        if matches(kept, given):
            return given
    raise InterlockError("this is not your passphrase; nothing has changed")


def set_passphrase(state: Path, person: str | None = None) -> None:
    """Ask for the old passphrase, then twice for a new one: a person's own, or the shared one."""
    check_passphrase(state, person)
    _need_terminal()
    given = getpass.getpass(f"New passphrase for {person or 'Interlock'}, at least {_SHORTEST} characters: ")
    if len(given) < _SHORTEST:
        raise InterlockError(f"a passphrase has at least {_SHORTEST} characters; nothing has changed")
    if getpass.getpass("The same again: ") != given:
        raise InterlockError("the two passphrases differ; nothing has changed")
    write_whole(passphrase_file(state, person), msgspec.json.encode(hash_passphrase(given)), mode=0o600)


def _need_terminal() -> None:
    if not has_terminal():
        raise InterlockError(
            "the passphrase must be typed in a terminal, and this is not one; open a terminal"
        )
