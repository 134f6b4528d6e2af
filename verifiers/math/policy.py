"""The few switches of the math verifier."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InputError


@dataclass(frozen=True, slots=True)
class Policy:
    """How strictly answers are taken; every default is the strict or the mathematically plain one.

    Attributes:
        significant_digits: A decimal with at least so many significant digits may stand for a number that it only
            approximates, when it agrees with it to its last digit (the fifteenth at most). Never absolute.
        units_required: Whether an answer has to carry the unit of the reference. A different unit is always wrong.
        list_order: Whether the items of a comma list have to come in the order of the reference.
        simplified: Whether a rational number has to be written in lowest terms: 6/8 and 9+1 are then wrong.
        percent_as_fraction: Whether N/100 counts for the reference N %.
        last_value: Whether, in a completion that marks no answer, its last bold text, last displayed formula or last
            number is taken. Guessing pays under this switch; leave it off in training.

    Raises:
        InputError: ``significant_digits`` is not between 2 and 15.
    """

    significant_digits: int = 9
    units_required: bool = False
    list_order: bool = False
    simplified: bool = False
    percent_as_fraction: bool = True
    last_value: bool = False

    def __post_init__(self) -> None:
        if not 2 <= self.significant_digits <= 15:
            raise InputError(
                f"significant_digits is {self.significant_digits!r}; expected a number from 2 to 15, 9 by default"
            )
