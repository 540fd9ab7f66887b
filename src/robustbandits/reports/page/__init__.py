"""The HTML page of a report: one file that works offline."""
