"""Programs on a service that speaks SandboxFusion's HTTP interface: that of ByteDance, or ``assay serve``.

Beside the sandbox, what a backend for another service is made of: see ``docs/guide/serving.md``.
"""

from .exchange import Request, execution_of, request_of
from .reading import Ran, Reply
from .sandbox import RemoteSandbox

__all__ = ["Ran", "RemoteSandbox", "Reply", "Request", "execution_of", "request_of"]
