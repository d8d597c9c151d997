"""Shell builtins that change what the rest of a text means."""

from __future__ import annotations

import re
from collections.abc import Callable
from os.path import join
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.shell.expansions import runs_in
from interlock.effects.shell.names import is_run_later, may_be_run_later, names_in
from interlock.effects.shell.scope import Scope

Builtin = Callable[[Scope, tuple[Word, ...]], None]

# They evaluate subscripts in their words: `test -v 'a[$(…)]'`.
EVALUATING: Final = frozenset(
    "let test [ printf read unset declare typeset local export readonly"
    " mapfile readarray wait getopts compgen complete set".split()
)
_READING: Final = frozenset({"read", "mapfile", "readarray"})
_SETTING: Final = _READING | {"printf", "getopts"}
_REFERRING: Final = frozenset({"declare", "typeset", "local"})
_GLOB: Final = re.compile(r"[^$`]*[*?\[][^$`]*")  # a folder by a part of its name
_LETTERS: Final = frozenset("kH")  # options of `set` that change how words are read
_NAMING: Final = frozenset("n")  # and of `declare`
_MEANING_SETTINGS: Final = frozenset({"keyword", "history", "histexpand"})
_ELSEWHERE: Final = frozenset({"cdable_vars", "cdspell", "autocd"})


def evaluates_subscript(name: str, texts: list[str], whole: str) -> bool:
    """Return whether a builtin would run a substitution in a quoted subscript, or changes what words mean."""
    if name not in EVALUATING:
        return False
    if ("$(" in whole or "`" in whole) and ("[" in whole or name[:4] == "comp") and _hides(name, texts):
        return True
    if name == "set" or name in _REFERRING:
        return _changes_meaning(name, texts)
    if name == "printf" and whole[:2] == "-v" and runs_in("".join(texts[1:])):
        return True  # the format may join them
    if name not in _SETTING or not may_be_run_later(whole):
        return False
    names = [text.removeprefix("-v").partition("[")[0] for text in texts]  # `printf -vNAME`
    return any(is_run_later(variable, "", fixed=False) for variable in names)


def _hides(name: str, texts: list[str]) -> bool:
    """Return whether a word has a substitution in a subscript, or anywhere if it is run later."""
    completing = name.startswith("comp")
    return any(("$(" in text or "`" in text) and ("[" in text or completing) for text in texts)


def _changes_meaning(name: str, texts: list[str]) -> bool:
    """`declare -n` lets a name stand for another variable; `set -k` and `-H` change how words are read."""
    letters = _LETTERS if name == "set" else _NAMING
    for text in texts:
        if text[:2] == "--":
            break
        if text[:1] == "-" and not letters.isdisjoint(text):
            return True
        if name == "set" and text in _MEANING_SETTINGS:
            return True
    return False


def reads_command(name: str, text: str) -> bool:
    """Return whether a variable gets a value that a shell runs when arithmetic evaluates it."""
    return name in _READING and runs_in(text)


def _cd(scope: Scope, words: tuple[Word, ...]) -> None:
    operands = [
        word for word in words[1:] if not (word.fixed and word.text.startswith("-") and word.text != "-")
    ]
    if not operands:
        scope.enter(scope.value("HOME"))
    elif len(operands) == 1 and operands[0].fixed and operands[0].text != "-":
        scope.enter(operands[0].text)
    else:
        before = scope.folder
        scope.enter(None)
        if (
            len(operands) == 1
            and _GLOB.fullmatch(operands[0].text)
            and (before or operands[0].text[0] == "/")
        ):
            scope.near = join(before or "/", operands[0].text)


def _unknown_folder(scope: Scope, _words: tuple[Word, ...]) -> None:
    scope.enter(None)


def _declare(scope: Scope, words: tuple[Word, ...]) -> None:
    by = words[0].text
    referring = by in _REFERRING
    plain = True
    if referring:
        for word in words:
            plain = plain and word.text[:1] != "-"
    for word in words[1:]:
        name, equals, value = word.text.partition("=")
        variable = name if name.isidentifier() else name.partition("[")[0].rstrip("+")
        if not (word.fixed or variable.isidentifier()):
            scope.lost = True  # it may be the name of any
        if not plain:
            _freeze(scope, name.rstrip("+"))
            scope.forget_any(names_in(value))  # it may be arithmetic: `declare -i a=b=1`
        elif not equals or name.endswith("+") or "[" in name:
            if referring:  # in a function it becomes a local variable without a value
                scope.assign(name, None)
        elif word.fixed:
            scope.assign(name, value)
        else:
            scope.assign_open(name, value)
        _mark(scope, by, name, variable)


def _mark(scope: Scope, by: str, name: str, variable: str) -> None:
    """Note what else a declaration does to a variable."""
    if by == "readonly":
        scope.freeze(name)
    elif by in _REFERRING:  # in a function they are local
        scope.own |= {variable}


def _freeze(scope: Scope, name: str) -> None:
    if not name.startswith("-"):
        scope.freeze(name)
        scope.assign(name, None)


def _set_names(scope: Scope, words: tuple[Word, ...]) -> None:
    """Make unknown every variable that a word may name."""
    for word in words[1:]:
        scope.assign(word.text.partition("=")[0].partition("[")[0].rstrip("+-*/%"), None)
    if any(not word.fixed for word in words[1:]):
        scope.lost = True
    if words[0].text == "let":  # `let a=b=1` sets both
        scope.forget_any(names_in(" ".join(word.text for word in words)))
    if words[0].text in _READING:
        scope.forget({"REPLY", "MAPFILE"})


def _unset(scope: Scope, words: tuple[Word, ...]) -> None:
    _set_names(scope, words)
    scope.doubt([word.text for word in words[1:]] if all(w.fixed for w in words) else scope.functions)


def _print(scope: Scope, words: tuple[Word, ...]) -> None:
    """`printf -v NAME` sets a variable; that option can only stand first."""
    if len(words) > 1 and not (words[1].fixed and words[1].text[:2] != "-v"):
        _set_names(scope, words)
        scope.assign(words[1].text[2:].partition("[")[0], None)  # `-vNAME`


def _leave(scope: Scope, _words: tuple[Word, ...]) -> None:
    """Note that the commands after it may not run."""
    scope.early = True


def _alias(scope: Scope, words: tuple[Word, ...]) -> None:
    for word in words[1:]:
        name, equals, _ = word.text.partition("=")
        if equals:
            scope.shadow([name])
        elif not word.fixed:
            scope.lost = True


def _shadow(scope: Scope, words: tuple[Word, ...]) -> None:
    scope.shadow([word.text for word in words[1:]])


def _lose(scope: Scope, _words: tuple[Word, ...]) -> None:
    scope.lost = True
    scope.enter(None)


def _set(scope: Scope, words: tuple[Word, ...]) -> None:
    """Follow `set -- a b`, which sets the parameters."""
    texts = [word.text for word in words[1:]]
    if texts[:1] == ["--"] and words[1].fixed:
        scope.parameters = (Word(scope.value("0") or ""), *words[2:])
    elif any(not word.fixed or not word.text.startswith(("-", "+")) for word in words[1:]) or "--" in texts:
        scope.parameters = None


def _shopt(scope: Scope, words: tuple[Word, ...]) -> None:
    """Note options with which `cd` may go to another folder than the one it names."""
    scope.linked = scope.linked or any(word.text in _ELSEWHERE for word in words)


def _shift(scope: Scope, _words: tuple[Word, ...]) -> None:
    scope.parameters = None


BUILTINS: Final[dict[str, Builtin]] = {
    **dict.fromkeys(("cd", "chdir", "pushd"), _cd),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _declare),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts", "let", "wait"), _set_names),
    **dict.fromkeys(("return", "break", "continue"), _leave),
    **dict.fromkeys(("hash", "enable"), _shadow),
    **dict.fromkeys(("source", ".", "trap"), _lose),
    "popd": _unknown_folder,
    "printf": _print,
    "unset": _unset,
    "alias": _alias,
    "set": _set,
    "shift": _shift,
    "shopt": _shopt,
}
