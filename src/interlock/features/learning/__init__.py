"""What does history teach? A policy tried on what was recorded, and rules proposed from what was approved."""
