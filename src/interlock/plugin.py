"""What a plugin imports: these names stay where they are."""

from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, Matcher, OnFailure, Pattern
from interlock.events.names import EventName
from interlock.events.rule import Helper, OptionRule, SlowRule
from interlock.events.tool import ToolCall
from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote, allow, ask, deny
from interlock.feature import Feature
from interlock.policy.compile.compile import trial_engine
from interlock.policy.hook_kind import BuildContext as Making
from interlock.policy.hook_kind import Builtin, HookServices
from interlock.policy.settings_part import FileSettings, SettingsPart, trusted

Sight = CallView  # its name in plugins written before

__all__ = [
    "NO_OPINION",
    "Builtin",
    "CallView",
    "ConfigError",
    "Event",
    "EventName",
    "Evidence",
    "Feature",
    "FileSettings",
    "Handler",
    "Helper",
    "HookServices",
    "Making",
    "Matcher",
    "OnFailure",
    "OptionRule",
    "Pattern",
    "SettingsPart",
    "Sight",
    "SlowRule",
    "ToolCall",
    "Verdict",
    "Vote",
    "allow",
    "ask",
    "deny",
    "trial_engine",
    "trusted",
]
