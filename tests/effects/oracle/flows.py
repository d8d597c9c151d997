"""Random texts in which the words of programs come from somewhere else: variables, parameters, arrays, files.

What is there depends on branches, loops, functions that return early, and parts that never run.
"""

from __future__ import annotations

import random
from typing import Final

VALUES: Final = ("a", "b", "c")
NAMES: Final = ("v", "w")
USES: Final = ("git $v", 'git "$w"', "rm $1", 'rm "$@"', 'git "${a[@]}"', "rm $v $w", "g $v", "f $w", "f b")
CONDITIONS: Final = ("true", "false", "test -e nothing", '[ -n "$v" ]', "[[ $w == a ]]", "! true")
DEEPEST: Final = 3


class Flows:
    """Draws whole texts."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def text(self) -> str:
        """Two functions, some steps, and uses of what they may have set."""
        parts = [f"g() {{ {self._steps(1, inside=True)}; }}", f"f() {{ {self._steps(2, inside=True)}; }}"]
        self._rng.shuffle(parts)
        begun = [self._set() for _ in range(self._rng.randint(1, 3))]
        used = [self._rng.choice(USES) for _ in range(self._rng.randint(1, 3))]
        joint = self._rng.choice(("; ", "\n"))
        return joint.join([*parts, *begun, self._steps(DEEPEST), *used])

    def _steps(self, depth: int, *, inside: bool = False) -> str:
        return "; ".join(self._step(depth, inside=inside) for _ in range(self._rng.randint(1, 3)))

    def _step(self, depth: int, *, inside: bool) -> str:
        """One command; in a function, it may end that or set a variable of its own."""
        drawn = self._rng.random()
        if inside and drawn < 0.15:
            return self._rng.choice(("return", f"local v={self._value()}", f"declare w={self._value()}"))
        if depth and drawn < 0.55:
            return self._compound(depth - 1, inside=inside)
        if drawn < 0.75:
            return self._rng.choice(USES if depth and not inside else USES[:6])
        return self._set()

    def _set(self) -> str:
        name, value = self._rng.choice(NAMES), self._value()
        return self._rng.choice(
            (
                f"{name}={value}", f"{name}={value}", f"v={value} w=$v", f"set -- {value}", "shift",
                f"a=({value})", f"read {name} <<< {value}", f"printf -v {name} {value}", "v=$w",
                f"eval '{name}={value}'", f"export {name}={value}", "cd $v",
                f": ${{{name}:={value}}}", f"unset {name}", f"{name}=$(echo {value})",
                f"for {name} in {value}; do :; done",
            )
        )  # fmt: skip

    def _compound(self, depth: int, *, inside: bool) -> str:
        one, other = self._steps(depth, inside=inside), self._steps(depth, inside=inside)
        condition = self._rng.choice(CONDITIONS)
        return self._rng.choice(
            (
                f"if {condition}; then {one}; fi", f"if {condition}; then {one}; else {other}; fi",
                f"for i in 1 2; do {one}; done", f"for i in; do {one}; done", f"{condition} && {{ {one}; }}",
                f"while {condition}; do {one}; break; done", f"{condition} || {{ {one}; }}",
                f"case $v in a) {one} ;; *) {other} ;; esac", f"{{ {one}; }} | cat",
                f"{condition} && {{ {one}; }} || {{ {other}; }}", f"( {one} )", f"{{ {one}; }}",
                f"for i in 1 2; do {one}; {condition} && continue; {other}; done", f"{{ {one}; }} & wait",
                f"w=$({one})", f"until ! {condition}; do {one}; break; done",
            )
        )  # fmt: skip

    def _value(self) -> str:
        return self._rng.choice(VALUES)
