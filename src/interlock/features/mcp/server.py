"""The server itself, on standard input and output, by the official SDK."""

from __future__ import annotations

from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from interlock.daemon.paths import Places
from interlock.features.mcp.asking import Answer, ask
from interlock.features.mcp.tools import TOOLS, Tool
from interlock.version import __version__

NAME: Final = "interlock"
_INSTRUCTIONS: Final = (
    "Interlock judges and records what agents do here. Capture what you observe, commit to what is owed, "
    "claim it, hand it in with evidence. `explain` tells ahead what the policy says of a call; "
    "`request_approval` asks a person. A refusal has a code and the next step."
)


def serve(places: Places) -> None:
    """Answer until the client closes the input."""
    anyio.run(_serve, places)


async def _serve(places: Places) -> None:
    server = server_of(places)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def server_of(places: Places) -> Server[Any]:
    """The server in front of one daemon."""
    listed = types.ListToolsResult(tools=[_listed(tool) for tool in TOOLS])

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return listed

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        meta = dict(context.meta or {})
        # In a thread, so that a slow answer holds up no other call.
        return _result(await anyio.to_thread.run_sync(ask, places, params.name, params.arguments, meta))

    return Server(
        NAME,
        version=__version__,
        title="Interlock",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads_only,
            destructive_hint=False,
            idempotent_hint=tool.reads_only,
            open_world_hint=False,
        ),
    )


def _result(answer: Answer) -> types.CallToolResult:
    # A refusal is for the model, which can do better next time; its document goes with it for programs.
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=answer.document,
        is_error=answer.failed,
    )
