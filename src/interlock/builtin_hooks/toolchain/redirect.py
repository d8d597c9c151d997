"""`redirect`: a command that tests, builds or lints becomes the one this project has for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Final, final

import msgspec

from interlock.builtin_hooks.toolchain.detect import ProjectToolchain, Redirection
from interlock.builtin_hooks.toolchain.toolchains import (
    ACTIONS,
    TIMED,
    TOOLCHAINS,
    Action,
    CommandIndex,
    KnownCommand,
    Toolchain,
)
from interlock.events.bounded_dict import BoundedDict
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, Field, OptionError

_REMEMBERED: Final = 1_000  # hints
_ESCAPE: Final = "!"


class OwnToolchain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A toolchain nobody ships."""

    files: Annotated[list[Text], about("Files, any of which shows the toolchain.")]
    commands: Annotated[dict[str, Text], about("What it runs, by action.")]
    means: Annotated[dict[str, Text], about("Its own commands, and the action each stands for.")] = {}


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which commands are redirected, and what is known beside the toolchains we ship."""

    actions: Annotated[tuple[Action, ...], about("The actions to redirect; others run unchanged.")] = ACTIONS
    of: Annotated[
        tuple[Text, ...], about("Only commands of these toolchains: `python`, `node`; empty: all.")
    ] = ()
    toolchains: Annotated[
        dict[str, OwnToolchain],
        about("More toolchains by name, tried before the built-in ones; the same name replaces one."),
    ] = {}
    own_first: Annotated[
        bool,
        about("false: the first toolchain found is used for all commands, even if the project has another."),
    ] = True
    hints: Annotated[bool, about("false: the agent is not told what the project would run, or ran.")] = True


@final
class Redirect(Helper):
    """Changes a command that stands alone; it never votes, so whatever judges, judges the new one."""

    kind: Final = "redirect"
    _options: Options

    def __init__(self, options: Options, _: BuildContext) -> None:
        super().__init__(options)
        _check_names(options)
        own = [
            Toolchain(name=name, files=tuple(one.files), commands=one.commands, means=one.means)
            for name, one in options.toolchains.items()
        ]
        chains = [*own, *(chain for chain in TOOLCHAINS if chain.name not in options.toolchains)]
        self._meanings: Final = CommandIndex(
            chain for chain in chains if not options.of or chain.name in options.of
        )
        self._project: Final = ProjectToolchain(chains, own_first=options.own_first)
        self._hints_given: Final[BoundedDict[tuple[str, str], None]] = BoundedDict(_REMEMBERED)

    def run(self, view: CallView, seconds: float) -> Verdict:
        tool = view.event.tool
        text = tool.input.get("command") if tool else None
        if not isinstance(text, str):
            return NO_OPINION
        command = text.strip()
        if command.startswith(_ESCAPE):
            return self._unescape(command, view.event)
        meant = self._meanings.find(command)
        if meant is None or meant.action not in self._options.actions or not _stands_alone(view, command):
            return NO_OPINION
        folder = os.path.expanduser(view.event.cwd) or "."
        return self._answer(self._project.find_command(meant, folder), meant, command, view.event)

    def _unescape(self, command: str, event: Event) -> Verdict:
        """Take the mark off, for no program has such a name; `! x` belongs to the shell and is left alone."""
        rest = command[1:]
        if not rest or rest[0] == "(":
            return NO_OPINION
        if rest[0].isspace():
            return self._warn_inverted(rest.strip(), event)
        return Verdict(reason="Escaped: run as written", updated_input=_replace_command(event, rest))

    def _warn_inverted(self, command: str, event: Event) -> Verdict:
        """Tell an agent that most likely meant the escape what it wrote instead."""
        meant = self._meanings.find(command)
        if meant is None or meant.action not in self._options.actions:
            return NO_OPINION
        told = f"`! {command}` inverts the exit status: it fails when the command succeeds."
        told = f"{told} To run the command as written, put `!` in front of it without a space: `!{command}`."
        return Verdict(context=self._once(event, told))

    def _answer(self, found: Redirection, meant: KnownCommand, command: str, event: Event) -> Verdict:
        if found.command is not None and found.command != command:
            told = f"`{command}` was run as `{found.command}`, this project's own command ({meant.action})."
            return Verdict(
                reason=f"Redirected: {meant.action}",
                updated_input=_replace_command(event, found.command),
                context=self._once(
                    event, f"{told} Put `!` in front of a command to run it as it is written."
                ),
            )
        return Verdict(context=self._once(event, found.hint)) if found.hint else NO_OPINION

    def _once(self, event: Event, text: str) -> str | None:
        """The text, the first time it is said in a session."""
        key = (event.session_id, text)
        if not self._options.hints or key in self._hints_given:
            return None
        self._hints_given[key] = None
        return text


def _replace_command(event: Event, command: str) -> dict[str, object]:
    """The input with another command; its other fields stay."""
    return {**(event.tool.input if event.tool else {}), "command": command}


def _stands_alone(view: CallView, command: str) -> bool:
    """Whether the text is this one command and nothing else, as far as a shell is concerned."""
    if view.unread is not None:
        return False
    plain = [one for one in view.commands if not one.via]
    inner = [one for one in view.commands if one.via and "(" in one.via[0]]
    timed = TIMED.match(command)  # the shell's own word, no part of the command
    return len(plain) == 1 and not inner and plain[0].written == command[timed.end() if timed else 0 :]


def _check_names(options: Options) -> None:
    """An action nobody knows would never be asked for."""
    names = [*options.toolchains, *(chain.name for chain in TOOLCHAINS)]
    for index, name in enumerate(options.of):
        _check_name("toolchain", name, names, ("of", index))
    for name, one in options.toolchains.items():
        for action in one.commands:
            _check_name("action", action, ACTIONS, ("toolchains", name, "commands", action))
        for command, action in one.means.items():
            _check_name("action", action, ACTIONS, ("toolchains", name, "means", command))


def _check_name(what: str, name: str, known: Sequence[str], field: Field) -> None:
    if name not in known:
        words = ", ".join(f"`{word}`" for word in known)
        raise OptionError(field, f"unknown {what} `{name}`; use one of {words}")


BUILTIN: Final = Builtin(
    kind="redirect",
    about="Sends test, build and lint commands to the project's own toolchain.",
    options=Options,
    make=Redirect,
    events=(EventName.PRE_TOOL_USE,),
    matcher="Bash",
    seconds=5.0,
    on_failure=OnFailure.OPEN,
)
