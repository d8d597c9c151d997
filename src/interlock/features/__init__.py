"""Everything Interlock can do beside deciding: one folder a feature, one row here.

Names only: whoever needs a part (the daemon, the command line, the dashboard, the policy) imports it
when it is used. So a feature that nobody uses costs nothing, and deleting a folder deletes the feature.
"""

from __future__ import annotations

from typing import Final

from interlock.feature import Feature

FEATURES: Final = (
    Feature(name="notifications"),
    Feature(name="remedies"),
    Feature(name="session_reports", needs=("notifications",)),
    Feature(name="trust_scores"),
    Feature(name="ledger_tools"),
    Feature(name="team_ledger", needs=("ledger_tools",)),
    Feature(name="policy_tests"),
    Feature(name="lint"),
    Feature(name="approvals", needs=("notifications",)),
    Feature(name="commitments", needs=("approvals",)),
    Feature(name="receipts"),
    Feature(name="work"),
    Feature(name="fleet", needs=("work",)),
    Feature(name="gates", needs=("approvals", "commitments", "trust_scores")),
    Feature(name="learning", needs=("approvals",)),
    Feature(name="mcp", needs=("approvals", "commitments")),
)
