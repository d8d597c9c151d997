"""Programs that only act on what their words say, as most do: noted at once, with all that follows."""

from __future__ import annotations

from functools import cache

from interlock.effects.command import Command
from interlock.effects.effect import Effect, EffectKind
from interlock.effects.programs.arguments import Flag, sort_arguments
from interlock.effects.programs.git_shown import shown_by_git
from interlock.effects.programs.lookup import every_name
from interlock.effects.shell.builtins import BUILTINS, EVALUATING
from interlock.effects.shell.call import MEANING_MORE, ODD, WRAPPING
from interlock.effects.shell.consequences import note_consequences, note_downloads
from interlock.effects.shell.evaluating import note_evaluated
from interlock.effects.shell.feed import COPYING, Feed, FeedKind, printed_by
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.handed import hands_on
from interlock.effects.shell.listing import FILLING
from interlock.effects.shell.looping import fill_array
from interlock.effects.shell.place import Place
from interlock.effects.shell.scope import Scope
from interlock.effects.shell.syntax import Simple
from interlock.effects.word import Word

# Names of the module are found sooner than members of a class.
_RUN, _READ, _OPEN, _TEXT = EffectKind.RUN, EffectKind.READ, FeedKind.OPEN, FeedKind.TEXT


def run_acting(  # noqa: PLR0917, C901 - in one piece, by position: done for every command, it has to be quick
    node: Simple,
    words: tuple[Word, ...],
    text: str,
    written: str,
    scope: Scope,
    feed: Feed,
    found: Findings,
    via: tuple[str, ...],
    writes: tuple[Effect, ...] = (),
) -> Feed | None:
    """Note a program that only acts, as `run` would; None, and nothing noted, if it takes a closer look."""
    name = words[0].text
    if name not in _acting_only() or scope.shadowed or name in scope.functions or not words[0].fixed:
        return None
    copies = name in COPYING
    if feed.kind is _TEXT and not copies:
        return None
    arguments = sort_arguments(words)
    entry = arguments.program
    if (
        entry is None
        or not entry.acts
        or arguments.commands
        or (arguments.flags and not _are_idle(arguments.flags))
        or (entry.hands_on and hands_on(arguments))
    ):
        found.keep_sorted(words, arguments)
        return None
    marked = bare = written
    if node.redirects:
        marked, bare = Place(text, node.start, node.end, None, node.redirects).marked()
    folders = scope.folders
    cwd = folders[0] if len(folders) == 1 else None
    found.command(Command(words, written, marked, bare, writes, arguments, (), cwd, via))
    found.effects.append(Effect(_RUN, name, None, True, written))
    network = False
    if not entry.talks:
        network = note_consequences(arguments.operands, (), entry, scope, found, written)
        if network and note_downloads(arguments, scope, written):
            found.unsettled += 1
    if name in MEANING_MORE:
        _do(name, words, feed, scope, found, via, written)
    elif name == "git":
        for path in shown_by_git(arguments):
            found.path(_READ, path, scope, written)
    decoded, network = entry.decodes or feed.decoded, network or feed.network
    if not copies:
        return Feed(_OPEN, written, decoded, network)
    printed = printed_by(name, words, feed, written)
    return Feed(printed.kind, printed.text, decoded, network) if decoded or network else printed


def _do(  # noqa: PLR0917 - by position, as above
    name: str,
    words: tuple[Word, ...],
    feed: Feed,
    scope: Scope,
    found: Findings,
    via: tuple[str, ...],
    by: str,
) -> None:
    """Let a builtin change what the rest of the text means."""
    if name in EVALUATING:
        note_evaluated(words, feed, scope, found, via, by)
    if name in BUILTINS:
        BUILTINS[name](scope, words)
        if name in FILLING:
            fill_array(words, feed, scope, found)


def _are_idle(flags: tuple[Flag, ...]) -> bool:
    """Whether no option has an effect; a number or `--` has none."""
    for flag in flags:
        if flag.option is None:
            if flag.name != "--" and not flag.name[1:].isdigit():
                return False
        elif not flag.option.idle:
            return False
    return True


@cache
def _acting_only() -> frozenset[str]:
    """The names of programs that do not run others in their place."""
    plain = {name for name in every_name() if name.isascii() and not {"/", ".", " "} & set(name)}
    return frozenset(plain - ODD - WRAPPING - {"xargs"})
