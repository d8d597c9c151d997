"""One process per user that decides, records and answers for every agent on the machine."""
