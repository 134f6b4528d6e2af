"""The table of environments: built-in names, plug-ins, and everything registered at run time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from ..errors import InputError, LoadFailed, RegistryError, UnknownName
from ..registry import Registry
from .base import Environment
from .names import NAME
from .plain import environment_of

E = TypeVar("E", bound="type[Environment] | Environment")
Splits = Mapping[str, int | None] | Sequence[str]

ENVIRONMENTS: Registry[Callable[..., Environment] | Environment] = Registry(
    "environment",
    {
        "bridge/gymnasium-v1": "assay.environments.gymnasium:GymnasiumEnvironment",
        "bridge/reasoning-gym-v1": "assay.environments.reasoning_gym:ReasoningGym",
        "bridge/verifiers-v1": "assay.environments.prime:PrimeTaskset",
        "code/humaneval-v1": "assay.environments.humaneval:HumanEval",
        "code/mbpp-v1": "assay.environments.mbpp:MBPP",
        "code/repair-v1": "assay.environments.code_repair:CodeRepair",
        "code/stdio-v1": "assay.environments.stdio:StdioCode",
        "format/ifbench-v1": "assay.environments.ifeval:IFBench",
        "format/ifeval-v1": "assay.environments.ifeval:IFEval",
        "format/json-schema-v1": "assay.environments.json_schema:JSONSchema",
        "games/guess-number-v1": "assay.environments.guess_number:GuessNumber",
        "logic/knights-and-knaves-v1": "assay.environments.knights_knaves:KnightsKnaves",
        "logic/logic-rl-v1": "assay.environments.knights_knaves:LogicRL",
        "math/aime24-v1": "assay.environments.aime:AIME24",
        "math/aime25-v1": "assay.environments.aime:AIME25",
        "math/arithmetic-v1": "assay.environments.arithmetic:Arithmetic",
        "math/countdown-600-v1": "assay.environments.countdown:Countdown600",
        "math/countdown-v1": "assay.environments.countdown:Countdown",
        "math/gsm8k-v1": "assay.environments.gsm8k:GSM8K",
        "math/math-v1": "assay.environments.math500:Math",
        "math/math500-v1": "assay.environments.math500:Math500",
        "math/svamp-v1": "assay.environments.svamp:SVAMP",
        "qa/mmlu-stem-v1": "assay.environments.mmlu_stem:MMLUStem",
        "tools/calculator-v1": "assay.environments.calculator:Calculator",
        "tools/python-v1": "assay.environments.python_tool:PythonTool",
    },
    group="assay.environments",
)


@overload
def register(environment: E) -> E: ...


@overload
def register(
    environment: str, *, splits: Splits | None = None, domain: str = "", licence: str = "", source: str = ""
) -> Callable[[type], type[Environment]]: ...


def register(
    environment: E | str, *, splits: Splits | None = None, domain: str = "", licence: str = "", source: str = ""
) -> E | Callable[[type], type[Environment]]:
    """Register an environment: a class or an object under its ``name``, or, given a name, any class; a decorator.

    ::

        @register("my/sums-v1", splits={"train": 90})
        class Sums:
            def load(self, split):
                for number in range(90):
                    yield f"{number}+1=", str(number + 1)     # a prompt and its reference, or a Task

            def verify(self, completion, reference):
                return completion.strip() == reference        # True or False, a score in [0, 1] or a Result

    Args:
        environment: An ``Environment`` class, an environment that ``make_env`` made, or a name for the class below.
        splits: For a plain class without an attribute ``splits``: the names of its splits, with sizes where known.
        domain: For a plain class, "math", "code", ... for ``assay list``.
        licence: For a plain class, the licence of its tasks.
        source: For a plain class, where its tasks come from.

    Raises:
        RegistryError: The name is not of the form ``namespace/name-vN``.
        DuplicateName: Something else has the name.
        InputError: A plain class lacks a part.
    """
    if isinstance(environment, str):
        name = _checked(environment, environment)
        return lambda cls: register(environment_of(cls, name, splits, domain=domain, licence=licence, source=source))
    owner = environment.__name__ if isinstance(environment, type) else type(environment).__name__
    ENVIRONMENTS.add(_checked(getattr(environment, "name", None), f"{owner}.name"), environment)
    return environment


def _checked(name: Any, what: str) -> str:
    if not isinstance(name, str) or not NAME.match(name):
        raise RegistryError(f"{what} is {name!r}; expected 'namespace/name-vN', like 'math/sums-v1'")
    return name


def make(name: str, **options: Any) -> Environment:
    """The environment called ``name``; without ``-vN`` its newest version.

    Args:
        name: A registered name, ``package.module:attribute`` or ``path/to/file.py:attribute``. The attribute is an
            ``Environment`` class, a function that makes an environment, or an environment.
        **options: Handed to the class or function.

    Raises:
        UnknownName: Nobody registered it, or not in this version; the message lists the nearest names.
        LoadFailed: It is known but its module cannot be imported, or it is no environment.
        InputError: It does not take one of the options.
    """
    wanted = newest(name)
    _refuse_unknown_version(wanted)
    target = ENVIRONMENTS.get(wanted)
    if isinstance(target, Environment):
        if options:
            raise InputError(f"{name!r} is made already and takes no options; {', '.join(options)} was given")
        if ":" in wanted:  # another process finds it there again; a name may be registered in this one alone
            vars(target).setdefault("_made_as", _absolute(wanted))
        return target
    if not callable(target):
        raise LoadFailed(
            f"{name!r} is {target!r:.100}; expected an Environment, its class, or a function that makes one"
        )
    _refuse_unknown_options(wanted, target, options)
    environment = target(**options)
    if not isinstance(environment, Environment):
        raise LoadFailed(f"{name!r} made {environment!r:.100}; expected an Environment")
    return environment


def newest(name: str) -> str:
    """``name`` with the highest registered version where it has none; any other name unchanged."""
    versions = _versions(name)
    return f"{name}-v{max(versions)}" if versions else name


def _versions(base: str) -> list[int]:
    return [int(found["version"]) for known in ENVIRONMENTS if (found := NAME.match(known)) and found["base"] == base]


def _refuse_unknown_version(name: str) -> None:
    found = NAME.match(name)
    if found and name not in ENVIRONMENTS and (versions := _versions(found["base"])):
        known = ", ".join(f"{found['base']}-v{version}" for version in sorted(versions))
        raise UnknownName(
            f"environment {found['base']!r} has no version {found['version']}; this installation knows {known}. "
            "A newer one needs a newer assay or plug-in"
        )


def _refuse_unknown_options(name: str, target: Callable[..., Environment], options: Mapping[str, Any]) -> None:
    try:
        signature = inspect.signature(target)
    except ValueError:
        return  # something built in tells nothing about itself
    try:
        signature.bind(**options)
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "none"
        raise InputError(
            f"{name!r} was given {', '.join(options) or 'nothing'}: {error}; its options are {takes}"
        ) from error


def _absolute(name: str) -> str:
    """The same name for a process in another working directory."""
    file, mark, attribute = name.rpartition(".py:")
    return f"{Path(file + '.py').resolve()}:{attribute}" if mark else name
