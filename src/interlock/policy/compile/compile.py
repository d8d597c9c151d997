"""Makes the hooks of one checked file, and runs their examples as tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

import msgspec
from msgspec import UNSET

from interlock.engine.engine import Engine
from interlock.errors import ConditionError, ConfigError
from interlock.events.event import Event
from interlock.events.hook import (
    MAX_TIMEOUT,
    REQUEST_TIMEOUT,
    Condition,
    Dialect,
    Handler,
    Hook,
    Layer,
    Matcher,
)
from interlock.events.names import JUDGED, STOPS, EventName, parse_event_name, snake_case
from interlock.events.tool import ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Verdict, Vote
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_matcher, parse_matcher_for
from interlock.permissions.judge import GenesisEnforcement, PermissionTable
from interlock.policy.compile.context import (
    CompileContext,
    apply_kind,
    builtin_handler,
    entry_context,
    tighten,
)
from interlock.policy.compile.programs import command_handler, webhook_handler
from interlock.policy.files.document import Document, Findings, Node, Path
from interlock.policy.files.validate import build_record
from interlock.policy.files.yaml import read_yaml
from interlock.policy.format.entry import Entry, ExampleCall, Examples, HooksToml, ShellConfig, TomlHook
from interlock.policy.format.genesis_key import GenesisKey
from interlock.policy.format.kind_entry import KindEntry, record_of
from interlock.policy.hook_kind import NO_SERVICES, Builtin, HookServices
from interlock.policy.settings_part import NOTHING_SET

# Paths in examples are read as if the project stood here.
_PROJECT: Final = "/project"
_SHELL: Final = "Bash"
# An example is only a call: it does not say what these are.
_BESIDE_THE_CALL: Final = re.compile(r"\b(?:event|actor|session|effort|commitment)\b")


def check_examples(
    examples: Examples, hook: Hook, path: Path, findings: Findings, *, tools: ToolTable = STANDARD_TOOLS
) -> None:
    """Note every example that the hook treats differently."""
    matcher, condition = hook.matcher, hook.condition
    book = PatternIndex(matcher.patterns, tools)
    for key, wanted in (("match", True), ("no_match", False)):
        listed: list[str | ExampleCall] = getattr(examples, key)
        for index, example in enumerate(listed):
            place = (*path, key, index)
            call = findings.attempt(place, _call, example, matcher, tools)
            if call is None:
                continue
            event = Event(name="PreToolUse", cwd=_PROJECT, tool=call)
            view = LocalCallView(event, book)
            met = (
                matcher.fires(view, every_part=hook.auto_approve)
                and (condition is None or _holds(condition, event, unless=wanted))
                and _stops(hook.handler, view)
            )
            if met is not wanted:
                verb = "is not matched by" if wanted else "is matched by"
                shown = example if isinstance(example, str) else call.name
                message = f"the example `{shown}` {verb} `{matcher.text}`; correct the matcher or the example"
                findings.problem(place, message)


def _holds(condition: Condition, event: Event, *, unless: bool) -> bool:
    """Whether the hook's condition is met; `unless` if it is about more than the call."""
    if _BESIDE_THE_CALL.search(condition.text):
        return unless
    try:
        return condition.holds(event)
    except ConditionError:  # then the hook applies
        return True


def _stops(handler: Handler, view: LocalCallView) -> bool:
    """Whether the hook objects; a `cleaning` hook chooses among the calls its matcher means."""
    if handler.kind != "cleaning":
        return True
    verdict = handler.run(view, 1.0)
    return not isinstance(verdict, Verdict) or verdict.vote is not Vote.ABSTAIN


def _call(example: str | ExampleCall, matcher: Matcher, tools: ToolTable) -> ToolCall:
    if isinstance(example, str):
        return _main_call(_meant_tool(matcher), example, tools)
    if example.args is not UNSET and example.input is not UNSET:
        raise ValueError("an example has `input` or `args`; keep one of them")
    if example.args is not UNSET:
        return _main_call(example.tool, example.args, tools)
    return ToolCall(name=example.tool, input=example.input or {})


def _meant_tool(matcher: Matcher) -> str:
    """The tool that a bare text is the argument of: the only one a matcher names, else the shell."""
    tools = {pattern.tool for pattern in matcher.patterns}
    of_effects = any(pattern.effect for pattern in matcher.patterns)
    return tools.pop() if len(tools) == 1 and not of_effects else _SHELL


def _main_call(tool: str, argument: str, tools: ToolTable) -> ToolCall:
    spec = tools.spec(tool)
    if spec is None or spec.main is None:
        raise ValueError(f"the main argument of `{tool}` is not known; write `{{tool: {tool}, input: …}}`")
    return ToolCall(name=tool, input={spec.main: argument})


_RULE_SECONDS: Final = 10.0


def compile_genesis(key: GenesisKey, unit: CompileContext) -> list[Hook]:
    """Make the hooks of a genesis key, its enforcement first when the file forgot it."""
    hooks: list[Hook] = []
    enforced = False
    for written, entries in key.hooks.items():
        if unit.findings.full:
            break
        event = unit.findings.attempt(("hooks", written), parse_event_name, written)
        if event is None:
            continue
        for index, entry in enumerate(entries):
            hook = genesis_hook(entry, event, ("hooks", written, index), unit)
            if hook is not None and entry.enabled:
                hooks.append(hook)
                enforced |= entry.builtin.kind == GenesisEnforcement.kind and event is EventName.PRE_TOOL_USE
    if unit.own.actors and not enforced:
        hooks.insert(0, _added_enforcement(unit))
    return hooks


def compile_hookstoml(file: HooksToml, unit: CompileContext) -> list[Hook]:
    """Make the hooks of a `hooks.toml`; a file without any is accepted with a notice."""
    if not file.hooks:
        unit.findings.notice((), "there are no hooks in this file; add a `[[hooks]]` entry")
    hooks = ((entry, _toml_hook(entry, ("hooks", index), unit)) for index, entry in enumerate(file.hooks))
    return [hook for entry, hook in hooks if hook is not None and entry.enabled]


def _added_enforcement(unit: CompileContext) -> Hook:
    unit.findings.notice(
        ("permissions",),
        "there is no `genesis_enforcement` hook, so one with matcher `*` runs first; add it to "
        "`hooks.pre_tool_use` to choose its place",
    )
    return Hook(
        name="genesis_enforcement",
        events=(EventName.PRE_TOOL_USE,),
        handler=GenesisEnforcement(unit.own, unit.others),
        matcher=parse_matcher("*"),
        timeout=_RULE_SECONDS,
        tightens=True,
        source=unit.source(("permissions",)),
    )


def genesis_hook(entry: KindEntry, event: EventName, path: Path, unit: CompileContext) -> Hook | None:
    """Make one hook; None when a problem was noted."""
    entry = tighten(entry, unit.layer, path, entry.builtin.seconds, unit.findings)
    matcher = _matcher(entry.matcher, event, (*path, "matcher"), unit)
    context = entry_context(entry, event, path, unit)
    handler = builtin_handler(context)
    if entry.builtin.votes and event not in JUDGED:
        message = f"a vote at `{snake_case(event)}` stops nothing; move it to `pre_tool_use` if it should"
        unit.findings.notice((*path, "type"), message)
    hook = _hook(
        entry,
        path,
        unit,
        name=context.name,
        event=event,
        matcher=matcher,
        handler=handler,
        dialect=entry.followed,
        seconds=context.seconds,
    )
    if hook and unit.examples:
        check_examples(entry.examples, hook, (*path, "examples"), unit.findings)
    return hook and apply_kind(hook, context)


def _toml_hook(entry: TomlHook, path: Path, unit: CompileContext) -> Hook | None:
    seconds = REQUEST_TIMEOUT if entry.webhook else MAX_TIMEOUT
    entry = tighten(entry, unit.layer, path, seconds, unit.findings)
    event = unit.findings.attempt((*path, "event"), parse_event_name, entry.event)
    handler = _toml_handler(entry, path, unit)
    if event is None:
        return None
    matcher = _matcher(entry.tool_matcher or None, event, (*path, "tool_matcher"), unit)
    return _hook(
        entry,
        path,
        unit,
        name=entry.name or f"hooks[{path[-1]}]:{handler.kind if handler else ''}",
        event=event,
        matcher=matcher,
        handler=handler,
        dialect=Dialect.HOOKS_TOML,
        seconds=entry.seconds or seconds,
    )


def _toml_handler(entry: TomlHook, path: Path, unit: CompileContext) -> Handler | None:
    shown = f" `{entry.name}`" if entry.name else ""
    if entry.shell and entry.webhook:
        message = f"the entry{shown} has `[hooks.shell]` and `[hooks.webhook]`; keep one of them"
        unit.findings.problem(path, message)
        return None
    if isinstance(entry.shell, ShellConfig):
        return command_handler(entry, entry.shell, Dialect.HOOKS_TOML, path, unit)
    if entry.webhook:
        return webhook_handler(entry, entry.webhook, Dialect.HOOKS_TOML, (path, "webhook"), unit)
    message = f"the entry{shown} has neither `[hooks.shell]` nor `[hooks.webhook]`; add one of them"
    unit.findings.problem(path, message)
    return None


def _matcher(
    text: str | list[str] | None, event: EventName, path: Path, unit: CompileContext
) -> Matcher | None:
    # A rule of a pack means what a command does; a person's own pattern means what is written there.
    parse = partial(parse_matcher_for, tame=not unit.prefix)
    return unit.findings.attempt(path, parse, [event], text)


def _hook(
    entry: Entry,
    path: Path,
    unit: CompileContext,
    *,
    name: str,
    event: EventName,
    matcher: Matcher | None,
    handler: Handler | None,
    dialect: Dialect,
    seconds: float,
) -> Hook | None:
    _check_synonyms(path, unit)
    if entry.max_rounds and event not in STOPS:
        message = f"`max_rounds` has no effect at `{snake_case(event)}`; move it to a hook at `stop`"
        unit.findings.problem((*path, "max_rounds"), message)
    text = entry.condition_text
    place = (*path, "if" if entry.condition_if else "condition")
    condition = unit.condition(text, place) if text else None
    if matcher is None or handler is None or (text and condition is None):
        return None
    return Hook(
        name=name,
        events=tuple(_events(event, dialect)),
        handler=handler,
        matcher=matcher,
        condition=condition,
        timeout=seconds,
        on_failure=entry.on_failure or None,
        dialect=dialect,
        shadow=entry.mode == "shadow",
        once=entry.once,
        observe=entry.observe,
        auto_approve=entry.auto_approve,
        rejudge=entry.rejudge,
        max_rounds=entry.max_rounds or None,
        source=unit.source(path),
    )


def _events(event: EventName, dialect: Dialect) -> Iterator[str]:
    yield event
    # After a failed call evidence matters most, so a genesis hook after a tool gets both endings.
    if dialect is Dialect.GENESIS and event is EventName.POST_TOOL_USE:
        yield EventName.POST_TOOL_USE_FAILURE


def _check_synonyms(path: Path, unit: CompileContext) -> None:
    written = unit.written(path)
    for group in Entry.synonyms:
        used = [key for key in group if key in written]
        if len(used) > 1:
            message = f"`{used[0]}` and `{used[1]}` mean the same; keep one of them"
            unit.findings.problem((*path, used[1]), message)


_FILE: Final = "trial.key"


def trial_engine(
    builtin: Builtin,
    event: str,
    config: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    services: HookServices = NO_SERVICES,
    settings: Mapping[str, Any] = NOTHING_SET,
    **entry: Any,
) -> Engine:
    """An engine whose policy is one entry of this kind; raise ConfigError as a policy file would."""
    written = {"type": builtin.kind, **entry, "config": dict(config or {})}
    text = msgspec.json.encode({"hooks": {event: [written]}}).decode()
    root = cast("Node", read_yaml(text, _FILE))
    document, path = Document(file=_FILE, root=root), ("hooks", event, 0)
    findings = Findings(document)
    unit = CompileContext(
        findings=findings,
        layer=Layer.USER,
        environ=environ or {},
        own=PermissionTable(),
        others=(),
        services=services,
        settings=settings,
    )
    record = build_record(Document(file=_FILE, root=document.at(path)), record_of(builtin))
    hook = genesis_hook(record, parse_event_name(event), path, unit)
    if findings.problems:
        raise ConfigError(tuple(findings.problems))
    return Engine([hook] if hook else [])
