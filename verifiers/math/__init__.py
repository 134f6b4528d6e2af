"""Judging mathematical answers: extract, parse, compare."""
