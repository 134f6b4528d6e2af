"""User ids for slots: such as no account and no other slot of the machine has."""

from __future__ import annotations


def slot_identity(pid: int, number: int) -> int:
    """The first of two user ids that no account has and no other slot of this machine uses.

    They lie above the ranges that systems hand out; a user namespace that maps fewer ids gets them from its upper end.
    """
    index = (pid * 512 + number % 256 * 2) % 0x40000000
    wanted = 0x70000000 + index
    with open("/proc/self/uid_map") as file:
        ranges = [tuple(map(int, line.split())) for line in file]
    if any(start <= wanted and wanted + 1 < start + count for start, _, count in ranges):
        return wanted
    start, _, count = max(ranges, key=lambda row: row[2])
    half = count // 2
    return start + half + index % max(half - 1, 1)
