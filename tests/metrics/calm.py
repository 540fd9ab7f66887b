"""Settings of property tests that no busy machine can fail."""

from hypothesis import HealthCheck, settings

calm = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
