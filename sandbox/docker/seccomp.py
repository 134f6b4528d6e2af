"""The engine's system call filter, made from the slot's own allow-list: what that refuses, this refuses from outside.

Where a rule of the slot's allows all but some values of an argument, which this form of filter cannot say, the call is
allowed here; the slot's filter, which every program runs under besides, then refuses.
"""

from __future__ import annotations

import json
from typing import Any

from ..local.slot import kernel, seccomp
from ..local.slot.numbers import MACHINE

_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
# What only a slot with mounts of its own calls. Nothing else that the slot needs to set up is refused: its own filter
# takes the rest away from programs.
_NEVER_IN_A_CONTAINER = {"mount", "umount2"}
_EPERM, _ENOSYS = 1, 38


def profile() -> str:
    """The filter as the JSON text that ``--security-opt seccomp=`` takes."""
    rules = seccomp.argument_rules(sockets=True)
    names = [name for name in seccomp.allowed_names() if name not in _NEVER_IN_A_CONTAINER]
    names += [rule.name for rule in rules if rule.refused]
    calls: list[dict[str, Any]] = [{"names": sorted(names), "action": "SCMP_ACT_ALLOW"}]
    for rule in rules:
        if not rule.refused:
            calls += [_allow(rule.name, rule.argument, value) for value in rule.values]
    calls.append(_allow("setpriority", 0, 0))
    no_namespaces = {"index": 0, "value": kernel.NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    calls.append({"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [no_namespaces]})
    calls.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS})
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ERRNO",
            "defaultErrnoRet": _EPERM,
            "architectures": [_ARCHITECTURES[MACHINE]] if MACHINE in _ARCHITECTURES else [],
            "syscalls": calls,
        }
    )


def _allow(name: str, argument: int, value: int) -> dict[str, Any]:
    equal = {"index": argument, "value": value, "op": "SCMP_CMP_EQ"}
    return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": [equal]}
