"""Hooks as decorated functions: deny, ask, change the input, add context."""

from interlock import Engine, Event, ToolCall, Verdict, ask, deny, hook


@hook("PreToolUse", matcher="Bash(rm *)")
def no_removal(_event: Event) -> Verdict:
    return deny("files are not removed here; move them to ./trash")


@hook("PreToolUse", matcher="Bash(git push *)")
async def push_needs_a_person(_event: Event) -> Verdict:
    return ask("pushing is for a person to decide")


@hook("PreToolUse", matcher="Bash(pytest *)")
def quiet_tests(event: Event) -> Verdict | None:
    command = event.tool.input["command"] if event.tool else ""
    return None if "-q" in command else Verdict(updated_input={"command": f"{command} -q"})


@hook("UserPromptSubmit")
def remind(_event: Event) -> Verdict:
    return Verdict(context="The deadline is Friday.")


def main() -> None:
    with Engine(hooks=[no_removal, push_needs_a_person, quiet_tests, remind]) as engine:
        for command in ["ls", "cd build && rm -r out", "git push origin main", "pytest tests"]:
            call = ToolCall(name="Bash", input={"command": command})
            decision = engine.decide_sync(Event(name="PreToolUse", tool=call))
            change = f" as `{decision.updated_input['command']}`" if decision.updated_input else ""
            print(f"{command!r}: {decision.outcome}{change} {decision.reason or ''}".rstrip())
        prompt = engine.decide_sync(Event(name="UserPromptSubmit", prompt="Fix the bug"))
        print(f"the model is also told: {prompt.context[0]}")


if __name__ == "__main__":
    main()
