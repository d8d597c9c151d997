"""How far is an actor trusted? Computed from what the ledger saw, never from what anybody says."""
