"""Many clients at once against `assay serve`: `python -P benchmarks/server.py`.

Starts the server on loopback, with a token, and asks it from 200 clients for two minutes: batches, OpenRLHF's body,
NeMo-Gym's, and now and then a program. Every request holds numbers of its own, and every reply is checked against its
request. The exit status is 1 where a request failed, an answer was lost, swapped or wrong, or the server's memory grew.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

TOKEN = "a-token-for-the-benchmark"
WARM_UP_SHARE = 0.25  # of the time, before which memory may grow: caches fill
PROGRAMS_PER_THOUSAND = 10


@dataclass
class Tally:
    """What happened.

    Attributes:
        requests: Answered, by path.
        troubles: What went wrong, the first of each kind, with its number.
        seconds: Of each request.
        resident_bytes: The server's memory, once a second.
        cpu_seconds: CPU time of the server's process; programs run in others.
    """

    requests: Counter[str] = field(default_factory=Counter)
    troubles: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    resident_bytes: list[int] = field(default_factory=list)
    cpu_seconds: float = 0.0


def question(number: int) -> tuple[str, dict[str, Any], Any]:
    """A path, a body that no other request has, and what has to come back."""
    right, wrong = str(number), str(number + 1)
    kind = number % 1000
    if kind < PROGRAMS_PER_THOUSAND:
        body = {"code": "print(int(input()) * 2)", "stdin": right, "language": "python"}
        return "/run_code", body, ("Success", f"{2 * number}\n")
    if kind % 3 == 0:
        completions = [rf"so \boxed{{{right}}}", rf"so \boxed{{{wrong}}}", "no idea"]
        return (
            "/verify",
            {"completions": completions, "references": [right] * 3},
            [(1.0, right), (0.0, wrong), (0.0, None)],
        )
    if kind % 3 == 1:
        queries = [f"{wrong}? It is \\boxed{{{answer}}}<|im_end|>" for answer in (right, wrong)]
        body = {"query": queries, "prompts": [f"{wrong}? "] * 2, "labels": [right, right]}
        return "/openrlhf/reward", body, [1.0, 0.0]
    content = [{"type": "output_text", "text": rf"\boxed{{{right}}}"}]
    response = {"id": right, "output": [{"type": "message", "role": "assistant", "content": content}]}
    body = {"responses_create_params": {"input": wrong}, "response": response, "expected_answer": right}
    return "/nemo_gym/verify", body, (1.0, right)


def answer(path: str, reply: Any) -> Any:
    """The part of a reply that tells whose it is."""
    if path == "/run_code":
        return reply["status"], reply["run_result"]["stdout"]
    if path == "/verify":
        return [(result["score"], result["answer"]) for result in reply["results"]]
    if path == "/openrlhf/reward":
        return reply["rewards"]
    return reply["reward"], reply["response"]["id"]


async def client(number: int, clients: int, http: httpx.AsyncClient, until: float, tally: Tally) -> None:
    """Ask one question after another."""
    while time.monotonic() < until:
        path, body, wanted = question(number)
        started = time.perf_counter()
        try:
            reply = await http.post(path, json=body)
            found = answer(path, reply.json()) if reply.status_code == 200 else f"status {reply.status_code}"
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        tally.seconds.append(time.perf_counter() - started)
        tally.requests[path] += 1
        if found != wanted:
            tally.troubles[f"{path}: {found!s:.100}" if isinstance(found, str) else f"{path}: another answer"] += 1
        number += clients


async def load(address: str, process: int, clients: int, seconds: float) -> Tally:
    """All clients for so long."""
    tally = Tally(cpu_seconds=-cpu_seconds(process))
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    until = time.monotonic() + seconds
    async with httpx.AsyncClient(
        base_url=address, headers=headers, limits=limits, timeout=120, trust_env=False
    ) as http:
        running = [asyncio.create_task(client(n, clients, http, until, tally)) for n in range(clients)]
        while time.monotonic() < until:
            tally.resident_bytes.append(resident(process))
            await asyncio.sleep(min(1.0, seconds / 10))
        await asyncio.gather(*running)
        tally.resident_bytes.append(resident(process))
        tally.cpu_seconds += cpu_seconds(process)
    return tally


def resident(process: int) -> int:
    """Bytes of memory of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(process: int) -> float:
    """CPU time of a process so far."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def growth(resident_bytes: list[int]) -> int:
    """Bytes by which memory grew after the warm-up: the last quarter's median against the second quarter's."""
    quarter = max(1, int(len(resident_bytes) * WARM_UP_SHARE))
    second, last = sorted(resident_bytes[quarter : 2 * quarter]), sorted(resident_bytes[-quarter:])
    return last[len(last) // 2] - second[len(second) // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--growth-mib", type=float, default=16.0, help="how much memory may grow after the warm-up")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "assay", "serve", "--verifier", "math", "--sandbox", "auto", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"ASSAY_TOKEN": TOKEN}
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        try:
            address = line.split(" on ")[1].split()[0]
            refused = httpx.post(f"{address}/verify", json={}, trust_env=False).status_code
            tally = asyncio.run(load(address, server.pid, arguments.clients, arguments.seconds))
        finally:
            server.terminate()
    report(tally, arguments, refused, server.returncode)


def report(tally: Tally, arguments: argparse.Namespace, refused: int, status: int) -> None:
    """Print what was seen; exit with 1 where something was wrong."""
    count, ordered = sum(tally.requests.values()), sorted(tally.seconds)
    grown = growth(tally.resident_bytes) / (1 << 20)
    rate = count / arguments.seconds
    print(f"{arguments.clients} clients, {arguments.seconds:g} s: {count} requests, {rate:.0f} a second")
    print("by path: " + ", ".join(f"{path} {number}" for path, number in sorted(tally.requests.items())))
    print(f"median {1000 * ordered[count // 2]:.0f} ms, 99 % within {1000 * ordered[int(count * 0.99)]:.0f} ms")
    print(f"CPU time of the server for one request: {1000 * tally.cpu_seconds / count:.1f} ms")
    first, last = tally.resident_bytes[0] / (1 << 20), tally.resident_bytes[-1] / (1 << 20)
    print(f"the server's memory: {first:.0f} MiB at first, {last:.0f} at last, {grown:+.1f} after the warm-up")
    print(f"without a token: status {refused}; after SIGTERM: exit status {status}")
    for trouble, number in tally.troubles.most_common(10):
        print(f"TROUBLE {number} x {trouble}")
    fine = count and not tally.troubles and grown <= arguments.growth_mib and refused == 401 and status == 0
    print("every reply belongs to its request; nothing was lost" if fine else "NOT as it should be")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
