"""The words after a program, sorted into options, values, operands and a command it runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.effects.effect import Word
from interlock.effects.programs.lookup import base_name, find_program, find_subcommand
from interlock.effects.programs.program import (
    Arguments,
    Flag,
    Operand,
    Option,
    Program,
    Role,
    letters_act,
    special_case,
)
from interlock.effects.programs.roles import (
    LITTLE,
    ROLES_BY_TEXT,
    after_suffix,
    begins_command,
    is_plain_code,
    operand_roles,
    roles_by_text,
    tail,
)

__all__ = ["Arguments", "Flag", "Operand", "sort_arguments"]

_UNKNOWN = Program(name="", options={}, unusual=False, even=True, steady=True)
# Names of the module are found sooner than members of a class.
_COMMAND, _SHELL, _TEXT = Role.COMMAND, Role.SHELL, Role.TEXT

_SHORTEST_LONG: Final = 3  # two dashes and a letter
_LONGEST_OPTION: Final = 40  # so that a text of dashes costs no more than a word


def sort_arguments(words: Sequence[Word]) -> Arguments:
    """Give every word after the program its place, by the table's entry for the program."""
    if not words:
        return Arguments(program=None, name="")
    name = words[0].text
    program = find_program(name) if words[0].fixed else None
    if len(words) == 1:
        return Arguments(program, program.name if program else base_name(name))
    entry = program or _UNKNOWN
    sorter = _Sorter(words, entry, entry.name, entry.options, entry.depth, entry.style == "none")
    sorter.sort()
    operands = tuple(sorter.settle())  # which may change the flags
    if program is None:
        return Arguments(None, base_name(name), tuple(sorter.flags), operands, tuple(sorter.commands))
    return Arguments(sorter.program, sorter.name, tuple(sorter.flags), operands, tuple(sorter.commands))


class _Sorter(msgspec.Struct, gc=False):
    """One pass over the words; what an option means for operands is settled at the end."""

    words: Sequence[Word]
    program: Program
    name: str
    options: dict[str, Option]
    depth: int  # how many subcommands may still come
    literal: bool  # no word is an option any more
    flags: list[Flag] = []
    loose: list[int] = []  # indices of operands
    extra: list[Operand] = []  # further values of options
    commands: list[tuple[Word, ...]] = []
    change: Role | None = None
    drops: bool = False
    touchy: bool = False
    late: int | None = None  # the flag that waits for the first operand

    def enter(self, program: Program, depth: int) -> None:
        """Go on by this entry, with this many subcommands still to come."""
        self.program = program
        self.options = program.options
        self.depth = depth
        self.literal = program.style == "none"

    def sort(self) -> None:
        """Walk over all words once."""
        words, at, count = self.words, 1, len(self.words)
        style = self.program.style
        if style == "bundled" and words[1].fixed and words[1].text[:1] not in ("-", "", "/", "."):
            at = self.bundle(1)
        pairs, flags, loose = style == "pairs", self.flags, self.loose
        while at < count:
            text = words[at].text
            if self.literal or (text[:1] not in self.program.signs and not pairs):
                if self.depth or not self.program.steady or self.change is _COMMAND:
                    at = self.operand(at, text)
                else:
                    loose.append(at)
                    at += 1
            elif text[:1] != "-" or text == "-":
                at = self.odd(at, text, pairs=pairs)
            elif (option := self.options.get(text)) is None or text == "--":
                at = self.option(at, text)
            elif option.plain:
                flags.append(Flag(option.names[0], None, option, at))
                at += 1
            else:
                at = self.known(at, option, None)

    def odd(self, at: int, text: str, *, pairs: bool) -> int:
        """Take a word that may be an option although it does not begin with a dash."""
        fixed = self.words[at].fixed
        if text in self.options and fixed and not pairs and text:
            return self.known(at, self.options[text], None)
        if text[:1] == "+" and fixed:
            return self.plus(at, text)
        if not fixed and self.may_act(text):
            self.flags.append(Flag(text, None, None, at))
            return at + 1
        if pairs and "=" in text:
            name, _, value = text.partition("=")
            return self.named(at, name, Word(value, fixed))
        return self.operand(at, text)

    def may_act(self, text: str) -> bool:
        """Whether a word is an option that acts if what it begins with is empty (`$v-delete`)."""
        if "/" in text:
            return False
        place = text.find("-", max(len(text) - _LONGEST_OPTION, text.rfind(")") + 1, text.rfind("`") + 1))
        while place != -1:
            # By its whole name, or by its letter with the value attached (`$v-of`).
            option = self.options.get(text[place:]) or self.options.get(text[place : place + 2])
            if option is not None and not option.idle:
                return True
            place = text.find("-", place + 1)
        return False

    def operand(self, at: int, text: str) -> int:
        """Take one operand: a subcommand, the start of a command, or an operand proper."""
        program = self.program
        if self.depth and self.words[at].fixed:
            if "/" not in text or program.operands[:1] != (Role.SCRIPT,):
                self.descend(text)
                return at + 1
            self.depth = 0  # a script in place of a subcommand: `deno https://…/x.ts`
        if (program.runs or self.change is _COMMAND) and begins_command(
            program, len(self.loose), text, self.change, drops=self.drops
        ):
            self.commands.append(tail(self.words, at, self.options))
            return len(self.words)
        self.loose.append(at)
        if not program.mixed or (program.rest is _SHELL and self.tail_begins()):
            self.literal = True
        return at + 1

    def tail_begins(self) -> bool:
        """True once the last operand taken belongs to a shell text of several words (`ssh host rm -rf x`)."""
        return len(self.loose) > (0 if self.drops else len(self.program.operands))

    def descend(self, text: str) -> None:
        """Go from `git` to `git push`."""
        name = f"{self.program.name} {text}" if self.name == self.program.name else f"{self.name} {text}"
        entry = find_subcommand(name)
        if entry is not None:
            self.name = entry.name
            self.enter(entry, entry.depth)
            return
        self.name = name
        parent, depth = self.program, self.depth - 1
        if not parent.mixed:
            parent = msgspec.structs.replace(_UNKNOWN, name=parent.name, style=parent.style, does=parent.does)
        self.enter(parent, depth)
        self.depth = depth

    def option(self, at: int, text: str) -> int:
        """Take a word that begins with a dash and is not an option as it stands."""
        if text == "--":
            end = self.options.get("--")
            if end is not None and end.value is _COMMAND:
                return self.command(at, end)
            self.literal = True
            self.flags.append(Flag("--", None, end, at))
            return at + 1
        if self.program.style == "single":
            return self.single(at, text)
        if text[1] == "-":
            name, equals, value = text.partition("=")
            return self.named(at, name, Word(value, self.words[at].fixed) if equals else None)
        return self.cluster(at, text)

    def named(self, at: int, name: str, value: Word | None) -> int:
        """Take a long option by its name or the beginning of it."""
        option = self.options.get(name)
        if option is None and (option := self.beginning(name)) and self.program.runs and value is None:
            # Not every version of a wrapper has this one: then the word behind it is the command.
            option = option if option.value is None or option.attached else None
        if option is None:
            self.flags.append(Flag(name, value, None, at))
            return at + 1
        return self.known(at, option, value)

    def beginning(self, name: str) -> Option | None:
        """The one option whose long name begins so."""
        longs = self.program.longs
        if len(name) < _SHORTEST_LONG:
            return None
        at = bisect_left(longs, name)
        found: Option | None = None
        while at < len(longs) and longs[at].startswith(name):
            option = self.options[longs[at]]
            if found is not None and found is not option:
                return None
            found, at = option, at + 1
        return found

    def known(self, at: int, option: Option, value: Word | None) -> int:
        """Take an option of the table with its value."""
        after = at + 1
        if option.plain:
            self.flags.append(Flag(option.names[0], value, option, at))
            return after
        role = option.value
        if value is None and role is _COMMAND:
            return self.command(at, option)
        if role is not None and value is None and not option.attached:
            if option.late:
                self.late = len(self.flags)
            elif after < len(self.words):
                value = self.words[after]
                after += 1
        if value is not None and option.cases:
            option, value = special_case(option, value)
        self.flags.append(Flag(option.names[0], value, option, at))
        self.obey(option)
        for further in option.then:
            if after < len(self.words):
                self.extra.append(Operand(self.words[after], further, after))
                after += 1
        return after

    def obey(self, option: Option) -> None:
        """Remember what an option means for the words after it."""
        if option.operands is not None:
            self.change = option.operands
        if option.drops:
            self.drops = True
        if option.ends:
            self.literal = True
        if option.turns:
            self.touchy = True

    def command(self, at: int, option: Option) -> int:
        """Take an option that is followed by a command, up to its end or the last word."""
        words, start = self.words, at + 1
        stop = after = len(words)
        if option.closed:
            for place in range(start, len(words)):
                text = words[place].text
                if text == ";" or (text == "+" and words[place - 1].text == "{}"):
                    stop, after = place, place + 1
                    break
        self.flags.append(Flag(option.names[0], None, option, at))
        self.obey(option)
        if stop > start:
            self.commands.append(tuple(words[start:stop]))
        return after

    def cluster(self, at: int, text: str) -> int:
        """Take short options written together, the last perhaps with its value attached."""
        options, flags, sign = self.options, self.flags, text[0]
        for place, letter in enumerate(text):
            if not place:
                continue
            option = options.get(sign + letter)
            if option is None:
                if place == 1 and text[1:].isdigit():
                    flags.append(Flag(text, None, None, at))
                    break
                if not self.words[at].fixed and not letter.isalnum():
                    rest = text[place:]
                    name = rest if letters_act(options, sign, rest) else sign + rest
                    flags.append(Flag(name, Word(rest, fixed=False), None, at))
                    break
                flags.append(Flag(sign + letter, None, None, at))
            elif option.plain:
                flags.append(Flag(option.names[0], None, option, at))
            elif option.value is None or option.late:
                self.known(at, option, None)
            else:
                rest = text[place + 1 :]
                return self.known(at, option, Word(rest, self.words[at].fixed) if rest else None)
        return at + 1

    def bundle(self, at: int) -> int:
        """Take a first word of letters without dash, whose values follow in their order (`tar cfC x d`)."""
        after = at + 1
        for letter in self.words[at].text:
            option = self.options.get("-" + letter)
            if option is None or option.value is None or option.attached:
                self.flags.append(Flag(option.names[0] if option else "-" + letter, None, option, at))
            else:
                value = self.words[after] if after < len(self.words) else None
                self.flags.append(Flag(option.names[0], value, option, at))
                after += 1
            if option is not None:
                self.obey(option)
        return min(after, len(self.words))

    def single(self, at: int, text: str) -> int:
        """Take an option of the `-name value`, `-name=value` kind."""
        option = self.options.get(text[1:]) if text[1] == "-" else None
        if option is not None:
            return self.known(at, option, None)
        name, equals, value = text.partition("=")
        word = Word(value, self.words[at].fixed) if equals else None
        option = self.options.get(name) or self.options.get("-" + name.lstrip("-"))
        if option is not None and equals:
            return self.known(at, option, word)
        option = self.options.get(text[:2])
        if option is not None and option.value is not None and text[1] != "-":
            return self.known(at, option, Word(text[2:], self.words[at].fixed))
        self.flags.append(Flag(name, word, None, at))
        return at + 1

    def plus(self, at: int, text: str) -> int:
        """Take a `+x` word where the program has such options."""
        option = self.options.get("+")
        if option is not None:
            rest = text[1:]
            return self.known(at, option, Word(rest) if rest else None)
        if text[:2] in self.options:
            return self.cluster(at, text)
        return self.operand(at, text)

    def settle(self) -> list[Operand]:
        """The operands with their roles, after what options mean for each other and for them."""
        program, words = self.program, self.words
        if self.late is not None and self.loose:
            waiting = self.flags[self.late]
            self.flags[self.late] = Flag(
                waiting.name, words[self.loose.pop(0)], waiting.option, waiting.index
            )
            self.drops = True
        if self.touchy:
            self.turn_all()
        if program.even and self.change is None and not self.extra:
            rest = program.rest or _TEXT
            return [Operand(words[at], rest, at) for at in self.loose]
        return self.places()

    def places(self) -> list[Operand]:
        """The operands where their places, their texts or further values of options count."""
        program, words = self.program, self.words
        roles = operand_roles(program, len(self.loose), self.change, drops=self.drops)
        if program.name in LITTLE:
            self.look_at_code(roles)
        elif program.name in ROLES_BY_TEXT:
            roles = roles_by_text(program.name, [words[at].text for at in self.loose], roles)
        operands = [Operand(words[at], role, at) for at, role in zip(self.loose, roles, strict=True)]
        if self.extra:
            operands = sorted([*operands, *self.extra], key=lambda operand: operand.index)
        return operands

    def turn_all(self) -> None:
        """Let options change what others mean."""
        for flag in tuple(self.flags):
            if flag.option is not None:
                self.turn(flag.option)

    def turn(self, option: Option) -> None:
        """Change the role of other options' values (`tar -c` writes the file of -f)."""
        for name, role in option.turns:
            for at, flag in enumerate(self.flags):
                if flag.name == name and flag.option is not None:
                    self.flags[at] = msgspec.structs.replace(
                        flag, option=msgspec.structs.replace(flag.option, value=role, idle=False)
                    )

    def look_behind_suffix(self, roles: list[Role]) -> None:
        """`sed -i '' CODE FILE`, where one sed has its option apart, another takes the code for a file."""
        names = {flag.name: flag.index for flag in self.flags if flag.value is None}
        if names.get("-i") != self.loose[0] - 1 or "-n" in names:  # without output a file would be emptied
            return
        if self.drops:
            roles[0] = _TEXT
        elif len(roles) > 1:
            roles[1] = after_suffix(self.words[self.loose[1]])

    def look_at_code(self, roles: list[Role]) -> None:
        """Code of a small language that surely only transforms its input counts as text."""
        if self.change is Role.WRITE and self.loose and self.words[self.loose[0]] == Word(""):
            self.look_behind_suffix(roles)
        for place, role in enumerate(roles):
            if role is Role.CODE and is_plain_code(self.program.name, self.words[self.loose[place]]):
                roles[place] = Role.TEXT
        for at, flag in enumerate(self.flags):
            option, value = flag.option, flag.value
            if option is None or value is None or option.value is not Role.CODE:
                continue
            if is_plain_code(self.program.name, value):
                plain = msgspec.structs.replace(option, value=Role.TEXT)
                self.flags[at] = Flag(flag.name, value, plain, flag.index)
