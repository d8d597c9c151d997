"""Every tool of the server: its words, what it takes and what it gives."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.mcp.schemas import (
    ASKED,
    EXPLAINED,
    FOUND,
    ORIGIN,
    RECORDED,
    arguments,
    choice,
    identities,
    identity,
    number,
    text,
    texts,
)


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool, as clients are told of it."""

    name: str
    title: str
    description: str  # with an example
    input_schema: JsonObject
    output_schema: JsonObject
    reads_only: bool = False


_COMMITMENT: Final = identity("The commitment, as in cmt_5e6f7a8b.")
_CALL: Final = arguments(
    ("tool", "input"),
    tool=text("The tool's name, as in Bash.", maxLength=200),
    input={"type": "object", "description": "Its whole input, exactly as you would make the call."},
)

TOOLS: Final = (
    Tool(
        name="capture",
        title="Record an observation",
        description="Record something observed or done as a memory; commitments refer to its id. "
        'Example: {"body": "Checkout fails for guests", "kind": "observation"}',
        input_schema=arguments(
            ("body",),
            body=text("What was observed."),
            kind=text(
                "What kind it is: observation, evidence, …; finding, step_result and learning need refs."
            ),
            refs=identities("What it was drawn from."),
            **ORIGIN,
        ),
        output_schema=RECORDED,
    ),
    Tool(
        name="commit",
        title="Make a commitment",
        description="Make a commitment: something owed, from a memory that was captured before. "
        'Example: {"body": "Fix guest checkout", "source": "mem_1a2b3c4d", "tags": ["shop"]}',
        input_schema=arguments(
            ("body", "source"),
            body=text("What is owed."),
            source=identity("The memory it comes from."),
            tags=texts("Tags; they say how it is closed."),
            **ORIGIN,
        ),
        output_schema=RECORDED,
    ),
    Tool(
        name="claim",
        title="Claim a commitment",
        description="Make a commitment yours; this session works on it from now on. "
        'Example: {"commitment": "cmt_5e6f7a8b"}',
        input_schema=arguments(("commitment",), commitment=_COMMITMENT),
        output_schema=RECORDED,
    ),
    Tool(
        name="submit",
        title="Hand a commitment in",
        description="Hand in a commitment you claimed, with evidence or a summary that becomes the evidence; "
        "its tier says whether it closes at once or waits for a review. "
        'Example: {"commitment": "cmt_5e6f7a8b", "summary": "fixed, all tests pass"}',
        input_schema=arguments(
            ("commitment",),
            commitment=_COMMITMENT,
            summary=text("What was done."),
            evidence=identities("The memories that show it."),
            tier=choice("A stricter tier than its own.", ("tier_1", "tier_2", "tier_3")),
            **ORIGIN,
        ),
        output_schema=RECORDED,
    ),
    Tool(
        name="approve",
        title="Approve another's commitment",
        description="Close a commitment that somebody else handed in; nobody approves their own, and tier 3 "
        'is for people. Example: {"commitment": "cmt_5e6f7a8b", "comment": "checked the tests"}',
        input_schema=arguments(("commitment",), commitment=_COMMITMENT, comment=text("What you looked at.")),
        output_schema=RECORDED,
    ),
    Tool(
        name="reject",
        title="Send a commitment back",
        description="Reopen a commitment that is in review or closed. "
        'Example: {"commitment": "cmt_5e6f7a8b", "reason": "the test is skipped"}',
        input_schema=arguments(
            ("commitment", "reason"),
            commitment=_COMMITMENT,
            reason=text("Why."),
            domain=choice("Whose failure it is.", ("intent", "safety", "technical")),
        ),
        output_schema=RECORDED,
    ),
    Tool(
        name="close",
        title="Close a commitment",
        description="Close a commitment without a review: with a memory as evidence, or as the duplicate of "
        'another. Example: {"commitment": "cmt_5e6f7a8b", "evidence": "mem_9c8d7e6f"}',
        input_schema=arguments(
            ("commitment",),
            commitment=_COMMITMENT,
            evidence=identity("The memory that shows it is done."),
            duplicate_of=identity("The commitment that says the same."),
        ),
        output_schema=RECORDED,
    ),
    Tool(
        name="search",
        title="Search what was recorded",
        description="Find entries of this session and the commitments and memories of this workspace, newest "
        'first; secrets are taken out. Example: {"text": "checkout \\"guest user\\"", "op": "capture"}',
        input_schema=arguments(
            (),
            text=text('Words that must all be there; "a phrase"; begin* for a beginning.', maxLength=1_000),
            op=text("Only of this kind: capture, commit, decision, evidence, …", maxLength=40),
            limit=number("How many at most.", most=50, default=10),
            before=number("Only entries before this seq: the next page."),
        ),
        output_schema=FOUND,
        reads_only=True,
    ),
    Tool(
        name="explain",
        title="Explain what a call would be decided as",
        description="Say whether the policy would allow, ask about or deny a call, and why; it is not made. "
        'Example: {"tool": "Bash", "input": {"command": "git push origin main"}}',
        input_schema=_CALL,
        output_schema=EXPLAINED,
        reads_only=True,
    ),
    Tool(
        name="request_approval",
        title="Ask a person before a call",
        description="Ask for a person's approval of one exact call before you make it; call again to see the "
        'answer. Example: {"tool": "Bash", "input": {"command": "rm -r build"}}',
        input_schema=_CALL,
        output_schema=ASKED,
    ),
)
