"""Groups by runs of a key, and the share of them that teaches nothing."""

from __future__ import annotations

import pytest

from assay.integrations.trl.groups import cut_groups, group_shares


@pytest.mark.parametrize(
    ("keys", "size", "groups"),
    [
        ("aabb", None, [range(2), range(2, 4)]),
        ("aaaa", 2, [range(2), range(2, 4)]),
        ("aabbb", 2, [range(2), range(2, 4)]),
        ("abbc", 2, [range(1, 3)]),
        ("aab", 3, []),
        ("", None, []),
        ([{"role": "u"}, {"role": "u"}], None, [range(2)]),
    ],
)
def test_equal_neighbours_are_a_group_and_parts_of_one_are_left_out(
    keys: str, size: int | None, groups: list[range]
) -> None:
    assert cut_groups(keys, size) == groups


@pytest.mark.parametrize(
    ("correct", "shares"),
    [
        ([True, True, False, False], (0.5, 0.5, 1.0)),
        ([True, False, False, False], (0.0, 0.5, 0.5)),
        ([True, False, True, False], (0.0, 0.0, 0.0)),
        ([True, None, True, False], (0.0, 0.0, 0.5)),
        ([None, None, True, True], (1.0, 0.0, 1.0)),
    ],
)
def test_a_group_is_dead_when_its_judged_completions_agree_or_only_one_was_judged(
    correct: list[bool | None], shares: tuple[float, float, float]
) -> None:
    assert group_shares(correct, [range(2), range(2, 4)]) == pytest.approx(shares)


def test_nothing_judged_gives_no_shares() -> None:
    assert group_shares([None, None], [range(2)]) is None
    assert group_shares([], []) is None
