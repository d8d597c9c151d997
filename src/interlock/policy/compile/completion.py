"""From what an entry says to the contract a turn has to meet; its own file, for few policies have one."""

from __future__ import annotations

import os

from interlock.engine.stop_counts import Rounds
from interlock.events.hook import Handler
from interlock.events.names import EventName
from interlock.features.gates.completion import Completion, Terms
from interlock.features.gates.contract import Contract, ContractError, as_contract
from interlock.features.gates.project_state_api import Ground
from interlock.policy.compile.context import Bench
from interlock.policy.files.node import Path
from interlock.policy.format.genesis_key import CompletionConfig


def completion_handler(
    config: CompletionConfig, event: EventName, path: Path, bench: Bench
) -> Handler | None:
    """Make the hook that keeps a turn going until a contract is met."""
    if event is not EventName.STOP:
        bench.findings.problem(path[:-1], "a contract is looked at when a turn ends; move it to `stop`")
        return None
    contract: Contract | None = None
    if config.contract:
        try:
            contract = as_contract(config.contract)
        except ContractError as error:
            bench.findings.problem((*path, "contract"), str(error))
            return None
    terms = Terms(
        contract=contract,
        commands=dict(config.commands),
        check_seconds=config.check_timeout,
        secrets=config.secrets,
        scope=tuple(config.scope),
        intent=config.intent or None,
        hand_in=config.hand_in,
    )
    return Completion(
        terms=terms,
        ground=bench.services.find(Ground),
        rounds=bench.services.find(Rounds),
        base_env=bench.environ,
        path=bench.environ.get("PATH", os.defpath),
    )
