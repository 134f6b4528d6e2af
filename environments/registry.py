"""The table of environments: built-in names, plug-ins, and everything registered at run time."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

from ..errors import AssayError, InputError, LoadFailed, RegistryError, UnknownName
from ..registry import Registry
from .base import Environment
from .names import NAME
from .plain import environment_of
from .wording import told

E = TypeVar("E", bound="type[Environment] | Environment")
Splits = Mapping[str, int | None] | Sequence[str]

ENVIRONMENTS: Registry[Callable[..., Environment] | Environment] = Registry(
    "environment",
    {
        "bridge/gymnasium-v1": "assay.environments.bridge.gymnasium:GymnasiumEnvironment",
        "bridge/reasoning-gym-v1": "assay.environments.bridge.reasoning_gym:ReasoningGym",
        "bridge/verifiers-v1": "assay.environments.bridge.prime:PrimeTaskset",
        "code/humaneval-v1": "assay.environments.code.humaneval:HumanEval",
        "code/mbpp-v1": "assay.environments.code.mbpp:MBPP",
        "code/repair-v1": "assay.environments.code.repair:CodeRepair",
        "code/stdio-v1": "assay.environments.code.stdio:StdioCode",
        "format/ifbench-v1": "assay.environments.format.ifeval:IFBench",
        "format/ifeval-v1": "assay.environments.format.ifeval:IFEval",
        "format/json-schema-v1": "assay.environments.format.json_schema:JSONSchema",
        "games/guess-number-v1": "assay.environments.games.guess_number:GuessNumber",
        "logic/knights-and-knaves-v1": "assay.environments.logic.knights_knaves:KnightsKnaves",
        "logic/logic-rl-v1": "assay.environments.logic.knights_knaves:LogicRL",
        "math/aime24-v1": "assay.environments.math.aime:AIME24",
        "math/aime25-v1": "assay.environments.math.aime:AIME25",
        "math/arithmetic-v1": "assay.environments.math.arithmetic:Arithmetic",
        "math/countdown-600-v1": "assay.environments.math.countdown:Countdown600",
        "math/countdown-v1": "assay.environments.math.countdown:Countdown",
        "math/gsm8k-v1": "assay.environments.math.gsm8k:GSM8K",
        "math/math-v1": "assay.environments.math.math500:Math",
        "math/math500-v1": "assay.environments.math.math500:Math500",
        "math/svamp-v1": "assay.environments.math.svamp:SVAMP",
        "qa/mmlu-stem-v1": "assay.environments.qa.mmlu_stem:MMLUStem",
        "tools/calculator-v1": "assay.environments.tools.calculator:Calculator",
        "tools/python-v1": "assay.environments.tools.python:PythonTool",
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
        InputError: The name is no string, or what it names does not take one of the options.
    """
    if not isinstance(name, str):
        raise InputError(f"the name is {name!r:.100}; expected a string, like 'math/gsm8k-v1' or 'file.py:attribute'")
    wanted = newest(name)
    _refuse_unknown_version(wanted)
    target = registered(wanted)
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
    environment = _made(wanted, target, options)
    if not isinstance(environment, Environment):
        raise LoadFailed(f"{name!r} made {environment!r:.100}; expected an Environment")
    return environment


def registered(name: str) -> Callable[..., Environment] | Environment:
    """What ``name`` stands for in the table, or at its path.

    Raises:
        UnknownName: Nobody registered it.
        LoadFailed: It cannot be imported, or a plug-in gives it another name than its environment has.
    """
    if name in ENVIRONMENTS and not NAME.match(name):
        raise LoadFailed(
            f"a plug-in registers an environment as {name!r}, which is no name: expected 'namespace/name-vN', like "
            "'math/sums-v1', in its entry points"
        )
    target = ENVIRONMENTS.get(name)
    own = getattr(target, "name", name)
    if name in ENVIRONMENTS and own != name:
        raise LoadFailed(
            f"a plug-in registers {target!r:.100} as {name!r}, but it calls itself {own!r}; its entry point and its "
            "attribute name have to be the same"
        )
    return target


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
        signature = inspect.signature(getattr(target, "plain", target))  # of a plain class its own
    except ValueError:
        return  # something built in tells nothing about itself
    takes = [
        one.name
        for one in signature.parameters.values()
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY) and one.name != "self"
    ]
    try:
        signature.bind(**options)
    except TypeError as error:
        unknown = [option for option in options if option not in takes]
        near = [close for option in unknown for close in difflib.get_close_matches(option, takes, n=1, cutoff=0.5)]
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise InputError(
            f"{name!r} was given {', '.join(options) or 'nothing'}: {error}{hint}; its options are "
            f"{', '.join(takes) or 'none'}"
        ) from error


def _made(name: str, target: Callable[..., Environment], options: Mapping[str, Any]) -> Environment:
    """What ``target`` makes of the options; what it cannot use is the caller's mistake, all else that of its author."""
    try:
        return target(**options)
    except AssayError:
        raise
    except Exception as error:
        given = ", ".join(f"{option}={value!r:.100}" for option, value in options.items())
        if given:
            raise InputError(f"{name!r} cannot be made with {given}: {told(error)}") from error
        raise LoadFailed(f"{name!r} cannot be made: {told(error)}") from error


def _absolute(name: str) -> str:
    """The same name for a process in another working directory."""
    file, mark, attribute = name.rpartition(".py:")
    return f"{Path(file + '.py').resolve()}:{attribute}" if mark else name
