"""A completion contract: what must be so before an agent may end its turn."""

from __future__ import annotations

import os
from difflib import get_close_matches
from enum import IntEnum
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.project_files import read_file
from interlock.features.commitments.run_validators import CheckSpec

FILES: Final = (".interlock/completion.json", ".claude/completion.json")
_MOST_BYTES: Final = 256 * 1024
Text = Annotated[str, Meta(min_length=1)]


class ContractError(Exception):
    """A contract that cannot be read; the message says where and what to do."""


class Tier(IntEnum):
    """How much is looked at: what works, what is safe, what was meant."""

    TECHNICAL = 1
    SAFETY = 2
    INTENT = 3


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping whose keys are all known."""


class CommitmentTerms(_Part, frozen=True, kw_only=True):
    """What is asked of commitments."""

    mode: Literal["dynamic", "static"] = "dynamic"  # those of this session, or those in `ids`
    ids: tuple[Text, ...] = ()
    min_count: Annotated[int, Meta(ge=0)] = 0
    require_closed: bool = False
    require_evidence: bool = False


class MentuTerms(_Part, frozen=True, kw_only=True):
    """Whether commitments are looked at, and how."""

    enabled: bool = True
    commitments: CommitmentTerms = CommitmentTerms()


class Contract(_Part, frozen=True, kw_only=True):
    """The members of the file."""

    version: str = "2.0"
    name: str = ""
    tier: Literal["T1", "T2", "T3", "tier_1", "tier_2", "tier_3"] | None = None
    required_files: tuple[Text, ...] = ()
    checks: dict[str, bool | str | CheckSpec] = {}
    scope: tuple[Text, ...] = ()  # globs of files that may be changed
    mentu: MentuTerms | None = None  # not written: commitments are not looked at
    max_iterations: Annotated[int, Meta(ge=1, le=1_000)] = 1

    @property
    def level(self) -> Tier | None:
        """The tier, where the contract says one."""
        return Tier(int(self.tier[-1])) if self.tier else None


def read_contract(root: str) -> tuple[str, Contract] | None:
    """The contract of a project and the name of its file; None when there is none."""
    for name in FILES:
        file = f"{root}/{name}"
        if os.path.lexists(file):
            return name, _decoded(name, _content(name, file, root))
    return None


def _content(name: str, file: str, root: str) -> bytes:
    real = os.path.realpath(file)
    if os.path.commonpath((real, root)) != root:
        raise ContractError(f"`{name}` links to a file outside the project; put the file itself there")
    content = read_file(real, _MOST_BYTES + 1)
    if content is None:
        raise ContractError(f"`{name}` cannot be read; make it a readable file")
    if len(content) > _MOST_BYTES:
        raise ContractError(f"`{name}` is longer than {_MOST_BYTES:,} bytes; shorten it")
    return content


def _decoded(name: str, content: bytes) -> Contract:
    try:
        return msgspec.json.decode(content, type=Contract)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ContractError(f"`{name}` is not a completion contract: {_cured(str(error))}") from error


def as_contract(value: Any) -> Contract:
    """A contract written in a policy; raise ContractError for what is none."""
    try:
        return msgspec.convert(value, Contract)
    except msgspec.ValidationError as error:
        raise ContractError(_cured(str(error))) from error


def _cured(message: str) -> str:
    """The decoder's words with the nearest valid one, where a key is misspelt."""
    _, marked, rest = message.partition("unknown field `")
    if not marked:
        return f"{message}; correct it"
    word = rest.partition("`")[0]
    known = [name for part in _PARTS for name in part.__struct_fields__]
    near = get_close_matches(word, known, n=1)
    return f"{message}; did you mean `{near[0]}`?" if near else f"{message}; remove it"


_PARTS: Final = (Contract, MentuTerms, CommitmentTerms, CheckSpec)
