"""A project with a policy, and a trust list kept elsewhere."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from interlock.policy.trust import Trust, TrustList

HEAD = 'version: "2.0"\n'
DENY = "    - {type: deny, name: no-never, matcher: 'Bash(never*)'}\n"
GUARD = "    - {type: command, name: guard, config: {command: ./guard.sh}}\n"
MODIFY = "    - {type: modify, name: rewrite, matcher: Bash, config: {set: {command: changed}}}\n"
WEBHOOK = "    - {type: webhook, name: call, config: {url: 'https://example.invalid/x'}}\n"


def hooks(*entries: str) -> str:
    """A genesis key with these hooks before a tool call."""
    return f"{HEAD}hooks:\n  pre_tool_use:\n" + "".join(entries)


@dataclass(frozen=True)
class Project:
    """A folder with a policy, and the list that may trust it."""

    root: Path
    trust: TrustList
    environ: dict[str, str]

    def write(self, name: str, text: str, *, mode: int = 0o755) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def policy(self, *entries: str) -> Path:
        return self.write(".interlock/genesis.key", hooks(*entries))

    def confirm(self, root: Path | None = None) -> None:
        self.trust.trust(str(root or self.root), self.environ)

    @property
    def status(self) -> Trust:
        return self.trust.state_of(str(self.root)).status

    @property
    def changes(self) -> tuple[str, ...]:
        return self.trust.state_of(str(self.root)).changes


def project(base: Path) -> Project:
    """A project with a rule and a guarding script, trusted by nobody yet."""
    tools = base / "tools"
    root = base / "app"
    for folder in (tools, root):
        folder.mkdir(parents=True)
    path = os.pathsep.join([str(tools), "/usr/bin", "/bin"])
    made = Project(root=root, trust=TrustList(base / "state" / "trust"), environ={"PATH": path})
    made.policy(DENY, GUARD)
    made.write("guard.sh", "#!/bin/sh\nexit 0\n")
    return made
