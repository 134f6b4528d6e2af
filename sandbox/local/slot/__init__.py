"""What runs inside a slot: standard library only, started as ``python -c`` outside the assay package.

``keeper`` watches from outside, ``zygote`` is the fork server within, ``child`` is what a run does before and around
the program, ``probe`` tries each mechanism for real; ``container`` is how a zygote starts as a container's first
process.
"""
