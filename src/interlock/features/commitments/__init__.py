"""Commitments: what is owed, by whom, and what shows that it was done, computed from the ledger."""
