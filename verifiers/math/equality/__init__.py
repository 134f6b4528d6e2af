"""Whether two expressions have one value: exact rationals, exact polynomials, then balls at rising precision."""
