"""What the browser's tests share."""

PATIENCE = 120_000  # milliseconds: for a busy machine; nothing waits that long otherwise
HOSTILE = "</script><img src=x onerror=alert(1)>"
