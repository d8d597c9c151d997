"""Where in the ledger is it? An index of words and facts beside the database, made from it at any time."""
