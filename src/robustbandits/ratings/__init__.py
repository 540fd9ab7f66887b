"""Rating data: reading, checking, fetching and factorizing."""
