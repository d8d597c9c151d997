"""What would this call really do? Text in, the parts a policy must judge out."""
