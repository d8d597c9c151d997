"""Who acts and who decides: the settings `actors` and `people`, and how names are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import UNSET, UnsetType

from interlock.events.actor import MAIN, ActorMap
from interlock.policy.files.document import Findings, Path
from interlock.policy.format.entry import Text, about
from interlock.policy.format.genesis_key import ACTOR, PERSON
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted

GROUP: Final = "group:"
_LOGIN: Final = re.compile(r"unix:[^\s:/]{1,64}")
_NAME: Final = re.compile(r"human:[A-Za-z0-9_.-]{1,64}")
_WORD: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class PersonSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person."""

    logins: Annotated[list[Text], about("How the system knows them: `unix:NAME`.")] = []
    groups: Annotated[list[Text], about("Groups that `approvers` may name, such as `group:leads`.")] = []

    noun: ClassVar = "setting"


class People(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody the managed and the user layer name."""

    known: Mapping[str, PersonSettings] = {}

    def of_login(self, login: str) -> tuple[str, ...]:
        """The people who use a login."""
        return tuple(name for name, person in self.known.items() if login in person.logins)

    def spelled_out(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names, with each group replaced by its members; an empty group stays and matches nobody."""
        found: list[str] = []
        for name in names:
            group = name.removeprefix(GROUP) if name.startswith(GROUP) else ""
            members = [member for member, person in self.known.items() if group in person.groups]
            found += members or [name]
        return tuple(dict.fromkeys(found))


NOBODY: Final = People()


def _merge(files: Iterable[FileSettings[dict[str, PersonSettings]]]) -> People:
    """For each person, the earliest layer counts."""
    known: dict[str, PersonSettings] = {}
    for file in trusted(files, "set `people`"):
        for name, person in file.written.items():
            _check(name, person, file)
            known.setdefault(name, person)
    return People(known=known)


def _check(name: str, person: PersonSettings, file: FileSettings[dict[str, PersonSettings]]) -> None:
    if not _NAME.fullmatch(name):
        file.problem(f"`{name}` is not a person; write `human:NAME`, such as `human:rashid`", name)
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
    shape=Annotated[dict[str, PersonSettings], about("`human:NAME` → their logins and groups.")],
    merge=_merge,
)


_SHAPE: Final = re.compile(ACTOR)
_PERSON: Final = re.compile(PERSON)


def check_actor(name: str, path: Path, findings: Findings, *, patterns: bool = False) -> None:
    """Note a name that is none; a `*` is accepted only where patterns are."""
    if not _SHAPE.fullmatch(name):
        _nobody(
            path, f"`{name}` is not an actor; write `kind:name`, such as `agent:executor`", findings, patterns
        )
    elif "*" in name and not patterns:
        findings.problem(path, f"`{name}` stands for many actors; name one, such as `agent:executor`")


def check_person(name: str, path: Path, findings: Findings, *, patterns: bool = False) -> None:
    """The same for names on commitments, where an address such as git's is one too."""
    if not _PERSON.fullmatch(name):
        _nobody(
            path, f"`{name}` is not a person; write `kind:name`, an address or `user`", findings, patterns
        )
    elif "*" in name and not patterns:
        findings.problem(path, f"`{name}` stands for many people; name one, such as `human:ada`")


def _nobody(path: Path, message: str, findings: Findings, entry: bool) -> None:
    """Other systems allow any name: there, an entry with such a name is stored and not used."""
    if findings.foreign and entry:
        findings.notice(path, f"stored, but not used: {message}")
    else:
        findings.problem(path, message)


class ActorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who acts."""

    main: Annotated[Text, about("The actor of the main agent.")] | UnsetType = UNSET
    subagents: Annotated[dict[str, Text], about("Actors by kind of sub-agent.")] = {}


def _merge_actors(files: Iterable[FileSettings[ActorSettings]]) -> ActorMap:
    """For each agent, the earliest layer counts."""
    main: str | None = None
    subagents: dict[str, str] = {}
    for file in trusted(files, "name actors", ignored=True):
        if file.written.main:
            check_actor(file.written.main, (*file.part.path, "main"), file.findings)
            main = main or file.written.main
        for kind, actor in file.written.subagents.items():
            check_actor(actor, (*file.part.path, "subagents", kind), file.findings)
            subagents.setdefault(kind, actor)
    return ActorMap(main=main or MAIN, subagents=subagents)


ACTORS: Final = SettingsPart(key="actors", default=ActorSettings(), merge=_merge_actors)
