"""Mathematics: word problems, competitions, generated sums."""
