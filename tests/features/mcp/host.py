"""A host as a process of its own: it reports through the real shim and calls the server by the SDK's client.

Each line it reads is a list: `["report", payload]` or `["call", tool, arguments, use_id]`; each gets a line.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

_, SHIM, HOME, CWD, MODE = sys.argv
SERVER = StdioServerParameters(
    command=sys.executable, args=["-I", "-m", "interlock.mcp_server"], env={"INTERLOCK_HOME": HOME}, cwd=CWD
)


def report(payload: dict[str, Any]) -> str:
    """Hand the shim an event, as Claude Code does."""
    done = subprocess.run(
        [SHIM, "--home", HOME],
        input=json.dumps({"cwd": CWD, **payload}).encode(),
        env={"CLAUDE_PROJECT_DIR": CWD},
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.decode()


def told(result: CallToolResult) -> dict[str, Any]:
    """A result as a test looks at it."""
    text = "".join(block.text for block in result.content if block.type == "text")
    return {"failed": result.is_error, "text": text, "document": result.structured_content}


async def serve() -> None:
    """Do what the lines say."""
    async with Client(SERVER, mode="legacy" if MODE == "legacy" else "auto") as client:
        listed = await client.list_tools()
        answer: Any = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
        while True:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
            line = await asyncio.to_thread(sys.stdin.readline)
            if not line:
                return
            word, *rest = json.loads(line)
            if word == "report":
                answer = report(rest[0])
                continue
            name, arguments, use_id = rest
            meta: Any = {"claudecode/toolUseId": use_id} if use_id else None
            answer = told(await client.call_tool(name, arguments, meta=meta))


asyncio.run(serve())
