"""Commands that speak to the gate itself: which of them an agent may run, and why not the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

import msgspec

from interlock.builtin_hooks.self_protection.ended_processes import ends_ours
from interlock.builtin_hooks.self_protection.indirect_effects import find_program_name
from interlock.effects.command import Command
from interlock.effects.effect import Word
from interlock.effects.programs.lookup import base_name

# They change nothing of the gate; a command that is not listed here is for people.
_LOOKS: Final = frozenset(
    {"doctor", "status", "explain", "check", "test", "hooks", "genesis", "help"}
    | {"paths", "schema", "lint-settings"}
)
_WORK: Final = frozenset(
    {
        # Work on commitments is what agents are there for; the daemon judges each operation of it.
        *("capture", "commit", "claim", "release", "submit", "approve", "reject", "deny", "reopen", "close"),
        *("cancel", "link", "annotate", "dismiss", "triage", "publish", "commitment"),
        # So is writing down what they do; the daemon binds it to the session of the process that asks.
        *("effort", "task", "agents", "messages"),
    }
)
_FREE: Final = _LOOKS | _WORK
_ANSWERS: Final = frozenset(
    {"approve", "reject", "deny"}
)  # of a commitment, which agents may, and of a request
# What these run hangs from a process that may be older than the agent, or came in by root's: a person's.
_ELSEWHERE: Final = frozenset(
    {
        *("tmux", "screen", "ssh", "mosh", "sudo", "doas", "su", "runuser", "pkexec", "run0", "machinectl"),
        *("docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "lxc", "nsenter", "at", "batch"),
        *("systemd-run", "xterm", "gnome-terminal", "konsole", "kitty", "wezterm", "alacritty", "foot"),
    }
)
# They type into a terminal that is there, or have the program behind it run something.
_TYPISTS: Final = frozenset({"tmux", "screen", "zellij", "kitty", "kitten", "wezterm", "xdotool", "wtype"})
_FREE_WITH: Final = {
    "trust": "--show",
    "install": "--dry-run",
    "setup": "--dry-run",
    "uninstall": "--dry-run",
    "daemon install-service": "--dry-run",
}
# Of these only what is named here.
_FREE_BELOW: Final = {
    "daemon": frozenset({"status", "start"}),
    "session": frozenset({"list", "show", "dehydrate"}),
    "fleet": frozenset({""}),
}
_HELP: Final = frozenset({"-h", "--help", "--version"})

_OWN: Final = frozenset({"interlock", "interlock-hook"})
_ENDERS: Final = frozenset({"kill", "pkill", "killall", "skill", "fuser", "snice"})
_FINDERS: Final = frozenset({"pgrep", "pidof", "ps", "cat", "lsof", "fuser", "grep", "awk", "head", "ss"})
_SERVICES: Final = {
    "systemctl": frozenset({"status", "show", "cat", "list-units", "is-active", "is-enabled", "start"}),
    "launchctl": frozenset({"list", "print", "blame"}),
    "service": frozenset({"status", "start"}),
}
_INSTALLERS: Final = frozenset({"pip", "pip3", "pipx", "uv", "poetry", "pdm", "conda", "mamba"})
# Agents that would start without our hooks: these options and variables, and texts inside their values.
_HOSTS: Final = frozenset(
    {"claude", "claude-code", "codex", "gemini", "gemini-cli", "qwen", "cursor-agent", "droid", "copilot"}
)
# What of a host can carry hooks or switch them, as its own commands name it, and what only looks at that.
_CARRIERS: Final = frozenset(
    {"plugin", "plugins", "extension", "extensions", "hook", "hooks", "feature", "features", "marketplace"}
)
_LOOKING: Final = frozenset(
    {"list", "ls", "show", "info", "details", "view", "validate", "search", "help", "test", "eval", "tag"}
    | {"init", "new"}
)
_UNHOOKING: Final = (
    "--bare",
    "--safe-mode",
    "--setting-sources",
    "--ignore-user-config",
    "disableAllHooks",
    "features.hooks",
)
_SETTINGS: Final = "--settings"
_DISARMING: Final = re.compile(r"hooks|plugin|\\|env", re.IGNORECASE)
_UNHOOKING_VARIABLES: Final = frozenset(
    {
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_SIMPLE",
        "CLAUDE_CODE_SAFE_MODE",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "COPILOT_HOME",
        "HOME",
    }
)
_CONCERNED: Final = _OWN | _HOSTS | _TYPISTS | _ENDERS | _SERVICES.keys() | _INSTALLERS

_WORDS: Final = (
    r"approvals?|approve|deny|grants?|receipts?|trust|untrust|install|uninstall|init|daemon|ledger|tail|watch"
    r"|pause|resume"
)
# Inside text that nobody reads as commands, also as the arguments of a call or the modules behind them.
_IN_CODE: Final = re.compile(
    rf"\binterlock['\"]?[\s,'\"]+(?:{_WORDS})\b"
    r"|\binterlock-hook\b"
    r"|\binterlock\.(?:cli|daemon|approvals|receipts|ledger|store|config\.trust)\b"
)
# What follows each of these says who may.
_CONTROLS: Final = "This command controls Interlock itself, so an agent may not run it"
_ASK: Final = "Instead: tell the user why you want it."
_EFFORT_LOG: Final = "Instead: to add to the effort's log, run `interlock effort log TEXT`."
_STATUS: Final = "Instead: check on it with `interlock daemon status`."
_AS_INSTALLED: Final = (
    "Instead: start it as installed, without options or variables that change its settings."
)

# Whether a call may write a file: gives the reason why not, for the commands that are free but for that.
Forbids = Callable[[str], str | None]


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What the commands of one call are judged with."""

    commands: Sequence[Command]
    variables: AbstractSet[str]  # set for the programs that come later
    lock: str  # names the daemon's process
    socket: str
    forbids: Forbids


def is_concerned(commands: Sequence[Command], said: str, socket: str) -> bool:
    """Whether one of these commands is of a kind that is looked at, as hardly any is; `said`: all words."""
    if socket and socket in said:
        return True
    return any(command.words and _own_name(command.words[0].text) in _CONCERNED for command in commands)


def _own_name(program: str) -> str:
    """The name of a program, also where it is fetched in a version: `npx claude@2`."""
    return find_program_name(program).name.partition("@")[0]


def command_objection(around: Surroundings) -> str | None:
    """Why these commands must not run together, or None."""
    for command in around.commands:
        found = _objection(command, around)
        if found is not None:
            return found
    return None


def text_objection(text: str) -> str | None:
    """Why a stretch of unread text must not run, or None."""
    found = _IN_CODE.search(text)
    return f"{_CONTROLS} (`{' '.join(found.group().split())}`). {_ASK}" if found else None


def _objection(command: Command, around: Surroundings) -> str | None:
    if not command.words:
        return None
    name = _own_name(command.words[0].text)
    if name in _OWN:
        return _own_objection(name, command, around.forbids)
    if name in _HOSTS:
        return _unhooking_objection(name, command, around.variables)
    if name in _ENDERS:
        return _ending_objection(command, around)
    if name in _TYPISTS:
        return text_objection(" ".join(word.text for word in command.words[1:]))
    return _managing_objection(name, [word.text for word in command.words[1:]], around.socket)


def _managing_objection(name: str, words: Sequence[str], socket: str) -> str | None:
    if name in _SERVICES and any("interlock" in word for word in words):
        harmless = not _SERVICES[name].isdisjoint(words)
        return None if harmless else f"This would stop or change Interlock's service. {_STATUS}"
    if name in _INSTALLERS and "interlock" in words and not {"uninstall", "remove"}.isdisjoint(words):
        return f"This would remove Interlock, which guards this session. {_ASK}"
    if socket and any(socket in word for word in words):
        return "This would talk to Interlock's socket directly. Instead: use the `interlock` command."
    return None


def _own_objection(name: str, command: Command, forbids: Forbids) -> str | None:
    words = [word.text for word in command.words[1:]]
    if not _HELP.isdisjoint(words) and "--" not in words:
        return None
    fixed = all(word.fixed for word in command.words)
    plain = [word.text for word in command.words[1:] if word.fixed and not word.text.startswith("-")]
    said = plain[0] if plain else ""
    typed = " ".join([name, *plain[: 2 if said in _FREE_BELOW else 1]])
    refusal = f"{_CONTROLS} (`{typed}`). {_EFFORT_LOG if said == 'log' else _ASK}"
    if name != "interlock" or command.more or _answers_a_request(said, command):
        return refusal
    if _is_free_at_head(command) or (fixed and (said in _FREE or _is_free_with(said, plain, words))):
        return _through_objection(said, command.via)
    if not fixed:
        return refusal
    if said in {"import", "init"}:
        target = _written_file(said, plain, words)
        return None if target is None else forbids(target) or (refusal if "--force" in words else None)
    return refusal


def _through_objection(said: str, via: Sequence[str]) -> str | None:
    through = next((one for one in via if one in _ELSEWHERE), None)
    if through is None or said not in _WORK:
        return None
    why = f"`{through}` could make this look like the user's own command."
    return f"{why} Instead: run `interlock {said}` directly."


def _answers_a_request(said: str, command: Command) -> bool:
    return said in _ANSWERS and any(word.text.startswith("ap_") for word in command.words[2:])


def _is_free_at_head(command: Command) -> bool:
    """An agent's text may come from another command (`interlock effort log "$(date)"`); its verb may not."""
    said, below = ([word.text if word.fixed else "" for word in command.words[1:3]] + ["", ""])[:2]
    return said in _FREE or (below != "" and below in _FREE_BELOW.get(said, ()))


def _is_free_with(said: str, plain: Sequence[str], words: Sequence[str]) -> bool:
    if said in _FREE_BELOW:
        below = plain[1] if len(plain) > 1 else ""
        return below in _FREE_BELOW[said] or _FREE_WITH.get(f"{said} {below}") in words
    return _FREE_WITH.get(said) in words


def _written_file(said: str, plain: Sequence[str], words: Sequence[str]) -> str | None:
    """The file a command would write; empty for the user's policy."""
    if said == "init":
        # A project's new policy does nothing until a person trusts it.
        return None if "--project" in words and "--force" not in words else next(iter(plain[1:]), "")
    for at, word in enumerate(words):
        if word == "--out" and at + 1 < len(words):
            return words[at + 1]
        if word.startswith("--out="):
            return word.removeprefix("--out=")
    return None


def _ending_objection(command: Command, around: Surroundings) -> str | None:
    refusal = f"This could stop Interlock's daemon, which guards this session. {_STATUS}"
    words = command.words[1:]
    if any("interlock" in word.text.lower() for word in words):
        return refusal
    numbers = {word.text for word in words if word.text.isdigit()}
    if numbers and _pid(around.lock) in numbers:
        return refusal
    if ends_ours(command, around.commands):
        return refusal
    # Which process it will be is found by another command: one that looks for ours says enough.
    unknown = command.more or not all(word.fixed for word in words)
    looked_for = (one for one in around.commands if one.words and base_name(one.words[0].text) in _FINDERS)
    if unknown and any("interlock" in word.text.lower() for one in looked_for for word in one.words[1:]):
        return refusal
    return None


def _pid(lock: str) -> str | None:
    try:
        return Path(lock).read_text("utf-8").strip() if lock else None
    except (OSError, UnicodeDecodeError):
        return None


def _unhooking_objection(name: str, command: Command, variables: AbstractSet[str]) -> str | None:
    words = [word.text for word in command.words[1:]]
    if any(map(_brings_settings, words, [*command.words[2:], Word("")])):
        return (
            f"This would start `{name}` with other settings, which can leave out its hooks. {_AS_INSTALLED}"
        )
    set_before = {variable for variable, _ in command.environment} | variables
    if any(mark in word for word in words for mark in _UNHOOKING) or set_before & _UNHOOKING_VARIABLES:
        return f"This would start `{name}` without its hooks. {_AS_INSTALLED}"
    return _switching_objection(name, words)


def _switching_objection(name: str, words: Sequence[str]) -> str | None:
    """A host's own command for its plugins and hooks writes the settings that hold them."""
    at = 0
    while at < len(words) and words[at] not in _CARRIERS:
        # Only options and their values stand before such a command; anything else is a prompt.
        if not words[at].startswith("-") and not (at and words[at - 1].startswith("-")):
            return None
        at += 1
    deeds = [word for word in words[at + 1 :] if not word.startswith("-") and word != "marketplace"]
    if not deeds or deeds[0] in _LOOKING:
        return None
    return f"`{name} {words[at]} {deeds[0]}` changes which hooks run. {_ASK}"


def _brings_settings(option: str, value: Word) -> bool:
    """Whether an option brings settings that may disarm the hooks: a file, or a text about them."""
    name, equals, given = option.partition("=")
    if name != _SETTINGS:
        return False
    text = given if equals else value.text
    return not value.fixed or text.lstrip()[:1] != "{" or _DISARMING.search(text) is not None
