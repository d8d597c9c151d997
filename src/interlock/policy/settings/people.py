"""`settings.people`: who is who, by the logins the system knows them by, and which groups they are in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from interlock.policy.format.entry import Text
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted

GROUP: Final = "group:"
_LOGIN: Final = re.compile(r"unix:[^\s:/]{1,64}")
_NAME: Final = re.compile(r"human:[A-Za-z0-9_.-]{1,64}")
_WORD: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class PersonSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person."""

    logins: Annotated[list[Text], Meta(description="How the system knows them: `unix:NAME`.")] = []
    groups: Annotated[
        list[Text], Meta(description="Groups that `approvers` may name, as in `group:leads`.")
    ] = []

    noun: ClassVar = "setting"


class People(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody the managed and the user layer name."""

    known: Mapping[str, PersonSettings] = {}

    def of_login(self, login: str) -> tuple[str, ...]:
        """The people who use a login."""
        return tuple(name for name, person in self.known.items() if login in person.logins)

    def spelled_out(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names with each group's members in its place; a group nobody is in stays, and is nobody."""
        found: list[str] = []
        for name in names:
            group = name.removeprefix(GROUP) if name.startswith(GROUP) else None
            members = [
                one for one, person in self.known.items() if group is not None and group in person.groups
            ]
            found += members or [name]
        return tuple(dict.fromkeys(found))


NOBODY: Final = People()


def _merge(files: Iterable[FileSettings[dict[str, PersonSettings]]]) -> People:
    """What an earlier layer says of somebody stands."""
    known: dict[str, PersonSettings] = {}
    for file in trusted(files, "set `people`"):
        for name, person in file.written.items():
            _check(name, person, file)
            known.setdefault(name, person)
    return People(known=known)


def _check(name: str, person: PersonSettings, file: FileSettings[dict[str, PersonSettings]]) -> None:
    if not _NAME.fullmatch(name):
        file.problem(f"`{name}` is not a person; write `human:NAME`, as in `human:rashid`", name)
    for index, login in enumerate(person.logins):
        if not _LOGIN.fullmatch(login):
            message = f"`{login}` is not a login; write `unix:NAME`, with the name `whoami` prints"
            file.problem(message, name, "logins", index)
    for index, group in enumerate(person.groups):
        if not _WORD.fullmatch(group):
            file.problem(f"`{group}` is not a name of a group; write `leads`", name, "groups", index)


PEOPLE: Final = SettingsPart[dict[str, PersonSettings], People](
    key="people",
    default={},
    shape=Annotated[
        dict[str, PersonSettings], Meta(description="By `human:NAME`, how people are known and their groups.")
    ],
    merge=_merge,
)
