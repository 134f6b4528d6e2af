"""NeMo-RL, nemo_rl/environments/utils.py: environments by name; a name is taken once, and an actor needs its interpreter."""

import importlib
import os

from nemo_rl.distributed.ray_actor_environment_registry import get_actor_python_env

ENV_REGISTRY = {}


def register_env(env_name, actor_class_fqn):
    if env_name in ENV_REGISTRY:
        raise ValueError(f"{env_name} is registered")
    ENV_REGISTRY[env_name] = {"actor_class_fqn": actor_class_fqn}


def create_env(env_name, env_configs):
    path = ENV_REGISTRY[env_name]["actor_class_fqn"]
    module, _, name = path.rpartition(".")
    actor = getattr(importlib.import_module(module), name)
    runtime = {"py_executable": get_actor_python_env(path), "env_vars": dict(os.environ)}
    return actor.options(runtime_env=runtime).remote(env_configs[env_name])
