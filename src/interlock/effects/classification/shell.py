"""What a shell text changes, by what was read of it and never by its first word."""

from __future__ import annotations

from typing import Final

from interlock.effects.classification.classes import SideEffect
from interlock.effects.command import Command
from interlock.effects.effect import EffectKind
from interlock.effects.programs.arguments import sort_arguments
from interlock.events.hook import CallView

_PROGRAMS: Final = """
    [ [[ : arch base32 base64 basename bat cal cat cd cksum clear cmp column comm compgen cut date
    df diff dir dirname dirs du echo egrep env expand expr export false fd fgrep file find fmt fold
    free getconf getent grep groups hash head hexdump hostname id jobs join jq less local locale ls
    lsblk lscpu lsof man md5sum more nl nproc od paste pathchk popd pr printenv printf ps pushd pwd
    read readlink realpath return rev rg sed seq set sha1sum sha224sum sha256sum sha384sum sha512sum
    shift shuf sleep sort stat strings sum tac tail test tokei tput tr tree true tsort tty type
    ulimit uname unexpand uniq unset uptime users vdir w wait wc which who whoami xxd yes yq zcat
    zgrep awk gawk mawk nawk ag cloc exit break continue eval history alias"""
_GIT: Final = """status log diff show blame rev-parse ls-files ls-tree cat-file describe shortlog rev-list
    merge-base grep show-ref for-each-ref name-rev count-objects whatchanged diff-tree diff-index
    diff-files check-ignore var version help"""
_DOCKER: Final = "ps images version info"

# What they write and whom they reach are effects; a command of an option is looked at itself.
MOVERS: Final = frozenset({"tee", "sponge", "rsync"})

QUIET: Final = frozenset(
    (
        *_PROGRAMS.split(),
        *(f"git {word}" for word in _GIT.split()),
        *(f"docker {word}" for word in _DOCKER.split()),
    )
)


_CHANGES: Final = frozenset({EffectKind.WRITE, EffectKind.DELETE})


def class_of_shell(view: CallView) -> tuple[SideEffect, str]:
    """The class of a shell text, and the word for why."""
    if view.unread is not None or view.gaps:
        return SideEffect.EXTERNAL, "unread"
    kinds = {effect.kind for effect in view.effects}
    if EffectKind.NETWORK in kinds:
        return SideEffect.EXTERNAL, "network"
    loud = [found for one in view.commands if (found := _loudness(one)) is not None]
    if any(runs_others for runs_others in loud):
        return SideEffect.EXTERNAL, "run"
    changing = next((kind for kind in EffectKind if kind in kinds & _CHANGES), None)
    if changing is not None:
        return SideEffect.LOCAL, str(changing)
    return (SideEffect.LOCAL, "run") if loud else (SideEffect.READ_ONLY, "read")


def unread_programs(view: CallView) -> list[str]:
    """The commands that run code nobody has read, as they are written: what it changes is not known."""
    return [one.written for one in view.commands if _loudness(one)]


def _loudness(command: Command) -> bool | None:
    """None for a program that leaves no mark of its own, else whether it may run what nobody has read."""
    if command.transparent or not command.words:
        return None
    arguments = command.arguments or sort_arguments(command.words)
    if arguments.name in QUIET or arguments.commands:
        return None  # of a wrapper, the commands inside are looked at themselves
    program = arguments.program
    return program is None or (program.hands_on and arguments.name not in MOVERS)
