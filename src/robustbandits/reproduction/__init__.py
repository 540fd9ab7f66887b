"""The paper's Figure 1: its readings, its published numbers, and how ours compare."""
