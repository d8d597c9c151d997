"""Where in a command an agent's prompt goes, so that a restart gives the new one and not the old."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

MARK: Final = "{prompt}"


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CLAUDE: Final = frozenset({"claude", "claude-code"})
# Options of Claude Code that take the next word, perhaps take it, or take every word up to the next option.
_ONE: Final = _options(
    "--agent --agents --append-system-prompt --append-system-prompt-file --autocompact --debug-file --effort "
    "--environment --fallback-model --input-format --json-schema --max-budget-usd --max-turns --model -n "
    "--name --output-format --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir "
    "--plugin-url --remote-control-session-name-prefix --session-id --setting-sources --settings "
    "--system-prompt --system-prompt-file --system-prompt-snapshot"
)
_PERHAPS: Final = _options(
    "--cloud -d --debug --from-pr --prompt-suggestions --remote-control -r --resume --teleport -w --worktree"
)
_MANY: Final = _options(
    "--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file "
    "--mcp-config --tools"
)


def with_prompt(command: tuple[str, ...], prompt: str | None) -> tuple[str, ...]:
    """The command with a prompt where it says `{prompt}`, else in place of the one it has; without, as it is.

    Claude Code takes the first prompt of its command line and leaves out every other, so one that is added
    behind another would never be read. In other commands the prompt is the last word.
    """
    if any(MARK in word for word in command):
        if prompt is None:
            return tuple(word for word in command if word != MARK)
        return tuple(word.replace(MARK, prompt) for word in command)
    if prompt is None:
        return command
    program = next((at for at, word in enumerate(command) if PurePath(word).name in _CLAUDE), None)
    if program is None:
        return (*command, prompt)
    start = program + 1
    own = _prompt_of_claude(command[start:])
    if own is None:
        # In front of the options: some would take it as a word of theirs.
        return (*command[:start], prompt, *command[start:])
    return (*command[: start + own], prompt, *command[start + own + 1 :])


def _prompt_of_claude(words: Sequence[str]) -> int | None:
    """Which of the words is the prompt."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return at + 1 if at + 1 < len(words) else None
        if not word.startswith("-") or word == "-":
            return at
        at += 1
        if word in _MANY:
            while at < len(words) and not words[at].startswith("-"):
                at += 1
        elif word in _ONE or (word in _PERHAPS and at < len(words) and not words[at].startswith("-")):
            at += 1
    return None
