"""What a plugin imports: these names stay where they are."""

from interlock.builtin_hooks.build_context import Making
from interlock.builtin_hooks.kind import Builtin, Helper, OptionRule, SlowRule
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.hook import Handler, Matcher, OnFailure, Pattern, Sight
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote, allow, ask, deny
from interlock.policy.compile.trial_engine import trial_engine

__all__ = [
    "NO_OPINION",
    "Builtin",
    "ConfigError",
    "Event",
    "EventName",
    "Evidence",
    "Handler",
    "Helper",
    "Making",
    "Matcher",
    "OnFailure",
    "OptionRule",
    "Pattern",
    "Sight",
    "SlowRule",
    "ToolCall",
    "Verdict",
    "Vote",
    "allow",
    "ask",
    "deny",
    "trial_engine",
]
