"""All policy files together, ready for the engine."""

from __future__ import annotations

import msgspec

from interlock.errors import Problem
from interlock.events.actor import ActorMap
from interlock.events.hook import Hook
from interlock.events.source import Layer
from interlock.features.approvals.rules import ApprovalRules
from interlock.features.approvals.standing_grants import StandingGrant
from interlock.features.commitments.policy import Charter
from interlock.features.team_ledger.settings import TeamLedger
from interlock.features.work.settings import WorkRules
from interlock.ledger.settings import Checkpoints, Retention
from interlock.redaction.own import Own


class PolicyFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file a policy was made from."""

    layer: Layer
    file: str
    hooks: int  # how many are written in it; an added enforcement is not


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The pipeline of hooks and who acts; it never changes, a reload makes another."""

    hooks: tuple[Hook, ...] = ()  # managed, user, project, session; then file order
    guard: Hook | None = None  # self-protection, which no file writes and none can switch off
    also: tuple[Hook, ...] = ()  # further hooks of ours that no file writes
    actors: ActorMap = ActorMap()
    approval: ApprovalRules = ApprovalRules()  # who may say yes to an ask, and for how long
    charter: Charter = Charter()  # who may do what on commitments, and how they are closed
    standing: tuple[StandingGrant, ...] = ()  # asks that are answered already
    retention: Retention = Retention()  # how long the ledger keeps what it holds
    checkpoints: Checkpoints | None = None  # where its end is signed by itself
    team_ledger: TeamLedger | None = None  # where its entries are shipped
    redact: Own = Own()  # what the user's own secrets look like
    work: WorkRules = WorkRules()  # how the pack `work` goes about it
    notices: tuple[Problem, ...] = ()  # what a person should know, though everything loaded
    revision: str = ""  # a short digest of all files and their layers
    actor_count: int = 0  # how many actors the permissions name
    files: tuple[PolicyFile, ...] = ()
    watched: tuple[str, ...] = ()  # further files it was made from

    @property
    def pipeline(self) -> tuple[Hook, ...]:
        """What an engine runs: what no file writes before all layers, then the hooks of the files."""
        return (*((self.guard,) if self.guard else ()), *self.also, *self.hooks)
