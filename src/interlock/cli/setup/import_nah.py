"""The configuration of nah as rules of a policy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from interlock.errors import InterlockError
from interlock.events.tool import JsonObject
from interlock.policy.imported import ImportResult, NotCarriedError, SkippedPart, check_condition, rule

_KINDS: Final = {"block": "deny", "ask": "ask"}
# What nah does with a type that the file says nothing of; a type of the user's own asks.
_ALLOWED: Final = {
    *("filesystem_read", "git_safe", "git_write", "network_diagnostic", "package_install", "package_run"),
    *("container_read", "service_read", "db_read", "beads_safe", "beads_write"),
}
_BY_CONTEXT: Final = {
    *("filesystem_write", "filesystem_delete", "network_outbound", "network_write", "lang_exec"),
    *("container_write", "db_write"),
}
# The usual commands of its action types.
_COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "filesystem_read": ("read(*)",),
    "filesystem_write": ("write(*)",),
    "filesystem_delete": ("delete(*)",),
    "network_outbound": ("network(*)",),
    "git_write": (
        "git add *",
        "git commit *",
        "git merge *",
        "git checkout *",
        "git switch *",
        "git stash *",
    ),
    "git_remote_write": (
        "git push *",
        "gh pr merge *",
        "gh pr create *",
        "gh issue create *",
        "gh release create *",
    ),
    "git_discard": (
        "git reset --hard *",
        "git checkout .",
        "git checkout -- *",
        "git restore !--staged *",
        "git clean *",
    ),
    "git_history_rewrite": (
        *("git push --force *", "git push --force-with-lease* *", "git rebase *", "git commit --amend *"),
        "git filter-branch *",
    ),
    "package_install": (
        *("npm install *", "yarn add *", "pnpm add *", "pip install *", "uv add *", "uv pip install *"),
        *(
            "cargo install *",
            "gem install *",
            "go install *",
            "brew install *",
            "apt install *",
            "apt-get install *",
        ),
    ),
    "package_uninstall": (
        "npm uninstall *",
        "yarn remove *",
        "pnpm remove *",
        "pip uninstall *",
        "brew uninstall *",
    ),
    "package_run": ("npm run *", "npx *", "yarn run *", "pnpm run *", "just *", "make *"),
    "lang_exec": ("python *", "python3 *", "node *", "ruby *", "perl *", "php *", "source *"),
    "process_signal": ("kill *", "pkill *", "killall *"),
    "container_exec": (
        "docker exec *",
        "docker run *",
        "docker cp *",
        "podman exec *",
        "podman run *",
        "kubectl exec *",
    ),
    "container_destructive": (
        *("docker rm *", "docker rmi *", "docker system prune *", "docker volume rm *", "podman rm *"),
        "kubectl delete *",
    ),
    "service_write": tuple(
        f"systemctl {word} *" for word in ("start", "stop", "restart", "enable", "disable")
    ),
    "service_destructive": ("reboot *", "poweroff *", "shutdown *", "halt *"),
}
_LEFT: Final = {
    "profile": "it chooses nah's own tables; `settings: {packs: [baseline]}` has Interlock's rules",
    "allow_paths": "an exception for one project; write that project's own policy instead",
    "trusted_paths": "Interlock does not ask about paths outside of a project, so nothing is needed",
    "known_registries": "Interlock does not ask about hosts by itself, so nothing is needed",
    "db_targets": "Interlock does not read the names of databases",
    "credential_patterns": "Interlock has no rule about what is searched for",
    "llm": "to ask a model, write a hook of type `prompt`",
    "log": "Interlock records every decision in its own ledger",
}
_ELSE: Final = "Interlock has nothing of this kind"


def find_files(*, user: bool, home: Path, project: Path) -> list[Path]:
    """Its file of a user or a project."""
    place = home / ".config" / "nah" / "config.yaml" if user else project / ".nah.yaml"
    return [place] if place.is_file() else []


def import_file(file: Path) -> ImportResult:
    """What the file blocks or asks about."""
    document = _read(file)
    importer = _Importer(document)
    for key, value in document.items():
        read: Callable[[Any], None] | None = importer.readers.get(str(key))
        if read is not None:
            read(value)
        elif value and key != "sensitive_paths_default":
            importer.leave(str(key), _LEFT.get(str(key), _ELSE))
    entries = importer.entries
    return ImportResult(hooks={"pre_tool_use": entries} if entries else {}, left=tuple(importer.left))


class _Importer:
    def __init__(self, document: JsonObject) -> None:
        self.entries: Final[list[JsonObject]] = []
        self.left: Final[list[SkippedPart]] = []
        self._actions: Final = _mapping(document.get("actions"))
        self._classified: Final = _mapping(document.get("classify"))
        self._default_path: Final = str(document.get("sensitive_paths_default", "ask"))
        self.readers: Final[Mapping[str, Callable[[Any], None]]] = {
            "actions": self._read_actions,
            "classify": self._read_classify,
            "sensitive_paths": self._read_paths,
            "sensitive_basenames": self._read_basenames,
            "content_patterns": self._read_contents,
        }

    def leave(self, path: str, message: str, *, carried: bool = False) -> None:
        self.left.append(SkippedPart(path=path, message=message, carried=carried))

    def _add(
        self, place: str, policy: str, name: str, patterns: list[str], reason: str, condition: str = ""
    ) -> bool:
        if policy not in _KINDS:
            self.leave(place, _why_not(policy))
            return False
        try:
            entry = rule(_KINDS[policy], f"nah-{_slug(name)}", patterns, reason)
            self.entries.append({**entry, "if": check_condition(condition)} if condition else entry)
        except NotCarriedError as error:
            self.leave(place, str(error))
            return False
        return True

    def _read_actions(self, value: Any) -> None:
        for kind, policy in _mapping(value).items():
            place = f"actions.{kind}"
            if kind not in _COMMANDS and policy in _KINDS:
                if kind not in self._classified:
                    self.leave(place, "Interlock has no list of commands for this type")
            elif self._add(
                place, policy, kind, [_bash(one) for one in _COMMANDS.get(kind, ())], _reason(kind)
            ):
                message = "carried over as the usual commands of this type; nah may know more"
                self.leave(place, message, carried=True)

    def _read_classify(self, value: Any) -> None:
        for kind, prefixes in _mapping(value).items():
            patterns = [f"Bash({one} *)" for one in prefixes if isinstance(one, str)]
            self._add(f"classify.{kind}", self._policy_of(kind), f"classify-{kind}", patterns, _reason(kind))

    def _policy_of(self, kind: str) -> str:
        usual = "allow" if kind in _ALLOWED else "context" if kind in _BY_CONTEXT else "ask"
        return str(self._actions.get(kind, usual))

    def _read_paths(self, value: Any) -> None:
        for path, policy in _mapping(value).items():
            place = path.rstrip("/")
            patterns = [
                f"{deed}({one})" for deed in ("read", "write", "delete") for one in (place, f"{place}/*")
            ]
            named = policy if isinstance(policy, str) else self._default_path
            self._add(
                f"sensitive_paths.{path}", named, path, patterns, f"`{path}` is a sensitive path of yours."
            )

    def _read_basenames(self, value: Any) -> None:
        for name, policy in _mapping(value).items():
            patterns = [f"{deed}(*/{name})" for deed in ("read", "write", "delete")]
            reason = f"A file named `{name}` is sensitive to you."
            self._add(f"sensitive_basenames.{name}", str(policy), name, patterns, reason)

    def _read_contents(self, value: Any) -> None:
        contents = _mapping(value)
        policies = _mapping(contents.get("policies"))
        for index, one in enumerate(contents.get("add") or []):
            place = f"content_patterns.add[{index}]"
            policy = str(policies.get(str(_mapping(one).get("category")), "ask"))
            found = _mapping(one)
            reason = f"The text has {found.get('description', 'a pattern of yours')}."
            for tool, field in (("Write", "content"), ("Edit", "new_string")):
                condition = f"tool.input.{field}.matches({json.dumps(str(found.get('pattern')))})"
                name = f"{found.get('category', 'content')}-{index}-{tool}"
                self._add(place, policy, name, [tool], reason, condition)
        for key in ("suppress", "policies"):
            if contents.get(key):
                self.leave(
                    f"content_patterns.{key}", "it changes nah's own patterns, which are not carried over"
                )


def _bash(command: str) -> str:
    return command if "(" in command else f"Bash({command})"


def _reason(kind: str) -> str:
    return f"Your nah configuration holds back {kind.replace('_', ' ')}."


def _why_not(policy: str) -> str:
    if policy == "allow":
        return "allowed: Interlock allows it unless one of its rules says otherwise, so nothing is needed"
    if policy == "context":
        return "it depends on the path or host of each call; write a rule with the paths or hosts you mean"
    return f"`{policy}` is not a policy of nah"


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _read(file: Path) -> JsonObject:
    try:
        document = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InterlockError(
            f"cannot read `{file}`: {' '.join(str(error).split())}; correct the file"
        ) from error
    if not isinstance(document, dict):
        raise InterlockError(f"`{file}` is not a YAML mapping; correct the file")
    return document
