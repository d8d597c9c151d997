"""What is taken out of texts and records, and what never is."""

from __future__ import annotations

import json
import random
import re
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.redaction.secrets_by_kind import HARMLESS, MIXED, PLACED, TOKENS, block

from interlock.redaction.marks import MARK, MOST_MARKS, fingerprint
from interlock.redaction.redactor import Own, Redactor

KEY = bytes(range(32))
REDACTOR = Redactor(KEY)


def mark(kind: str, secret: str) -> str:
    """What must stand where a secret was."""
    return f"[secret:{kind}:{fingerprint(secret.encode(), KEY)}]"


def as_body(value: Any) -> bytes:
    """A record as it is written."""
    return msgspec.json.encode(value, order="sorted")


def nested(secret: str, how: str) -> Any:
    """A secret in a tool's input, in one of the ways it gets there."""
    text = f"echo {secret} | cat"
    ways = {
        "command": {"command": text},
        "lines": {"content": f"first\n{secret}\nlast\n"},
        "list": {"command": ["echo", secret]},
        "json": {"body": json.dumps({"inner": {"note": secret}})},
        "json in json": {"body": json.dumps({"inner": json.dumps({"note": secret})})},
        "tab": {"content": f"a\t{secret}\tb"},
    }
    return {"event": "PreToolUse", "session_id": "s", "tool_input": ways[how]}


@pytest.mark.req("L06")
@pytest.mark.parametrize(("kind", "secret"), TOKENS)
@pytest.mark.parametrize("how", ["command", "lines", "list", "json", "json in json", "tab"])
def test_a_known_secret_goes_wherever_it_stands(kind: str, secret: str, how: str) -> None:
    """Command, content, argument, JSON inside a text: its bytes are gone and a mark of its kind is there."""
    redacted = REDACTOR.body(as_body(nested(secret, how))).decode()

    assert secret not in redacted
    assert MIXED[:16] not in redacted
    assert f"[secret:{kind}:" in redacted
    assert json.loads(redacted)["event"] == "PreToolUse"


@pytest.mark.req("L06")
@pytest.mark.parametrize(("text", "secret"), PLACED)
def test_a_secret_known_by_its_place_goes_and_all_around_it_stays(text: str, secret: str) -> None:
    """The program, the host, the user, the flags: everything but the secret is there as it was."""
    before, _, after = text.partition("{}")
    redacted = REDACTOR.text(before + secret + after)

    assert redacted.startswith(before)
    assert redacted.endswith(after)
    assert MARK.fullmatch(redacted[len(before) : len(redacted) - len(after)].encode())
    assert fingerprint(secret.encode(), KEY) in redacted


@pytest.mark.req("L06")
@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    """Hashes, ids, paths, versions, variables and placeholders are evidence, not secrets."""
    body = as_body({"tool_input": {"command": text, "list": [text]}, "tool_output": text})

    assert REDACTOR.text(text) == text
    assert REDACTOR.body(body) is body


def test_nothing_secret_gives_the_very_same_bytes() -> None:
    """The usual case costs one look and no copy."""
    body = as_body({"tool_input": {"command": "make test"}, "cwd": "/w/app"})
    assert REDACTOR.body(body) is body


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"command": ["mysql", "--password", "hunter2"]}, ["mysql", "--password"]),
        ({"command": ["curl", "-u", "bob:hunter2", "https://h/"]}, ["curl", "-u", "bob:", "https://h/"]),
        ({"args": ["--token", "hunter2x1y2"]}, ["--token"]),
        ({"password": "hunter2"}, ["password"]),
        ({"env": {"NPM_TOKEN": "hunter2"}}, ["NPM_TOKEN"]),
        ({"env": [{"name": "DB_PASSWORD", "value": "hunter2"}]}, ["DB_PASSWORD"]),
        ({"headers": {"Authorization": "Bearer hunter2-hunter2-x1"}}, ["Bearer"]),
        ({"passwords": ["hunter2x1y2"]}, ["passwords"]),
        ({"command": ["mysql", "-phunter2", "shop"]}, ["mysql", '"-p[', "shop"]),
        ({"argv": ["sshpass", "-p", "my hunter2", "ssh", "me@host"]}, ["sshpass", "ssh", "me@host"]),
        ({"args": ["sqlcmd", "-P", "a;b|hunter2"]}, ["sqlcmd", "-P"]),
        ({"args": ["vault", "kv", "put", "kv/x", "a=hunter2", "b=hunter2"]}, ["kv/x", '"a=[', '"b=[']),
        ({"args": ["kubectl", "create", "secret", "generic", "x", "--from-literal=a=hunter2"]}, ["kubectl"]),
    ],
)
def test_names_beside_a_value_say_it_is_secret(value: Any, kept: list[str]) -> None:
    """Members, variables, headers and the words after a flag; keys are never changed."""
    redacted = REDACTOR.body(as_body({"tool_input": value})).decode()

    assert "hunter2" not in redacted
    assert all(word in redacted for word in kept)
    assert list(json.loads(redacted)["tool_input"]) == list(value)


@pytest.mark.req("L06")
def test_a_list_is_read_as_the_command_it_would_run() -> None:
    """Bare, nested, of any letters; each item keeps its place, and what is not text is left alone."""
    secret = 'hüntér2 "x\\'
    value = [["mysql", f"-p{secret}", "shop"], ["mysql", "-p", "shop", 7], ["-p1", "mysql"]]
    redacted = json.loads(REDACTOR.body(as_body({"tool_input": value})))["tool_input"]

    assert redacted == [["mysql", f"-p{mark('password', secret)}", "shop"], *value[1:]]


@pytest.mark.req("L06")
def test_every_value_of_many_is_hidden_by_itself() -> None:
    """The names stay, and equal values look alike."""
    redacted = REDACTOR.text("fly secrets set A=one1 B='two 2' C=$C \"D=one1\" -a app")
    one, two = mark("password", "one1"), mark("password", "two 2")

    assert redacted == f"fly secrets set A={one} B='{two}' C=$C \"D={one}\" -a app"


@pytest.mark.req("L06")
def test_a_name_of_a_member_may_hold_a_secret_itself() -> None:
    """Names are texts that are stored and searched like any other."""
    found = REDACTOR.body(b'{"tool_input":{"password=hunter22":1,"an ordinary long name":2}}')

    assert b"hunter22" not in found
    assert b'"an ordinary long name":2' in found


def test_a_number_beside_such_a_name_is_secret_too() -> None:
    """A PIN is a password; a count of tokens is none."""
    redacted = json.loads(REDACTOR.body(as_body({"data": {"password": 4711, "max_tokens": 4096}})))
    assert redacted["data"] == {"password": mark("assigned", "4711"), "max_tokens": 4096}


def test_equal_secrets_have_equal_fingerprints_and_others_have_others() -> None:
    """Also when one of them stands escaped in a JSON text; another key gives another fingerprint."""
    plain = REDACTOR.text("password=ab/cd-ef")
    escaped = REDACTOR.text(r'{"password":"ab\/cd-ef"}')
    other = REDACTOR.text("password=ab/cd-eg")

    assert mark("assigned", "ab/cd-ef") in plain
    assert mark("assigned", "ab/cd-ef") in escaped
    assert mark("assigned", "ab/cd-ef") not in other
    assert Redactor(bytes(32)).text("password=ab/cd-ef") != plain


@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n"])
def test_a_key_block_goes_also_when_it_is_cut_off(end: bool, newline: str) -> None:
    """Its lines are the secret, with or without the line that ends it, escaped or not."""
    text = REDACTOR.text("cat key.pem" + newline + block(end=end).replace("\n", newline))

    assert text.startswith("cat key.pem")
    assert MIXED[:20] not in text


def test_the_rest_of_a_key_block_goes_too() -> None:
    """A tail that was cut out of the middle of a key begins with its lines."""
    _, _, tail = block().partition("KEY-----\n")
    assert MIXED[:20] not in REDACTOR.text("…" + tail[30:])


PIECES = st.sampled_from(
    [secret for _, secret in TOKENS]
    + [text.replace("{}", secret) for text, secret in PLACED]
    + [
        *HARMLESS,
        "password=",
        "token: ",
        '"',
        "'",
        "\\",
        "\n",
        "\\n",
        " ",
        "://",
        "@",
        ":",
        "é",
        "\u2028",
        "$(",
        "`",
    ]
)


@pytest.mark.deep
@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_redacting_twice_changes_nothing_and_the_fast_look_misses_nothing(text: str) -> None:
    """Whatever stands side by side: idempotent, valid JSON, keys kept, and a hit wherever a text changes."""
    once = REDACTOR.text(text)
    body = as_body({"a": {"key": text}})
    redacted = REDACTOR.body(body)

    assert REDACTOR.text(once) == once
    assert REDACTOR.body(redacted) == redacted
    assert json.loads(redacted) == {"a": {"key": once}}
    assert (redacted is body) == (once == text)


def test_every_cookie_of_a_command_is_taken_out() -> None:
    """However many there are."""
    options = " ".join(f"-b 'session=aB3dE5fG7hJ9kL{number}m'" for number in range(9))

    assert "aB3d" not in REDACTOR.text(f"curl {options} https://example.com")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(PIECES, max_size=6).map("".join), st.sampled_from([".*", "a", "[a-z]+", "e(c)r", "é|x", r"\w"])
)
def test_own_patterns_keep_the_laws(text: str, pattern: str) -> None:
    """Idempotent and bounded, whatever a user asks for."""
    redactor = Redactor(KEY, Own(patterns=(pattern,)))
    once = redactor.text(text)

    assert redactor.text(once) == once
    assert len(once.encode()) <= len(text.encode()) + MOST_MARKS * 64


@pytest.mark.req("L06")
def test_a_pattern_of_the_users_hides_its_group_only() -> None:
    """Without a group, all it matches; in every text of a record, but not in what we write ourselves."""
    redactor = Redactor(KEY, Own(patterns=(r"ACME-\d+", r"badge (\d+)"), names=("x-acme-auth",)))
    body = {"event": "ACME-1", "tool_input": {"command": "use ACME-1 badge 77", "x_acme_auth": "sesame-9"}}
    redacted = json.loads(redactor.body(as_body(body)))

    assert redacted["event"] == "ACME-1"
    assert redacted["tool_input"] == {
        "command": f"use {mark('own', 'ACME-1')} badge {mark('own', '77')}",
        "x_acme_auth": mark("assigned", "sesame-9"),
    }


@pytest.mark.req("Z10", "L06")
def test_what_runs_is_touched_or_reached_stays_visible_under_any_pattern() -> None:
    """Even when a user's pattern matches everything, and when quotes stand inside a word."""
    redactor = Redactor(KEY, Own(patterns=(".*",)))
    call = {
        "event": "PreToolUse",
        "tool": "Bash",
        "input": {"command": "su\"do\" r\\m -rf '/ho me/x' evil.com/a"},
    }
    shown = redactor.body(as_body(call), keep={"sudo", "rm", "/ho me/x", "evil.com"}).decode()
    command = json.loads(shown)["input"]["command"]

    assert all(word in command for word in ('su"do"', "r\\m", "/ho me/x", "evil.com"))
    assert "-rf" not in command
    assert '"tool":"Bash"' in shown


@pytest.mark.req("Z10", "L06")
@pytest.mark.parametrize("around", ["", "password=", "--token ", "PGPASSWORD=x; cat "])
def test_a_path_with_a_secret_in_it_loses_that_and_no_more(around: str) -> None:
    """Known by its looks or by the user's pattern; what stands before it does not hide the rest."""
    redactor = Redactor(KEY, Own(patterns=("ACME-[0-9]+",)))
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = f"/srv/{token}/data/ACME-77/x"
    shown = redactor.text(f"{around}{path}", keep={path, "cat"})

    assert re.fullmatch(r".*/srv/\[secret:\w+:\w+\]/data/\[secret:\w+:\w+\]/x", shown)
    assert fingerprint(token.encode(), KEY) in shown
    assert fingerprint(b"ACME-77", KEY) in shown


def test_a_kept_word_is_not_kept_inside_another() -> None:
    """A program called `a` does not lay bare the letters of a password."""
    assert REDACTOR.text("a; PASSWORD=banana", keep={"a"}) == f"a; PASSWORD={mark('assigned', 'banana')}"


@pytest.mark.parametrize(
    "piece",
    [
        "password=hunter2 ",
        'password="\\"',
        "password='`",
        "--token ",
        "curl -u a:b1 ",
        "eyJabcdefghijk.",
        "-----BEGIN PRIVATE KEY-----",
        "authorization: ",
        'password="\n',
        "user=a pass=hunter2 ",
        "X_AUTH=hunter22x ",
        "h:5432:d:u:pw1 ",
        "htpasswd -b a b ",
        "chpasswd <<< a:b1 ",
        "sqlplus a/b1@c ",
        "heroku config:set A=b1 ",
        "fly secrets set A=b1\n",
        "vault login a1b2c3 ",
        '["mysql", "-px1"] ',
        '["a", ',
        '["curl", "-u", "a:',
    ],
)
def test_the_work_grows_no_faster_than_the_text(piece: str) -> None:
    """Counted in calls of functions: ten times the text, at most some twelve times the work."""
    assert calls_for(piece * 20_000) <= 12 * calls_for(piece * 2_000) + 1_000


@pytest.mark.parametrize("line", ["PASS: test_one\n", "pass=12 fail=0\n", "token: str\n"])
def test_a_long_report_of_tests_stays_readable(line: str) -> None:
    """However often a word stands in it that means a password elsewhere."""
    text = line * 2_000
    assert REDACTOR.text(text) == text


def test_accounts_in_a_here_document_go() -> None:
    """Every line of it that holds a user and a password, wherever the document begins."""
    accounts = "bob:hunter22x\neve:swordfish"
    for head in ("sudo chpasswd -e <<'EOF'", "cat <<EOF | sudo chpasswd"):
        redacted = REDACTOR.text(f"{head}\n{accounts}\nEOF\nls")

        assert redacted == f"{head}\n{mark('password', accounts)}\nEOF\nls"


def test_a_user_beside_it_tells_a_password_from_a_count() -> None:
    """Members of one object are read together; what only counts stays."""
    login = {"user": "bob", "pass": "swordfish"}
    report = {"user": "bob", "pass": "ok", "PASS": 12, "n_pass": 7}
    redacted = json.loads(REDACTOR.body(as_body({"data": {"login": login, "report": report}})))

    assert redacted["data"]["login"] == {"user": "bob", "pass": mark("assigned", "swordfish")}
    assert redacted["data"]["report"] == report


def calls_for(text: str) -> int:
    """How many functions are called while a text is redacted."""
    count = 0

    def tally(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(tally)
    try:
        REDACTOR.text(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", ["password=hunter2 ", "ghp_" + MIXED[:36] + " ", "--password x1y2 "])
def test_a_text_full_of_secrets_does_not_grow(piece: str) -> None:
    """After so many marks the rest is one."""
    redacted = REDACTOR.text(piece * 50_000)

    assert len(MARK.findall(redacted.encode())) <= MOST_MARKS
    assert "hunter2" not in redacted
    assert MIXED[:36] not in redacted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("""bash -c "TOKEN=abc1" rm "x y\"""", """bash -c "TOKEN=[…]" rm "x y\""""),
        ("""say("PASSWORD=abc1")\nnext: line""", """say("PASSWORD=[…]")\nnext: line"""),
        ("""PASSWORD='ab'c1"d" run""", """PASSWORD='[…]'[…]"[…]" run"""),
        ("""PASSWORD=ab"c1" run""", """PASSWORD=[…]"[…]" run"""),
        ("""PASSWORD='ab c1""", """PASSWORD='[…]"""),
    ],
)
def test_quotes_end_where_a_shell_ends_them(text: str, shown: str) -> None:
    """Pieces side by side are one value; a quote that closes what began before the name ends it."""
    assert MARK.sub("[…]".encode(), REDACTOR.text(text).encode()).decode() == shown


def test_bytes_that_are_no_json_are_redacted_as_a_text() -> None:
    """Nothing is let through because it could not be read."""
    assert REDACTOR.body(b"password=hunter2 {") == f"password={mark('assigned', 'hunter2')} {{".encode()


def test_secrets_hidden_among_many_are_all_found() -> None:
    """Each at its own place, in any order."""
    found = [secret for _, secret in TOKENS]
    random.Random(7).shuffle(found)
    redacted = REDACTOR.text("\n".join(found))
    assert not any(secret in redacted for secret in found)
