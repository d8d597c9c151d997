"""One kind of hook in an engine of its own, for tests of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.names import parse_event_name
from interlock.events.source import Layer
from interlock.permissions.judge import PermissionTable
from interlock.policy.compile.compile import genesis_hook
from interlock.policy.compile.context import CompileContext
from interlock.policy.files.document import Document, Findings, Node
from interlock.policy.files.validate import shaped
from interlock.policy.files.yaml import read_yaml
from interlock.policy.format.kind_entry import record_of
from interlock.policy.hook_kind import NO_SERVICES, Builtin, HookServices
from interlock.policy.settings_part import NOTHING_SET

_FILE: Final = "trial.key"


def trial_engine(
    builtin: Builtin,
    event: str,
    config: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    services: HookServices = NO_SERVICES,
    settings: Mapping[str, Any] = NOTHING_SET,
    **entry: Any,
) -> Engine:
    """An engine whose policy is one entry of this kind; raise ConfigError as a policy file would."""
    written = {"type": builtin.kind, **entry, "config": dict(config or {})}
    text = msgspec.json.encode({"hooks": {event: [written]}}).decode()
    root = cast("Node", read_yaml(text, _FILE))
    document, path = Document(file=_FILE, root=root), ("hooks", event, 0)
    findings = Findings(document)
    bench = CompileContext(
        findings=findings,
        layer=Layer.USER,
        environ=environ or {},
        own=PermissionTable(),
        others=(),
        services=services,
        settings=settings,
    )
    record = shaped(Document(file=_FILE, root=document.at(path)), record_of(builtin))
    hook = genesis_hook(record, parse_event_name(event), 0, path, bench)
    if findings.problems:
        raise ConfigError(tuple(findings.problems))
    return Engine([hook] if hook else [])
