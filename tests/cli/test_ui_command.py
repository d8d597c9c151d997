"""Laws of `interlock ui`: what a person is told."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from tests.cli.test_person import typed
from tests.daemon.home import Home

pytestmark = pytest.mark.deep


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder to type in."""
    return tmp_path


def test_it_prints_a_link_that_opens(served: Home, project: Path) -> None:
    """One line, so that it can be copied or piped."""
    found = typed(served, project, "ui")
    with urlopen(found.out.strip()) as page:
        text = page.read().decode()

    assert (found.code, found.err, found.out.count("\n")) == (0, "", 1)
    assert "Open the dashboard" in text


def test_scripts_get_json(served: Home, project: Path) -> None:
    """The link and the port."""
    found = json.loads(typed(served, project, "ui", "--json").out)

    assert found["url"].startswith(f"http://127.0.0.1:{found['port']}/login?token=")


def test_a_key_is_printed_for_programs(served: Home, project: Path) -> None:
    """One line; with it a program reads what a person may."""
    plain = typed(served, project, "ui", "--key")
    found = json.loads(typed(served, project, "ui", "--key", "--json").out)
    headers = {"authorization": f"Bearer {plain.out.strip()}"}
    with urlopen(Request(f"{found['url']}/approvals", headers=headers)) as answer:
        told = json.load(answer)

    assert (plain.code, plain.err, plain.out.count("\n")) == (0, "", 1)
    assert found["url"] == f"http://127.0.0.1:{found['port']}/api/v1"
    assert found["key"] != plain.out.strip()
    assert told == {"waiting": [], "answered": []}


def test_it_is_ended_and_says_so(served: Home, project: Path) -> None:
    """Also that there was none."""
    typed(served, project, "ui")
    said = [typed(served, project, "ui", "--stop").out for _ in range(2)]

    assert said == ["the dashboard has stopped\n", "the dashboard is not running\n"]


def test_a_mistake_is_one_sentence(served: Home, project: Path) -> None:
    """With the next step."""
    refused = typed(served, project, "ui", "--port", "70000")

    assert refused.code != 0
    assert refused.err == "interlock: `70000` is not a port; name one up to 65535, or 0 for any\n"
