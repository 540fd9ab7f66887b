"""Tables, figures and a page from the ledgers of experiments. Nothing here plays games."""
