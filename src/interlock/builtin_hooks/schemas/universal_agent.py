"""Shapes of tools that agents for research and mail have, for `tables: [universal_agent]`."""

from __future__ import annotations

from typing import Any, Final

from interlock.builtin_hooks.schemas.required_fields import Shape


def _listed(field: str, example: Any) -> Shape:
    """A tool that takes a list, which models like to send as a text."""
    schema = {"properties": {field: {"type": "array"}}}
    return Shape(required=(field,), schema=schema, example={field: example})


def _written(field: str, least: int) -> Shape:
    example = {field: "out/report.md", "content": "# Report\n\nThe whole text."}
    return Shape(required=(field, "content"), min_length={"content": least}, example=example)


def _needs(**example: Any) -> Shape:
    return Shape(required=tuple(example), example=example)


UNIVERSAL_AGENT: Final[dict[str, Shape]] = {
    "write": _written("file_path", 10),
    "write_local_file": _written("path", 10),
    "append_to_file": _written("path", 10),
    "write_text_file": _written("path", 1),
    "read_local_file": _needs(path="out/report.md"),
    "list_directory": _needs(path="out"),
    "upload_to_composio": _needs(path="out/report.pdf", tool_slug="GMAIL_SEND_EMAIL", toolkit_slug="gmail"),
    "finalize_research": _needs(session_dir="out/session"),
    "crawl_parallel": Shape(
        required=("urls", "session_dir"),
        schema={"properties": {"urls": {"type": "array", "items": {"type": "string"}}}},
        example={"urls": ["https://example.org/a"], "session_dir": "out/session"},
    ),
    "ask_user_questions": _listed("questions", [{"question": "Which year?", "options": ["2024", "2025"]}]),
    "composio_multi_execute_tool": _listed("tools", [{"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {}}]),
    "composio_search_tools": _listed("queries", [{"use_case": "send an email"}]),
    "composio_search_news": _needs(query="what happened today"),
    "composio_search_web": _needs(query="who wrote it"),
    "gmail_send_email": Shape(
        required=("subject", "body"),
        required_any=(("recipient_email",), ("to",)),
        example={"recipient_email": "a@example.org", "subject": "Report", "body": "Here it is."},
    ),
    "todowrite": _listed("todos", [{"content": "Write it", "status": "pending", "activeForm": "Writing it"}]),
}
TABLES: Final = {"universal_agent": UNIVERSAL_AGENT}
