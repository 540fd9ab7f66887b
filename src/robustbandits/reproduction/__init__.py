"""The paper's Figure 1: readings, published numbers, verdict. Uses reports, never the reverse."""
