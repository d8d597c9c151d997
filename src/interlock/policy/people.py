"""`settings.people`: who is who, by the logins the system knows them by, and which groups they are in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from interlock.events.source import Layer
from interlock.policy.files.problems import Findings
from interlock.policy.format.entry import Text

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


def people_of(files: Iterable[tuple[Layer, Mapping[str, PersonSettings], Findings]]) -> People:
    """Check and merge the settings; what an earlier layer says of somebody stands."""
    known: dict[str, PersonSettings] = {}
    for layer, people, findings in files:
        if people and not layer.trusted:
            findings.problem(
                ("settings", "people"), "only the managed or user layer may set `people`; move it there"
            )
            continue
        for name, person in people.items():
            _check(name, person, findings)
            known.setdefault(name, person)
    return People(known=known)


def _check(name: str, person: PersonSettings, findings: Findings) -> None:
    path = ("settings", "people", name)
    if not _NAME.fullmatch(name):
        findings.problem(path, f"`{name}` is no person; write `human:NAME`, as in `human:rashid`")
    for index, login in enumerate(person.logins):
        if not _LOGIN.fullmatch(login):
            message = f"`{login}` is no login; write `unix:NAME`, with the name `whoami` prints"
            findings.problem((*path, "logins", index), message)
    for index, group in enumerate(person.groups):
        if not _WORD.fullmatch(group):
            findings.problem((*path, "groups", index), f"`{group}` is no name of a group; write `leads`")
