"""Tables and figures that people can read."""
