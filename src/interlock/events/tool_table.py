"""The tools agents have, under the names the ecosystem uses and those they had before."""

from __future__ import annotations

from typing import Final

from interlock.events.tool import SubjectKind, ToolSpec, ToolTable


def _shell(name: str, *more: str, aliases: tuple[str, ...] = ()) -> ToolSpec:
    return ToolSpec(name=name, main="command", kind=SubjectKind.SHELL, fields=more, aliases=aliases)


def _path(name: str, field: str, *more: str) -> ToolSpec:
    return ToolSpec(name=name, main=field, kind=SubjectKind.PATH, fields=more)


def _spec(name: str, field: str | None, *more: str, aliases: tuple[str, ...] = ()) -> ToolSpec:
    return ToolSpec(name=name, main=field, fields=more, aliases=aliases)


def _neutral(name: str, field: str | None, *more: str, aliases: tuple[str, ...] = ()) -> ToolSpec:
    return ToolSpec(name=name, main=field, fields=more, aliases=aliases, neutral=True)


OF_SERVERS: Final = "mcp__"  # how hosts name the tools of MCP servers
OWN: Final = "mcp__interlock__"  # how hosts name the tools of our own server
_MENTU: Final = "mentu_"  # and how policies written for Mentu do


def _own(name: str, field: str, *more: str) -> ToolSpec:
    return ToolSpec(name=f"{OWN}{name}", main=field, fields=more, aliases=(f"{_MENTU}{name}",))


_ORIGIN: Final = ("source_key", "author_type", "audit", "intent")

STANDARD_TOOLS: Final = ToolTable(
    [
        _shell(
            "Bash",
            "description",
            "timeout",
            "run_in_background",
            "dangerouslyDisableSandbox",
            aliases=("execute_bash_command",),
        ),
        _shell("Monitor", "ws", "description", "timeout_ms", "persistent"),
        # Another language: read as a plain text, never as the shell's.
        _spec("PowerShell", "command", "description", "timeout", "run_in_background"),
        _path("Read", "file_path", "offset", "limit", "pages"),
        _path("Write", "file_path", "content"),
        _path("Edit", "file_path", "old_string", "new_string", "replace_all"),
        _path("MultiEdit", "file_path", "edits"),
        _path("NotebookEdit", "notebook_path", "new_source", "cell_id", "cell_type", "edit_mode"),
        _path("Artifact", "file_path"),
        _spec("Glob", "pattern", "path"),
        _spec("Grep", "pattern", "path", "glob", "type", "output_mode", "multiline", "head_limit", "offset"),
        _spec("WebFetch", "url", "prompt"),
        _spec("WebSearch", "query", "allowed_domains", "blocked_domains"),
        # The kind of sub-agent is what policies are about: `Task(executor)`.
        _spec(
            "Agent",
            "subagent_type",
            "prompt",
            "description",
            "model",
            "run_in_background",
            "isolation",
            "name",
            "mode",
            aliases=("Task",),
        ),
        _spec("Skill", "skill", "args"),
        _spec("Workflow", "name", "script", "scriptPath", "args"),
        _spec("CronCreate", "prompt", "cron"),
        _spec("CronDelete", "id"),
        _spec("ScheduleWakeup", "prompt", "delaySeconds", "reason"),
        _spec("EnterWorktree", "name", "path"),
        _spec("ExitWorktree", "action", "discard_changes"),
        _spec("ListMcpResourcesTool", "server", aliases=("ListMcpResources",)),
        _spec("ReadMcpResourceTool", "uri", "server", aliases=("ReadMcpResource",)),
        _spec("ListAgents", None, aliases=("ListPeers",)),
        _spec("PushNotification", "message"),
        _spec("RemoteTrigger", "action"),
        _spec("TaskStop", "task_id", aliases=("KillShell", "KillBash")),
        _neutral(
            "TaskOutput",
            "task_id",
            aliases=("BashOutput", "BashOutputTool", "AgentOutput", "AgentOutputTool"),
        ),
        _neutral("TaskCreate", "subject", "description"),
        _neutral("TaskUpdate", "taskId", "status"),
        _neutral("TaskGet", "taskId"),
        _neutral("TaskList", None),
        _neutral("TodoWrite", None, "todos"),
        _neutral("TodoRead", None),
        _neutral("AskUserQuestion", None, "questions", "answers"),
        _neutral("SendUserMessage", None, aliases=("Brief",)),
        _neutral("ReportFindings", None, "findings"),
        _neutral("EnterPlanMode", None),
        _neutral("ExitPlanMode", "plan", "planFilePath", "allowedPrompts", aliases=("exit_plan_mode",)),
        _neutral("ToolSearch", None),
        _neutral("WaitForMcpServers", None),
        # What the tools of `interlock mcp` are about: a text, a commitment, or the tool that would be called.
        _own("capture", "body", "kind", "refs", *_ORIGIN),
        _own("commit", "body", "source", "tags", *_ORIGIN),
        _own("claim", "commitment"),
        _own("submit", "commitment", "summary", "evidence", "tier", *_ORIGIN),
        _own("approve", "commitment", "comment"),
        _own("reject", "commitment", "reason", "domain"),
        _own("close", "commitment", "evidence", "duplicate_of"),
        _own("search", "text", "op", "limit", "before"),
        _own("explain", "tool", "input"),
        _own("request_approval", "tool", "input"),
    ],
    prefixes={_MENTU: OWN},
)
