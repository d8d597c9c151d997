"""Hooks as a table: event → matchers → functions, as agents built on an agent SDK write them."""

from typing import Any

from interlock import Engine, Event, HookMatcher, ToolCall

REQUIRED = {"Write": ("file_path", "content")}
ledger: list[str] = []


def pre_tool_use_schema_guardrail(data: dict[str, Any], _tool_use_id: str | None, _context: Any) -> Any:
    missing = [field for field in REQUIRED.get(data["tool_name"], ()) if not data["tool_input"].get(field)]
    if not missing:
        return {}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": f"Missing field {missing[0]}; give {', '.join(REQUIRED['Write'])}",
        }
    }


def check_bash_side_effects(data: dict[str, Any], _tool_use_id: str | None, _context: Any) -> Any:
    command = data["tool_input"]["command"]
    if "touch " in command or ">" in command:
        ledger.append(f"will create files: {command}")
    return {}


def post_tool_use_schema_nudge(data: dict[str, Any], _tool_use_id: str | None, _context: Any) -> Any:
    if "validation error" not in str(data.get("tool_output")):
        return {}
    hint = f"{data['tool_name']} needs {REQUIRED.get(data['tool_name'])}"
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": hint}}


def record_tool_use(data: dict[str, Any], tool_use_id: str | None, _context: Any) -> Any:
    ledger.append(f"ran {data['tool_name']} ({tool_use_id})")
    return {}


def skill_discovery_hook(data: dict[str, Any], _tool_use_id: str | None, _context: Any) -> Any:
    if "pdf" not in data["prompt"].lower():
        return {}
    skill = "Skill `pdf`: render pages with pdftoppm before reading them."
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": skill}}


async def on_subagent_stop(data: dict[str, Any], _tool_use_id: str | None, _context: Any) -> Any:
    return {"systemMessage": f"Report of {data['agent_id']} found."}


def on_agent_stop(_data: dict[str, Any], _tool_use_id: str | None, _context: Any) -> Any:
    return {"decision": "block", "reason": "the promised report is not written yet"}


HOOKS = {
    "PreToolUse": [
        HookMatcher(matcher="*", hooks=[pre_tool_use_schema_guardrail]),
        HookMatcher(matcher="execute_bash_command", hooks=[check_bash_side_effects]),
    ],
    "PostToolUse": [HookMatcher(matcher="*", hooks=[post_tool_use_schema_nudge, record_tool_use])],
    "UserPromptSubmit": [HookMatcher(matcher="*", hooks=[skill_discovery_hook])],
    "SubagentStop": [HookMatcher(matcher=None, hooks=[on_subagent_stop])],
    "AgentStop": [HookMatcher(matcher=None, hooks=[on_agent_stop])],
}


def main() -> None:
    write = ToolCall(name="Write", input={"file_path": "a.md"}, use_id="t1")
    bash = ToolCall(name="execute_bash_command", input={"command": "echo hi > a.md"}, use_id="t2")
    with Engine(hooks=HOOKS) as engine:
        print(engine.decide_sync(Event(name="PreToolUse", tool=write)).feedback)
        print("bash:", engine.decide_sync(Event(name="PreToolUse", tool=bash)).outcome)
        after = Event(name="PostToolUse", tool=write, tool_output="validation error: content")
        print("hint:", engine.decide_sync(after).context[0])
        print("ledger:", ledger)
        prompt = Event(name="UserPromptSubmit", prompt="Summarise this PDF")
        print("context:", engine.decide_sync(prompt).context[0])
        print(engine.decide_sync(Event(name="SubagentStop", agent_id="researcher")).messages[0])
        print("stop:", engine.decide_sync(Event(name="AgentStop")).reason)


if __name__ == "__main__":
    main()
