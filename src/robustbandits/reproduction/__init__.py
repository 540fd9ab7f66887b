"""The paper's Figure 1: readings, published numbers, verdict. Reports must not import it."""
