"""``assay serve``: verifiers and the sandbox over HTTP, for trainers that ask a server for rewards."""

from ...errors import MissingExtra

try:
    from .app import create_app
    from .judges import Judge, read_judges
    from .run import serve
    from .settings import ServerSettings
except ModuleNotFoundError as error:
    if error.name not in ("fastapi", "uvicorn", "prometheus_client"):
        raise
    raise MissingExtra(error.name, "server") from error

__all__ = ["Judge", "ServerSettings", "create_app", "read_judges", "serve"]
