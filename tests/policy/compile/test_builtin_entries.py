"""A hook in one file is named, checked and compiled like every other, whoever ships it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.policy.plugin_site import GREETER, install

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.hook import Layer, OnFailure
from interlock.events.names import EventName
from interlock.policy import plugins
from interlock.policy.files.read import PolicyText
from interlock.policy.hook_kinds import ours, own_kinds
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

Load = Callable[..., Policy]
HEAD = 'version: "2.0"\nhooks:\n'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed distributions, searched in place of this machine's."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(plugins, "site_folders", lambda: [str(folder)])
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if name.startswith("acme"):
            del sys.modules[name]


@pytest.fixture
def greeter(site: Path) -> Path:
    install(site, "acme-hooks", "acme_greeter", GREETER, "acme.greet")
    return site


def load(tmp_path: Path, text: str, layer: Layer = Layer.USER, *, tight: bool = False) -> Policy:
    file = tmp_path / "genesis.key"
    shown = PolicyText(shown=file, content=(HEAD + text).encode(), tightening_only=tight)
    return load_policy([(layer, shown)], environ={})


def problems(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    return [str(one).removeprefix(str(tmp_path / "genesis.key")) for one in caught.value.problems]


@pytest.mark.usefixtures("greeter")
async def test_a_named_plugin_is_a_hook(tmp_path: Path) -> None:
    """Its options reach it, its kind names it, its own defaults hold."""
    policy = load(
        tmp_path, "  user_prompt_submit:\n    - {type: acme.greet, config: {greeting: hi, times: 2}}\n"
    )
    (hook,) = policy.hooks
    decision = await Engine(policy.hooks).decide(Event(name=EventName.USER_PROMPT_SUBMIT, prompt="x"))

    assert (hook.handler.kind, hook.on_failure, hook.tightens) == ("acme.greet", OnFailure.OPEN, False)
    assert hook.name == "user_prompt_submit[0]:acme.greet"
    assert decision.context == ("hi hi",)


@pytest.mark.usefixtures("greeter")
@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{type: acme.greet, config: {greting: x}}", "config.greting: unknown key `greting`; did you mean"),
        ("{type: acme.greet, config: {times: many}}", "config.times: expected a whole number, found"),
        ("{type: acme.greet, config: {times: 0}}", "config.times: `0` is less than 1; write a larger"),
        ("{type: acme.greet, config: {times: 4}}", "config.times: `4` must be less than 4; write a smaller"),
        ("{type: acme.greet, config: {names: [1]}}", "config.names[0]: expected a string"),
        (
            "{type: acme.greet, config: {style: lout}}",
            "config.style: unknown value `lout`; did you mean `loud`?",
        ),
        (
            "{type: acme.greet, config: {greeting: bye}}",
            "config.greeting: `bye` is not a greeting; say hello",
        ),
        (
            "{type: acme.greet, config: {greeting: crash}}",
            "config: `acme.greet` cannot be made (RuntimeError:",
        ),
        ("{type: acme.gret}", "type: unknown type `acme.gret`; did you mean `acme.greet`?"),
        ("{type: builtin}", "type: unknown type `builtin`;"),
    ],
)
def test_mistakes_carry_their_place(tmp_path: Path, entry: str, said: str) -> None:
    """File, line, path and the nearest word, as with every other type."""
    (problem,) = problems(tmp_path, f"  user_prompt_submit:\n    - {entry}\n")

    assert problem.startswith(f":4: hooks.user_prompt_submit[0].{said}")


@pytest.mark.usefixtures("greeter")
def test_a_hook_stands_where_it_has_something_to_do(tmp_path: Path) -> None:
    """Anywhere else is a mistake, and the right place is named."""
    assert problems(tmp_path, "  stop:\n    - {type: acme.greet}\n") == [
        ":4: hooks.stop[0].type: `acme.greet` has no effect at `stop`; move it to `user_prompt_submit`"
    ]


@pytest.mark.usefixtures("greeter")
def test_absent_options_may_be_written_as_nothing(tmp_path: Path) -> None:
    """Null, lists and words reach the options as their types."""
    entry = "{type: acme.greet, config: {sign: null, names: [a, b], style: loud}}"
    (hook,) = load(tmp_path, f"  user_prompt_submit:\n    - {entry}\n").hooks

    assert hook.handler.fingerprint()["names"] == ("a", "b")


@pytest.mark.req("P34")
@pytest.mark.usefixtures("greeter")
async def test_a_hook_that_raises_breaks_no_session(tmp_path: Path) -> None:
    """Its failure rule decides, and the pass is counted."""
    policy = load(tmp_path, "  user_prompt_submit:\n    - {type: acme.greet}\n")
    decision = await Engine(policy.hooks).decide(Event(name=EventName.USER_PROMPT_SUBMIT, prompt="raise"))

    assert not decision.denied
    assert decision.open_passes == 1
    assert "the greeter tripped" in str(decision.trace[0].reason)


@pytest.mark.usefixtures("greeter")
def test_plugins_of_a_project_wait_for_its_trust(tmp_path: Path) -> None:
    """What a plugin says of itself keeps nothing in force once the project's file has changed."""
    text = "  user_prompt_submit:\n    - {type: acme.greet}\n"

    assert load(tmp_path, text, Layer.PROJECT).hooks
    assert not load(tmp_path, text, Layer.PROJECT, tight=True).hooks


def test_of_a_project_that_changed_only_what_tightens_stays(tmp_path: Path) -> None:
    """A hook of ours that adds context is kept, one that changes calls is not."""
    text = "  user_prompt_submit: [{type: nudge}]\n  pre_tool_use: [{type: redirect}]\n"
    kinds = [hook.handler.kind for hook in load(tmp_path, text, Layer.PROJECT, tight=True).hooks]

    assert kinds == ["nudge"]
    assert len(load(tmp_path, text, Layer.PROJECT).hooks) == 2


def test_a_project_cannot_loosen_a_hook_of_ours(tmp_path: Path) -> None:
    """Shadow, a longer time and an open failure are put back, and said."""
    entry = "{type: redirect, mode: shadow, timeout: 60, on_failure: open}"
    policy = load(tmp_path, f"  pre_tool_use: [{entry}]\n", Layer.PROJECT)
    (hook,) = policy.hooks

    assert (hook.shadow, hook.timeout) == (False, 5.0)
    assert len(policy.notices) == 3


def test_two_distributions_cannot_share_a_name(tmp_path: Path, greeter: Path) -> None:
    """Which of them is meant nobody can tell, so both are named."""
    install(greeter, "other-hooks", "acme_other", GREETER, "acme.greet")

    (problem,) = problems(tmp_path, "  user_prompt_submit:\n    - {type: acme.greet}\n")
    assert problem.endswith(
        "the hook `acme.greet` is offered by `acme-hooks` 1.0 and `other-hooks` 1.0; uninstall one of them"
    )


@pytest.mark.req("X19")
@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "import nowhere_at_all",
            "cannot be imported (ModuleNotFoundError: No module named 'nowhere_at_all')",
        ),
        ("raise SystemExit(3)", "cannot be imported (SystemExit: 3)"),
        ("BUILTIN = 3", "is not a `Builtin`; point its entry point `acme.bad` at one"),
        (GREETER, "offers `acme.bad`, but its hook calls itself `acme.greet`; give both the same name"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named(tmp_path: Path, site: Path, source: str, said: str) -> None:
    """The problem says which distribution is at fault."""
    install(site, "bad-hooks", "acme_bad", source, "acme.bad")

    (problem,) = problems(tmp_path, "  stop:\n    - {type: acme.bad}\n")
    assert "`bad-hooks` 1.0" in problem
    assert said in problem


def test_a_type_of_an_option_that_no_policy_can_hold_is_named(tmp_path: Path, site: Path) -> None:
    """The author of the plugin reads it, not whoever writes a policy."""
    source = GREETER.replace("sign: str | None = None", "sign: complex = 1j")
    install(site, "acme-hooks", "acme_odd", source, "acme.greet")

    (problem,) = problems(tmp_path, "  user_prompt_submit:\n    - {type: acme.greet}\n")
    assert "the option `sign` of `acme.greet` has a type that no policy can contain" in problem


@pytest.mark.deep
@pytest.mark.usefixtures("greeter")
def test_nothing_is_imported_before_it_is_named(tmp_path: Path) -> None:
    """Neither a plugin nor a hook of ours: a start pays for what the policy uses."""
    load(tmp_path, "  user_prompt_submit:\n    - {type: command, config: {command: 'true'}}\n")
    assert "acme_greeter" not in sys.modules

    code = (
        "import sys, interlock.policy.load as _\n"
        "from interlock.policy.hook_kinds import own_kinds\n"
        "loaded = {name.removeprefix('interlock.') for name in sys.modules}\n"
        "found = {at.partition(':')[0] for at in own_kinds().values()} & loaded\n"
        "print([module for module in found if not module.startswith('policy.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(("kind", "seconds"), [("redirect", 5.0), ("nudge", 3.0), ("local_context", 3.0)])
def test_each_kind_has_its_own_time(kind: str, seconds: float) -> None:
    """What helps must not hold anybody up."""
    assert ours(kind).seconds == seconds


@pytest.mark.parametrize("kind", own_kinds())
def test_every_kind_is_found_under_its_name(kind: str) -> None:
    """What the table names is there, and calls itself by that name."""
    assert ours(kind).kind == kind
