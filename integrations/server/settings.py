"""What a reward server allows, fixed at its start."""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass, fields

from ...errors import InputError

SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where a server listens, whom it answers, and how much it takes on.

    Attributes:
        host: The address to listen on; a loopback address needs no token.
        port: The port; 0 takes any that is free.
        token: What clients send as ``Authorization: Bearer ...``; None asks for nothing.
        body_bytes: Largest body of a request.
        batch: Most completions in one request.
        in_flight: Requests under way at once; those beyond are refused with 503 and ``Retry-After``.
        threads: Requests judged at once; the others in flight wait for a thread.
        request_seconds: What is not judged by then is a failure of ours: no score.
        header_seconds: For the head of a request to arrive, from its first byte or from connecting.
        body_seconds: For the body of a request to arrive, and for an answer to be taken.
        idle_seconds: How long a connection without a request is kept.
        drain_seconds: After SIGTERM, how long requests under way may take.
        run_seconds: Most seconds that ``/run_code`` lets a program run.
        run_memory_bytes: Memory of a program of ``/run_code`` that asks for no limit, and the most it may ask for.

    Raises:
        InputError: A number is not positive, the token is short or no plain text, or there is none although other
            machines can reach the address.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = None
    body_bytes: int = 16 << 20
    batch: int = 4096
    in_flight: int = 256
    threads: int = 16
    request_seconds: float = 300.0
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    idle_seconds: float = 60.0
    drain_seconds: float = 60.0
    run_seconds: float = 300.0
    run_memory_bytes: int = 4 << 30

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in ("host", "port", "token") and not (math.isfinite(value) and value > 0):
                raise InputError(f"{field.name} is {value!r}; expected a positive number")
        if not 0 <= self.port < 1 << 16:
            raise InputError(f"port is {self.port}; expected one from 1 to 65535, or 0 for any that is free")
        if self.token is None and not is_loopback(self.host):
            raise InputError(
                f"refusing to listen on {self.host!r} without a token: other machines could have programs judged and "
                "run here. Put a secret of at least 16 characters into ASSAY_TOKEN or a file (--token-file), or "
                "listen on 127.0.0.1"
            )
        if self.token is not None:
            self._check_token(self.token)

    @staticmethod
    def _check_token(token: str) -> None:
        if not token.isascii() or not token.isprintable() or " " in token:
            raise InputError("the token holds white space or other characters that no HTTP header carries")
        if len(token) < SHORTEST_TOKEN:
            raise InputError(
                f"the token has {len(token)} characters; expected at least {SHORTEST_TOKEN}, such as "
                "`openssl rand -hex 32` makes"
            )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
