"""Redirects, assignments, and the files that a text makes before it may run them."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import filter as matching
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from interlock.effects.command import Command, GapKind
from interlock.effects.effect import Effect, EffectKind, Word
from interlock.effects.programs.program import Arguments, Flag, Operand, Role, words_with
from interlock.effects.shell.arithmetic import is_foreign
from interlock.effects.shell.builtins import BUILTINS
from interlock.effects.shell.context import TextSpan, writes_file
from interlock.effects.shell.expand import expand, expand_target, single, text_of
from interlock.effects.shell.expansions import runs_in
from interlock.effects.shell.feed import DESCRIPTOR, STANDARD_INPUT, Feed, FeedKind
from interlock.effects.shell.findings import Findings, env_effect
from interlock.effects.shell.names import ANY, is_command_line, is_run_later, is_sensitive
from interlock.effects.shell.scope import MadeFile, Scope
from interlock.effects.shell.syntax import Assignment, Part, Redirect, Text

if TYPE_CHECKING:
    from interlock.effects.shell.walk import Walker

# Names of the module are found sooner than members of a class.
_TEXT, _OPEN, _FILE = FeedKind.TEXT, FeedKind.OPEN, FeedKind.FILE
_AWAY: Final = frozenset(">&")  # how operators for output begin
_READING: Final = frozenset({"<", "<>"})
_OTHERS: Final = frozenset("123456789{")  # how redirects of other descriptors than the input begin
# Commands that may change this shell itself.
_IN_THIS_SHELL: Final = frozenset({*BUILTINS, "eval", "exec", "command", "builtin", "coproc"})
_ADDING: Final = frozenset({">>", "&>>"})
_CONNECTING: Final = ("/dev/tcp/", "/dev/udp/")
_ALWAYS_THERE: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_ALWAYS_OPEN: Final = frozenset({"0", "1", "2", "-"})
_WRITE, _READ = EffectKind.WRITE, EffectKind.READ


def follow_redirects(
    redirects: tuple[Redirect, ...], feed: Feed, scope: Scope, walker: Walker, by: str
) -> tuple[Feed, tuple[Effect, ...], bool]:
    """Note redirects; return what the command reads, what they write, and whether they take its output."""
    findings = walker.findings
    writes: tuple[Effect, ...] = ()
    away = False
    for redirect in redirects:
        operator, body = redirect.operator, redirect.body
        if walker.text[redirect.start] == "{":  # `{fd}>f` puts the number into that variable
            scope.assign(walker.text[redirect.start + 1 : redirect.end].partition("}")[0], None)
        into_file = body is None and writes_file(redirect)
        if operator[0] in _AWAY:
            away = True
            if not into_file:  # most go to a stream
                continue
        target = (
            Word(*text_of(body, scope, walker))
            if body is not None
            else expand_target(redirect.target, scope, walker)
        )
        if operator[:2] != "<<":
            if target.text.startswith(_CONNECTING):
                _connect(target.text, findings, by)
            elif into_file:
                writes += findings.path(_WRITE, target, scope, by)
            if operator in _READING:
                findings.path(_READ, target, scope, by)
        if operator[0] == "<":
            given = _input_of(operator, target, feed, walker, by)
            # A descriptor with another number is not the input.
            feed = walker.given = feed if walker.text[redirect.start] in _OTHERS else given
    return feed, writes, away


def _input_of(operator: str, target: Word, feed: Feed, walker: Walker, by: str) -> Feed:
    """Return what an input redirect gives the command to read."""
    text = target.text
    if operator[:2] == "<<":
        return Feed(_TEXT if target.fixed else _OPEN, text + "\n" if operator == "<<<" else text)
    if operator in _READING:
        if text.startswith(_CONNECTING):
            return Feed(_OPEN, text, network=True)
        return Feed(_FILE if target.fixed else _OPEN, text)
    if text == "-":
        return feed
    if not text.rstrip("-").isdigit():
        walker.findings.gap(GapKind.SYNTAX, f"redirect `<&{text}`", by)
    # Anything in the text may have opened that number.
    return Feed(_OPEN, walker.text, network=any(map(walker.text.__contains__, _CONNECTING)))


def copy_if_unsure(
    redirects: tuple[Redirect, ...], scope: Scope, program: Word | None = None
) -> Scope | None:
    """Return a copy of the scope if a redirect may fail, since the command then does not run."""
    if program is not None and program.fixed:
        name = program.text
        if name not in _IN_THIS_SHELL and name not in scope.functions:
            return None  # another process does not change this shell
    for redirect in redirects:
        operator, target = redirect.operator, redirect.target
        if operator[:2] != "<<":
            sure = _ALWAYS_OPEN if operator[-1] == "&" else _ALWAYS_THERE
            if target.parts is not None or target.text not in sure:
                return scope.copy()  # it shares the files: they stay on the disk
    return None


def make_file(effect: Effect, redirects: tuple[Redirect, ...], printed: Feed, scope: Scope) -> None:
    """Note a file that is written, since it may be run later."""
    printed = content_of(printed, scope)
    operators = {redirect.operator for redirect in redirects}
    if "<>" in operators:  # it overwrites a part of the file
        printed = Feed(_OPEN, effect.by)
    elif not _ADDING.isdisjoint(operators):
        before = scope.made(effect.target)
        printed = _append(before.content if before is not None else None, printed, effect.by)
    scope.make(effect.target, MadeFile(content=printed))


def _append(before: Feed | None, printed: Feed, by: str) -> Feed:
    """Return the content of a file after output is appended."""
    if before is None or before.kind is not printed.kind:
        return Feed(_OPEN, by, printed.decoded, printed.network)
    decoded, network = before.decoded or printed.decoded, before.network or printed.network
    return Feed(printed.kind, before.text + printed.text, decoded, network)


def note_block(place: TextSpan, scope: Scope, writes: tuple[Effect, ...], walker: Walker) -> None:
    """Note the redirects of a block as a command, since writing a file needs its own allow."""
    marked, bare = place.marked()
    for effect in writes:
        scope.make(effect.target, MadeFile(content=Feed(_OPEN, place.text)))
    walker.findings.command(
        Command(
            (), place.written, marked, bare, writes, cwd=scope.folder, via=walker.via,
            transparent=not writes,
        )
    )  # fmt: skip


def _connect(target: str, findings: Findings, by: str) -> None:
    host = "".join(target.split("/")[3:4])  # /dev/tcp/HOST/PORT
    findings.effects.append(Effect(EffectKind.NETWORK, host or target, None, bool(host), by))


def expand_assignments(
    assignments: tuple[Assignment, ...],
    scope: Scope,
    arrays: dict[str, tuple[Word, ...]],
    walker: Walker,
    *,
    keep: bool,
) -> tuple[tuple[str, Word], ...]:
    """Return the variables that one command sets; they stay set only if there is no program (`keep`)."""
    if len(assignments) == 1:
        return (expand_assignment(assignments[0], scope, arrays, walker),)
    before = {assignment.name: scope.variables.get(assignment.name) for assignment in assignments}
    values = []
    for assignment in assignments:
        name, value = expand_assignment(assignment, scope, arrays, walker)
        scope.assign(name, value.text if value.fixed else None)
        values.append((name, value))
    if not keep:
        for name, old in before.items():
            scope.assign(name, old)
    return tuple(values)


def expand_assignment(
    assignment: Assignment, scope: Scope, arrays: dict[str, tuple[Word, ...]], walker: Walker
) -> tuple[str, Word]:
    """Return a variable and its value; the elements of an array are added to `arrays`."""
    if assignment.value is None:
        words, keyed = list[Word](), False
        for element in assignment.elements:
            for word in expand(element, scope, walker):
                _note_value(assignment.name, word, None, walker)
                words.append(word)
            if walker.text.startswith("[", element.start):  # a subscript is evaluated as arithmetic
                counted = single(element, scope, walker)
                _note_value(assignment.name, Word(f"a{counted.text}", counted.fixed), None, walker)
                keyed = True
        if not keyed and not assignment.adds:
            arrays[assignment.name] = tuple(words)
        return assignment.name, Word("(…)", fixed=False)
    value = single(assignment.value, scope, walker)
    before = scope.variables.get(assignment.name) if assignment.adds else None
    whole = Word(f"{before}{value.text}", value.fixed) if before else value
    _note_value(assignment.name, whole, assignment.value.parts, walker)
    if assignment.plain:
        return assignment.name, value
    if value.fixed and is_run_later(assignment.name, "", fixed=False):  # with what it already contains
        walker.findings.gap(GapKind.OPEN, f"a shell runs the value of `{assignment.name}`", value.text)
    return assignment.name, Word(ANY + value.text, fixed=False)  # appended to its value at that time


def _note_value(name: str, value: Word, parts: tuple[Part, ...] | None, walker: Walker) -> None:
    """Note what a shell would run of a value, now or when it evaluates it as arithmetic."""
    if is_run_later(name, value.text, fixed=value.fixed):
        walker.findings.gap(GapKind.OPEN, f"a shell runs the value of `{name}`", value.text)
    elif is_command_line(name, value.text):
        walker.findings.gap(GapKind.CODE, f"a program runs the value of `{name}`", value.text)
    if "[" in value.text:
        literal = value.text
        if not value.fixed:  # its substitutions have been read
            literal = "".join([part.text for part in parts or () if type(part) is Text])
        hidden = not value.fixed and ("$(" in literal or "`" in literal) and "[" in literal
        if hidden or runs_in(literal):
            walker.findings.gap(GapKind.OPEN, f"arithmetic would run the value of `{name}`", value.text)


def assign(
    environment: tuple[tuple[str, Word], ...],
    scope: Scope,
    place: TextSpan,
    writes: tuple[Effect, ...],
    walker: Walker,
) -> None:
    """Follow assignments and redirects without a program: they change this shell and make files."""
    marked, bare = place.marked()
    written = place.written if place.redirects else marked
    findings, sensitive = walker.findings, False
    for name, value in environment:
        if value.fixed:
            scope.assign(name, value.text)
        else:
            foreign = bool(findings.sources) and is_foreign(value.text, findings.sources)
            scope.assign_open(name, value.text, foreign=foreign)
        findings.effects.append(env_effect(name, value, written))
        sensitive = sensitive or is_sensitive(name)
    findings.command(
        Command(
            (), written, marked, bare, writes, None, environment, scope.folder, walker.via, False,
            not sensitive and not writes,
        )
    )  # fmt: skip


_COPYING_INPUT: Final = frozenset({"tee", "dd", "sponge"})
_NAMING: Final = frozenset({"cp", "mv", "ln", "link", "install", "rsync", "scp", "ditto"})
_PIPING: Final = frozenset({"mkfifo", "mknod"})
_SPLITTING: Final = {"split": "x", "csplit": "xx"}  # and the default prefix of the files
_RENAMING: Final = frozenset({"rename", "prename", "file-rename", "rename.ul", "mmv", "vidir"})
MAKING: Final = _COPYING_INPUT | _NAMING | _PIPING | _RENAMING | _SPLITTING.keys()
# Others that write text into files; compilers and formatters are not among them.
WRITING_TEXT: Final = frozenset(
    "sed awk perl ruby uniq xxd patch recode dos2unix unix2dos mac2unix yq xq tomlq jq ed red ex"
    " vim view nvi emacs json.tool pandoc zstd sops ansible-vault cpio script iconv msgmerge xmllint xsltproc"
    " sdiff zipnote sqlite3 duckdb".split()
) | {"git mv", "docker cp", "podman cp", "nerdctl cp", "kubectl cp", "oc cp"}
_LINKING: Final = frozenset({"-l", "-s"})  # with which `cp` makes links
_PUTTING: Final = frozenset({Role.WRITE, Role.EDIT})
_UNKNOWN: Final = frozenset("$`)")  # in a name that is only known at run time


def note_made(name: str, arguments: Arguments, feed: Feed, written: str, scope: Scope) -> None:
    """Note the files that one of these programs makes."""
    if name in _NAMING:
        _name(name, arguments, feed, scope)
    elif name in _COPYING_INPUT:
        _copy_input(name, arguments, feed, written, scope)
    elif name in _RENAMING:  # by a rule: any name may mean another file from here on
        scope.linked = True
    elif name in _SPLITTING:
        prefixes = [operand.word.text for operand in arguments.operands if operand.role in _PUTTING]
        prefixes += [flag.value.text for flag in arguments.flags if flag.value and flag.name == "-f"]
        for start in prefixes or (_SPLITTING[name],):
            scope.make(f"{start}*", MadeFile(content=Feed(FeedKind.OPEN, written)))
    else:  # a named pipe: another command writes to it
        for operand in arguments.operands:
            scope.make(operand.word.text, MadeFile(content=Feed(FeedKind.OPEN, written)))


def note_written(operands: Sequence[Operand], flags: Sequence[Flag], by: str, scope: Scope) -> bool:
    """Note the files into which one of the other programs writes unknown text; return whether any."""
    paths = words_with(_PUTTING, operands, flags)
    made = MadeFile(content=Feed(FeedKind.OPEN, by))
    for path in paths:
        scope.make(path.text, made)
        for place in () if path.fixed else scope.places(path.text):
            for other in matching(scope.files, place):
                scope.put(other, made)
    return bool(paths)


def content_of(feed: Feed, scope: Scope) -> Feed:
    """Return the content of a file that gets this input; a copy has the content of its source."""
    if feed.kind is not FeedKind.FILE:
        return feed
    made = scope.made(feed.text)
    return made.content if made is not None and made.content is not None else Feed(FeedKind.OPEN, feed.text)


def _name(name: str, arguments: Arguments, feed: Feed, scope: Scope) -> None:
    """Follow `cp`, `mv`, `ln` and `install`: a file gets another name, or goes into a folder."""
    flags = {flag.name for flag in arguments.flags}
    link = name in {"ln", "link"} or (name == "cp" and not _LINKING.isdisjoint(flags))
    scope.linked = scope.linked or link
    if arguments.operands and arguments.operands[-1].role is Role.NETWORK:
        return  # it goes to another machine
    sources = [operand.word for operand in arguments.operands if operand.role is not Role.NETWORK]
    targets = [flag.value for flag in arguments.flags if flag.option and flag.option.value is Role.WRITE]
    target = targets[-1] if targets else sources.pop() if len(sources) > 1 else None
    for source in sources:
        if target is not None:
            _give(source, target.text, feed, scope, link=link)
        elif link:  # it gets the same name here
            _give(source, source.text.rstrip("/").rpartition("/")[2], feed, scope, link=link)


def _give(source: Word, target: str, feed: Feed, scope: Scope, *, link: bool = False) -> None:
    """Note that a file, or a folder with everything in it, is also at another path."""
    last = source.text.rstrip("/").rpartition("/")[2]
    made = scope.made(source.text)
    if source.text in STANDARD_INPUT and feed.kind is not FeedKind.NONE:
        made = MadeFile(content=content_of(feed, scope))
    elif DESCRIPTOR.fullmatch(source.text):
        made = MadeFile(content=Feed(FeedKind.OPEN, source.text))
    elif made is None:
        known = source.fixed or _UNKNOWN.isdisjoint(last)
        content = None if known else Feed(FeedKind.OPEN, source.text)
        made = MadeFile(content, last if known else None, source, scope.folder, link)
    for place in scope.places(source.text):
        for path, below in tuple(scope.files.items()):
            if path.startswith(place + "/"):
                rest = path[len(place) :]
                scope.make(target + rest, below)
                scope.make(f"{target}/{last}{rest}", below)
            elif not source.fixed and fnmatchcase(path, place):
                scope.make(f"{target}/{path.rpartition('/')[2]}", below)
    scope.make(target, made)
    scope.make(f"{target}/{last}", made)
    if "/" in source.text:  # `cp --parents`, `rsync -R`
        scope.make(f"{target}/{source.text}", made)


def _copy_input(name: str, arguments: Arguments, feed: Feed, written: str, scope: Scope) -> None:
    """Follow `tee` and the like, which write their input into files; `dd` may copy a file."""
    if feed.kind is FeedKind.NONE:
        feed = Feed(FeedKind.OPEN, written)
    feed = content_of(feed, scope)
    if feed.kind is FeedKind.TEXT and (name != "tee" or any(f.name == "-a" for f in arguments.flags)):
        feed = Feed(FeedKind.OPEN, f"{written}\n{feed.text}")
    values = {flag.name: flag.value for flag in arguments.flags if flag.value is not None}
    if name == "dd" and "if" in values and "of" in values:
        _give(values["if"], values["of"].text, feed, scope)
        return
    for word in (*values.values(), *(operand.word for operand in arguments.operands)):
        scope.make(word.text, MadeFile(content=feed))
