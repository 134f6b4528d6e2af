"""Programs, judged by tests in a sandbox."""
