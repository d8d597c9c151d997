"""`interlock trust-score`: how far the ledger trusts an actor here, and why."""

from __future__ import annotations

import os
import time
from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.ledger import JsonResult, progress, reading
from interlock.cli.output import print_json, printable, table
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import folder, here, trust_list
from interlock.errors import InterlockError
from interlock.features.trust_scores.hook import ALLOWS, DENIES, DESTRUCTIVE
from interlock.features.trust_scores.scores import History, Observer, Score
from interlock.policy.locations import project_root

_PAGE: Final = 1_000


def trust_score(
    actor: Annotated[
        str | None, typer.Option(help="Whose score, such as `agent:executor`; default: everybody's.")
    ] = None,
    as_json: JsonResult = False,
) -> int:
    """See how far an agent can be trusted, and why.

    It shows each factor, its weight and its entries.
    """
    require_person("trust-score")
    workspace = project_root(os.path.realpath(folder()), trust_list(here()).store.roots())
    history = _read_history()
    known = history.actors(workspace)
    if actor is not None and actor not in known:
        listed = ", ".join(known) or "nobody"
        raise InterlockError(f"nothing is recorded about `{actor}` in {workspace}; recorded there: {listed}")
    now = time.time()
    scores = {one: history.score(one, workspace, now) for one in ([actor] if actor else known)}
    if as_json:
        documents = [
            {"actor": name, "band": _band(score), **msgspec.to_builtins(score)}
            for name, score in scores.items()
        ]
        print_json({"workspace": workspace, "scores": documents})
        return 0
    if not scores:
        typer.echo(printable(f"nothing is recorded in {workspace}: everybody's score is {Score().value:.2f}"))
    for name, score in scores.items():
        typer.echo("\n".join(map(printable, _lines(name, score))))
    return 0


def _read_history() -> History:
    history, observer, seen = History(), Observer(), 0
    show_progress = progress("read")
    with reading() as reader:
        while entries := reader.after(seen, limit=_PAGE):
            for entry in entries:
                history.add(observer.observed(entry))
            seen = entries[-1].seq
            if show_progress is not None:
                show_progress(seen)
    return history


def _band(score: Score) -> str:
    if score.value < DENIES:
        return "denied"
    if score.value >= DESTRUCTIVE:
        return "allowed, even if destructive"
    return "allowed" if score.value >= ALLOWS else "no opinion"


def _lines(actor: str, score: Score) -> list[str]:
    aged = f", times {score.decay:.2f} for {score.age_days:.0f} days idle" if score.age_days >= 1 else ""
    cells = []
    for row in score.factors:
        against = " ".join(f"#{seq}" for seq in row.against) or "-"
        cells.append([row.name, f"{row.value:.2f}", f"{row.weight:g}", str(row.observations), against])
    return [
        f"{actor}: {score.value:.2f} ({_band(score)}{aged})",
        *table(("factor", "value", "weight", "seen", "against it"), cells, cut={4: 10}),
        "",
    ]


def add(app: typer.Typer) -> None:
    app.command("trust-score", epilog="Example: interlock trust-score --actor agent:executor --json")(
        trust_score
    )
