"""Headers of a webhook."""

from __future__ import annotations

import pytest

from interlock.handlers.environment import UnsetVariableError, check_headers, expand_headers


@pytest.mark.req("C59", "C93")
def test_released_variables_are_filled_in() -> None:
    """Names that begin with HOOK_ and names in `pass_env` may be used, also several times."""
    headers = {"Authorization": "Bearer ${HOOK_API_KEY}", "X-Both": "${TOKEN}/${TOKEN} $HOME $x {y}"}
    check_headers(headers, ("TOKEN",))

    assert expand_headers(headers, {"HOOK_API_KEY": "k", "TOKEN": "t", "HOME": "/h"}) == {
        "Authorization": "Bearer k",
        "X-Both": "t/t $HOME $x {y}",
    }


@pytest.mark.req("C59", "C93")
@pytest.mark.parametrize("variable", ["AWS_SECRET_ACCESS_KEY", "HOME", "", "HOOK", "TOKEN:-x"])
def test_a_variable_nobody_released_is_refused_at_load(variable: str) -> None:
    """A policy cannot send the environment away by naming it."""
    with pytest.raises(ValueError, match="the header `X-A` may not use"):
        check_headers({"X-A": f"${{{variable}}}"}, ("TOKEN",))


@pytest.mark.req("C59")
def test_an_unset_variable_is_an_error_that_names_it() -> None:
    """A header is never sent with a hole in it."""
    with pytest.raises(UnsetVariableError, match=r"`\$\{HOOK_API_KEY\}` is not set"):
        expand_headers({"Authorization": "Bearer ${HOOK_API_KEY}"}, {})


@pytest.mark.req("C59")
def test_a_value_is_filled_in_once() -> None:
    """A variable whose value looks like another variable stays as it is."""
    assert expand_headers({"X-A": "${HOOK_A}"}, {"HOOK_A": "${HOOK_B}", "HOOK_B": "no"}) == {
        "X-A": "${HOOK_B}"
    }


@pytest.mark.req("C93")
def test_line_breaks_cannot_start_another_header() -> None:
    """CR, LF and NUL are taken out of the text and of the variables."""
    expanded = expand_headers({"X-A": "a\r\nX-Evil: 1\0 ${HOOK_A}"}, {"HOOK_A": "k\r\nX-Evil: 2\n"})

    assert expanded == {"X-A": "aX-Evil: 1 kX-Evil: 2"}


@pytest.mark.req("C93")
@pytest.mark.parametrize("name", ["", "X A", "X:A", "X\r\nA", "Ä"])
def test_what_is_no_header_name_is_refused(name: str) -> None:
    """A name cannot carry a second header either."""
    with pytest.raises(ValueError, match="not a header name"):
        check_headers({name: "v"}, ())


@pytest.mark.req("C93")
@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding"])
def test_headers_that_frame_the_request_are_ours(name: str) -> None:
    """A policy does not say whom a request is for or where it ends."""
    with pytest.raises(ValueError, match="Interlock sets"):
        check_headers({name: "v"}, ())
