"""Instructions and schemas that a rule can check."""
