"""What people do with the ledger: list, verify, export, prune, import."""
