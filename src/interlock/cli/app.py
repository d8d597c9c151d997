"""The list of commands."""

from __future__ import annotations

import typer

from interlock.cli.approvals import approvals
from interlock.cli.commitment_app import add_commitments
from interlock.cli.daemon import daemon
from interlock.cli.doctor import doctor
from interlock.cli.file_suggestion import file_suggestion
from interlock.cli.fleet import fleet
from interlock.cli.genesis import genesis
from interlock.cli.grants import grants
from interlock.cli.hook import hook
from interlock.cli.hooks import hooks
from interlock.cli.import_hooks import import_
from interlock.cli.init import init
from interlock.cli.install import install, uninstall
from interlock.cli.ledger import seeing
from interlock.cli.ledger_app import ledger
from interlock.cli.ledger_audit import auditing
from interlock.cli.ledger_files import files
from interlock.cli.ledger_fleet import fleet_seeing
from interlock.cli.ledger_fleet_app import ledger_fleet
from interlock.cli.ledger_fleet_proof import fleet_proof
from interlock.cli.ledger_import import importing
from interlock.cli.ledger_proof import proof
from interlock.cli.ledger_prune import pruning
from interlock.cli.ledger_repair import repairing
from interlock.cli.ledger_search import searching
from interlock.cli.ledger_stats import counting
from interlock.cli.lint_settings import lint_settings
from interlock.cli.mcp import mcp
from interlock.cli.own_passphrase import passphrase
from interlock.cli.packs import packs
from interlock.cli.paths import paths
from interlock.cli.pause import pause
from interlock.cli.policy_tests import run_tests
from interlock.cli.receipts import receipts
from interlock.cli.replay import replay
from interlock.cli.rpc import rpc
from interlock.cli.run import run
from interlock.cli.schema import schema
from interlock.cli.session import session
from interlock.cli.session_cancel import cancelling
from interlock.cli.status_line import status_line
from interlock.cli.suggest import suggest
from interlock.cli.tail import tail
from interlock.cli.trust import trust, untrust
from interlock.cli.trust_score import trust_score
from interlock.cli.ui import ui
from interlock.cli.watch import watch
from interlock.cli.work_app import add_work
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
ledger_fleet.add_typer(fleet_seeing)
ledger_fleet.add_typer(fleet_proof)
ledger.add_typer(ledger_fleet, name="fleet")
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
