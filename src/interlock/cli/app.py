"""The list of commands."""

from __future__ import annotations

import typer

from interlock.cli.daemon.daemon import daemon
from interlock.cli.daemon.rpc import rpc
from interlock.cli.daemon.tail import tail
from interlock.cli.daemon.ui import ui
from interlock.cli.host.file_suggestion import file_suggestion
from interlock.cli.host.hook_fallback import hook
from interlock.cli.host.status_line import status_line
from interlock.cli.policy.group import hooks
from interlock.cli.policy.packs import packs
from interlock.cli.policy.schema import schema
from interlock.cli.policy.trust import trust, untrust
from interlock.cli.policy.validate import genesis
from interlock.cli.setup.doctor import doctor
from interlock.cli.setup.import_hooks import import_
from interlock.cli.setup.init import init
from interlock.cli.setup.install import install, uninstall
from interlock.cli.setup.lint_settings import lint_settings
from interlock.cli.setup.paths import paths
from interlock.cli.setup.pause import pause
from interlock.cli.setup.run import run
from interlock.features.approvals.cli import approvals
from interlock.features.approvals.cli_grants import grants
from interlock.features.approvals.cli_own_passphrase import passphrase
from interlock.features.commitments.cli import add_commitments
from interlock.features.fleet.cli import fleet
from interlock.features.fleet.cli_watch import watch
from interlock.features.gates.cli import cancelling
from interlock.features.learning.cli_replay import replay
from interlock.features.learning.cli_suggest import suggest
from interlock.features.ledger_tools.cli import ledger
from interlock.features.ledger_tools.cli_audit import auditing
from interlock.features.ledger_tools.cli_export import files
from interlock.features.ledger_tools.cli_import import importing
from interlock.features.ledger_tools.cli_prune import pruning
from interlock.features.ledger_tools.cli_repair import repairing
from interlock.features.ledger_tools.cli_search import searching
from interlock.features.ledger_tools.cli_show import seeing
from interlock.features.ledger_tools.cli_stats import counting
from interlock.features.ledger_tools.cli_verify import proof
from interlock.features.mcp.cli import mcp
from interlock.features.policy_tests.cli import run_tests
from interlock.features.receipts.cli import receipts
from interlock.features.team_ledger.cli import ledger_team
from interlock.features.team_ledger.cli_show import fleet_seeing
from interlock.features.team_ledger.cli_verify import fleet_proof
from interlock.features.trust_scores.cli import trust_score
from interlock.features.work.cli import add_work
from interlock.features.work.cli_session import session
from interlock.version import __version__


def _exit(code: int, **_: object) -> None:
    """A command's return value is its exit code."""
    raise typer.Exit(code)


app = typer.Typer(
    name="interlock",
    result_callback=_exit,
    help="The hooks engine for coding agents: one policy, every agent, every decision explained.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: interlock init; interlock hooks simulate --tool Bash --args 'rm -rf ~'",
)
app.add_typer(genesis, name="genesis")
app.add_typer(hooks, name="hooks")
app.add_typer(packs, name="packs")
app.add_typer(daemon, name="daemon")
ledger.add_typer(seeing)
ledger.add_typer(searching)
ledger.add_typer(counting)
ledger.add_typer(auditing)
ledger.add_typer(proof)
ledger.add_typer(files)
ledger.add_typer(importing)
ledger.add_typer(pruning)
ledger.add_typer(repairing)
ledger_team.add_typer(fleet_seeing)
ledger_team.add_typer(fleet_proof)
ledger.add_typer(ledger_team, name="team")
app.add_typer(ledger, name="ledger")
app.add_typer(approvals, name="approvals")
app.add_typer(grants, name="grants")
app.add_typer(receipts, name="receipts")
session.add_typer(cancelling)
app.add_typer(session, name="session")
app.add_typer(fleet, name="fleet")
add_commitments(app)
add_work(app)
app.command(epilog="Example: interlock init --project")(init)
app.command(epilog="Example: interlock install claude-code --dry-run")(install)
app.command(epilog="Example: interlock uninstall claude-code")(uninstall)
app.command(epilog="Example: interlock doctor --json")(doctor)
app.command(epilog="Example: interlock replay --config new.key --since 7d")(replay)
app.command(epilog="Example: interlock suggest --since 30d > grants.diff")(suggest)
app.command(epilog="Example: interlock lint-settings ~/.claude/settings.json")(lint_settings)
app.command("import", epilog="Example: interlock import claude-code --out ~/.config/interlock/genesis.key")(
    import_
)
app.command(epilog="Example: interlock trust --show")(trust)
app.command(epilog="Example: interlock untrust ~/src/app")(untrust)
app.command("trust-score", epilog="Example: interlock trust-score --actor agent:executor --json")(trust_score)
app.command(epilog="Example: interlock pause 15m")(pause)
app.command("test", epilog="Example: interlock test .interlock/tests --junit results.xml")(run_tests)
app.command(epilog="Example: interlock hook claude-code < event.json")(hook)
app.command(epilog="Example: interlock mcp; agents start it, after `interlock install claude-code --mcp`")(
    mcp
)
app.command("status-line", epilog="Example: interlock status-line < session.json")(status_line)
app.command("file-suggestion", epilog='Example: interlock file-suggestion <<< \'{"query": "src"}\'')(
    file_suggestion
)
app.command(epilog="Example: interlock passphrase human:rashid")(passphrase)
app.command(epilog="Example: interlock tail --decision deny")(tail)
app.command(epilog="Example: interlock ui --open")(ui)
app.command(
    epilog="Example: interlock run -- claude; interlock run -- claude -p 'Fix the tests'",
    context_settings={"allow_interspersed_args": False},
)(run)
app.command(epilog="Example: interlock watch --prompt 'Fix the tests' -- claude -p {prompt}")(watch)
app.command(epilog="Example: interlock paths --json")(paths)
app.command(epilog="Example: interlock rpc hooks.stop - < event.json")(rpc)
app.command(epilog="Example: interlock schema hooks > hooks.schema.json")(schema)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"interlock {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """The hooks engine for coding agents: one policy, every agent, every decision explained."""
