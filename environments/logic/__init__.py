"""Puzzles with one provable solution."""
