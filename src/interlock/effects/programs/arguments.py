"""Sorts the words after a program into options, values, operands and a command that it runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.effects.effect import Word
from interlock.effects.programs.lookup import base_name, find_program, find_subcommand
from interlock.effects.programs.program import Arguments, Flag, Operand, Option, Program, Role
from interlock.effects.programs.roles import (
    LITTLE,
    ROLES_BY_TEXT,
    begins_command,
    is_plain_code,
    operand_roles,
    roles_by_text,
    special_case,
    tail,
)

_UNKNOWN = Program(name="", options={}, unusual=False, even=True, steady=True)
# Module names are looked up faster than class members.
_COMMAND, _SHELL, _TEXT = Role.COMMAND, Role.SHELL, Role.TEXT

_SHORTEST_LONG: Final = 3  # two dashes and a letter
_LONGEST_OPTION: Final = 40  # characters; a long text of dashes costs no more than a word


def sort_arguments(words: Sequence[Word]) -> Arguments:
    """Sort the words after the program by the program's table entry."""
    if not words:
        return Arguments(program=None, name="")
    name = words[0].text
    program = find_program(name) if words[0].fixed else None
    if len(words) == 1:
        return Arguments(program, program.name if program else base_name(name))
    entry = program or _UNKNOWN
    sorter = _Sorter(words, entry, entry.name, entry.options, entry.depth, entry.style == "none")
    sorter.sort()
    operands = tuple(sorter.resolve_operands())  # this may change the flags
    used, full_name = (sorter.program, sorter.name) if program else (None, base_name(name))
    return Arguments(used, full_name, tuple(sorter.flags), operands, tuple(sorter.commands))


class _Sorter(msgspec.Struct, gc=False):
    """One pass over the words; what options mean for operands is resolved at the end."""

    words: Sequence[Word]
    program: Program
    name: str
    options: dict[str, Option]
    depth: int  # how many subcommands may still come
    literal: bool  # no further word is an option
    flags: list[Flag] = []
    loose: list[int] = []  # indices of operands
    extra: list[Operand] = []  # further values of options
    commands: list[tuple[Word, ...]] = []
    change: Role | None = None
    drops: bool = False
    touchy: bool = False
    late: int | None = None  # the flag that waits for the first operand

    def enter(self, program: Program, depth: int) -> None:
        """Continue with this entry."""
        self.program = program
        self.options = program.options
        self.depth = depth
        self.literal = program.style == "none"

    def sort(self) -> None:
        words, at, count = self.words, 1, len(self.words)
        style = self.program.style
        if style == "bundled" and words[1].fixed and words[1].text[:1] not in ("-", "", "/", "."):
            at = self.take_bundle(1)
        pairs, flags, loose = style == "pairs", self.flags, self.loose
        while at < count:
            text = words[at].text
            if self.literal or (text[:1] not in self.program.signs and not pairs):
                if self.depth or not self.program.steady or self.change is _COMMAND:
                    at = self.take_operand(at, text)
                else:
                    loose.append(at)
                    at += 1
            elif text[:1] != "-" or text == "-":
                at = self.take_undashed(at, text, pairs=pairs)
            elif (option := self.options.get(text)) is None or text == "--":
                at = self.take_dashed(at, text)
            elif option.plain:
                flags.append(Flag(option.names[0], None, option, at))
                at += 1
            else:
                at = self.take_option(at, option, None)

    def take_undashed(self, at: int, text: str, *, pairs: bool) -> int:
        """Take a word without a leading dash that may still be an option."""
        fixed = self.words[at].fixed
        if text in self.options and fixed and not pairs and text:
            return self.take_option(at, self.options[text], None)
        if text[:1] == "+" and fixed:
            return self.take_plus(at, text)
        if not fixed and self.may_act(text):
            self.flags.append(Flag(text, None, None, at))
            return at + 1
        if pairs and "=" in text:
            name, _, value = text.partition("=")
            return self.take_long(at, name, Word(value, fixed))
        return self.take_operand(at, text)

    def may_act(self, text: str) -> bool:
        """Return whether a word is an option that acts if its first part expands to nothing (`$v-delete`)."""
        if "/" in text:
            return False
        place = text.find("-", max(len(text) - _LONGEST_OPTION, text.rfind(")") + 1, text.rfind("`") + 1))
        while place != -1:
            # The whole name, or a letter with its value attached (`$v-of`).
            option = self.options.get(text[place:]) or self.options.get(text[place : place + 2])
            if option is not None and not option.idle:
                return True
            place = text.find("-", place + 1)
        return False

    def take_operand(self, at: int, text: str) -> int:
        """Take a subcommand, the start of a command, or a plain operand."""
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
        first = 0 if self.drops else len(program.operands)
        # The rest may be a shell text of several words (`ssh host rm -rf x`).
        if not program.mixed or (program.rest is _SHELL and len(self.loose) > first):
            self.literal = True
        return at + 1

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

    def take_dashed(self, at: int, text: str) -> int:
        """Take a word that begins with a dash but is not an option as a whole."""
        if text == "--":
            end = self.options.get("--")
            if end is not None and end.value is _COMMAND:
                return self.take_command(at, end)
            self.literal = True
            self.flags.append(Flag("--", None, end, at))
            return at + 1
        if self.program.style == "single":
            return self.take_single(at, text)
        if text[1] == "-":
            name, equals, value = text.partition("=")
            return self.take_long(at, name, Word(value, self.words[at].fixed) if equals else None)
        return self.take_cluster(at, text)

    def take_long(self, at: int, name: str, value: Word | None) -> int:
        """Take a long option by its name or an abbreviation of it."""
        option = self.options.get(name)
        if option is None and (option := self.find_by_prefix(name)) and self.program.runs and value is None:
            # Some versions of a wrapper do not have this option; to them the next word is the command.
            option = option if option.value is None or option.attached else None
        if option is None:
            self.flags.append(Flag(name, value, None, at))
            return at + 1
        return self.take_option(at, option, value)

    def find_by_prefix(self, name: str) -> Option | None:
        """Return the only option whose long name begins with this."""
        longs = self.program.longs
        if len(name) < _SHORTEST_LONG:
            return None
        at = bisect_left(longs, name)
        candidate: Option | None = None
        while at < len(longs) and longs[at].startswith(name):
            option = self.options[longs[at]]
            if candidate is not None and candidate is not option:
                return None
            candidate, at = option, at + 1
        return candidate

    def take_option(self, at: int, option: Option, value: Word | None) -> int:
        """Take an option of the table with its value."""
        after = at + 1
        if option.plain:
            self.flags.append(Flag(option.names[0], value, option, at))
            return after
        role = option.value
        if value is None and role is _COMMAND:
            return self.take_command(at, option)
        if role is not None and value is None and not option.attached:
            if option.late:
                self.late = len(self.flags)
            elif after < len(self.words):
                value = self.words[after]
                after += 1
        if value is not None and option.cases:
            option, value = special_case(option, value)
        self.flags.append(Flag(option.names[0], value, option, at))
        self.apply(option)
        for further in option.then:
            if after < len(self.words):
                self.extra.append(Operand(self.words[after], further, after))
                after += 1
        return after

    def apply(self, option: Option) -> None:
        """Remember what an option means for other words."""
        if option.operands is not None:
            self.change = option.operands
        if option.drops:
            self.drops = True
        if option.ends:
            self.literal = True
        if option.turns:
            self.touchy = True

    def take_command(self, at: int, option: Option) -> int:
        """Take an option and the command after it, up to the command's end or the last word."""
        words, start = self.words, at + 1
        stop = after = len(words)
        if option.closed:
            for place in range(start, len(words)):
                text = words[place].text
                if text == ";" or (text == "+" and words[place - 1].text == "{}"):
                    stop, after = place, place + 1
                    break
        self.flags.append(Flag(option.names[0], None, option, at))
        self.apply(option)
        if stop > start:
            self.commands.append(tuple(words[start:stop]))
        return after

    def take_cluster(self, at: int, text: str) -> int:
        """Take short options written together; the last may have its value attached."""
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
                    # An option that acts may follow what the run decides (`sort -"$v"o f`).
                    rest = text[place:]
                    later = [options.get(sign + other) for other in rest[:_LONGEST_OPTION]]
                    acts = any(other is not None and not other.idle for other in later)
                    name = rest if acts else sign + rest
                    flags.append(Flag(name, Word(rest, fixed=False), None, at))
                    break
                flags.append(Flag(sign + letter, None, None, at))
            elif option.plain:
                flags.append(Flag(option.names[0], None, option, at))
            elif option.value is None or option.late:
                self.take_option(at, option, None)
            else:
                rest = text[place + 1 :]
                return self.take_option(at, option, Word(rest, self.words[at].fixed) if rest else None)
        return at + 1

    def take_bundle(self, at: int) -> int:
        """Take a first word of letters without a dash, whose values follow in order (`tar cfC x d`)."""
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
                self.apply(option)
        return min(after, len(self.words))

    def take_single(self, at: int, text: str) -> int:
        """Take an option written as `-name value` or `-name=value`."""
        option = self.options.get(text[1:]) if text[1] == "-" else None
        if option is not None:
            return self.take_option(at, option, None)
        name, equals, value = text.partition("=")
        word = Word(value, self.words[at].fixed) if equals else None
        option = self.options.get(name) or self.options.get("-" + name.lstrip("-"))
        if option is not None and equals:
            return self.take_option(at, option, word)
        option = self.options.get(text[:2])
        if option is not None and option.value is not None and text[1] != "-":
            return self.take_option(at, option, Word(text[2:], self.words[at].fixed))
        self.flags.append(Flag(name, word, None, at))
        return at + 1

    def take_plus(self, at: int, text: str) -> int:
        """Take `+x` as an option if the program has such options, else as an operand."""
        option = self.options.get("+")
        if option is not None:
            rest = text[1:]
            return self.take_option(at, option, Word(rest) if rest else None)
        if text[:2] in self.options:
            return self.take_cluster(at, text)
        return self.take_operand(at, text)

    def resolve_operands(self) -> list[Operand]:
        """Return the operands with their roles, after applying what options mean for other words."""
        program, words = self.program, self.words
        if self.late is not None and self.loose:
            self.set_flag(self.late, value=words[self.loose.pop(0)])
            self.drops = True
        if self.touchy:
            self.turn_roles()
        if program.even and self.change is None and not self.extra:
            rest = program.rest or _TEXT
            return [Operand(words[at], rest, at) for at in self.loose]
        roles = operand_roles(program, len(self.loose), self.change, drops=self.drops)
        if program.name in LITTLE:
            self.mark_plain_code(roles)
        elif program.name in ROLES_BY_TEXT:
            roles = roles_by_text(program.name, [words[at].text for at in self.loose], roles)
        operands = [Operand(words[at], role, at) for at, role in zip(self.loose, roles, strict=True)]
        if self.extra:
            operands = sorted([*operands, *self.extra], key=lambda operand: operand.index)
        return operands

    def set_flag(self, at: int, **changes: object) -> None:
        self.flags[at] = msgspec.structs.replace(self.flags[at], **changes)

    def turn_roles(self) -> None:
        """Change the roles of other options' values (`tar -c` writes the file of -f)."""
        turns = [turn for flag in self.flags if flag.option is not None for turn in flag.option.turns]
        for name, role in turns:
            for at, flag in enumerate(self.flags):
                if flag.name == name and flag.option is not None:
                    self.set_flag(at, option=msgspec.structs.replace(flag.option, value=role, idle=False))

    def mark_plain_code(self, roles: list[Role]) -> None:
        """Treat code of sed and awk as text if it certainly only transforms its input."""
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
                self.set_flag(at, option=msgspec.structs.replace(option, value=Role.TEXT))

    def look_behind_suffix(self, roles: list[Role]) -> None:
        """Read `sed -i '' CODE FILE`: BSD sed takes `''` as the suffix, GNU sed takes CODE as a file."""
        names = {flag.name: flag.index for flag in self.flags if flag.value is None}
        if names.get("-i") != self.loose[0] - 1 or "-n" in names:  # with -n, sed would empty the file
            return
        if self.drops:
            roles[0] = _TEXT
        elif len(roles) > 1:
            # GNU sed leaves that file as it is if the code is plain.
            plain = is_plain_code("sed", self.words[self.loose[1]])
            roles[1] = Role.READ if plain else Role.CODE
