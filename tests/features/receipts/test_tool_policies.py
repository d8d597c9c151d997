"""Laws of `settings.tool_policies` and of the recording hooks in a policy."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import call, view

from interlock.effects.classification.book import CallBook, MemoryBook
from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.features.receipts.settings import shipped_rules
from interlock.policy.hook_kind import HookServices
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

POLICY = """\
version: "2.0"
settings: {tool_policies: [mine.yaml]}
hooks: {pre_tool_use: [{type: record_tool_use, config: {repeat: deny, scope: project}}]}
"""
TABLE = """\
version: "1"
rules:
  - {id: ours, namespace: crm, tools: "lookup|find.*", class: external, replay: relaunch, same_by: [id]}
"""


def load(folder: Path, policy: str = POLICY, table: str | None = TABLE, layer: Layer = Layer.USER) -> Policy:
    """A policy with a table beside it."""
    (folder / "genesis.key").write_text(policy)
    if table is not None:
        (folder / "mine.yaml").write_text(table)
    return load_policy(
        [(layer, folder / "genesis.key")], environ={}, services=HookServices({CallBook: MemoryBook()})
    )


def problems(folder: Path, **given: str | None) -> list[str]:
    """What is wrong with it."""
    with pytest.raises(ConfigError) as caught:
        load(folder, **given)  # type: ignore[arg-type] # names of texts only
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


@pytest.mark.req("U27")
def test_a_table_of_the_users_stands_before_the_one_that_is_shipped(tmp_path: Path) -> None:
    """The first rule that fits stands."""
    (hook,) = load(tmp_path).hooks
    event = call("mcp__crm__findAll", tool_input={})
    verdict = hook.handler.run(view(event), 1.0)

    evidence = getattr(verdict, "evidence", None)
    assert evidence is not None
    assert evidence.data == {"side_effect": "external", "replay": "RELAUNCH", "told_by": "policy ours"}


@pytest.mark.req("U27")
def test_a_table_is_part_of_the_revision_and_is_watched(tmp_path: Path) -> None:
    """What was decided by it can be told later."""
    first = load(tmp_path)
    second = load(tmp_path, table=TABLE.replace("external", "local"))

    assert first.revision != second.revision
    assert first.watched == (str(tmp_path / "mine.yaml"),)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (None, "mine.yaml:1: unreadable: no such file or directory; check the path and its permissions"),
        ("version: '1'\nrules: [{id: a, tools: '('}]", "mine.yaml:2: rules[0]: the key `class` is missing"),
        (
            "version: '1'\nrules:\n  - {id: a, tools: '(', class: local}",
            "mine.yaml:3: rules[0].tools: `(` is not an RE2 expression: missing ): (; correct it",
        ),
        (
            "version: '1'\nrules: [{id: a, tools: x, class: extrenal}]",
            "mine.yaml:2: rules[0].class: unknown value `extrenal`; did you mean `external`?",
        ),
        ("version: '1'\nrule: []", "mine.yaml:2: rule: unknown key `rule`; did you mean `rules`?"),
    ],
)
def test_a_mistake_in_a_table_is_named_with_its_place(
    tmp_path: Path, table: str | None, problem: str
) -> None:
    """File, line, place and the nearest word."""
    (found,) = problems(tmp_path, table=table)

    assert found.startswith(problem)


@pytest.mark.parametrize("name", ["/etc/table.yaml", "../mine.yaml", "~/mine.yaml", "a/../../b.yaml"])
def test_a_table_lies_beside_its_policy(tmp_path: Path, name: str) -> None:
    """There no agent can change it."""
    (found,) = problems(tmp_path, policy=POLICY.replace("mine.yaml", name))

    assert found.startswith(f"genesis.key:2: settings.tool_policies[0]: `{name}` is outside the folder")


def test_a_project_does_not_say_what_tools_change(tmp_path: Path) -> None:
    """It could call a mail harmless."""
    with pytest.raises(ConfigError, match="only the managed or user layer may list what tools change"):
        load(tmp_path, layer=Layer.PROJECT)


def test_one_line_records_both_ends_wherever_it_is_written(tmp_path: Path) -> None:
    """Before or after the call."""
    for event in ("pre_tool_use", "post_tool_use", "PostToolUseFailure"):
        for kind in ("record_tool_use", "check_bash_side_effects"):
            text = f"version: '2.0'\nhooks: {{{event}: [{{type: {kind}}}]}}"
            (hook,) = load(tmp_path, policy=text).hooks
            assert (hook.handler.kind, hook.events) == (
                kind, ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"),
            )  # fmt: skip


def test_elsewhere_there_is_no_call_to_record(tmp_path: Path) -> None:
    """And that is said."""
    text = "version: '2.0'\nhooks: {stop: [{type: record_tool_use}]}"
    (found,) = problems(tmp_path, policy=text)

    assert "a call neither starts nor ends at `stop`; move it to `pre_tool_use`" in found


def test_the_shipped_table_loads() -> None:
    """Every rule has a name of its own."""
    names = [rule.id for rule in shipped_rules()]

    assert len(set(names)) == len(names) > 10
