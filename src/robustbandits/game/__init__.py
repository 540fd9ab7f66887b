"""One round, and the loop that plays millions of them."""
