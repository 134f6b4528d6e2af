"""Tasks with tools: a calculator, a Python session."""
