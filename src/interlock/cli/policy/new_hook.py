"""`interlock hooks new`: a plugin to start from."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template
from typing import Annotated, Final

import typer

from interlock.cli.output import print_json, printable
from interlock.errors import InterlockError

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")

_PROJECT: Final = Template("""\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "$distribution"
version = "0.1.0"
description = "A hook for Interlock: $kind"
requires-python = ">=3.11"
dependencies = ["interlock"]

# The name is the `type` that policies write; it must be the `kind` of the hook.
[project.entry-points."interlock.hooks"]
"$kind" = "$package.$module:BUILTIN"

[tool.hatch.build.targets.wheel]
packages = ["src/$package"]

[tool.pytest.ini_options]
pythonpath = ["src"]
""")

_HOOK: Final = Template('''\
"""`$kind`: tells the agent something when a command names a word."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from interlock.plugin import (
    NO_OPINION,
    Builtin,
    EventName,
    Handler,
    Helper,
    Making,
    OnFailure,
    CallView,
    Verdict,
)


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may stand under `config`; every mistake in it is told with its place."""

    word: Annotated[str, Meta(min_length=1, description="The word that is looked for.")] = "deploy"
    says: Annotated[str, Meta(min_length=1, description="What the agent is told.")] = "Ask before you deploy."


class $class_name(Helper):
    """Adds context and never votes; derive from `OptionRule` for a hook that does."""

    kind = "$kind"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._word = options.word
        self._verdict = Verdict(context=options.says)

    def run(self, view: CallView, seconds: float) -> Verdict:
        tool = view.event.tool
        command = tool.input.get("command") if tool else None
        return self._verdict if isinstance(command, str) and self._word in command else NO_OPINION


def make(options: Options, context: Making) -> Handler | None:
    """Called once for each entry of a policy; tell mistakes by `context.problem(option, text)`."""
    return $class_name(options)


BUILTIN = Builtin(
    kind="$kind",
    about="Tells the agent something when a command names a word.",
    options=Options,
    make=make,
    events=(EventName.PRE_TOOL_USE,),
    matcher="Bash",
    on_failure=OnFailure.OPEN,
)
''')

_TEST: Final = Template('''\
"""The hook does what its options say, in an engine of its own."""

from __future__ import annotations

import pytest
from $package.$module import BUILTIN

from interlock.plugin import ConfigError, Event, ToolCall, trial_engine


def bash(command: str) -> Event:
    return Event(name="PreToolUse", cwd="/", tool=ToolCall(name="Bash", input={"command": command}))


def test_the_agent_is_told() -> None:
    """A command that names the word brings the text."""
    engine = trial_engine(BUILTIN, "pre_tool_use", {"word": "release", "says": "Mind the changelog."})

    assert engine.decide_sync(bash("make release")).context == ("Mind the changelog.",)
    assert engine.decide_sync(bash("make test")).context == ()


def test_a_mistake_is_told_with_its_place() -> None:
    """A misspelt option does not load."""
    with pytest.raises(ConfigError, match="unknown key `wrod`; did you mean `word`"):
        trial_engine(BUILTIN, "pre_tool_use", {"wrod": "x"})
''')

_README: Final = Template("""\
# $distribution

A hook for Interlock. Install it where Interlock is installed, and name it in a policy:

```yaml
version: "2.0"
hooks:
  pre_tool_use:
    - type: $kind
      config: {word: deploy, says: "Ask before you deploy."}
```

`interlock hooks catalog $kind` shows its options; `pytest` runs its test.
""")


def plugin_files(kind: str) -> dict[str, str]:
    """The files by their place in the new folder; raise InterlockError for a name that cannot be one."""
    if not _NAME.fullmatch(kind) or any(map(keyword.iskeyword, kind.split("."))):
        raise InterlockError(
            f"`{kind}` cannot name a hook; use lower case, with your own name first: `acme.deploy_hint`"
        )
    *owner, module = kind.split(".")
    package = "_".join([*owner, "hooks"])
    names = {
        "kind": kind,
        "package": package,
        "module": module,
        "distribution": package.replace("_", "-"),
        "class_name": "".join(part.title() for part in module.split("_")),
    }
    templates = {
        "pyproject.toml": _PROJECT,
        "README.md": _README,
        f"src/{package}/__init__.py": Template('"""Hooks for Interlock."""\n'),
        f"src/{package}/{module}.py": _HOOK,
        f"tests/test_{module}.py": _TEST,
    }
    return {place: template.substitute(names) for place, template in templates.items()}


def new_hook(
    name: Annotated[
        str, typer.Argument(help="The type that policies will write: `acme.deploy_hint`.", show_default=False)
    ],
    folder: Annotated[
        Path | None, typer.Option("--dir", help="Where to write it; default: a new folder here.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> int:
    """Write a plugin with one hook to start from.

    It has an entry point and a test that passes.
    """
    files = plugin_files(name)
    target = folder or Path(name.replace(".", "-").replace("_", "-"))
    taken = next((target / place for place in files if (target / place).exists()), None)
    if taken is not None:
        raise InterlockError(f"`{taken}` already exists; choose another folder with --dir")
    try:
        for place, text in files.items():
            (target / place).parent.mkdir(parents=True, exist_ok=True)
            (target / place).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        raise InterlockError(
            f"cannot write to `{target}`: {reason}; choose another folder with --dir"
        ) from error
    if as_json:
        print_json({"folder": str(target), "files": [str(target / place) for place in files]})
        return 0
    typer.echo("\n".join(printable(f"wrote {target / place}") for place in files))
    typer.echo(printable(f"try: cd {target} && python -m pytest"))
    typer.echo("install it beside Interlock (`pip install -e .`), then `interlock hooks catalog` lists it")
    return 0
