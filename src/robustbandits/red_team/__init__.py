"""The red team: point attacks at a policy, and report the budget that hijacks it."""
