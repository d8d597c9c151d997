"""Which policies of a repository a person has accepted."""
