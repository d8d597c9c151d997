"""Names of variables: which a text sets or uses, and which change what programs do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from interlock.effects.shell.scope import Scope


# Everything but names, `$` and `{` becomes a blank. A name that is only used keeps its `$` or `{`.
_PARTING: Final = bytes(
    byte if chr(byte) in "_${" or (chr(byte).isascii() and chr(byte).isalnum()) else 32 for byte in range(256)
)
_MOVES: Final = re.compile(r"\b(?:cd|pushd|popd|chdir)\b")


def names_in(text: str) -> frozenset[str]:
    """Return every name that a text could set."""
    # Translating bytes is much faster than an expression.
    parted = text.encode("utf-8", "replace").translate(_PARTING)
    return frozenset(parted.replace(b"$", b" $").replace(b"{", b" {").decode("ascii").split())


def moves_in(text: str) -> bool:
    """Return whether a text may change the folder."""
    # These checks are much faster than the expression.
    moving = "cd" in text or "pushd" in text or "popd" in text or "chdir" in text
    return moving and _MOVES.search(text) is not None


def holds_name(name: str | None, scope: Scope, text: str | None) -> bool:
    """Return whether the value of a variable is certainly a name: in a subscript, anything else may be run.

    The text is the whole one, or None inside a text that is part of another.
    """
    if name is None or scope.lost:
        return False
    held = scope.value(name)
    if held is not None:
        return held.isascii() and held.isidentifier()
    return text is not None and _is_set_to_names(name, text)


@lru_cache(maxsize=64)
def _is_set_to_names(name: str, text: str) -> bool:
    """Return whether the text only uses the variable, and sets it only in loops over names."""
    if not name.isidentifier():
        return name == "#"
    uses = rf"\$(?:{name}\b|\{{[!#]?{name}\b)"
    loops = rf"\bfor[ \t]+{name}[ \t]+in(?:[ \t]+[A-Za-z_]\w*+)+[ \t]*+(?=[;\n])"
    return re.search(rf"\b{name}\b", re.sub(f"{uses}|{loops}", "", text)) is None


_NAMES: Final = frozenset(
    "PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND PAGER MANPAGER LESSOPEN LESSCLOSE LESS"
    " EDITOR VISUAL BROWSER SHELL HOME CDPATH FPATH ZDOTDIR PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYLIB"
    " RUBYOPT NODE_OPTIONS NODE_PATH CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS"
    " MAVEN_OPTS GRADLE_OPTS MAKEFLAGS GNUMAKEFLAGS MAKEFILES CC CXX LD RUSTC RUSTC_WRAPPER"
    " CARGO_BUILD_RUSTC_WRAPPER SUDO_ASKPASS SUDO_EDITOR SSH_ASKPASS RSYNC_RSH CVS_RSH TAR_OPTIONS"
    " GREP_OPTIONS GZIP XZ_OPT LUA_INIT LUA_PATH PHP_INI_SCAN_DIR PYTHONSTARTUP PYTHONPATH PYTHONHOME"
    " PYTHONINSPECT PYTHONWARNINGS PYTHONBREAKPOINT PYTHONUSERBASE DOCKER_HOST KUBECONFIG"
    " AWS_CONFIG_FILE OPENSSL_CONF OPENSSL_ENGINES TERMINFO GCONV_PATH HOSTALIASES RES_OPTIONS LOCPATH"
    " NLSPATH TMPPREFIX BASH_CMDS BASH_ALIASES".split()
)
_RUN_LATER: Final = frozenset({"PS0", "PS1", "PS2", "PS4"})  # a shell runs substitutions in their values
# A shell runs the whole value or the file it names, or the value redefines programs.
_ALWAYS_RUN: Final = frozenset({"PROMPT_COMMAND", "BASH_ENV", "BASH_CMDS", "BASH_ALIASES"})
# Their values are command lines or code for the programs that read them.
_COMMANDS: Final = frozenset(
    "PAGER MANPAGER GIT_PAGER EDITOR VISUAL FCEDIT GIT_EDITOR GIT_SEQUENCE_EDITOR SUDO_EDITOR KUBE_EDITOR"
    " SYSTEMD_EDITOR SYSTEMD_PAGER PSQL_PAGER BAT_PAGER DELTA_PAGER LESSOPEN LESSCLOSE BROWSER TEXEDIT"
    " GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_CONFIG_PARAMETERS RSYNC_RSH RSYNC_CONNECT_PROG"
    " SVN_SSH CVS_RSH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS SKIM_DEFAULT_COMMAND PERL5DB LUA_INIT VIMINIT"
    " EXINIT".split()
)
_SEVERAL: Final = frozenset(" \t\n;|&<>()`")  # in a value that is more than the name of a program
_PREFIXES: Final = tuple("LD_ DYLD_ GIT_ BASH_FUNC_ npm_config_ NPM_CONFIG_ PIP_ UV_ CARGO_".split())
_HARMLESS: Final = frozenset(
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL"
    " GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS CARGO_TERM_COLOR CARGO_INCREMENTAL"
    " PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT PIP_NO_CACHE_DIR UV_NO_PROGRESS".split()
)


def is_sensitive(name: str) -> bool:
    """Return whether setting this variable can change what later programs do."""
    if name in _HARMLESS:
        return False
    return name in _NAMES or name.startswith(_PREFIXES)


def may_be_run_later(text: str) -> bool:
    """Return whether a text may contain such a name; most do not."""
    return "PS" in text or "BASH_" in text or "PROMPT_COMMAND" in text


def is_run_later(name: str, value: str, *, fixed: bool) -> bool:
    """Return whether a shell will run the value of this variable by itself."""
    if name in _RUN_LATER:
        return not fixed or "$(" in value or "`" in value or "@P" in value
    return name in _ALWAYS_RUN or name.startswith("BASH_FUNC_")


def is_command_line(name: str, value: str) -> bool:
    """Return whether a program that reads this variable will run its value as a command line."""
    if name not in _COMMANDS and not name.startswith("GIT_CONFIG_VALUE_"):
        return False
    return not _SEVERAL.isdisjoint(value.strip())


ANY: Final = "$(…)"  # stands for a value that this text has made unknown
_NEW: Final = re.compile(
    r"\$\(\s*(?:mktemp|tempfile|uuidgen)\b[^;&|<>`()\n]*\)"
)  # names no file that is there
_NEW_NAME: Final = "$(mktemp)"
_MARKS: Final = frozenset({ANY, _NEW_NAME})
_VARIABLE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_PIECE: Final = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|\$[@*#?!$-]")
_LONGEST_NAME: Final = 400  # characters of a name that is spelled out


def spelled_out(path: str, variables: Mapping[str, str | None], origins: Mapping[str, str]) -> str:
    """Return a path with the known values of its variables, and a mark for each substitution."""
    if len(path) > _LONGEST_NAME:
        return ANY
    marked = _marked(path)
    if marked in _MARKS:
        return marked
    for match in _VARIABLE.finditer(marked):
        name = match[1] or match[2]
        if name in origins or name in variables:
            return _with_values(marked, variables, origins)
    return marked  # the environment sets its variables


def _with_values(marked: str, variables: Mapping[str, str | None], origins: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name in origins:
            return origins[name]
        return ANY if variables.get(name, "") is None else match[0]

    whole = _VARIABLE.sub(value, marked)
    return whole if len(whole) <= _LONGEST_NAME else ANY


@lru_cache(maxsize=512)
def _marked(path: str) -> str:
    """Return a path without the text of its substitutions, which may contain slashes."""
    while (start := path.find("`")) >= 0:
        end = path.find("`", start + 1)
        path = path[:start] + ANY + (path[end + 1 :] if end >= 0 else "")
    pieces: list[str] = []
    at = 0
    while (start := path.find("$(", at)) >= 0:
        end = _end(path, start + 1)
        written = path[start:end]
        pieces += (path[at:start], _NEW_NAME if _NEW.fullmatch(written) else ANY)
        at = end
    return "".join((*pieces, path[at:]))


def _end(path: str, start: int) -> int:
    """Return the place after the closing parenthesis of the one here."""
    depth = 0
    for at in range(start, len(path)):
        depth += (path[at] == "(") - (path[at] == ")")
        if not depth:
            return at + 1
    return len(path)


def may_be_named(written: str, name: str) -> bool:
    """Return whether a file may have this name: `f.sh$v` may be `f.sh`, and `$(…)` may be any."""
    if written == name or "$" not in written:
        return written == name
    first, *_, last = _PIECE.split(written) if _PIECE.search(written) else ("", "")
    if not (first or last):  # a variable of the environment is not set by this text
        return ANY in written or any(name in piece for piece in _PIECE.findall(written) if piece[1] == "{")
    return name.startswith(first) and name.endswith(last)


def is_list(text: str) -> bool:
    """Return whether a value is the whole output of a command, and not the name of a new file."""
    return text[:2] == "$(" and text[-1:] == ")" and _NEW.fullmatch(text) is None
