"""Random shell texts from a grammar of commands: chains, compounds, functions, here-documents, wrappers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeVar

from tests.effects.oracle.shell_words import SET_NAMES, Words

T = TypeVar("T")


class Texts:
    """Draws whole texts; here-documents wait for the next newline, as they do in the shell."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._words = Words(self._rng, self._nested)
        self._waiting: list[str] = []
        self._functions: list[str] = []

    def text(self) -> str:
        """One text."""
        self._waiting, self._functions = [], []
        whole = self._list(self._any(1, 2, 2, 3), self._any(1, 1, 2, 2, 3)) + self._flush("")
        return self._any(*("",) * 9, "\n", " ") + whole + self._any(*("",) * 5, "\n")

    def _any(self, *choices: T) -> T:
        return self._rng.choice(choices)

    def _nested(self, depth: int) -> str:
        outer, self._waiting = self._waiting, []
        inner = self._list(depth, self._any(1, 1, 1, 2)) + self._flush("")
        self._waiting = outer
        # `$((` would begin arithmetic.
        return f" {inner}" if inner.startswith("(") else inner

    def _flush(self, otherwise: str) -> str:
        if not self._waiting:
            return otherwise
        bodies, self._waiting = "".join(self._waiting), []
        return "\n" + bodies

    def _list(self, depth: int, count: int) -> str:
        said = self._command(depth)
        for _ in range(count - 1):
            joint = self._words.one("joints")
            if joint.endswith("\n"):
                joint = joint[:-1] + self._flush("\n")
            said += joint + self._command(depth)
        return said

    def _body(self, depth: int) -> str:
        """A list where a compound command wants one, ended."""
        inner = self._list(depth - 1, self._any(1, 1, 2))
        end = self._any(";", ";", "\n")
        if inner.endswith((")", "}", "done", "fi", "esac")) and self._rng.random() < 0.3:
            end = " "  # a word of the grammar may follow a block at once
        return inner + (self._flush("\n") if self._waiting or end == "\n" else end)

    def _command(self, depth: int) -> str:
        if depth <= 0 or self._rng.random() < 0.62:
            return self._simple(depth)
        return self._rng.choice(_COMPOUNDS)(self, depth)

    def _simple(self, depth: int) -> str:
        kind = self._rng.random()
        if kind < 0.12:
            return self._words.one("builtins")
        if self._functions and kind < 0.18:
            return self._rng.choice(self._functions) + self._words.words(depth)
        said = self._words.one("programs") if kind < 0.95 else self._words.word(depth)
        if kind > 0.72 and depth > 0:
            said = self._words.one("wrappers") + self._words.space() + said
        said += self._words.words(depth)
        if "find . -exec" in said:
            said += self._any(" {} \\;", " {} +", " ';'")
        return self._around(said, depth)

    def _around(self, said: str, depth: int) -> str:
        """Assignments and redirects of a simple command."""
        if self._rng.random() < 0.12:
            said = f"{self._any(*SET_NAMES)}={self._words.word(depth - 1)} {said}"
        if self._rng.random() < 0.2:
            said += " " + self._words.one("redirects")
        if self._rng.random() < 0.04:
            said = f"{self._words.one('redirects')} {said}"
        if depth > 0 and self._rng.random() < 0.1:
            said += self._document(depth)
        return said

    def _document(self, depth: int) -> str:
        if self._rng.random() < 0.3:
            return " <<<" + self._any("", " ") + self._words.word(depth)
        name = self._any("EOF", "E", "END", "done")
        dash = self._any("", "", "-")
        written = self._any(name, name, f"'{name}'", f'"{name}"', f"\\{name}")
        lines = [self._words.word(depth - 1).replace("\n", " ") for _ in range(self._rng.randint(0, 3))]
        tab = self._any("", "\t") if dash else ""
        self._waiting.append("".join(f"{tab}{line}\n" for line in (*lines, name)))
        return f" <<{dash}{self._any('', '', ' ')}{written}"

    def _quoted(self, text: str) -> str:
        match self._any("single", "single", "double", "ansi"):
            case "single":
                return "'" + text.replace("'", "'\\''") + "'"
            case "double":
                return '"' + "".join(f"\\{c}" if c in '"\\$`' else c for c in text) + '"'
            case _:
                return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"

    def _group(self, depth: int) -> str:
        inner = self._body(depth)
        tail = self._any("", "", "", " > f", " 2>&1", " | cat")
        head = "coproc " if self._rng.random() < 0.05 else ""
        return head + self._any(f"({inner.rstrip(';')})", f"{{ {inner} }}") + tail

    def _if(self, depth: int) -> str:
        test = self._any(self._words.one("tests"), self._list(depth - 1, 1)) + self._flush(";")
        middle = self._any("", f" else {self._body(depth)}", f" elif {test} then {self._body(depth)}")
        return f"if {test} then {self._body(depth)}{middle} fi"

    def _for(self, depth: int) -> str:
        name, words = self._any(*SET_NAMES), self._words.words(depth)
        plain = f"for {name} in{words}"
        head = self._any(plain, plain, f"for {name}", "for ((i=0;i<2;i++))", f"select {name} in a b")
        head += self._flush(self._any(";", "\n"))
        body = self._body(depth)
        return f"{head} {{ {body} }}" if self._rng.random() < 0.1 else f"{head} do {body} done"

    def _while(self, depth: int) -> str:
        head = self._any(
            "while false", "until true", "while read v", "cat f | while read -r v", "while ((x++<2))"
        )
        return f"{head}; do {self._body(depth)} done" + self._any("", " < f", " | cat", "")

    def _case(self, depth: int) -> str:
        subject, arms = self._words.word(depth - 1), ""
        for _ in range(self._rng.randint(1, 2)):
            inner = self._list(depth - 1, 1) + self._flush("")
            arms += f" {self._words.one('labels')} {inner} {self._any(';;', ';;', ';;', ';&', ';;&')}"
        return f"case {subject} in{self._any('', chr(10))}{arms} esac"

    def _function(self, depth: int) -> str:
        name = self._any("fn", "g-h", "ls", "do_it")
        head = self._any(f"{name}()", f"{name} ()", f"function {name}", f"function {name}()")
        self._functions.append(name)
        body = self._any(f"{{ {self._body(depth)} }}", f"({self._body(depth)})")
        return f"{head} {body}; {name}{self._words.words(depth)}"

    def _shell(self, depth: int) -> str:
        return self._words.one("inner texts").replace("@", self._quoted(self._nested(depth - 1)))

    def _arithmetic(self, depth: int) -> str:
        inner = self._words.arithmetic(depth)
        return self._any(f"(({inner}))", f"let '{inner}'", f"v=$(({inner}))", f"[[ {inner} -gt 1 ]]")

    def _test(self, depth: int) -> str:
        left, right = self._words.word(depth - 1), self._words.word(depth - 1)
        how = self._any("==", "=", "!=", "=~", "-eq", "<", "-nt")
        return f"[[ {left} {how} {right} ]]" + self._any("", " && " + self._command(depth - 1))


_COMPOUNDS: Final[tuple[Callable[[Texts, int], str], ...]] = (
    *(Texts._group, Texts._group, Texts._if, Texts._for, Texts._while, Texts._case, Texts._function),
    *(Texts._shell, Texts._shell, Texts._shell, Texts._arithmetic, Texts._test),
)
