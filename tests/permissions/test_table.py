"""Which entry speaks for an actor."""

from __future__ import annotations

import pytest
from tests.builders import entry

from interlock.permissions.judge import PermissionTable

TABLE = PermissionTable(
    [entry("*"), entry("agent:*"), entry("agent:exec*"), entry("agent:executor"), entry("human:?ashid")]
)


@pytest.mark.req("M12", "M24")
@pytest.mark.parametrize(
    ("actor", "speaks"),
    [
        ("agent:executor", "agent:executor"),
        ("agent:executive", "agent:exec*"),
        ("agent:auditor", "agent:*"),
        ("human:rashid", "*"),
        ("Agent:executor", "*"),
    ],
)
def test_exact_beats_longer_beats_shorter(actor: str, speaks: str) -> None:
    """The order in the file does not matter; `?` in a name without `*` is itself."""
    lists = TABLE.lists_of(actor)

    assert lists is not None
    assert lists.entry.actor == speaks


def test_an_actor_no_entry_fits_has_none() -> None:
    """Nothing is invented for the unlisted."""
    assert PermissionTable([entry("agent:executor")]).lists_of("agent:main") is None


def test_a_table_brings_all_its_patterns() -> None:
    """They are compiled with the policy."""
    table = PermissionTable([entry("a", allow=["Read"], deny=["Write(x)"]), entry("b", deny=["Bash"])])

    assert {pattern.text for pattern in table.patterns} == {"Read", "Write(x)", "Bash"}
    assert table.actors == ("a", "b")


@pytest.mark.parametrize(
    ("allow", "delegates"),
    [
        (["Task(executor)"], True),
        (["Agent(exec*)"], True),
        (["Task(auditor)"], False),
        (["Task"], False),
        (["Task(prompt:executor)"], False),
        (["Task(model:*)"], False),
        ([], False),
    ],
)
def test_a_delegation_names_the_sub_agent(allow: list[str], delegates: bool) -> None:
    """Leave to start any sub-agent, or a glob about another field, hands nothing over."""
    lists = PermissionTable([entry("agent:main", allow=allow)]).lists_of("agent:main")

    assert lists is not None
    assert lists.delegates_to("executor") is delegates
