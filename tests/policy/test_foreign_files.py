"""Policies that other systems read too load as they are, and no word of ours is lost in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.policy.project import DENY, hooks, project

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.features.commitments.compile import COMMITMENTS
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy
from interlock.policy.trust import Trust, project_files

KEY = """\
genesis: {version: "1.0", created: "2026-01-03T00:00:00Z"}
identity:
  workspace: bridge
constitution:
  principles:
    - {id: evidence-required, statement: "Commitments close with proof"}
permissions:
  actors:
    "Rashid Example":
      role: owner
      operations: [capture, approve]
    agent:architect:
      role: architect
      author_type: architect
      operations: [capture, annotate]
      description: Strategic intent only
trust_gradient:
  enabled: true
constraints:
  require_claim:
    - match: all
federation: {enabled: false}
"""
EXAMPLES = (
    """\
hooks:
  pre_tool_use:
    - matcher: "Bash(rm -rf *)"
      type: deny
      config:
        reason: "Recursive force delete is never allowed"
""",
    """\
hooks:
  post_tool_use:
    - matcher: "Write|Edit"
      type: evidence_capture
      config:
        ledger: true
        kind: file_change
""",
    """\
permissions:
  actors:
    agent:architect:
      allow:
        - "Read(*)"
        - "mentu_commit(*)"
      deny:
        - "Write(*)"
        - "Bash(*)"
""",
)


def loaded(file: Path, text: str) -> Policy:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return load_policy([(Layer.USER, file)], environ={})


def refused(file: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        loaded(file, text)
    return "\n".join(map(str, caught.value.problems)).replace(f"{file}:", "")


@pytest.mark.req("M13", "M15", "M68")
def test_a_key_of_another_system_loads_and_says_what_it_does_not_use(tmp_path: Path) -> None:
    """Its sections are kept, told as not used; what we know of it holds."""
    policy = loaded(tmp_path / "genesis.key", KEY)

    unused = {notice.path for notice in policy.notices if notice.message.startswith("stored, but not used")}
    sections = {"genesis", "identity", "constitution", "trust_gradient", "federation"}
    person, agent = 'permissions.actors."Rashid Example"', "permissions.actors.agent:architect"
    assert unused == sections | {person, f"{person}.role", f"{agent}.role", f"{agent}.description"}
    charter = COMMITMENTS.get(policy).parts[0]
    entry = charter.entry_of("agent:architect")
    assert entry is not None
    assert (entry.author_types, bool(charter.constraints.require_claim)) == (("architect",), True)


@pytest.mark.req("M13")
def test_the_place_is_enough_to_tell_whose_a_file_is(tmp_path: Path) -> None:
    """Under `.mentu/` no section has to say it; elsewhere an unknown key stays a mistake."""
    text = "workspace: {name: x}\nconstraints: {max_open_per_actor: 5}\n"

    notices = loaded(tmp_path / ".mentu" / "genesis.key", text).notices
    assert [notice.path for notice in notices] == ["workspace", "constraints.max_open_per_actor"]
    assert "unknown key `workspace`" in refused(tmp_path / "genesis.key", text)


@pytest.mark.req("M13", "M15")
def test_an_operation_of_another_system_is_kept_and_means_nothing(tmp_path: Path) -> None:
    """Nobody can do it here; one that looks like ours is a mistake, and so is any in a file of ours alone."""
    text = "permissions: {actors: {agent:bridge: {operations: [claim, execute]}}}\n"

    policy = loaded(tmp_path / ".mentu" / "genesis.key", text)
    assert [(one.path, "`execute`" in one.message) for one in policy.notices] == [
        ("permissions.actors.agent:bridge.operations[1]", True)
    ]
    entry = COMMITMENTS.get(policy).parts[0].entry_of("agent:bridge")
    assert entry is not None
    assert "claim" in (entry.operations or ())
    assert "unknown operation `execute`" in refused(tmp_path / "genesis.key", text)
    misspelt = text.replace("execute", "colse")
    assert "did you mean `close`?" in refused(tmp_path / ".mentu" / "genesis.key", misspelt)


@pytest.mark.req("M16")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hook: {}\n", "2: hook: unknown key `hook`; did you mean `hooks`?"),
        ("Permission: {}\n", "2: Permission: unknown key `Permission`; did you mean `permissions`?"),
        (
            "hooks: {}\nhook: {}\n",
            "3: hook: unknown key `hook`; did you mean `hooks`? This key is already there",
        ),
        ("permissions: {actor: {}}\n", "unknown key `actor`; did you mean `actors`?"),
        ("permissions: {actors: {agent:x: {alow: [Read]}}}\n", "unknown key `alow`; did you mean `allow`?"),
        ("constraints: {require-claim: []}\n", "unknown constraint `require-claim`"),
        ("hooks: {stop: [{type: deny, role: x}]}\n", "unknown key `role`"),
        ("settings: {theme: dark}\n", "unknown setting `theme`"),
    ],
)
def test_a_misspelt_word_of_ours_is_a_mistake_everywhere(tmp_path: Path, text: str, said: str) -> None:
    """Also in such a file a rule is never lost to a letter, and our own sections take no other keys."""
    assert said in refused(tmp_path / ".mentu" / "genesis.key", f"identity: {{}}\n{text}")


@pytest.mark.req("M13", "M20", "M43")
@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_without_a_version_load_verbatim(tmp_path: Path, text: str) -> None:
    """What a document shows is a whole policy, anywhere."""
    policy = loaded(tmp_path / "genesis.key", text)

    assert len(policy.hooks) == 1
    assert not [notice for notice in policy.notices if re.search("not used|unknown", notice.message)]


@pytest.mark.req("M13", "T01")
def test_a_project_s_key_is_found_where_the_other_system_keeps_it(tmp_path: Path) -> None:
    """It waits for trust like any other, loads once it has it, and a change takes its commands away."""
    app = project(tmp_path)
    for file in (app.root / ".interlock").iterdir():
        file.unlink()
    (app.root / ".interlock").rmdir()
    assert app.status is Trust.NONE

    key = app.write(".mentu/genesis.key", hooks(DENY))
    below = app.root / "src"
    below.mkdir()
    assert [state.status for state in app.trust.states_above(str(below))] == [Trust.PENDING]

    app.confirm()
    state = app.trust.state_of(str(app.root))
    names = [hook.name for hook in load_policy(project_files(state), environ={}).hooks]
    assert (state.status, names) == (Trust.TRUSTED, ["no-never"])
    key.write_text(hooks(DENY) + "#")
    assert (app.status, app.changes) == (Trust.CHANGED, ("`.mentu/genesis.key` changed",))
