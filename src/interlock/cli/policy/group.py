"""`interlock hooks`: trying patterns and policies, and seeing the pipeline."""

from __future__ import annotations

from interlock.cli.groups import group
from interlock.cli.policy.catalog import catalog
from interlock.cli.policy.explain import explain
from interlock.cli.policy.list import list_hooks
from interlock.cli.policy.new_hook import new_hook
from interlock.cli.policy.simulate import simulate
from interlock.cli.policy.test_pattern import try_pattern

hooks = group("Try patterns and policies, and see the pipeline.")
hooks.command("test-pattern", epilog="Example: interlock hooks test-pattern 'Bash(git *)' Bash 'git status'")(
    try_pattern
)
hooks.command(
    "simulate",
    epilog="Example: interlock hooks simulate --tool Bash --args 'git push --force' --actor agent:executor",
)(simulate)
hooks.command("explain", epilog="Example: interlock hooks explain 'cd /srv && sudo rm -rf $x'")(explain)
hooks.command("list", epilog="Example: interlock hooks list --config .interlock/genesis.key")(list_hooks)
hooks.command("catalog", epilog="Example: interlock hooks catalog redirect")(catalog)
hooks.command("new", epilog="Example: interlock hooks new acme.deploy_hint --dir deploy-hint")(new_hook)
