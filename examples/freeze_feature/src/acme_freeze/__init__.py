"""A code freeze: while it is on, agents may not do what its hook matches."""

from interlock.plugin import Feature

FEATURE = Feature(
    name="acme_freeze",
    settings=("settings:FREEZE",),
    hooks={"acme.freeze": "hook:BUILTIN"},
    service="service:FreezeService",
    commands="cli:add",
    doctor="cli:check",
    pages=("page:PAGE",),
    api=("page:ENDPOINTS",),
)
