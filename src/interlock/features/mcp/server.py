"""The server itself, on standard input and output, by the official SDK."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import Places
from interlock.errors import InterlockError
from interlock.events.tool import JsonObject
from interlock.features.mcp.tools import CALL, TOOLS, Tool
from interlock.version import __version__

# Under which hosts tell the id of the call, the one their hooks report it by.
USE_IDS: Final = ("claudecode/toolUseId", "toolUseId")
UNREACHABLE: Final = "E_UNREACHABLE"
_SECONDS: Final = 30.0
# Before these the policy may have something run that takes its time.
_VALIDATED: Final = frozenset({"submit", "close"})
_VALIDATED_SECONDS: Final = 1_800.0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    document: JsonObject
    failed: bool = False

    @property
    def text(self) -> str:
        """For the model: a refusal as a sentence with its code and the next step, everything else as JSON."""
        if not self.failed:
            return msgspec.json.encode(self.document).decode()
        refusal = self.document
        return f"{refusal['error']}: {refusal['message']}; {refusal['next']}"


def ask(places: Places, name: str, arguments: JsonObject | None, meta: Mapping[str, Any] | None) -> Answer:
    """Call a tool in the daemon, which is started when it is not there; nothing is an exception."""
    use_id = next((meta[key] for key in USE_IDS if meta and isinstance(meta.get(key), str)), None)
    try:
        params = {"name": name, "arguments": arguments or {}, "use_id": use_id, "cwd": str(Path.cwd())}
        return Answer(document=_request(places, params))
    except DaemonError as error:
        data = error.data or _failure(error.sentence)
    except (InterlockError, OSError) as error:
        data = _failure(str(error))
    return Answer(document=data, failed=True)


def _request(places: Places, params: JsonObject) -> JsonObject:
    seconds = _VALIDATED_SECONDS if params["name"] in _VALIDATED else _SECONDS
    try:
        answer: JsonObject = request(places.socket, CALL, params, seconds=seconds)
    except DaemonError as error:
        if error.data is not None or not _nobody_listens(error):
            raise
        start(places)
        answer = request(places.socket, CALL, params, seconds=seconds)
    return answer


def _nobody_listens(error: DaemonError) -> bool:
    """Nobody took the request; one that was taken is not sent twice, for it may have been done."""
    return isinstance(error.__cause__, (FileNotFoundError, ConnectionRefusedError))


def _failure(message: str) -> JsonObject:
    sentence, _, step = message.partition("; ")
    return {"error": UNREACHABLE, "message": sentence, "next": step or "tell the user"}


NAME: Final = "interlock"
_INSTRUCTIONS: Final = (
    "Interlock decides and records what agents do here. Capture what you observe, commit to what is "
    "owed, claim it, submit it with evidence. `explain` tells you in advance how the policy would decide "
    "a call; `request_approval` asks a person. A refusal has a code and the next step."
)


def serve(places: Places) -> None:
    anyio.run(_serve, places)


async def _serve(places: Places) -> None:
    server = server_of(places)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def server_of(places: Places) -> Server[Any]:
    tools = types.ListToolsResult(tools=[_to_sdk_tool(tool) for tool in TOOLS])

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return tools

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


def _to_sdk_tool(tool: Tool) -> types.Tool:
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
