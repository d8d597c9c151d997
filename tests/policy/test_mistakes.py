"""No mistake in a policy file loads silently: each is named with its place and the nearest word."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import ConfigError
from interlock.events.hook import Layer
from interlock.policy.load import load_policy

HEAD = 'version: "2.0"\n'
PRE = HEAD + "hooks:\n  pre_tool_use:\n"


def problems(folder: Path, text: str, name: str = "genesis.key") -> list[str]:
    path = folder / name
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_policy([(Layer.USER, path)], environ={})
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


@pytest.mark.req("M16", "M24", "M54", "T06", "X45", "C62")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "version: 2.0\n",
            '1: version: expected a string, found the number `2.0`; put it in quotes: `"2.0"`',
        ),
        (
            HEAD + "hooks:\n  pre_tool_us:\n    - type: deny\n",
            "3: hooks.pre_tool_us: unknown event `pre_tool_us`; did you mean `PreToolUse`?",
        ),
        (
            PRE + "    - {type: deny, max_rounds: 2}\n",
            (
                "4: hooks.pre_tool_use[0].max_rounds: `max_rounds` has no effect at `pre_tool_use`; "
                "move it to a hook at `stop`"
            ),
        ),
        (
            PRE + "    - matcher: Bash\n",
            (
                "4: hooks.pre_tool_use[0]: the key `type` is missing; use one of "
                "`genesis_enforcement`, `evidence_capture`, `approval_gate`, `deny`, `ask`, `cleaning`, "
                "`modify`, `command`, `webhook`, …"
            ),
        ),
        (
            PRE + "    - type: denny\n",
            "4: hooks.pre_tool_use[0].type: unknown type `denny`; did you mean `deny`?",
        ),
        (
            PRE + "    - type: function\n",
            (
                "4: hooks.pre_tool_use[0].type: unknown type `function`; "
                "a function is registered in Python code, not in a policy file"
            ),
        ),
        (
            PRE + "    - {type: deny, matcher: 3}\n",
            (
                "4: hooks.pre_tool_use[0].matcher: expected a string or a list, "
                'found the number `3`; put it in quotes: `"3"`'
            ),
        ),
        (
            PRE + "    - {type: deny, config: x}\n",
            ("4: hooks.pre_tool_use[0].config: expected a mapping, found the string `x`; correct the value"),
        ),
        (
            PRE + "    - type: deny\n      config:\n        raeson: x\n",
            "6: hooks.pre_tool_use[0].config.raeson: unknown key `raeson`; did you mean `reason`?",
        ),
        (
            PRE + "    - type: deny\n      matcher: Write,Edit\n",
            (
                "5: hooks.pre_tool_use[0].matcher: "
                "`Write,Edit` contains a comma; separate tools with `|`, such as `Write|Edit`"
            ),
        ),
        (
            PRE + "    - {type: command}\n",
            ("4: hooks.pre_tool_use[0]: the key `config` is missing; add it with a mapping"),
        ),
        (
            PRE + "    - {type: modify}\n",
            ("4: hooks.pre_tool_use[0].config: this changes nothing; add `set`, `remove` or `replace`"),
        ),
        (
            PRE + "    - type: modify\n      config:\n        replace:\n"
            "          - {field: command, pattern: '(', with: x}\n",
            (
                "7: hooks.pre_tool_use[0].config.replace[0].pattern: `(` is not a regular expression "
                "that RE2 supports; correct it"
            ),
        ),
        (
            PRE + "    - {type: deny, timeout: 5000}\n",
            (
                "4: hooks.pre_tool_use[0].timeout: `5000` is more than "
                "600 seconds; for milliseconds write `timeout_ms`"
            ),
        ),
        (
            PRE + "    - {type: deny, timeout: 0}\n",
            ("4: hooks.pre_tool_use[0].timeout: `0` must be greater than 0; write a larger number"),
        ),
        (
            PRE + "    - {type: deny, timeout: 5, timeout_ms: 5000}\n",
            (
                "4: hooks.pre_tool_use[0].timeout_ms: "
                "`timeout` and `timeout_ms` mean the same; keep one of them"
            ),
        ),
        (
            PRE + "    - {type: deny, if: 'true', condition: 'true'}\n",
            ("4: hooks.pre_tool_use[0].condition: `if` and `condition` mean the same; keep one of them"),
        ),
        (
            PRE + "    - type: deny\n      if: 'tol.name == 1'\n",
            ("5: hooks.pre_tool_use[0].if: unknown name `tol`; did you mean `tool`?"),
        ),
        (
            PRE + "    - {type: deny, on_failure: opne}\n",
            ("4: hooks.pre_tool_use[0].on_failure: unknown value `opne`; did you mean `open`?"),
        ),
        (
            PRE + "    - type: webhook\n      config:\n        url: https://example.com\n        headers:\n"
            "          A: ${SECRET}\n",
            (
                "7: hooks.pre_tool_use[0].config.headers: the header `A` may not use "
                "`${SECRET}`; add `pass_env: [SECRET]` to this hook, beside its `type`"
            ),
        ),
        (
            PRE + "    - type: command\n      config: {command: x}\n      pass_env: [LD_PRELOAD]\n",
            (
                "6: hooks.pre_tool_use[0].pass_env: `LD_PRELOAD` in `pass_env` would change what a hook "
                "runs; set it inside the hook's own command"
            ),
        ),
        (
            HEAD + "hooks:\n  stop:\n    - type: deny\n      matcher: Bash\n",
            (
                "5: hooks.stop[0].matcher: "
                "`stop` has no tool, so this hook could never run; remove the matcher"
            ),
        ),
        (
            HEAD + "hooks:\n  stop:\n    - type: approval_gate\n      config: {approvers: [rashid]}\n",
            (
                "5: hooks.stop[0].config.approvers[0]: `rashid` is not an actor; write `kind:name`, "
                "such as `agent:executor`"
            ),
        ),
        (
            HEAD + "hooks:\n  stop:\n    - type: approval_gate\n      config: {condition: 'x'}\n",
            (
                "5: hooks.stop[0].config.condition: unknown name `x`; use one of `event`, `tool`, `actor`, "
                "`session`, `effort`, `commitment`"
            ),
        ),
        (HEAD + "hooks:\n  stop: {}\n", "3: hooks.stop: expected a list, found a mapping; correct the value"),
        (HEAD + "permisions: {}\n", "2: permisions: unknown key `permisions`; did you mean `permissions`?"),
        (
            HEAD + "settings:\n  pakcs: []\n",
            ("3: settings.pakcs: unknown setting `pakcs`; did you mean `packs`?"),
        ),
        (
            HEAD + "settings: {actors: {main: executor}}\n",
            (
                "2: settings.actors.main: `executor` is not an actor; "
                "write `kind:name`, such as `agent:executor`"
            ),
        ),
        (
            HEAD + "settings: {actors: {main: 'agent:*'}}\n",
            ("2: settings.actors.main: `agent:*` stands for many actors; name one, such as `agent:executor`"),
        ),
        (
            HEAD + "permissions:\n  actors:\n    agent:a:\n      denny: [Bash]\n",
            "5: permissions.actors.agent:a.denny: unknown key `denny`; did you mean `deny`?",
        ),
        (
            HEAD + "permissions:\n  actors:\n    agent:a:\n      operations: [captur]\n",
            (
                "5: permissions.actors.agent:a.operations[0]: unknown operation `captur`; "
                "did you mean `capture`?"
            ),
        ),
        (
            HEAD + "permissions:\n  contributor: [capture, commit]\n",
            (
                "3: permissions.contributor: unknown key `contributor`; roles are not read; write their "
                "operations under each actor: `actors: {agent:contributor: {operations: […]}}`"
            ),
        ),
        (
            HEAD + "permissions:\n  actors:\n    someone:\n      operations: [capture]\n",
            (
                "4: permissions.actors.someone: `someone` is not a person; write `kind:name`, an address or "
                "`user`"
            ),
        ),
        (
            HEAD + "constraints:\n  require_humans: []\n",
            (
                "3: constraints.require_humans: unknown constraint `require_humans`; "
                "did you mean `require_human`?"
            ),
        ),
        (
            HEAD + "constraints:\n  require_human:\n    - {operation: clos, match: all}\n",
            ("4: constraints.require_human[0].operation: unknown operation `clos`; did you mean `close`?"),
        ),
        (
            HEAD + "validation:\n  classification:\n    - {default: tier_2, tier: tier_1}\n",
            (
                "4: validation.classification[0]: a rule is `match` and `tier`, or `default` alone; "
                "write one of them"
            ),
        ),
        (
            HEAD + "validation:\n  tiers:\n    tier_3: {auto_close: true}\n",
            (
                "4: validation.tiers.tier_3.auto_close: tier 3 is closed by a person; "
                "give these commitments another tier"
            ),
        ),
        (
            HEAD + "settings:\n  tiers: {window: soon}\n",
            "3: settings.tiers.window: `soon` is not a length of time; write `30s`, `10m`, `12h` or `7d`",
        ),
        (
            HEAD + "settings:\n  default_actor: human:*\n",
            "3: settings.default_actor: `human:*` stands for many people; name one, such as `human:ada`",
        ),
        (
            HEAD + "permissions:\n  actors:\n    agent:a:\n      allow:\n        - Read\n        - 'Bash('\n",
            (
                "7: permissions.actors.agent:a.allow[1]: `Bash(` is not a pattern; write `Tool` or "
                "`Tool(glob)`, such as `Bash(git *)`"
            ),
        ),
        (
            HEAD + "permissions:\n  actors:\n    agent:a:\n      allow:\n",
            (
                "5: permissions.actors.agent:a.allow: expected a list, found nothing; "
                "give the key a value or remove it"
            ),
        ),
        (
            HEAD + "permissions:\n  actors:\n    executor: {}\n",
            (
                "4: permissions.actors.executor: `executor` "
                "is not an actor; write `kind:name`, such as `agent:executor`"
            ),
        ),
        (
            HEAD + "permissions:\n  actors:\n    agent:a:\n      deny: ['Bash(rm *)']\n      guidance:\n"
            "        'Bash(rm  *)': x\n",
            (
                '7: permissions.actors.agent:a.guidance."Bash(rm  *)": `Bash(rm  *)` '
                "is not in a deny list here; did you mean `Bash(rm *)`?"
            ),
        ),
    ],
)
def test_a_mistake_in_a_key_is_named(tmp_path: Path, text: str, expected: str) -> None:
    """Line, path, what was found and the nearest word; nothing misspelt loads."""
    assert problems(tmp_path, text) == [expected]


ENTRY = '[[hooks]]\nevent = "PreToolUse"\n'


@pytest.mark.req("C56", "C61", "C62", "T06")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ENTRY, "1: hooks[0]: the entry has neither `[hooks.shell]` nor `[hooks.webhook]`; add one of them"),
        (
            ENTRY
            + 'name = "both"\n[hooks.shell]\ncommand = "x"\n[hooks.webhook]\nurl = "https://example.com"\n',
            "1: hooks[0]: the entry `both` has `[hooks.shell]` and `[hooks.webhook]`; keep one of them",
        ),
        (
            '\n[[hooks]]\nevent = "PreToolUs"\n[hooks.shell]\ncommand = "x"\n',
            "3: hooks[0].event: unknown event `PreToolUs`; did you mean `PreToolUse`?",
        ),
        (
            '[[hooks]]\n[hooks.shell]\ncommand = "x"\n',
            ("1: hooks[0]: the key `event` is missing; add it with a string"),
        ),
        (
            ENTRY + 'tool_matcher = "Write, Edit"\n[hooks.shell]\ncommand = "x"\n',
            (
                "3: hooks[0].tool_matcher: "
                "`Write, Edit` contains a comma; separate tools with `|`, such as `Write|Edit`"
            ),
        ),
        (ENTRY + "[hooks.shell]\ncomand = 'x'\n", None),
        (
            ENTRY + "[hooks.webhook]\nurl = 'https://example.com'\nmethod = 'Get'\n",
            "5: hooks[0].webhook.method: unknown value `Get`; use one of `POST`, `PUT`, `Post`, `Put`",
        ),
        (
            ENTRY + "[hooks.webhook]\nurl = 'https://example.com'\nmethod = 'post'\n",
            "5: hooks[0].webhook.method: unknown value `post`; did you mean `Post`?",
        ),
        ("[hooks]\nevent = 'Stop'\n", "1: hooks: expected a list, found a mapping; correct the value"),
        ("[[hook]]\nevent = 'Stop'\n", "1: hook: unknown key `hook`; did you mean `hooks`?"),
    ],
)
def test_a_mistake_in_a_hooks_toml_is_named(tmp_path: Path, text: str, expected: str | None) -> None:
    """An entry that cannot run is an error, never skipped."""
    found = problems(tmp_path, text, "hooks.toml")

    if expected is None:
        assert found == [
            "3: hooks[0].shell: the key `command` is missing; add it with a string",
            "4: hooks[0].shell.comand: unknown key `comand`; did you mean `command`?",
        ]
    else:
        assert found == [expected]


@pytest.mark.deep
@pytest.mark.parametrize(
    "text",
    [
        HEAD + "".join(f"k{n}: 1\n" for n in range(60_000)),
        HEAD + "hooks:\n" + "".join(f"  pre_tool_us{n}: []\n" for n in range(40_000)),
    ],
    ids=["keys", "events"],
)
def test_a_file_of_nonsense_is_not_searched_to_its_end(tmp_path: Path, text: str) -> None:
    """Fifty mistakes are enough; the nearest word is not looked for any further."""
    assert len(problems(tmp_path, text)) == 50
