"""Rating data: reading, checking, fetching and factorising. No bandits here."""
