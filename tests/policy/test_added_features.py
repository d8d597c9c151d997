"""Laws of features of other distributions: who may name one, and what is said of one that is broken."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.policy.plugin_site import GREETER, install_feature

from interlock import feature
from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.policy import extensions, plugins
from interlock.policy.extensions import genesis_key, settings_parts, use_features_of
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

SETTINGS = """
    from interlock.plugin import SettingsPart
    KEY = SettingsPart(key="acme", default="", merge=lambda files: [file.written for file in files])
    OURS = SettingsPart(key="people", default="", merge=list)
    NOTHING = 1
"""
ROW = """
    from interlock.plugin import Feature
    FEATURE = Feature(name="acme", {parts})
"""
NAMED = "settings: {features: [acme]}\n"
ALL_OF_IT = """\
settings: {features: [acme], acme: hello}
hooks: {user_prompt_submit: [{type: acme.greet}]}
"""


@pytest.fixture(autouse=True)
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
    feature._added.clear()
    extensions._refused.clear()
    settings_parts.cache_clear()
    genesis_key.cache_clear()


def offer(site: Path, parts: str = "", *, row: str = ROW) -> None:
    """Install a feature."""
    install_feature(
        site, "acme-tools", "acme_tools", row.replace("{parts}", parts), settings=SETTINGS, hook=GREETER
    )


def load(text: str, layer: Layer = Layer.USER) -> Policy:
    content = f'version: "2.0"\n{text}'.encode()
    return load_policy([(layer, PolicyText(shown=Path("/p/genesis.key"), content=content))], environ={})


def problems(text: str, layer: Layer = Layer.USER) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(text, layer)
    return [f"{one.line}: {one.path}: {one.message}" for one in caught.value.problems]


@pytest.mark.parametrize("layer", [Layer.MANAGED, Layer.USER])
def test_a_named_feature_brings_its_keys_and_hooks(site: Path, layer: Layer) -> None:
    """Both are words of the very policy that names it."""
    offer(site, 'settings=("settings:KEY",), hooks={"acme.greet": "hook:BUILTIN"}')
    policy = load(ALL_OF_IT, layer)

    assert policy.settings["acme"] == ["hello"]
    assert policy.settings["features"] == ("acme",)
    assert [hook.handler.kind for hook in policy.hooks] == ["acme.greet"]
    assert not policy.hooks[0].tightens  # what it says of itself does not count in a file that has changed


def test_nothing_is_looked_for_that_nobody_names(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in a policy without the key, and not by the quick look into folders."""
    offer(site)
    monkeypatch.setattr(plugins, "site_folders", lambda: pytest.fail("entry points were searched"))
    (site / "genesis.key").write_text('version: "2.0"\n')
    load("settings: {}\n")

    assert use_features_of((site, site / "nowhere")) == ()
    assert "acme_tools" not in sys.modules


@pytest.mark.parametrize("layer", [Layer.PROJECT, Layer.SESSION])
def test_a_project_names_none(site: Path, layer: Layer) -> None:
    """It would run its code inside the daemon; it is not even imported."""
    offer(site)

    assert problems(NAMED, layer) == [
        "2: settings.features: only the managed or user layer may name features; move it there"
    ]
    assert "acme_tools" not in sys.modules


def test_a_missing_feature_is_one_error() -> None:
    """Its keys and types are unknown too, and nobody has to read that."""
    (problem,) = problems(ALL_OF_IT)

    assert problem == (
        "2: settings.features[0]: no feature `acme` is installed; install the distribution that brings it "
        "where Interlock is installed and run `interlock daemon restart`, or remove it from this list"
    )


def test_one_of_ours_need_not_be_named() -> None:
    """It is there without it."""
    (problem,) = problems("settings: {features: [approvals]}\n")

    assert "`approvals` is part of Interlock and always there; remove it from this list" in problem


@pytest.mark.parametrize(
    ("parts", "row", "said"),
    [
        (
            "",
            "raise OSError('broken')",
            "the feature `acme` of `acme-tools` 1.0 cannot be imported (OSError:",
        ),
        (
            "",
            "FEATURE = 1",
            "`acme_tools:FEATURE` of `acme-tools` 1.0 is not a `Feature`; point its entry point",
        ),
        (
            "",
            ROW.replace('"acme"', '"other"'),
            "offers `acme`, but its feature calls itself `other`; give both",
        ),
        (
            'needs=("acme_base",)',
            ROW,
            "needs the feature `acme_base`; name `acme_base` before it in this list",
        ),
        (
            'settings=("settings:NONE",)',
            ROW,
            "`settings:NONE` of the feature `acme` of `acme-tools` cannot be",
        ),
        (
            'settings=("settings:NOTHING",)',
            ROW,
            "`settings:NOTHING` of the feature `acme` of `acme-tools` is no",
        ),
        ('settings=("settings:OURS",)', ROW, "defines the setting `people`, which already exists"),
        ('hooks={"deny": "hook:BUILTIN"}', ROW, "defines the hook `deny`, which already exists"),
    ],
)
def test_what_is_wrong_with_one_is_said_where_it_is_named(
    site: Path, parts: str, row: str, said: str
) -> None:
    """One problem, with the next step; the policy does not load."""
    offer(site, parts, row=row)
    (problem,) = problems(NAMED)

    assert problem.startswith("2: settings.features[0]: ")
    assert said in problem


def test_a_refused_feature_takes_its_policies_along(site: Path) -> None:
    """The daemon refuses one whose service does not start."""
    offer(site)
    load(NAMED)
    extensions.refuse_feature("acme", "it does not start; fix it")

    assert problems(NAMED) == ["2: settings.features[0]: it does not start; fix it"]
