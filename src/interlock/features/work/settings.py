"""`settings.work`: how long agents go without a word, when a window counts as full, and who is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from interlock.policy.format.entry import Text, about
from interlock.policy.settings_part import FileSettings, SettingsPart, first_words, merge_nothing, trusted

BLOCK_AFTER: Final = 10


class WorkNotifySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How people hear that an agent waits for them or has ended."""

    desktop: Annotated[bool, about("true: show a desktop notification.")] | UnsetType = UNSET
    bell: Annotated[bool, about("true: ring the bell of the agent's terminal.")] | UnsetType = UNSET
    webhook: Annotated[Text, about("http or https; receives the notification as JSON.")] | UnsetType = UNSET

    noun: ClassVar = "setting"


class WorkSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the pack `work`."""

    block_after: (
        Annotated[int, about("Tool calls without a log entry before the next one is denied: 10.", ge=0)]
        | UnsetType
    ) = UNSET
    overflow_at: (
        Annotated[float, about("The share of the context window that counts as full: 0.9.", gt=0, le=1)]
        | UnsetType
    ) = UNSET
    context_window: (
        Annotated[int, about("Tokens of a context window; default: by the model, or 200000.", gt=0)]
        | UnsetType
    ) = UNSET
    directive_grace: (
        Annotated[int, about("Tool calls before a discovered directive must be read: 3.", ge=0)] | UnsetType
    ) = UNSET
    session_gate: (
        Annotated[
            Literal["off", "deny"],
            about("deny: no tool calls in a session that has not started or resumed an effort."),
        ]
        | UnsetType
    ) = UNSET
    kill_on_compaction: (
        Annotated[bool, about("true: end an agent when its window would be compacted.")] | UnsetType
    ) = UNSET
    preload_bytes: (
        Annotated[int, about("How much of its files a new window gets: 65536 bytes.", ge=0)] | UnsetType
    ) = UNSET
    notify: Annotated[WorkNotifySettings, about("How people hear of an agent that waits or has ended.")] = (
        WorkNotifySettings()
    )

    noun: ClassVar = "setting"


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What people say of one agent, which is named by its AGENT_ID."""

    manages: Annotated[
        list[Text], about("Agents or teams it coordinates; it is told when one of them is idle.")
    ] = []

    noun: ClassVar = "setting"


class WorkNotify(msgspec.Struct, frozen=True, kw_only=True):
    desktop: bool = False
    bell: bool = False
    webhook: str | None = None


class WorkRules(msgspec.Struct, frozen=True, kw_only=True):
    block_after: int = BLOCK_AFTER
    overflow_at: float = 0.9
    context_window: int | None = None  # None: by the model
    directive_grace: int = 3
    session_gate: Literal["off", "deny"] = "off"
    kill_on_compaction: bool = False
    preload_bytes: int = 64 * 1024
    notify: WorkNotify = WorkNotify()
    manages: Mapping[str, tuple[str, ...]] = {}  # by agent, whom it coordinates

    def coordinator_of(self, names: Iterable[str]) -> str | None:
        """Who was said to manage one of these agents or teams."""
        members = set(names)
        return next((name for name, managed in self.manages.items() if members.intersection(managed)), None)


def _merge(files: Iterable[FileSettings[WorkSettings]]) -> WorkRules:
    """What all files together say: an earlier layer's word stands, and a project has none."""
    all_files = list(files)
    written = [file.written for file in trusted(all_files, "set this", ignored=True)]
    chosen, notify = first_words(written), first_words(settings.notify for settings in written)
    manages = _merge_managers(file.under(AGENTS) for file in all_files)
    return msgspec.convert({**chosen, "notify": notify, "manages": manages}, WorkRules)


def _merge_managers(files: Iterable[FileSettings[dict[str, AgentSettings]]]) -> dict[str, tuple[str, ...]]:
    """Who coordinates whom: for each agent an earlier layer's word stands, and a project has none."""
    manages: dict[str, tuple[str, ...]] = {}
    for file in trusted(files, "say who manages whom", ignored=True):
        for name, settings in file.written.items():
            if name in settings.manages:
                file.problem(f"`{name}` cannot manage itself; remove it from its list", name, "manages")
            manages.setdefault(name, tuple(dict.fromkeys(settings.manages)))
    return manages


WORK: Final = SettingsPart(key="work", default=WorkSettings(), merge=_merge)
AGENTS: Final = SettingsPart[dict[str, AgentSettings], None](
    key="agents",
    default={},
    merge=merge_nothing,
    shape=Annotated[dict[str, AgentSettings], about("By AGENT_ID, the agents it manages.")],
)
