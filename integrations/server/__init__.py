"""``assay serve``: verifiers and the sandbox over HTTP, for trainers that ask a server for rewards."""

from .app import create_app
from .judges import Judge, read_judges
from .run import serve
from .settings import ServerSettings

__all__ = ["Judge", "ServerSettings", "create_app", "read_judges", "serve"]
