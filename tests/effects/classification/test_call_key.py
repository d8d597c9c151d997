"""Laws of the key: two calls have the same exactly when nothing but the try tells them apart."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.classification.book import canonical, identity_of, scope_of
from interlock.effects.classification.classify import Classified, Replay, SideEffect
from interlock.events.tool import JsonObject, ToolCall
from interlock.redaction.redactor import Redactor

MAIL = Classified(
    effect=SideEffect.EXTERNAL,
    replay=Replay.EXACT,
    namespace="gmail",
    tool="send_email",
    matched="policy",
)
TRIES = (
    "idempotency_key",
    "idempotencyKey",
    "request_id",
    "tool_use_id",
    "client-token",
    "X-Idempotency-Key",
)
WORDS = st.sampled_from(["to", "body", "n", *TRIES])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(-2, 2), st.text("ab", max_size=2))
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=3)
)
INPUTS = st.dictionaries(WORDS, VALUES, max_size=4)


def model(value: Any) -> Any:
    """A call as a person would compare it: order of keys and names of tries left out, 1 is not true."""
    if isinstance(value, dict):
        return frozenset((name, model(inner)) for name, inner in value.items() if name not in TRIES)
    if isinstance(value, list):
        return ("list", *map(model, value))
    return (type(value).__name__, repr(value))


def key(fields: JsonObject, call: Classified = MAIL, run: str = "s", nonce: str = "", **kw: Any) -> str:
    """The key of one call."""
    return identity_of(ToolCall(name="x", input=fields), call, **kw).key(run, nonce)


@pytest.mark.req("U24")
@given(INPUTS, INPUTS)
def test_keys_are_equal_exactly_when_the_normalised_calls_are(one: JsonObject, other: JsonObject) -> None:
    """Neither misses a repeat nor takes another call for one."""
    assert (key(one) == key(other)) == (model(one) == model(other))


@pytest.mark.req("U24")
@given(INPUTS, st.sampled_from(TRIES), st.text(max_size=5), st.randoms())
def test_the_order_of_keys_and_the_name_of_a_try_make_no_difference(
    fields: JsonObject, name: str, value: str, chance: Any
) -> None:
    """The same call, written down otherwise."""
    again = copy.deepcopy(fields)
    shuffled = list(again.items())
    chance.shuffle(shuffled)

    assert key({**dict(shuffled), name: value}) == key(fields)


@pytest.mark.req("U24")
def test_run_namespace_tool_and_nonce_are_part_of_the_key() -> None:
    """Each of them makes another key, and none can pass for a piece of its neighbour."""
    fields = {"to": "bob"}
    parts = [("a|b", "c"), ("a", "b|c"), ("a%7Cb", "c"), ("a", "c")]
    calls = [(run, msgspec.structs.replace(MAIL, namespace=space)) for run, space in parts]
    keys = [key(fields, call, run) for run, call in calls]
    keys += [key(fields, nonce="1"), key(fields, nonce="2"), key(fields)]
    keys.append(key(fields, msgspec.structs.replace(MAIL, tool="reply")))

    assert len(set(keys)) == len(keys)
    assert all(len(one) == 64 for one in keys)


@pytest.mark.req("U24")
def test_a_label_of_a_shell_command_is_not_the_command() -> None:
    """The agent words it anew each time."""
    bash = msgspec.structs.replace(MAIL, namespace="host", tool="Bash")

    assert key({"command": "x", "description": "a", "timeout": 1}, bash) == key({"command": "x"}, bash)
    assert key({"command": "x"}, bash) != key({"command": "y"}, bash)


@pytest.mark.req("U24")
def test_fields_named_by_a_rule_alone_make_calls_the_same() -> None:
    """A mail worded anew after a crash is the same mail, where the policy says so."""
    by = msgspec.structs.replace(MAIL, same_by=("to", "subject"))
    one, other = {"to": "b", "subject": "s", "body": "1"}, {"to": "b", "subject": "s", "body": "2"}

    assert key(one, by) == key(other, by)
    assert key(one) != key(other)
    assert key({**one, "subject": "t"}, by) != key(one, by)


@pytest.mark.req("U24")
@pytest.mark.parametrize(
    ("tool", "effect", "fields", "scope"),
    [
        (
            "send_email",
            "external",
            {"to": "b", "subject": "s", "body": "x", "attachment": "a"},
            "attachment subject to",
        ),
        ("upload_file", "external", {"path": "p", "destination": "d", "mode": 1}, "destination path"),
        ("add", "memory", {"content": "c", "tag": "t"}, "content"),
        ("charge", "external", {"amount": 1, "to_account": "a"}, "amount to_account"),
    ],
)
def test_a_side_effect_is_aimed_at_something(tool: str, effect: str, fields: JsonObject, scope: str) -> None:
    """Of a mail whom and what about, of an upload what and whereto, of a memory what; else everything."""
    call = msgspec.structs.replace(MAIL, namespace="x", tool=tool, effect=SideEffect(effect))

    assert sorted(scope_of(call, fields)) == scope.split()


def test_what_is_no_json_has_no_key() -> None:
    """It could not be told from another call."""
    for value in ({1, 2}, float("nan"), object()):
        with pytest.raises(ValueError, match="JSON"):
            canonical({"x": value})


def test_a_digest_does_not_give_a_secret_away_and_still_tells_secrets_apart() -> None:
    """It is made of what is left when secrets are taken out, with their keyed fingerprints."""
    redact = Redactor(b"k" * 32).body
    one, other = ({"header": f"Authorization: Bearer ghp_{letter * 36}"} for letter in "ab")
    elsewhere = Redactor(b"z" * 32).body

    assert key(one, redact=redact) == key(one, redact=redact)
    assert key(one, redact=redact) != key(other, redact=redact)
    assert key(one, redact=redact) not in {key(one), key(one, redact=elsewhere)}
