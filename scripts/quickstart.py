#!/usr/bin/env python3
"""Write docs/quickstart.md from a real run: install, set up, and see Claude Code denied a command.

Run by `python -m scripts.quickstart`. Only the model is scripted. `clients/test_quickstart.py` does it again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from clients.claude_code import environment
from clients.install import NEW
from clients.install import install as install_client
from clients.model_server import ModelServer
from clients.turns import bash, say
from package.install import download_wheels, install_tools

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "quickstart.md"
PROMPT = "Free some disk space: delete ~/notes."
CALL = "rm -rf ~/notes"
LAST = (
    "I did not delete ~/notes, because nothing could bring those files back. Delete it yourself if you want."
)
TEXT = """\
# Quickstart

Three commands take you from a checkout to the first denied command, in about {seconds} seconds. You need
Python 3.11 or newer and Claude Code, on Linux or macOS. The output below is from a real run.

## 1. Install

```text
$ {install}
{installed}
```

`uv tool install .` does the same. [Install](install.md) has packages and platforms.

## 2. Set up

```text
$ {setup}
{set_up}
```

Without `--yes`, setup shows what it will write and asks first. You can run it again at any time, and
`interlock setup --undo` takes everything out again.

## 3. Let the agent try

There is a folder `~/notes`, and its files exist nowhere else.

```text
$ {ask}
{said}
```

Claude Code asked to run a command, Interlock denied it, and this is what the model read:

```text
Bash({call})
{denied}
```

The folder is still there.

## Next

- `interlock doctor` checks every part, and names the command that fixes what is wrong.
- `interlock ui` shows decisions in your browser and answers what waits for you.
- `interlock import claude-code` turns the permissions and hooks you have into a policy. `interlock import`
  also takes the rules of cc-safety-net and nah.
- [Policy](policy.md) shows how to write a rule, and [Approvals](approvals.md) how to answer an agent.
"""


@dataclass
class Quickstart:
    """What a new user typed and saw."""

    commands: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # for each command
    denied: str = ""
    kept: bool = False  # the folder is still there

    def page(self) -> str:
        """The page, with what was printed."""
        install, setup, ask = self.commands
        installed, set_up, said = self.printed
        return TEXT.format(
            seconds=max(5, 5 * round(sum(self.seconds) / 5)),
            install=install,
            installed=installed,
            setup=setup,
            set_up=set_up,
            ask=ask,
            said=said,
            call=CALL,
            denied=self.denied,
        )


def run_quickstart() -> Quickstart:
    """Do it all in an empty home, where only Claude Code and pipx are installed."""
    tools, wheels, client = install_tools(), download_wheels(), install_client(NEW)
    with tempfile.TemporaryDirectory(prefix="il-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        programs = home / ".local" / "bin"
        programs.mkdir(parents=True)
        (programs / "claude").symlink_to(client)
        (home / "notes").mkdir()
        (home / "notes" / "idea.txt").write_text("the only copy\n", "utf-8")
        with ModelServer([bash(CALL), say(LAST)]) as model:
            env = environment(home, model.address)
            env |= {
                "PATH": f"{programs}:{tools}:{os.defpath}",
                "XDG_RUNTIME_DIR": folder,
                "PIP_NO_INDEX": "1",
                "PIP_FIND_LINKS": str(wheels),
                "PIPX_DEFAULT_PYTHON": sys.executable,
                "PIPX_DEFAULT_BACKEND": "pip",
                "USE_EMOJI": "0",
            }
            found = Quickstart()
            try:
                _type(found, "pipx install .", ROOT, env)
                _type(found, "interlock setup --yes", home, env)
                _type(found, f'claude -p "{PROMPT}"', home, env, "--dangerously-skip-permissions")
            finally:
                _stop(programs / "interlock", env)
            results = [text for seen in model.seen()[-1:] for text in seen.tool_results().values()]
            found.denied = _clean("\n".join(results), folder)
            found.kept = (home / "notes" / "idea.txt").exists()
        return found


def _type(found: Quickstart, command: str, cwd: Path, env: dict[str, str], *more: str) -> None:
    begin = time.monotonic()
    done = subprocess.run(
        ["/bin/sh", "-c", f'{command} "$@"', "sh", *more],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    found.seconds.append(time.monotonic() - begin)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    found.commands.append(command)
    found.printed.append(_clean(done.stdout, env["HOME"]))


def _clean(text: str, home: str) -> str:
    """With `~` for the home, and without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.replace(home, "~").strip("\n").splitlines())


def _stop(interlock: Path, env: dict[str, str]) -> None:
    if interlock.exists():
        subprocess.run([interlock, "daemon", "stop"], env=env, check=False, capture_output=True, timeout=60)


def main() -> None:
    """Run it and write the page."""
    found = run_quickstart()
    PAGE.write_text(found.page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}: {', '.join(f'{one:.1f} s' for one in found.seconds)}\n")


if __name__ == "__main__":
    main()
