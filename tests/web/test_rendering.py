"""Laws of what templates do with texts: nothing in them is markup, and nothing is unseen."""

from __future__ import annotations

import pytest
from tests.daemon.home import bash
from tests.web.browser import Browser

from interlock.web.rendering import make_visible, path, ticked


def test_a_path_may_be_broken_after_a_slash() -> None:
    """And nowhere else by the page; what it holds stays text."""
    assert path("/etc/<b>/p.key:3") == "/<wbr>etc/<wbr>&lt;b&gt;/<wbr>p.key:3"
    assert path("pack:git\x1b") == "pack:git&lt;U+001B&gt;"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("run `interlock ui` now", "run <code>interlock ui</code> now"),
        ("no page `/<script>`", "no page <code>/&lt;script&gt;</code>"),
        ("one ` is open <b>", "one ` is open &lt;b&gt;"),
        ("`\x1b`", "<code>&lt;U+001B&gt;</code>"),
        ("", ""),
    ],
)
def test_what_stands_in_backticks_is_code(text: str, shown: str) -> None:
    """Escaped inside and around it."""
    assert ticked(text) == shown
    assert ticked(make_visible(text)) == shown


@pytest.mark.deep
@pytest.mark.parametrize(
    ("address", "current"),
    [
        ("/sessions", 'href="/sessions" aria-current="page"'),
        ("/session?id=s", 'href="/sessions" aria-current="true"'),
        ("/ledger/1", 'href="/ledger" aria-current="true"'),
        ("/work", 'href="/work" aria-current="page"'),
    ],
)
def test_the_navigation_says_where_a_page_belongs(standing: Browser, address: str, current: str) -> None:
    """Also of pages that only others lead to; one place, and no more."""
    standing.home.call(bash("ls", session_id="s", tool_use_id="t1"))
    page = standing.get(address).text.partition("</header>")[0]

    assert current in page
    assert page.count("aria-current") == 1


@pytest.mark.deep
@pytest.mark.parametrize("address", ["/live", "/ledger/1", "/nowhere"])
def test_a_browser_without_a_login_is_shown_the_way_in(standing: Browser, address: str) -> None:
    """The same page whatever was asked for; programs are told in a line."""
    visitor = Browser(home=standing.home, port=standing.port)
    page, line = visitor.get(address, accept="text/html,*/*"), visitor.get(address)

    assert (page.status, line.status) == (401, 401)
    assert "<pre><code>interlock ui</code></pre>" in page.text
    assert address not in page.text
    assert line.text == "you are not logged in; run `interlock ui` and open the link it prints\n"
