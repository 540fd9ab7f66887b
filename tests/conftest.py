"""What holds for all tests."""

import hypothesis

# The same examples in every run, however busy the machine: a law that breaks, breaks for everybody.
hypothesis.settings.register_profile("calm", deadline=None, derandomize=True)
hypothesis.settings.load_profile("calm")
