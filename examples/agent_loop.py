"""A toy agent: a fixed plan of tool calls, each run under hooks."""

import asyncio
from typing import Any

from interlock import Decision, Engine, Event, HookExecuted, ToolRunner, Verdict, ask, deny, hook

FILES = {"notes.txt": "buy milk; token=abc123"}


def read(arguments: dict[str, Any]) -> str:
    return FILES[arguments["file_path"]]


async def write(arguments: dict[str, Any]) -> str:
    FILES[arguments["file_path"]] = arguments["content"]
    return "written"


TOOLS = {"Read": read, "Write": write}
PLAN: list[tuple[str, dict[str, Any]]] = [
    ("Read", {"file_path": "notes.txt"}),
    ("Read", {"file_path": "missing.txt"}),
    ("Write", {"file_path": ".env", "content": "x"}),
    ("Write", {"file_path": "todo.txt", "content": "milk"}),
]


@hook("PreToolUse", matcher="Write(.env)")
def keep_secrets(_event: Event) -> Verdict:
    return deny("`.env` is not yours to write")


@hook("PreToolUse", matcher="Write")
def writing_needs_a_person(_event: Event) -> Verdict:
    return ask("may the agent write?")


@hook("PostToolUse", matcher="Read")
def hide_tokens(event: Event) -> Verdict:
    return Verdict(updated_output=str(event.tool_output).replace("abc123", "***"))


@hook("PostToolUseFailure")
def suggest(event: Event) -> Verdict:
    return Verdict(context=f"there is no {event.error}; the files are {', '.join(FILES)}")


def approve(_event: Event, decision: Decision) -> bool:
    print(f"  person: {decision.reason} yes")
    return True


def report(notice: HookExecuted) -> None:
    print(f"  ran {notice.hook_type} hook {notice.hook_name}")


async def main() -> None:
    async with Engine(hooks=[keep_secrets, writing_needs_a_person, hide_tokens, suggest]) as engine:
        runner = ToolRunner(engine, session_id="demo", emit=report, approve=approve)
        for tool, arguments in PLAN:
            print(f"{tool} {arguments['file_path']}")
            result = await runner.run(tool, arguments, TOOLS[tool])
            print(f"  → {result.error or result.output}")
            for line in result.context:
                print(f"  context: {line}")


if __name__ == "__main__":
    asyncio.run(main())
