"""Does one pattern or matcher meet every call another one meets?"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterable
from typing import Final

from interlock.effects.effect import EffectKind
from interlock.effects.paths.globs import denied_paths, pattern_path
from interlock.events.hook import Matcher, Pattern
from interlock.events.tool import SubjectKind, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.lint.globs import glob_covers
from interlock.patterns.matcher import Everything

# Plain words and a final ` *`: in one form it meets every command that begins with them.
_WORDS: Final = re.compile(r"[\w./+]+(?: [\w./+][\w./+-]*)* \*")
_PATHS: Final = frozenset({EffectKind.READ.value, EffectKind.WRITE.value, EffectKind.DELETE.value})
# What each file tool does to its main field, whatever else it does.
_DEEDS: Final = {
    "Read": EffectKind.READ,
    "Write": EffectKind.WRITE,
    "Edit": EffectKind.WRITE,
    "MultiEdit": EffectKind.WRITE,
    "NotebookEdit": EffectKind.WRITE,
}


def matcher_covers(wide: Matcher, narrow: Matcher, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a deny with the matcher `wide` leaves nothing for `narrow`; False when that is not certain."""
    if isinstance(wide, Everything) or (wide.text == narrow.text and wide.text):
        return True
    if not narrow.by_patterns_alone or not narrow.patterns:
        return False
    return all(any(denial_covers(one, other, tools) for one in wide.patterns) for other in narrow.patterns)


def denial_covers(wide: Pattern, narrow: Pattern, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a deny by `wide` catches every call that a deny by `narrow` would."""
    if wide.text == narrow.text:
        return True
    if (wide.tool, wide.effect) != (narrow.tool, narrow.effect):
        return False
    if wide.glob is None:
        return True
    if narrow.glob is None or wide.field != narrow.field:
        return False
    if wide.field is None and _kind(wide, tools) is SubjectKind.SHELL:
        return _command_covers(wide.glob, narrow.glob)
    paths = wide.field is None and _kind(wide, tools) is SubjectKind.PATH
    return _covers(wide.glob, narrow.glob, denied_paths if paths else _itself, denied_paths)


def _command_covers(wide: str, narrow: str) -> bool:
    """Only where the one form is no wider on the narrow side: equal, or plain words and what follows them."""
    return _WORDS.fullmatch(wide) is not None and f"{narrow} ".startswith(wide[:-1])


def forbids(denied: Pattern, allowed: Pattern, tools: ToolTable = STANDARD_TOOLS) -> bool:
    """Whether a deny by `denied` stops every call that an allow by `allowed` speaks of."""
    if denied.effect and not allowed.effect:
        return _deed_forbids(denied, allowed)
    if (denied.tool, denied.effect) != (allowed.tool, allowed.effect):
        return False
    if denied.glob is None:
        return True
    if allowed.glob is None or denied.field != allowed.field:
        return False
    kind = _kind(denied, tools) if denied.field is None else SubjectKind.TEXT
    if kind is SubjectKind.PATH:
        return _covers(denied.glob, allowed.glob, denied_paths, pattern_path)
    # A denied command is compared as it is written too, and there ` *` may be nothing.
    bare = denied.glob[:-2] if kind is SubjectKind.SHELL and denied.glob.endswith(" *") else denied.glob
    return any(glob_covers(one, allowed.glob) for one in (denied.glob, bare))


def _deed_forbids(denied: Pattern, allowed: Pattern) -> bool:
    if _DEEDS.get(allowed.tool) != denied.tool or allowed.field is not None:
        return False
    if denied.glob is None:
        return True
    return allowed.glob is not None and _covers(denied.glob, allowed.glob, denied_paths, pattern_path)


def _kind(pattern: Pattern, tools: ToolTable) -> SubjectKind:
    if pattern.effect:
        return SubjectKind.PATH if pattern.tool in _PATHS else SubjectKind.TEXT
    spec = tools.spec(pattern.tool)
    return spec.kind if spec else SubjectKind.TEXT


Spelling = Callable[[str, str], Iterable[str]]


def _itself(glob: str, home: str) -> Iterable[str]:  # noqa: ARG001 - only paths know a home
    return (glob,)


def _covers(wide: str, narrow: str, wide_as: Spelling, narrow_as: Spelling) -> bool:
    """Whether each spelling of the narrow glob is covered by one of the wide."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path fails without a home
    spelt = wide_as is _itself
    narrows = (narrow,) if spelt else narrow_as(narrow, home)
    wides = tuple(wide_as(wide, home))
    return all(any(glob_covers(one, other) for one in wides) for other in narrows)
