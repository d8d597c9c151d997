"""Packs: policies that are shipped, named by a file, and changed rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.builders import bash

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.hook import Hook, Layer
from interlock.events.verdict import Vote
from interlock.policy import packs
from interlock.policy.load import load_policy
from interlock.policy.packs import examples_of, pack_problems
from interlock.policy.policy import Policy

HEAD = 'version: "2.0"\n'
SMALL = """\
# A small pack for tests.
version: "2.0"
hooks:
  pre_tool_use:
    - {name: never, type: deny, matcher: ["Bash(never *)", "delete(x)"], config: {reason: Never.}}
    # Between two rules.
    - name: perhaps
      type: ask
      matcher: Bash(perhaps *)
      examples: {match: [perhaps 1], no_match: [never 1]}

    # Before the third.
    - {name: tidy, type: cleaning, matcher: Bash}
    - {name: extra, type: deny, matcher: "Bash(extra *)", enabled: false}
    - {name: note, type: evidence_capture}
"""


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packs of which we know the rules."""
    folder = tmp_path / "packs"
    folder.mkdir()
    (folder / "small.key").write_text(SMALL)
    (folder / "other.key").write_text(HEAD + "hooks: {stop: [{name: o, type: deny}]}\n")
    (folder / "__init__.py").touch()
    monkeypatch.setattr(packs, "_FOLDER", folder)
    for cached in (packs.pack_names, packs.find_pack):
        cached.cache_clear()
    yield folder
    for cached in (packs.pack_names, packs.find_pack):
        cached.cache_clear()


Load = Callable[..., Policy]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load one file per layer that has a text."""

    def loaded(*, check: bool = False, **texts: str) -> Policy:
        files = []
        for name, text in texts.items():
            path = tmp_path / name / "genesis.key"
            path.parent.mkdir(exist_ok=True)
            path.write_text(HEAD + text)
            files.append((Layer[name.upper()], path))
        return load_policy(files, environ={"PATH": "/usr/bin:/bin"}, check_packs=check)

    return loaded


def named(policy: Policy, name: str) -> Hook:
    return next(hook for hook in policy.hooks if hook.name == name)


def vote(policy: Policy, command: str) -> Vote:
    return Engine(policy.hooks).decide_sync(bash(command, cwd="/w/app")).vote


def problems(load: Load, **texts: str) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        load(**texts)
    return [f"{problem.path}: {problem.message}" for problem in raised.value.problems]


def test_a_pack_stands_before_the_hooks_of_the_file_that_names_it(load: Load) -> None:
    """Its hooks are named after it, in the layer of the file, and say where they are written."""
    own = "hooks: {pre_tool_use: [{type: deny, name: mine, matcher: Bash(mine)}]}\n"
    policy = load(user=f"settings: {{packs: [small]}}\n{own}")

    assert [hook.name for hook in policy.hooks] == [
        "small/never",
        "small/perhaps",
        "small/tidy",
        "small/note",
        "mine",
    ]
    assert [str(hook.source) for hook in policy.hooks[:3]] == [
        "pack:small:5",
        "pack:small:7",
        "pack:small:13",
    ]
    assert {hook.source.layer for hook in policy.hooks} == {Layer.USER}
    assert [file.hooks for file in policy.files] == [1]
    assert (vote(policy, "never 1"), vote(policy, "rm x"), vote(policy, "perhaps 1")) == (
        Vote.DENY,
        Vote.DENY,
        Vote.ASK,
    )


def test_several_packs_come_in_the_order_they_are_named(load: Load) -> None:
    """The list is the order."""
    policy = load(user="settings: {packs: [other, small]}\n")

    assert policy.hooks[0].name == "other/o"


@pytest.mark.parametrize(
    ("word", "command", "expected"),
    [
        ("never: off", "never 1", Vote.ABSTAIN),
        ("never: ask", "never 1", Vote.ASK),
        ("never: shadow", "never 1", Vote.ABSTAIN),
        ("perhaps: deny", "perhaps 1", Vote.DENY),
        ("perhaps: ask", "perhaps 1", Vote.ASK),
        ("extra: deny", "extra 1", Vote.DENY),
        ("extra: ask", "extra 1", Vote.ASK),
        ("tidy: ask", "rm -rf /srv/y", Vote.ASK),
        ("tidy: deny", "rm -rf src", Vote.DENY),
        ("note: off", "perhaps 1", Vote.ASK),
    ],
)
def test_a_rule_can_be_changed_one_by_one(load: Load, word: str, command: str, expected: Vote) -> None:
    """A word in place of the pack's own; `off` needs no quotes, and other rules stay."""
    policy = load(user=f"settings: {{packs: {{small: {{{word}}}}}}}\n")

    assert vote(policy, command) is expected
    assert vote(policy, "never 1; perhaps 1") >= Vote.ASK


def test_a_rule_in_shadow_is_recorded(load: Load) -> None:
    """`shadow` keeps the rule and takes its vote."""
    assert named(load(user="settings: {packs: {small: {never: shadow}}}\n"), "small/never").shadow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[smal]", "settings.packs[0]: unknown pack `smal`; did you mean `small`?"),
        ("{smal: {}}", "settings.packs.smal: unknown pack `smal`; did you mean `small`?"),
        ("[small, small]", "settings.packs[1]: the pack `small` is named twice; keep one of them"),
        (
            "{small: {nevr: off}}",
            "settings.packs.small.nevr: unknown rule `nevr` of the pack `small`; did you mean `never`?",
        ),
        (
            "{small: {note: deny}}",
            "settings.packs.small.note: a `evidence_capture` rule cannot deny; use `off` or `shadow`",
        ),
        ("{small: {never: of}}", "settings.packs.small.never: unknown value `of`; did you mean `off`?"),
        (
            "{small: {never: true}}",
            (
                "settings.packs.small.never: expected `ask` or `deny` or `off` or `shadow`, "
                "found the boolean `true`; correct the value"
            ),
        ),
    ],
)
@pytest.mark.req("T06")
def test_a_word_that_means_nothing_is_an_error(load: Load, text: str, expected: str) -> None:
    """The nearest pack, rule or word is named."""
    assert problems(load, user=f"settings: {{packs: {text}}}\n") == [expected]


@pytest.mark.req("T02")
@pytest.mark.parametrize("layer", ["project", "session"])
@pytest.mark.parametrize("word", ["never: off", "never: shadow", "never: ask", "perhaps: off", "tidy: ask"])
def test_a_project_may_not_loosen_a_rule(load: Load, layer: str, word: str) -> None:
    """It is told where the word belongs; nothing of the file is loaded."""
    (problem,) = problems(load, **{layer: f"settings: {{packs: {{small: {{{word}}}}}}}\n"})

    assert "only the managed or user layer may" in problem


@pytest.mark.req("T02")
def test_a_project_may_add_a_pack_and_tighten_a_rule(load: Load) -> None:
    """What the user switched off comes back where a project wants it."""
    policy = load(
        user="settings: {packs: {small: {never: off}}}\n",
        project="settings: {packs: {small: {perhaps: deny}}}\n",
    )

    assert (vote(policy, "never 1"), vote(policy, "perhaps 1")) == (Vote.DENY, Vote.DENY)
    assert named(policy, "small/never").source.layer is Layer.PROJECT


def test_a_rule_that_stands_already_is_not_run_twice(load: Load) -> None:
    """A later file adds only what is new in it."""
    policy = load(
        managed="settings: {packs: [small]}\n", project="settings: {packs: {small: {extra: ask}}}\n"
    )

    assert [hook.name for hook in policy.hooks if hook.source.layer is Layer.PROJECT] == ["small/extra"]


def test_a_user_cannot_switch_off_what_the_managed_layer_has(load: Load) -> None:
    """The rule stays, and the person is told."""
    policy = load(managed="settings: {packs: [small]}\n", user="settings: {packs: {small: {never: off}}}\n")

    assert vote(policy, "never 1") is Vote.DENY
    assert [notice.path for notice in policy.notices] == ["settings.packs.small.never"]


def test_the_content_of_a_pack_is_part_of_the_revision(load: Load, small: Path) -> None:
    """Another release of a pack is another policy, though the file that names it is the same."""
    before = load(user="settings: {packs: [small]}\n").revision
    (small / "small.key").write_text(SMALL.replace("Never.", "Not ever."))
    packs.find_pack.cache_clear()

    assert load(user="settings: {packs: [small]}\n").revision != before


def test_examples_of_packs_are_tried_only_when_asked(load: Load, small: Path) -> None:
    """They were tried before the release; a start of the daemon does not do it again."""
    (small / "small.key").write_text(SMALL.replace("match: [perhaps 1]", "match: [other 1]"))
    packs.find_pack.cache_clear()
    load(user="settings: {packs: [small]}\n")

    with pytest.raises(ConfigError, match=r"pack:small:10: .*`other 1` is not matched"):
        load(check=True, user="settings: {packs: [small]}\n")
    assert len(pack_problems(packs.find_pack("small"), {})) == 1


def test_a_pack_tells_about_itself() -> None:
    """Its first line, its rules as they are written, and how many examples there are."""
    pack = packs.find_pack("small")

    assert packs.pack_names() == ("other", "small")
    assert pack.about == "A small pack for tests."
    assert list(pack.rules) == ["never", "perhaps", "tidy", "extra", "note"]
    assert examples_of(pack) == 2
    assert pack.written("perhaps").splitlines() == [
        "- name: perhaps",
        "  type: ask",
        "  matcher: Bash(perhaps *)",
        "  examples: {match: [perhaps 1], no_match: [never 1]}",
    ]
