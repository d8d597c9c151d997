"""Laws of `interlock ledger search`, `stats` and the filters they share with `list` and `tail`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.search.decisions import fill
from typer.testing import CliRunner, Result

from interlock.cli.app import make_app
from interlock.cli.policy_source import here
from interlock.errors import InterlockError
from interlock.features.ledger_tools import cli as ledger_search
from interlock.ledger.writer import LedgerWriter
from interlock.search.index import index_beside
from interlock.store.database import open_database

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Type a command."""

    def typed(*arguments: str) -> Result:
        result = CliRunner().invoke(make_app(), ["ledger", *arguments])
        if isinstance(result.exception, InterlockError):
            raise result.exception
        return result

    return typed


@pytest.fixture
def filled(home: Path) -> Path:
    """Decisions of two days, one of them with text that would like to change the terminal."""
    path = here().database
    now = [1_700_000_000.0]
    with closing(open_database(path)) as connection:
        writer = LedgerWriter(connection, clock=lambda: now[0])
        fill(writer, 40)
        now[0] += 86_400
        body = {
            "session_id": "s-9",
            "event": "PreToolUse",
            "tool": "Bash",
            "decision": "deny",
            "decided_by": "no-push",
            "tool_input": {"command": "git push \x1b[2J origin \u202emain"},
        }
        writer.append("decision", "agent:main", "/w", body)
        writer.flush()
    return path


def shown(result: Result) -> list[int]:
    """The seqs a command printed as JSON."""
    return [json.loads(line)["seq"] for line in result.stdout.splitlines()]


@pytest.mark.req("Z09")
@pytest.mark.usefixtures("filled")
def test_search_finds_words_and_shows_where(run: Run) -> None:
    """Words, phrases and filters together, with the part that matched, escaped."""
    result = run("search", 'push "git push"', "--decision", "deny", "--rule", "no-push")

    assert result.stdout.splitlines()[0].startswith("41  2023-11-15")
    assert "git push \\x1b[2J origin" in result.stdout
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", result.stdout)
    document = json.loads(run("search", "orig*", "--json").stdout)
    assert (document["seq"], document["match"]) == (41, "git push \x1b[2J origin \u202emain")
    assert run("search", "nowhere").stdout == "no entries\n"


@pytest.mark.usefixtures("filled")
def test_what_matched_stands_out_on_a_terminal_and_nothing_else_does(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own colour is the only escape that is printed."""
    monkeypatch.setattr(ledger_search, "colours", lambda: True)
    result = CliRunner().invoke(
        make_app(), ["ledger", "search", "push origin", "--tool", "Bash", "-n", "1"], color=True
    )

    assert "\x1b[33m\x1b[1mpush\x1b[0m" in result.stdout
    assert "\x1b[2J" not in result.stdout


@pytest.mark.usefixtures("filled")
def test_list_and_tail_take_every_filter(run: Run) -> None:
    """One filter means the same in both, and times are read as people write them."""
    wanted = ("--rule", "no-push", "--decision", "deny", "--op", "decision")
    listed = shown(run("list", *wanted, "--json"))

    assert listed[0] == 41
    assert shown(run("tail", *wanted, "--json")) == listed[:20][::-1]
    assert shown(run("list", "--since", "2023-11-15", "--json")) == [41]
    assert 41 not in shown(run("list", "--until", "2023-11-15T12:00:00+00:00", "--tool", "Bash", "--json"))
    assert run("list", "--since", "1h").stdout == "no entries\n"
    assert run("tail", "-n", "0", "--tool", "Bash").stdout == ""


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "--since", "yesterday"), "`yesterday` is not a time for --since"),
        (("list", "--until", "9999999d"), "is not a time for --until"),
        (("search", "x", "--since", "999999w"), "is not a time for --since"),
        (("stats", "--since", "1h", "--until", "2h"), "swap them"),
        (("search", "--", "--"), "no letter or digit"),
    ],
)
def test_what_cannot_be_meant_is_explained(run: Run, arguments: tuple[str, ...], said: str) -> None:
    """One sentence with what was typed."""
    with pytest.raises(InterlockError, match=re.escape(said)):
        run(*arguments)


def test_a_list_works_without_an_index(run: Run, filled: Path) -> None:
    """Where no index can be made, all entries are read, and that is said."""
    plain = shown(run("list", "--decision", "deny", "--json"))
    index_beside(filled).unlink()
    index_beside(filled).mkdir()

    with pytest.raises(InterlockError, match="not a regular file"):
        run("search", "push")
    result = run("list", "--decision", "deny", "--json")
    assert shown(result) == plain
    assert "reading all entries instead" in result.stderr


@pytest.mark.usefixtures("filled")
def test_stats_count_in_a_table_and_as_json(run: Run) -> None:
    """The same numbers for people and for scripts."""
    document = json.loads(run("stats", "--json", "--by", "tool").stdout)
    text = run("stats", "--by", "tool").stdout

    assert document["entries"] == 41
    assert sum(row["count"] for row in document["rows"]) == sum(document["decisions"].values())
    assert document["duration_ms"]["p50"] <= document["duration_ms"]["p95"]
    assert f"deny {document['decisions']['deny']}" in text
    assert "denied by" in text
    newest = json.loads(run("stats", "--json", "--since", "2023-11-15T12:00Z", "--by", "day").stdout)
    assert [(row["name"], row["deny"]) for row in newest["rows"]] == [("2023-11-15", 1)]


@pytest.mark.usefixtures("home")
def test_stats_of_an_empty_ledger_are_nought(run: Run) -> None:
    """No division, no quantile of nothing."""
    open_database(here().database).close()

    assert "decisions    none" in run("stats", "--by", "hook").stdout
