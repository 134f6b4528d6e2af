"""Groups by runs of a key, and which of them teach nothing."""

from __future__ import annotations

import pytest

from assay.integrations.trl.groups import GroupKind, cut_groups, group_kinds


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
    ("correct", "kinds"),
    [
        ([True, True, False, False], [GroupKind.ALL_PASS, GroupKind.ALL_FAIL]),
        ([True, False, False, False], [GroupKind.ALIVE, GroupKind.ALL_FAIL]),
        ([True, False, True, False], [GroupKind.ALIVE, GroupKind.ALIVE]),
        ([True, None, True, False], [GroupKind.ALONE, GroupKind.ALIVE]),
        ([None, False, True, True], [GroupKind.ALONE, GroupKind.ALL_PASS]),
        ([None, None, True, True], [GroupKind.ALL_PASS]),
    ],
)
def test_a_group_is_alive_when_its_judged_completions_differ(
    correct: list[bool | None], kinds: list[GroupKind]
) -> None:
    assert group_kinds(correct, [range(2), range(2, 4)]) == kinds


def test_nothing_judged_gives_no_kind() -> None:
    assert group_kinds([None, None], [range(2)]) == []
    assert group_kinds([], []) == []
