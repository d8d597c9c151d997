"""What in a settings file makes Claude Code skip it, skip a hook, or run one that cannot do its work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Final
from urllib.parse import urlsplit

from interlock.events.names import WITH_TOOL
from interlock.events.tool import JsonObject
from interlock.hosts.claude_code.capabilities import CAPABILITIES
from interlock.hosts.claude_code.lint_handler import (
    HTTP,
    Finding,
    HandlerLint,
    Weight,
    dead,
    void,
    warn,
    wrong_kinds,
)
from interlock.hosts.claude_code.matchers import SUBJECTS, is_bad_expression, is_rule, read_matcher


def url_allowed(url: str, patterns: Iterable[Any]) -> bool:
    """Whether any pattern meets the address; `*` is a wildcard, a bare host means every path of it."""
    return any(_meets(url, pattern) for pattern in patterns if isinstance(pattern, str))


def _meets(url: str, pattern: str) -> bool:
    bare = urlsplit(pattern).path in {"", "/"} and not pattern.endswith("*")
    text = f"{pattern.rstrip('/')}/*" if bare else pattern
    address = url if urlsplit(url).path else f"{url}/"
    expression = "".join(
        ".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", _fold_host(text))
    )
    return re.fullmatch(expression, _fold_host(address), re.DOTALL) is not None


def _fold_host(url: str) -> str:
    """Scheme and host in lower case; the path keeps its own."""
    head, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{head}{separator}{host}".lower() + slash + path if separator else url


def lint(document: JsonObject) -> list[Finding]:
    """Every finding, in the order of the file."""
    return [*_switches(document), *_keys(document), *_hooks(document)]


def find_voids(document: JsonObject) -> list[Finding]:
    """The findings for which Claude Code skips the whole file."""
    return [finding for finding in lint(document) if finding.weight is Weight.VOID]


_BOOLEANS: Final = {
    "disableAllHooks": "no hook of user, project or local settings runs, including Interlock's; remove it",
    "allowManagedHooksOnly": "in managed settings only managed hooks run; install with --scope managed",
}
_LISTS: Final = ("allowedHttpHookUrls", "httpHookAllowedEnvVars")


def _switches(document: JsonObject) -> Iterator[Finding]:
    for key, effect in _BOOLEANS.items():
        if key in document and not isinstance(document[key], bool):
            yield void(key, f"expected true or false, found {_kind_of(document[key])}; correct it")
        elif document.get(key) is True:
            yield dead(key, effect)
    for key in _LISTS:
        value = document.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            yield void(key, f"expected a list of strings, found {_kind_of(value)}; correct it")


def _keys(document: JsonObject) -> Iterator[Finding]:
    for key, expected, value in wrong_kinds(document):
        yield void(key, f"expected {expected}, found {_kind_of(value)}; correct it")


def _hooks(document: JsonObject) -> Iterator[Finding]:
    hooks = document.get("hooks", {})
    if not isinstance(hooks, dict):
        yield void("hooks", f"expected an object of events, found {_kind_of(hooks)}; correct it")
        return
    for event, groups in hooks.items():
        place = f"hooks.{event}"
        if event not in CAPABILITIES:
            near = get_close_matches(event, CAPABILITIES, n=1)
            hint = f"did you mean `{near[0]}`?" if near else "remove it"
            yield dead(place, f"Claude Code has no event of this name, so nothing here runs; {hint}")
            continue
        if not isinstance(groups, list):
            yield void(place, f"expected a list of groups, found {_kind_of(groups)}; correct it")
            continue
        for index, group in enumerate(groups):
            yield from _group(group, event, f"{place}[{index}]", document)


def _group(group: Any, event: str, place: str, document: JsonObject) -> Iterator[Finding]:
    if not isinstance(group, dict):
        yield void(place, f"expected a group with `hooks`, found {_kind_of(group)}; correct it")
        return
    if "matcher" in group:
        yield from _matcher(group["matcher"], event, f"{place}.matcher")
    handlers = group.get("hooks")
    if not isinstance(handlers, list):
        found = _kind_of(handlers) if "hooks" in group else "nothing"
        yield void(f"{place}.hooks", f"expected a list of handlers, found {found}; correct it")
        return
    for index, handler in enumerate(handlers):
        here = f"{place}.hooks[{index}]"
        yield from HandlerLint(event, here).findings(handler)
        yield from _address(handler, here, document)


def _matcher(matcher: Any, event: str, place: str) -> Iterator[Finding]:
    if not isinstance(matcher, str):
        yield void(place, f"expected a string, found {_kind_of(matcher)}; put it in quotes or remove it")
        return
    read = read_matcher(matcher, event)
    if read.everything:
        return
    if event not in WITH_TOOL and event not in SUBJECTS:
        yield warn(place, f"`{event}` takes no matcher, so this is ignored; remove it")
    elif is_rule(matcher):
        yield dead(place, f"`{matcher}` is a rule for `if`, not a matcher; write the tool's name here")
    elif read.expression is not None and is_bad_expression(read.expression):
        yield dead(place, f"`{matcher}` is not a regular expression, so it never matches; correct it")
    elif event in WITH_TOOL:
        yield from _names(read.names, matcher, place)


def _names(names: tuple[str, ...], matcher: str, place: str) -> Iterator[Finding]:
    if "," in matcher:
        yield warn(place, "before 2.1.191 a comma made this a regular expression; write `|` instead")
    for name in names:
        if "-" in name and not name.startswith("mcp__"):
            yield warn(place, "before 2.1.195 a dash made this a regular expression")
        if name.startswith("mcp__") and name.count("__") == 1:
            yield dead(place, f"`{name}` is not the whole name of a tool; write `{name}__.*`")
        elif name and name[0].islower() and not name.startswith("mcp__"):
            yield dead(place, f"names are case-sensitive and no tool is called `{name}`; write it exactly")


def _address(handler: Any, place: str, document: JsonObject) -> Iterator[Finding]:
    """An http hook whose address no list allows is skipped, and what it guards passes."""
    allowed = document.get("allowedHttpHookUrls")
    if not isinstance(handler, dict) or handler.get("type") != HTTP or not isinstance(allowed, list):
        return
    url = handler.get("url")
    if isinstance(url, str) and urlsplit(url).netloc and not url_allowed(url, allowed):
        yield dead(f"{place}.url", f"`allowedHttpHookUrls` does not allow `{url}`; add it there")


def _kind_of(value: Any) -> str:
    if value is None:
        return "null"
    return {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }[type(value)]
