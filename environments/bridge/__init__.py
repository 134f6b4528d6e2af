"""Other suites as environments: reasoning-gym, Gymnasium, PrimeIntellect's verifiers."""
