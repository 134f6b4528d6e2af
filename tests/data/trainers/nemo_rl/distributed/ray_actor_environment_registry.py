"""NeMo-RL, nemo_rl/distributed/ray_actor_environment_registry.py: the interpreter of each actor's class."""

ACTOR_ENVIRONMENT_REGISTRY = {}


def get_actor_python_env(actor_class_fqn):
    if actor_class_fqn not in ACTOR_ENVIRONMENT_REGISTRY:
        raise ValueError(f"no interpreter is registered for {actor_class_fqn}")
    return ACTOR_ENVIRONMENT_REGISTRY[actor_class_fqn]
