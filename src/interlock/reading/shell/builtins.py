"""Builtins that change what the rest of a text means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interlock.reading.shell.scope import Scope
from interlock.reading.word import Word

Builtin = Callable[[Scope, tuple[Word, ...]], None]

# Their words are evaluated once more where they name an array element: `test -v 'a[$(…)]'`.
EVALUATING: Final = frozenset(
    "let test [ printf read unset declare typeset local export readonly"
    " mapfile readarray wait getopts compgen complete".split()
)


def evaluates_subscript(name: str, words: tuple[Word, ...]) -> bool:
    """Whether a builtin would run a substitution hidden in a quoted subscript."""
    if name not in EVALUATING:
        return False
    completing = name.startswith("comp")
    for word in words[1:]:
        text = word.text
        if ("[" in text or completing) and ("$(" in text or "`" in text):
            return True
    return False


def _cd(scope: Scope, words: tuple[Word, ...]) -> None:
    operands = [
        word for word in words[1:] if not (word.fixed and word.text.startswith("-") and word.text != "-")
    ]
    if not operands:
        scope.enter(scope.value("HOME"))
    elif len(operands) == 1 and operands[0].fixed and operands[0].text != "-":
        scope.enter(operands[0].text)
    else:
        scope.enter(None)


def _unknown_folder(scope: Scope, _words: tuple[Word, ...]) -> None:
    scope.enter(None)


def _declare(scope: Scope, words: tuple[Word, ...]) -> None:
    plain = words[0].text in {"export", "readonly"} or all(not w.text.startswith("-") for w in words[1:])
    for word in words[1:]:
        name, equals, value = word.text.partition("=")
        if equals and plain and not name.endswith("+") and "[" not in name:
            scope.assign(name, value if word.fixed else None)
        elif not plain:
            _freeze(scope, name.rstrip("+"))
        if words[0].text == "readonly":
            scope.freeze(name)


def _freeze(scope: Scope, name: str) -> None:
    if not name.startswith("-"):
        scope.freeze(name)
        scope.assign(name, None)


def _set_names(scope: Scope, words: tuple[Word, ...]) -> None:
    """Every word may be the name of a variable that is set to something."""
    for word in words[1:]:
        scope.assign(word.text.partition("=")[0].partition("[")[0].rstrip("+-*/%"), None)
    if any(not word.fixed for word in words[1:]):
        scope.lost = True
    if words[0].text in {"read", "mapfile", "readarray"}:
        scope.forget({"REPLY", "MAPFILE"})


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
    """`set -- a b` gives the shell new parameters."""
    texts = [word.text for word in words[1:]]
    if texts[:1] == ["--"] and all(word.fixed for word in words):
        scope.parameters = (scope.value("0") or "", *texts[1:])
    elif any(not word.fixed or not word.text.startswith(("-", "+")) for word in words[1:]) or "--" in texts:
        scope.parameters = None


def _shift(scope: Scope, _words: tuple[Word, ...]) -> None:
    scope.parameters = None


BUILTINS: Final[dict[str, Builtin]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _cd,
    "popd": _unknown_folder,
    "export": _declare,
    "declare": _declare,
    "typeset": _declare,
    "local": _declare,
    "readonly": _declare,
    "read": _set_names,
    "mapfile": _set_names,
    "readarray": _set_names,
    "getopts": _set_names,
    "printf": _set_names,
    "let": _set_names,
    "unset": _set_names,
    "wait": _set_names,
    "alias": _alias,
    "hash": _shadow,
    "enable": _shadow,
    "source": _lose,
    ".": _lose,
    "trap": _lose,
    "set": _set,
    "shift": _shift,
}
