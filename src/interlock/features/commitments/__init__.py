"""What is owed, by whom, and what shows that it was done? Commitments, computed from the ledger."""
