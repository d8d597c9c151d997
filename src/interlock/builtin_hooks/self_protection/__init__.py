"""An agent may not change the gate itself."""
