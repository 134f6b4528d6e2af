"""Where completions come from: one file for each source."""
