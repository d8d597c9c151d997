"""What must not be kept: secrets in texts, replaced by marks that tell equal ones apart from others."""
