"""What the tests of the lint share: a policy in, its findings out."""

from __future__ import annotations

from pathlib import Path

from interlock.events.hook import Layer
from interlock.features.lint.cli import HookCounts, lint
from interlock.features.lint.policy_files import Code, Finding, read_policy_files
from interlock.policy.load import load_policy

HEAD = 'version: "2.0"\n'


def linted(
    folder: Path, text: str, *, asked: HookCounts | None = None, layer: Layer = Layer.USER
) -> list[Finding]:
    """Write a policy, load it and look at it."""
    file = folder / "genesis.key"
    file.write_text(HEAD + text, encoding="utf-8")
    sources: list[tuple[Layer, Path]] = [(layer, file)]
    return lint(read_policy_files(load_policy(sources, environ={}), sources), asked)


def hooks(*entries: str) -> str:
    """Hooks before a tool, as flow mappings, a line each from line 4 on."""
    return "hooks:\n  pre_tool_use:\n" + "".join(f"    - {entry}\n" for entry in entries)


def lists(
    *, allow: tuple[str, ...] | None = None, deny: tuple[str, ...] = (), actor: str = "agent:main"
) -> str:
    """The lists of one actor, a line each."""
    text = f"permissions:\n  actors:\n    {actor}:\n"
    for side, patterns in (("deny", deny), ("allow", allow)):
        if patterns:
            text += f"      {side}:\n" + "".join(f"        - '{pattern}'\n" for pattern in patterns)
    return text


def codes(findings: list[Finding]) -> list[Code]:
    """The kinds of the findings, in order."""
    return [finding.code for finding in findings]
