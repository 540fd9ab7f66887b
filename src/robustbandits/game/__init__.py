"""A round, the loop that plays millions of them, and what takes part. No policies, no files."""
