"""`interlock import` of permissions and of other guards' rules: the policy decides as the source did."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.builders import call
from tests.cli.typed import Interlock, Typed

from interlock.engine.engine import Engine
from interlock.events.hook import Layer
from interlock.policy.load import load_policy

SETTINGS = {
    "permissions": {
        "allow": ["Bash(npm run test:*)"],
        "ask": ["Bash(git push *)"],
        "deny": [
            *("Bash(curl:*)", "Read(./.env)", "Read(**/*.pem)", "Read(~/.ssh/**)", "Edit(/config/**)"),
            *("WebFetch(domain:evil.example)", "mcp__github", "Read([x])"),
        ],
        "defaultMode": "plan",
    },
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]},
}
SAFETY_NET = {
    "version": 1,
    "rules": [
        {
            "name": "no-add-all",
            "command": "git",
            "subcommand": "add",
            "block_args": ["-A", "."],
            "reason": "Stage files by name.",
        },
        {"name": "no-global", "command": "npm", "block_args": ["-g"], "reason": "Use npx."},
        {"name": "broken"},
    ],
}
BOOK = {
    "rulebook_version": 2,
    "name": "ours",
    "version": "1",
    "allowed_commands": ["terraform"],
    "rules": [
        {
            "name": "apply",
            "command": "terraform",
            "match": {"command_path": ["apply"], "exclude_args": ["-help"]},
            "reason": "Plan first.",
        },
        {"name": "off", "command": "terraform", "match": {"command_path": ["plan"]}, "reason": "x"},
    ],
}
NAH = """
actions: {git_history_rewrite: block, git_write: allow, infra: block}
classify:
  container_destructive: [docker compose down]
  infra: [terraform destroy]
  db_read: [duckdb]
sensitive_paths: {~/taxes: block}
sensitive_basenames: {.pgpass: ask}
content_patterns:
  add: [{category: secret, pattern: "TOKEN_[A-Z]{3}", description: a service token}]
  policies: {secret: block}
trusted_paths: [~/builds]
"""


@pytest.fixture
def rules(home: Path, work: Path) -> Path:
    """A project with rules of all three, and a home with none."""
    books = work / ".cc-safety-net" / "rules"
    (books / "ours").mkdir(parents=True)
    (work / ".claude").mkdir()
    (work / ".claude" / "settings.json").write_text(json.dumps(SETTINGS))
    (work / ".safety-net.json").write_text(json.dumps(SAFETY_NET))
    overrides = {"ours/off": "off", "ours/apply": {"reason": "Run `terraform plan` first."}}
    sources = ["ours", "acme/rules#main/shared"]
    (books / "rule.json").write_text(json.dumps({"version": 1, "rules": sources, "overrides": overrides}))
    (books / "ours" / "rulebook.json").write_text(json.dumps(BOOK))
    (work / ".nah.yaml").write_text(NAH)
    return work


def imported(interlock: Interlock, source: str) -> Typed:
    """The policy of a project's rules, and the report."""
    typed = interlock("import", source, "--scope", "project")
    assert typed.code == 0, typed.err
    return typed


def decided(text: str, folder: Path, tool: str, fields: dict[str, Any]) -> str:
    """What the policy says of a call in the project."""
    file = folder / "imported.key"
    file.write_text(text)
    engine = Engine(load_policy([(Layer.USER, file)], environ=os.environ).hooks)
    return str(engine.decide_sync(call(tool, cwd=str(folder), tool_input=fields)).outcome)


def run(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": command}


def read(path: str) -> tuple[str, dict[str, Any]]:
    return "Read", {"file_path": path}


def write(path: str, content: str = "") -> tuple[str, dict[str, Any]]:
    return "Write", {"file_path": path, "content": content}


CASES = [
    ("claude-code", run("npm run test -- -q"), "allow"),
    ("claude-code", run("git push origin main"), "ask"),
    ("claude-code", run("git status"), "allow"),
    ("claude-code", run("curl -s https://a.example"), "deny"),
    ("claude-code", read(".env"), "deny"),
    ("claude-code", run("cat .env"), "deny"),
    ("claude-code", read(".env.example"), "allow"),
    ("claude-code", read("keys/deep/a.pem"), "deny"),
    ("claude-code", read("~/.ssh/id_rsa"), "deny"),
    ("claude-code", write("config/a.toml"), "deny"),
    ("claude-code", read("config/a.toml"), "allow"),
    ("claude-code", ("WebFetch", {"url": "https://evil.example/x", "prompt": "p"}), "deny"),
    ("claude-code", ("WebFetch", {"url": "https://good.example/x", "prompt": "p"}), "allow"),
    ("claude-code", ("mcp__github__create_issue", {"title": "t"}), "deny"),
    ("cc-safety-net", run("git add -A"), "deny"),
    ("cc-safety-net", run("git -C lib add src ."), "deny"),
    ("cc-safety-net", run("git add src/a.py"), "allow"),
    ("cc-safety-net", run("npm install -g typescript"), "deny"),
    ("cc-safety-net", run("npm install typescript"), "allow"),
    ("cc-safety-net", run("terraform apply -auto-approve"), "deny"),
    ("cc-safety-net", run("terraform apply -help"), "allow"),
    ("cc-safety-net", run("terraform plan"), "allow"),
    ("nah", run("git push --force"), "deny"),
    ("nah", run("git commit -m x"), "allow"),
    ("nah", run("docker compose down -v"), "ask"),
    ("nah", run("terraform destroy"), "deny"),
    ("nah", run("duckdb a.db"), "allow"),
    ("nah", read("~/taxes/2025.pdf"), "deny"),
    ("nah", run("cat sub/.pgpass"), "ask"),
    ("nah", write("a.py", "x = 'TOKEN_ABC'"), "deny"),
    ("nah", write("a.py", "x = 1"), "allow"),
]


@pytest.mark.parametrize(("source", "tool", "outcome"), CASES)
def test_the_policy_decides_as_the_rules_did(
    interlock: Interlock, rules: Path, source: str, tool: tuple[str, dict[str, Any]], outcome: str
) -> None:
    """Denied, asked about, or neither."""
    assert decided(imported(interlock, source).out, rules, *tool) == outcome


LEFT = [
    ("claude-code", "permissions.deny[7]: `Read([x])`"),
    ("claude-code", "permissions.allow: allow rules stay in the settings"),
    ("claude-code", "permissions.defaultMode: "),
    ("cc-safety-net", "rules[2]: this is not a rule"),
    ("cc-safety-net", "ours/off: an override turns this rule off"),
    ("cc-safety-net", "rules.acme/rules#main/shared: this rulebook was not read: it comes from GitHub"),
    ("nah", "actions.git_write: allowed"),
    ("nah", "classify.db_read: allowed"),
    ("nah", "trusted_paths: "),
]


@pytest.mark.parametrize(("source", "part"), LEFT)
def test_what_was_not_carried_over_is_reported(
    interlock: Interlock, rules: Path, source: str, part: str
) -> None:
    """On standard error, and in the policy's comments, with the reason."""
    typed = imported(interlock, source)

    assert f"left out: {part}" in typed.err
    assert f"# left out: {part}" in typed.out


@pytest.mark.parametrize("source", ["claude-code", "cc-safety-net", "nah"])
def test_each_policy_is_valid_and_says_its_own_reasons(
    interlock: Interlock, rules: Path, source: str
) -> None:
    """It passes the check; a dry run writes nothing and reports the same."""
    out = rules / "out.key"
    dry = interlock("import", source, "--scope", "project", "--out", str(out), "--dry-run")
    assert (dry.code, dry.out, out.exists()) == (0, "", False)
    assert "would import" in dry.err

    document = interlock("import", source, "--scope", "project", "--out", str(out), "--json").document
    assert out.read_text() == document["policy"]
    assert document["imported"] == len(document["carried"]) > 1
    assert interlock("genesis", "validate", str(out)).code == 0
    entries = [entry for one in yaml.safe_load(document["policy"])["hooks"].values() for entry in one]
    assert all(entry["config"].get("reason") or entry["type"] == "command" for entry in entries)


@pytest.mark.parametrize("source", ["claude-code", "cc-safety-net", "nah"])
def test_without_rules_there_is_nothing_to_import(interlock: Interlock, source: str) -> None:
    """The error says where to look instead."""
    typed = interlock("import", source)

    assert typed.code == 2
    assert "--scope" in typed.err


@pytest.mark.parametrize(("source", "text"), [("cc-safety-net", "{,}"), ("nah", "a: [b"), ("nah", "- a")])
def test_a_file_that_cannot_be_read_is_named(
    interlock: Interlock, work: Path, source: str, text: str
) -> None:
    """With what is wrong."""
    (work / "rules").write_text(text)
    typed = interlock("import", source, "--from", "rules")

    assert typed.code == 2
    assert "`rules`" in typed.err
    assert "correct" in typed.err


def test_rules_are_added_to_the_policy_that_is_there(interlock: Interlock, rules: Path, home: Path) -> None:
    """At the front of the list; every other line stays, and nothing is added twice."""
    policy = home / "interlock" / "config" / "genesis.key"
    interlock("init")
    before = policy.read_text()
    added = [interlock("import", one, "--from", str(rules / file), "--add") for one, file in SOURCES]
    text = policy.read_text()

    assert [one.code for one in added] == [0, 0, 0], [one.err for one in added]
    assert [line for line in before.splitlines() if line not in text.splitlines()] == []
    assert [name for name in NAMES if f"name: {name}" not in text] == []
    assert yaml.safe_load(text)["hooks"]["pre_tool_use"][-1]["name"] == "env-files-are-mine"
    again = interlock("import", "nah", "--from", str(rules / ".nah.yaml"), "--add")
    assert (again.code, "already" in again.err) == (2, True)
    assert policy.read_text() == text
    assert interlock("genesis", "validate", str(policy)).code == 0


SOURCES = [
    ("nah", ".nah.yaml"),
    ("cc-safety-net", ".safety-net.json"),
    ("claude-code", ".claude/settings.json"),
]
NAMES = ["nah-taxes", "safety-net-no-global", "claude-code-ask", "env-files-are-mine"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", "hooks"),
        ("hooks:\n  stop:\n    - {type: promise}\n", "- {type: promise}"),
        ("hooks:\n  pre_tool_use:\n  - {type: deny, matcher: X}\n", "  - {type: deny, matcher: X}"),
        ("hooks:\n", "hooks:"),
    ],
)
def test_rules_fit_into_every_layout(
    interlock: Interlock, rules: Path, text: str, kept: str, home: Path
) -> None:
    """No hooks yet, hooks of another moment, a list that is not indented, an empty key."""
    policy = home / "interlock" / "config" / "genesis.key"
    policy.parent.mkdir(parents=True)
    policy.write_text(f'version: "2.0"\n{text}# the end\n')
    typed = interlock("import", "cc-safety-net", "--from", str(rules / ".safety-net.json"), "--add")

    assert typed.code == 0, typed.err
    assert kept in policy.read_text().replace("# the end\n", "")
    assert yaml.safe_load(policy.read_text())["hooks"]["pre_tool_use"][0]["name"] == "safety-net-no-add-all"


def test_a_list_on_one_line_is_left_alone(interlock: Interlock, rules: Path, home: Path) -> None:
    """The line is named, with what to do."""
    policy = home / "interlock" / "config" / "genesis.key"
    policy.parent.mkdir(parents=True)
    policy.write_text('version: "2.0"\nhooks: {pre_tool_use: [{type: deny, matcher: X}]}\n')
    before = policy.read_text()
    typed = interlock("import", "cc-safety-net", "--from", str(rules / ".safety-net.json"), "--add")

    assert (typed.code, "genesis.key:2:" in typed.err, "--out" in typed.err) == (2, True, True)
    assert policy.read_text() == before


def test_rules_of_a_project_go_into_its_own_policy(interlock: Interlock, rules: Path) -> None:
    """Which still has to be trusted; a file that is not there yet is written whole."""
    typed = interlock("import", "nah", "--scope", "project", "--add")

    assert typed.code == 0, typed.err
    assert "nah-taxes" in (rules / ".interlock" / "genesis.key").read_text()
