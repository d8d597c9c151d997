"""A policy file and a Python hook, in one engine."""

from pathlib import Path

from interlock import Engine, Event, ToolCall, Verdict, deny, hook

POLICY = Path(__file__).with_name("genesis.key")


@hook("PreToolUse", matcher="WebFetch")
def no_network(_event: Event) -> Verdict:
    return deny("this agent works offline")


CALLS = [
    ToolCall(name="Bash", input={"command": "git push --force origin main"}),
    ToolCall(name="Write", input={"file_path": "server.pem", "content": ""}),
    ToolCall(name="WebFetch", input={"url": "https://example.com"}),
    ToolCall(name="Read", input={"file_path": "README.md"}),
]


def main() -> None:
    with Engine(hooks=[no_network], files=[POLICY]) as engine:
        for actor in [engine.actors.main, "agent:architect"]:
            for call in CALLS:
                decision = engine.decide_sync(Event(name="PreToolUse", actor=actor, tool=call))
                by = f" by {decision.decided_by}: {decision.reason}" if decision.denied else ""
                print(f"{actor} {call.name}: {decision.outcome}{by}")


if __name__ == "__main__":
    main()
