"""Who acts is said by the user's policy."""

from __future__ import annotations

import pytest

from interlock.events.actor import ActorMap

MAPPED = ActorMap(main="agent:executor", subagents={"Explore": "agent:auditor"})


@pytest.mark.req("M24")
def test_unmapped_actors_are_called_after_what_they_are() -> None:
    """Names have the form `kind:name`."""
    assert ActorMap().of_main() == "agent:main"
    assert ActorMap().of_subagent("Explore") == "agent:Explore"


def test_mapped_actors_have_the_name_the_policy_gives() -> None:
    """The map decides for the main agent and for each kind of sub-agent."""
    assert MAPPED.of_main() == "agent:executor"
    assert MAPPED.of_subagent("Explore") == "agent:auditor"
    assert MAPPED.of_subagent("Other") == "agent:Other"


@pytest.mark.parametrize(
    ("chosen", "actor"),
    [
        ("agent:auditor", "agent:auditor"),
        ("human:root", "agent:executor"),
        ("", "agent:executor"),
        (None, "agent:executor"),
    ],
)
def test_an_environment_chooses_only_among_listed_names(chosen: str | None, actor: str) -> None:
    """A claim the user's layer does not list changes nothing."""
    assert MAPPED.of_main(chosen) == actor
