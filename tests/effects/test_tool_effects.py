"""What calls of tools other than shells do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.tool_effects import effects_of_call
from interlock.effects.tool_fields import file_path, url_hosts
from interlock.events.tool import SubjectKind, ToolCall, ToolSpec
from interlock.events.tool_table import STANDARD_TOOLS


def effects(tool: str, *, cwd: str = "/w", project: str | None = None, **fields: Any) -> set[tuple[str, str]]:
    """Kind and target of each effect; a target that is not known is a question mark."""
    found = effects_of_call(ToolCall(name=tool, input=fields), STANDARD_TOOLS.spec(tool), cwd, project)
    return {(effect.kind.value, effect.target if effect.known else "?") for effect in found}


@pytest.mark.parametrize(
    ("tool", "fields", "expected"),
    [
        ("Read", {"file_path": "a"}, {("read", "a")}),
        ("NotebookRead", {"notebook_path": "a"}, {("read", "a")}),
        ("Write", {"file_path": "a", "content": "/etc/x"}, {("write", "a")}),
        ("Edit", {"file_path": "a", "old_string": "~/x"}, {("write", "a")}),
        ("MultiEdit", {"file_path": "a", "edits": []}, {("write", "a")}),
        ("NotebookEdit", {"notebook_path": "a"}, {("write", "a")}),
        ("LS", {"path": "a"}, {("read", "a")}),
        ("Glob", {"pattern": "*.py"}, {("read", "/w")}),
        ("Glob", {"pattern": "/etc/ssl/*"}, {("read", "/w"), ("read", "/etc/ssl")}),
        ("Grep", {"pattern": "x"}, {("read", "/w")}),
        ("Grep", {"pattern": "x", "path": ".env"}, {("read", ".env")}),
        ("Grep", {"pattern": "x", "glob": ".env"}, {("read", "/w"), ("read", "/w/.env")}),
        ("WebFetch", {"url": "https://a.b/c"}, {("network", "a.b")}),
        ("WebSearch", {"query": "x"}, {("network", "?")}),
        ("ReadMcpResource", {"server": "s", "uri": "file:///etc/x"}, {("read", "/etc/x")}),
        ("TodoWrite", {"todos": [{"path": "/a/b"}]}, set()),
        ("Agent", {"prompt": "/a/b"}, set()),
        ("Bash", {"command": "rm x"}, set()),
        ("Monitor", {"command": "x", "ws": "wss://a.b"}, {("network", "a.b")}),
    ],
)
def test_a_listed_tool_does_what_its_table_says(
    tool: str, fields: dict[str, Any], expected: set[tuple[str, str]]
) -> None:
    """Each has its one effect on its main field."""
    assert effects(tool, **fields) == expected


@pytest.mark.parametrize(
    ("tool", "fields", "expected"),
    [
        ("write_file", {"file_path": "a", "content": "b"}, {("write", "a")}),
        ("read_file", {"absolute_path": "/a"}, {("read", "/a")}),
        ("edit_file", {"target_file": "a"}, {("write", "a")}),
        ("delete_file", {"target_file": "a"}, {("delete", "a")}),
        ("read", {"filePath": "a"}, {("read", "a")}),
        ("search_replace", {"file_path": "a"}, {("read", "a"), ("write", "a")}),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a"}, {("read", "a")}),
        (
            "str_replace_based_edit_tool",
            {"command": "create", "path": "a", "file_text": "/b/c"},
            {("write", "a")},
        ),
        ("str_replace_based_edit_tool", {"path": "a"}, {("read", "a"), ("write", "a")}),
        (
            "web_fetch",
            {"prompt": "see https://a.b/c and http://d.e"},
            {("network", "a.b"), ("network", "d.e")},
        ),
        ("google_web_search", {"query": "x"}, {("network", "?")}),
        ("mcp__fs__read_multiple_files", {"paths": ["a", "b"]}, {("read", "a"), ("read", "b")}),
        (
            "mcp__fs__move_file",
            {"source": "a", "destination": "b"},
            {("read", "a"), ("delete", "a"), ("write", "b")},
        ),
        ("mcp__fs__copyFile", {"from": "a", "to": "b"}, {("read", "a"), ("write", "b")}),
        ("mcp__fs__create_directory", {"path": "a"}, {("write", "a")}),
        ("mcp__fs__frobnicate", {"path": "a"}, {("read", "a"), ("write", "a")}),
        (
            "mcp__fs__frobnicate",
            {"operation": "delete", "path": "a"},
            {("read", "a"), ("write", "a"), ("delete", "a")},
        ),
        ("mcp__fs__get", {"uri": "file:///a%20b"}, {("read", "/a b")}),
        ("mcp__web__download", {"url": "http://a.b/c", "path": "d"}, {("network", "a.b"), ("write", "d")}),
        ("mcp__web__navigate", {"page": "http://a.b/c"}, {("network", "a.b")}),
        ("mcp__x__get", {"thing": "~/.ssh/id"}, {("read", "~/.ssh/id")}),
        ("mcp__x__write", {"files": [{"path": "a", "content": "/b/c"}]}, {("write", "a")}),
        ("mcp__x__write", {"path": 3}, {("write", "?")}),
        ("mcp__x__post", {"body": "/a/b", "to": "two words"}, set()),
        ("mcp__x__read", {"path": "/dev/tcp/h/80"}, {("network", "h")}),
    ],
)
def test_an_unlisted_tool_is_read_by_its_verb_and_fields(
    tool: str, fields: dict[str, Any], expected: set[tuple[str, str]]
) -> None:
    """Verbs give the kind, fields the target; an unknown verb reads and writes."""
    assert effects(tool, **fields) == expected


def test_a_tool_of_another_table_is_read_by_its_main_field() -> None:
    """A path tool no list here names has the effect of its verb."""
    spec = ToolSpec(name="DeleteFile", main="victim", kind=SubjectKind.PATH)
    found = effects_of_call(ToolCall(name="DeleteFile", input={"victim": "a"}), spec, "/w")

    assert [(effect.kind, effect.target, effect.base) for effect in found] == [("delete", "a", "/w")]


def test_a_server_may_start_from_the_project() -> None:
    """A relative path of an unlisted tool counts from the agent's folder and from the project."""
    found = effects_of_call(ToolCall(name="mcp__x__read", input={"path": ".env"}), None, "/w/sub", "/w")

    assert [effect.base for effect in found] == ["/w/sub", "/w"]


@pytest.mark.parametrize("fields", [{}, {"file_path": None}, {"file_path": 3}])
def test_a_call_without_its_path_may_write_anywhere(fields: dict[str, Any]) -> None:
    """A pattern for every write still meets it."""
    assert effects("Write", **fields) == {("write", "?")}
    assert effects("Write", path="other") == {("write", "other")}


PATCH = """*** Begin Patch
*** Add File: new.py
+x
*** Update File: old.py
*** Move to: there.py
*** Delete File: gone.py
*** End Patch
"""
DIFF = """diff --git a/x.py b/x.py
--- a/x.py
+++ b/x.py
@@ -1 +1 @@
diff --git a/g.py b/g.py
--- a/g.py
+++ /dev/null
rename from one
rename to two
"""


def test_a_patch_changes_the_files_it_names() -> None:
    """Both notations are read, wherever the text stands."""
    expected = {("write", "new.py"), ("write", "old.py"), ("write", "there.py"), ("delete", "gone.py")}

    assert effects("apply_patch", input=PATCH) == expected
    assert effects("mcp__x__run", anything=PATCH) == expected
    assert {("write", "x.py"), ("delete", "g.py"), ("delete", "one"), ("write", "two")} <= effects(
        "apply_diff", diff=DIFF
    )


@pytest.mark.req("P09")
@pytest.mark.parametrize(
    "glob", [".env", "**/.env", "*.{ts,env}", ".e*", "*", "a.ts,.env", ".env*", "!x .env", "**/*"]
)
def test_a_search_reads_the_files_its_glob_names(tmp_path: Path, glob: str) -> None:
    """Hidden files are printed when a glob names them."""
    (tmp_path / ".env").touch()
    found = effects("Grep", cwd=str(tmp_path), pattern="x", glob=glob)

    assert {target.rpartition("/")[2] for _, target in found} >= {".env"}


@pytest.mark.parametrize("glob", ["*.ts", "src/*.py", "!.env"])
def test_a_search_does_not_read_what_its_glob_leaves_out(tmp_path: Path, glob: str) -> None:
    """A search of source files is not a read of the secrets beside them."""
    (tmp_path / ".env").touch()
    found = effects("Grep", cwd=str(tmp_path), pattern="x", glob=glob)

    assert ("read", f"{tmp_path}/.env") not in found


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("https://good.com@evil.com/x", ("evil.com",)),
        ("https://good.com:pw@evil.com:8443", ("evil.com",)),
        ("https://evil.com\\@good.com/", ("good.com", "evil.com")),
        ("HTTPS://EVIL.com./x", ("evil.com",)),
        ("ht\ntps://ev\til.com", ("evil.com",)),
        (" https:evil.com", ("evil.com",)),
        ("https://bücher.de", ("xn--bcher-kva.de",)),
        ("https://\uff45vil。com", ("evil.com",)),
        ("https://%65vil.com", ("evil.com",)),
        ("http://2130706433/", ("127.0.0.1",)),
        ("http://0x7f.1/", ("127.0.0.1",)),
        ("http://[::1]:80/", ("::1",)),
        ("evil.com:80/x", ("evil.com",)),
        ("//evil.com/x", ("evil.com",)),
        ("https://evil.com?@good.com", ("evil.com",)),
        ("data:text/html,x", ()),
        ("", ()),
    ],
)
def test_a_host_is_found_behind_its_dress(url: str, hosts: tuple[str, ...]) -> None:
    """User names, ports, letter case, escapes and scripts do not hide where a call goes."""
    assert url_hosts(url) == hosts


def test_a_file_uri_is_a_path() -> None:
    """Escapes are undone, a host is left out, other schemes are not files."""
    assert file_path("file:///a%2Fb") == "/a/b"
    assert file_path("FILE://localhost/a?x") == "/a"
    assert file_path("file:/a") == "/a"
    assert file_path("https://a") is None


FIELDS = st.sampled_from(
    [
        "path",
        "file_path",
        "url",
        "uri",
        "source",
        "to",
        "command",
        "glob",
        "pattern",
        "input",
        "edits",
        "ws",
        "x",
        "",
    ]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.binary(max_size=4)
)
VALUES = st.recursive(
    st.one_of(
        SCALARS, st.sampled_from(["/proc/self/fd/3", "file:", "http://[", "a\ud800b", "/dev/tcp/", "~"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(FIELDS, inner, max_size=3)),
    max_leaves=6,
)
TOOLS = st.sampled_from(
    [
        "Read",
        "Write",
        "Grep",
        "Glob",
        "WebFetch",
        "WebSearch",
        "Monitor",
        "ReadMcpResource",
        "LS",
        "apply_patch",
        "grep",
        "mcp__a__move",
        "mcp____",
        "_",
        "text_editor",
        "nobody_knows",
        "read_file",
        "web_search",
    ]
)


@given(TOOLS, st.dictionaries(FIELDS, VALUES, max_size=5), st.sampled_from(["", "/w", "/w\0"]))
def test_no_input_breaks_the_reading_of_effects(tool: str, fields: dict[str, Any], cwd: str) -> None:
    """Whatever a host sends, there is an answer, and the same one twice."""
    call = ToolCall(name=tool, input=fields)
    spec = STANDARD_TOOLS.spec(tool)

    assert effects_of_call(call, spec, cwd, "/p") == effects_of_call(call, spec, cwd, "/p")


def test_what_is_nested_too_deep_may_be_anything() -> None:
    """A path cannot be hidden by burying it."""
    buried: Any = {"path": ".env"}
    for _ in range(100):
        buried = [buried]

    assert effects("mcp__x__read", items=buried) == {("read", "?")}
