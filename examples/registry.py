"""A `HookRegistry`: hooks registered one by one, here one that keeps secrets from being overwritten."""

from interlock import HookRegistry
from interlock.sdk.registry_records import HookContext, HookDefinition, HookEventType, Inline
from interlock.sdk.results import CONTINUE, HookResult, Reject


def protect_secrets(ctx: HookContext) -> HookResult:
    path = ctx.tool_input.get("file_path", "") if isinstance(ctx.tool_input, dict) else ""
    if ".env" in path or "credentials" in path:
        return Reject("Cannot write to sensitive files")
    return CONTINUE


def main() -> None:
    registry = HookRegistry()
    registry.register(
        HookDefinition(
            event=HookEventType.PRE_TOOL_USE,
            tool_matcher="Write",
            handler=Inline(protect_secrets),
        )
    )
    for path in ["src/app.py", "config/.env", "aws/credentials.json"]:
        ctx = HookContext(tool_name="Write", tool_input={"file_path": path})
        print(f"Write {path}: {registry.execute_sync(HookEventType.PRE_TOOL_USE, ctx)}")


if __name__ == "__main__":
    main()
