"""Laws of `/metrics` and of the health of the dashboard, against the real process."""

from __future__ import annotations

import re
import signal

import pytest
from tests.daemon.approvers import ask
from tests.daemon.home import Home, bash
from tests.web.browser import Browser
from tests.web.programs import program

from interlock.web.monitoring import Metric, Sample, exposition, histogram

pytestmark = pytest.mark.deep

LINE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? ([0-9.e+-]+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every number of an exposition by its name and labels; each line must be one."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))", line)
            continue
        read = LINE.fullmatch(line)
        assert read is not None, line
        found[read[1], frozenset(LABEL.findall(read[2] or ""))] = float(read[3])
    return found


def labelled(**labels: str) -> frozenset[tuple[str, str]]:
    """Labels as `samples` has them."""
    return frozenset(labels.items())


def test_a_scraper_with_a_key_reads_what_was_decided(place: Home) -> None:
    """Decisions by vote, hooks, durations, what waits and where the ledger ends."""
    ask(place, "t1", "git push origin a")
    place.call(bash("ls", tool_use_id="t2"))
    place.call(bash("git push --mirror", tool_use_id="t3"))
    answer = program(place).get("/metrics")
    found = samples(answer.text)
    hook = {(name, dict(labels)["hook"]): n for (name, labels), n in found.items() if "_hook_" in name}

    assert answer.status == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert found["interlock_decisions_total", labelled(vote="allow")] == 1
    assert found["interlock_decisions_total", labelled(vote="deny")] == 1
    assert found["interlock_decisions_total", labelled(vote="ask")] == 1
    assert found["interlock_approvals_pending", frozenset()] == 1
    assert found["interlock_ledger_head", frozenset()] == place.entries()[-1].seq
    assert found["interlock_agents", labelled(status="working")] == 0
    assert hook["interlock_hook_denials_total", "never"] == 1
    assert hook["interlock_hook_calls_total", "push"] == 2
    assert hook["interlock_hook_failures_total", "push"] == 0
    assert hook["interlock_hook_open_passes_total", "push"] == 0


def test_the_distribution_grows_to_its_count(place: Home) -> None:
    """Each edge holds all that the one before it does, and the last of them everything."""
    for number in range(5):
        place.call(bash("ls", tool_use_id=f"t{number}"))
    found = samples(program(place).get("/metrics").text)
    name = "interlock_decision_duration_seconds"
    edges = {float(dict(k)["le"]): n for (one, k), n in found.items() if one == f"{name}_bucket"}
    counts = [edges[edge] for edge in sorted(edges)]

    assert counts == sorted(counts)
    assert counts[-1] == found[f"{name}_count", frozenset()] == 5
    assert found[f"{name}_sum", frozenset()] > 0


def test_labels_are_escaped() -> None:
    """Whatever a hook is called, a line stays one line."""
    bad = 'a"b\\c\nd'
    metric = Metric(name="m", kind="gauge", help="h", samples=(Sample(value=1.5, labels={"x": bad}),))

    assert exposition([metric]).splitlines()[2] == 'm{x="a\\"b\\\\c\\nd"} 1.5'


def test_a_histogram_ends_with_everything() -> None:
    """The last column is all there is, also what is longer than every edge."""
    found = [(one.suffix, one.labels.get("le"), one.value) for one in histogram((0.1, 2.0), (1, 3), 4, 9.5)]

    assert found == [
        ("_bucket", "0.1", 1),
        ("_bucket", "2", 3),
        ("_bucket", "+Inf", 4),
        ("_sum", None, 9.5),
        ("_count", None, 4),
    ]


def test_figures_are_for_those_with_a_key_or_a_login(standing: Browser) -> None:
    """Nobody else reads them, and a key that is none opens nothing."""
    stranger = Browser(home=standing.home, port=standing.port)

    assert standing.get("/metrics").status == 200
    assert stranger.get("/metrics").status == 401
    assert stranger.get("/metrics", authorization="Bearer x").status == 401
    assert standing.get("/metrics", authorization="Bearer x").status == 401


@pytest.mark.parametrize("path", ["/live", "/approvals", "/metrics2/..", "/"])
def test_a_key_opens_no_page(standing: Browser, path: str) -> None:
    """It is for programs; pages are for whoever came by a link."""
    assert program(standing.home).get(path).status == 401


def test_health_tells_everybody_one_word(visitor: Browser) -> None:
    """It lives; it is ready while the daemon answers."""
    assert (visitor.get("/healthz").status, visitor.get("/healthz").text) == (200, "ok\n")
    assert (visitor.get("/readyz").status, visitor.get("/readyz").text) == (200, "ready\n")
    assert visitor.get("/healthz", host="evil.example").status == 403
    assert visitor.get("/healthzz").status == 401


def test_it_is_not_ready_when_the_daemon_hangs(visitor: Browser) -> None:
    """Alive all the same."""
    (process,) = visitor.home.started
    process.send_signal(signal.SIGSTOP)
    try:
        answer = visitor.get("/readyz")
        assert visitor.get("/healthz").status == 200
    finally:
        process.send_signal(signal.SIGCONT)

    assert (answer.status, answer.text) == (503, "the daemon does not answer\n")
