"""``Fleet``: the hosts on a cluster's nodes, found, started, watched and given work, each within a bound."""

from __future__ import annotations

import os
import threading
import time

from ...errors import SandboxUnavailable
from .package import connected_ray, ray
from .plan import Plan, Post

_LOOK_SECONDS = 1.0  # between two looks at the list of nodes
_REST_SECONDS = (1.0, 30.0)  # before a host that failed is tried again: the first time, and at most
_CLOSE_SECONDS = 5.0


class Fleet:
    """All hosts of one plan. Every method may be called from any thread.

    Raises:
        MissingExtra: Ray is not installed.
        SandboxUnavailable: This process is not connected to a cluster, no node will do, or none could start a host.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._lock = threading.Lock()
        self._posts: dict[tuple[str, int], Post] = {}
        self._looked = -_LOOK_SECONDS
        self.closed = False
        self._owner = os.getpid()
        connected_ray()
        try:
            self._await_first()
        except BaseException:
            self.close()
            raise

    def check_open(self) -> None:
        """Refuse work that cannot be done.

        Raises:
            SandboxUnavailable: It was closed, or Ray was shut down.
        """
        if self.closed:
            raise SandboxUnavailable("this sandbox is closed; open another one with open_sandbox()")
        if self._owner != os.getpid():
            raise SandboxUnavailable("Ray does not work in a forked process; open another sandbox there")
        connected_ray()

    def posts(self) -> list[Post]:
        """The hosts that are open."""
        with self._lock:
            self._look()
            return [post for post in self._posts.values() if post.about is not None]

    def take(self, kind: str, avoid: frozenset[str], calls: int = 1) -> Post | None:
        """A host for one more batch, or None where all that take its kind are busy; ``give`` it back.

        Args:
            kind: What the engine must be able to do.
            avoid: Nodes on which the batch failed; one of them is only taken where there is no other.
            calls: For how many batches it counts; the most that are allowed keep it apart from others.
        """
        with self._lock:
            self._look()
            able = [post for post in self._posts.values() if post.about is not None and kind in post.about.able]
            able = [post for post in able if post.node not in avoid] or able
            free = [post for post in able if post.calls + calls <= self.plan.most_calls]
            if not free:
                return None
            best = min(free, key=lambda post: (post.sick, post.calls))
            best.calls += calls
            return best

    def give(self, post: Post, calls: int, *, sick: bool = False) -> None:
        """Return a host whose batch has ended; ``sick`` when it failed there."""
        with self._lock:
            post.calls -= calls
            post.sick = sick

    def lose(self, post: Post, calls: int, reason: str) -> None:
        """Return a host that did not answer: it gets work again once it says that it is open."""
        with self._lock:
            post.calls -= calls
            self._fail(post, reason)

    def has(self, kind: str) -> bool:
        """Whether there is a host, busy or not, that takes this kind."""
        return any(kind in post.about.able for post in self.posts() if post.about is not None)

    def state(self) -> str:
        """Why there are no hosts, for a message."""
        with self._lock:
            found = [f"node {post.node[:8]} {post.reason or 'is starting'}" for post in self._posts.values()]
        return "; ".join(found[:5]) or "no node"

    def close(self) -> None:
        """End the hosts that this client started; batches under way fail."""
        with self._lock:
            self.closed = True
            posts = [post for post in self._posts.values() if post.actor is not None and post.ours]
            self._posts.clear()
        if not posts or not ray().is_initialized() or self._owner != os.getpid():
            return
        package = ray()
        closing = [post.actor.close.remote() for post in posts if post.about is not None]
        if closing:
            package.wait(closing, num_returns=len(closing), timeout=_CLOSE_SECONDS)
        for post in posts:
            package.kill(post.actor)

    def _await_first(self) -> None:
        """Wait for one open host; the others join when they are."""
        until = time.monotonic() + self.plan.start_seconds
        while not self.posts():
            with self._lock:
                none = not self._posts
                refused = all(post.refused for post in self._posts.values())
            if none:
                raise SandboxUnavailable(f"no node of the Ray cluster has {self._wanted()}; there are {_nodes()}")
            if refused:
                raise SandboxUnavailable(f"no host could be opened on the Ray cluster: {self.state()}")
            if time.monotonic() > until:
                raise SandboxUnavailable(
                    f"no host could be started on the Ray cluster in {self.plan.start_seconds:g} s: {self.state()}. "
                    f"A host needs {self._wanted()} that nothing else has reserved; ask for less, or free some"
                )
            time.sleep(0.05)

    def _wanted(self) -> str:
        cpus = "a CPU" if self.plan.cpus is None else f"{self.plan.cpus} CPUs"
        return " and ".join([cpus, *(f"{amount:g} of {name!r}" for name, amount in self.plan.resources.items())])

    def _look(self) -> None:
        """Follow the cluster: start hosts on nodes that came, forget those of nodes that went, see who is open."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS and not self.closed:
            self._looked = now
            alive = {node["NodeID"]: node["Resources"] for node in ray().nodes() if node["Alive"]}
            for key in [key for key in self._posts if key[0] not in alive]:
                del self._posts[key]
            for node, resources in alive.items():
                for number in range(self.plan.share(resources)[0]):
                    self._posts.setdefault((node, number), Post(node))
            for (node, number), post in self._posts.items():
                if post.about is None and post.opening is None and now >= post.rests_until:
                    self._start(post, number, self.plan.share(alive[node])[1])
        opening = {post.opening: post for post in self._posts.values() if post.opening is not None}
        if opening:
            ready, _ = ray().wait(list(opening), num_returns=len(opening), timeout=0)
            for reference in ready:
                self._see(opening[reference])

    def _start(self, post: Post, number: int, cpus: int) -> None:
        """Have a post opened, with an actor that is found or made."""
        package = ray()
        try:
            if post.actor is None:
                name = f"assay:{self.plan.name}:{cpus}:{post.node}:{number}"
                try:
                    post.actor, post.ours = package.get_actor(name), False
                except ValueError:
                    post.actor, post.ours = self.plan.actor(name, post.node, cpus), True
            post.opening = post.actor.open.remote()
        except (package.exceptions.RayError, ValueError) as error:  # a name that another client is giving up
            self._fail(post, f"failed: {error}")
            post.actor = None

    def _see(self, post: Post) -> None:
        """Read how opening ended."""
        package = ray()
        reference, post.opening = post.opening, None
        try:
            post.about = package.get(reference)
            post.failures, post.sick, post.refused = 0, False, False
        except package.exceptions.RayTaskError as error:
            self._fail(post, f"cannot work: {error.cause}")
            post.refused = True
        except package.exceptions.ActorDiedError as error:
            self._fail(post, f"failed: {_last_line(error)}")
            post.actor = None
        except package.exceptions.RayError as error:
            self._fail(post, f"does not answer: {_last_line(error)}")

    def _fail(self, post: Post, reason: str) -> None:
        least, most = _REST_SECONDS
        post.about, post.opening, post.reason = None, None, reason[:500]
        post.rests_until = time.monotonic() + min(most, least * 2**post.failures)
        post.failures += 1


def _nodes() -> str:
    found = [
        f"{node['NodeID'][:8]} with "
        + ", ".join(f"{amount:g} {name}" for name, amount in sorted(node["Resources"].items()) if ":" not in name)
        for node in ray().nodes()
        if node["Alive"]
    ]
    return "; ".join(found[:5]) or "no nodes alive"


def _last_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
