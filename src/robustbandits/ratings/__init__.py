"""Rating data: reading, checking, fetching and factorising."""
