"""Constants of the browser tests."""

TIMEOUT = 120_000  # milliseconds, enough for a busy machine
HOSTILE = "</script><img src=x onerror=alert(1)>"
