"""Hosts as actors of a Ray cluster, one per CPU.

Only this module knows Ray, and imports it when it is used. An actor takes and gives bytes: the frames of `wire`, with what `host`
understands in them. So nothing of drystone is pickled, and what does not arrive as it was sent is refused.

An actor that is lost, with its node or without it, is replaced. Its replacement asks for no CPU of its own, and is placed where
there are other hosts: a node may be dead long before Ray knows that.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import secrets
import signal
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, Generic

import msgspec

from drystone.base.frames import Damaged, Disturbance, Frames, frame
from drystone.base.refusal import Refusal
from drystone.base.version import __version__
from drystone.engines.dss.hosts import Call, Reply, Spec
from drystone.engines.dss.packed_specs import BLOCKS
from drystone.engines.hosting import ActorKind, CallT, Lost, ReplyT, SpecT
from drystone.runtime.host import Done, Host, Load, decode_response, encode, encode_call
from drystone.runtime.processes import HostFailed

_FOR_AN_ANSWER = 5.0  # seconds, until a port that does not answer is given up
_FOR_THE_HEAD = 10.0  # seconds between two looks whether there is still a cluster
_FOR_A_CPU = 10.0  # seconds that a new host waits for a CPU of its own
_MOST_STILLBORN = 3  # hosts in a row that ended before they could be told anything
_OBJECT_STORE = 80 << 20  # bytes, the least that Ray takes; messages above 100 kB pass through it
_LONGEST_SOCKET = 107  # characters of its name
_OUT_OF_MEMORY = 3  # exit code

_BEFORE_IMPORT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "error",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else there is a warning about the next version
    "RAY_py_gcs_connect_timeout_s": "10",
}
_ATTEMPTS = "RAY_gcs_server_port_wait_time_s"  # it is called so, but Ray counts them


class NoCluster(Refusal):
    """There is none, or it cannot be used; the complete message for people."""


def check_cluster(address: str) -> None:
    """What can be known of it before it is needed."""
    if importlib.util.find_spec("ray") is None:
        raise NoCluster("--cluster needs Ray, which is not installed: pip install 'drystone[cluster]'")
    if "://" in address:
        raise NoCluster(f"--cluster {address}: start drystone on a node of the cluster, and give HOST:PORT")
    if address in ("auto", "local"):
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise NoCluster(f"--cluster {address}: an address is HOST:PORT, or auto")
    if (problem := _answers(address)) is not None:  # Ray itself takes minutes to give up
        raise NoCluster(f"--cluster {address}: nobody answers there: {problem}")


class _Begun(msgspec.Struct, frozen=True, array_like=True):
    """What a host says when it has got its blocks."""

    version: str
    node: str


class RemoteHost:
    """What runs on the cluster."""

    def __init__(self, compress: bool) -> None:
        import bitwuzla  # noqa: F401  # while the coordinator reads the program

        self._host, self._compress = Host(), compress
        self._frames, self._is_usable = Frames(), True

    def handle(self, data: bytes) -> bytes:
        """The answer to a request; nothing from the first damaged request on."""
        try:
            (request,) = self._frames.feed(data)
        except (Damaged, ValueError):
            self._is_usable = False
        if not self._is_usable:
            return b""
        try:
            answer = self._host.handle(request)
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)
        if answer is None:
            import ray

            answer = msgspec.msgpack.encode(_Begun(__version__, ray.get_runtime_context().get_node_id()))
        return frame(answer, self._compress)


class _Actor:
    """What the coordinator knows of a host."""

    def __init__(self, number: int, handle: Any, has_own_cpu: bool) -> None:
        self.number, self.handle, self.has_own_cpu = number, handle, has_own_cpu
        self.since = time.monotonic()
        self.node = ""  # known when it has begun
        self.loading: Any = None  # what Ray will have an answer for
        self.answering: Any = None
        self.call: Any = None
        self.submitted = 0.0


class RayActors(Generic[SpecT, CallT, ReplyT]):
    kind: ClassVar[ActorKind[Any, Any, Any]]

    def __init__(self, address: str, count: int = 0, compress: bool = False, disturb: Disturbance = lambda data: data) -> None:
        """`count` hosts, at most one per CPU of the cluster; 0: one per CPU."""
        self._compress, self._disturb = compress, disturb
        self._ray, self._is_ours = _connected(address, count)
        cpus = int(self._ray.cluster_resources().get("CPU", 0))
        self.count = self.at_once = min(count or cpus, cpus)
        context = self._ray.get_runtime_context()
        self._here, self._head = context.get_node_id(), context.gcs_address
        self._looked, self._unseen = time.monotonic(), 0
        self.bytes = 0
        self._packed: dict[int, dict[str, bytes]] = {}
        self._waiting: list[ReplyT | Lost] = []
        self._replies: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(self.kind.replies)
        self._stillborn: Counter[int] = Counter()
        self._actors: list[_Actor] = []
        if self.count == 0:
            self.close()
            raise NoCluster(f"--cluster {address}: the cluster has no CPU")
        self._class = self._ray.remote(RemoteHost)
        for number in range(self.count):
            self._actors.append(self._new(number))

    @property
    def nodes(self) -> list[str]:
        """Where the hosts are, as far as that is known."""
        return [actor.node for actor in self._actors]

    def load(self, specs: Mapping[str, SpecT], placement: Mapping[str, int]) -> None:
        self._waiting = []
        self._packed = {number: {} for number in range(self.count)}
        for id, spec in specs.items():
            self._packed[placement[id]][id] = self.kind.pack(spec)
        for actor in self._actors:
            if actor.call is not None:  # it is at something that nobody waits for any more
                self._end(actor)
                actor = self._actors[actor.number] = self._new(actor.number, actor.node or None)
            self._send_actors(actor)

    def join(self, id: str, spec: SpecT, host: int) -> None:
        self._packed[host] = {id: self.kind.pack(spec)}
        self._send_actors(self._actors[host])

    def submit(self, host: int, call: CallT) -> None:
        actor = self._actors[host]
        actor.call, actor.submitted = call, time.monotonic()
        actor.answering = self._send(actor, encode_call(call))

    def wait(self, seconds: float) -> list[ReplyT | Lost]:
        until = time.monotonic() + seconds
        while not self._waiting:
            self._go_without_own_cpu()
            self._look_at_the_head()
            asked = {ref: actor for actor in self._actors for ref in (actor.loading, actor.answering) if ref is not None}
            left = until - time.monotonic()
            if not asked or left <= 0:
                break
            self._ray.wait(list(asked), num_returns=1, timeout=left)
            for ref in self._ray.wait(list(asked), num_returns=len(asked), timeout=0)[0]:
                self._hear(asked[ref], ref)
        found, self._waiting = self._waiting, []
        return found

    def close(self) -> None:
        for actor in self._actors:
            self._end(actor)
        self._actors = []
        if self._is_ours:
            self._ray.shutdown(wait_for_processes=True)

    def _new(self, number: int, node: str | None = None) -> _Actor:
        """With a CPU of its own, wherever there is one; or without, on this node."""
        where: dict[str, Any] = {"num_cpus": 1}
        if node is not None:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            # not soft: Ray takes any node then for an actor that asks for nothing, also one that is dead
            where = {"num_cpus": 0, "scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)}
        handle = self._class.options(max_restarts=0, max_task_retries=0, **where).remote(self._compress)
        return _Actor(number, handle, node is None)

    def _instead_of(self, actor: _Actor) -> _Actor:
        """Of the nodes where there are hosts, the one that has fewest."""
        hosts = Counter(other.node for other in self._actors if other.node and other.node != actor.node)
        node = min(hosts, key=lambda node: hosts[node], default=self._here)
        new = self._actors[actor.number] = self._new(actor.number, node)
        self._send_actors(new)
        return new

    def _end(self, actor: _Actor) -> None:
        with suppress(self._ray.exceptions.RayError, ValueError):  # if it has ended already
            self._ray.kill(actor.handle)

    def _send_actors(self, actor: _Actor) -> None:
        actor.loading = self._send(actor, encode(Load(self.kind.name, self._packed.get(actor.number, {}))))

    def _send(self, actor: _Actor, data: bytes) -> Any:
        framed = frame(data, self._compress)
        self.bytes += len(framed)
        return actor.handle.handle.remote(self._disturb(framed))

    def _hear(self, actor: _Actor, ref: Any) -> None:
        if self._actors[actor.number] is not actor:
            return  # it was lost just now
        try:
            answer = self._ray.get(ref)
            self.bytes += len(answer)
            (data,) = Frames().feed(self._disturb(answer))
        except (Damaged, ValueError):  # or the host has refused what it got
            self._lose(actor, "a message is damaged")
        except self._ray.exceptions.RayTaskError as bug:
            raise HostFailed(_last_line(bug)) from None
        except self._ray.exceptions.RayError as problem:
            how = _last_line(problem)
            self._check_birth(actor, how)
            self._lose(actor, how)
        else:
            if ref is actor.loading:
                self._begun(actor, msgspec.msgpack.decode(data, type=_Begun))
            else:
                self._answered(actor, data)

    def _begun(self, actor: _Actor, begun: _Begun) -> None:
        actor.loading, actor.node, self._stillborn[actor.number] = None, begun.node, 0
        if begun.version != __version__:
            raise NoCluster(f"a node of the cluster has drystone {begun.version}, and this is {__version__}")

    def _answered(self, actor: _Actor, data: bytes) -> None:
        response = decode_response(data)
        if not isinstance(response, Done):
            raise HostFailed(response.error)
        actor.answering = actor.call = None
        reply = self._replies.decode(response.reply)
        on_the_way = time.monotonic() - actor.submitted - reply.seconds  # machines have no clock in common
        self._waiting.append(msgspec.structs.replace(reply, began=actor.submitted + on_the_way / 2))

    def _check_birth(self, actor: _Actor, how: str) -> None:
        self._stillborn[actor.number] += not actor.node
        if self._stillborn[actor.number] >= _MOST_STILLBORN:
            raise NoCluster(f"hosts do not start on the cluster: {how}")

    def _lose(self, actor: _Actor, how: str) -> None:
        self._end(actor)
        self._waiting.append(Lost(actor.number, how, actor.call))
        self._instead_of(actor)

    def _go_without_own_cpu(self) -> None:
        """Hosts that got none, since others use the cluster, share one."""
        now = time.monotonic()
        for actor in self._actors:
            if actor.has_own_cpu and actor.loading is not None and not actor.node and now - actor.since > _FOR_A_CPU:
                self._end(actor)
                self._instead_of(actor)
                if actor.call is not None:
                    self.submit(actor.number, actor.call)

    def _look_at_the_head(self) -> None:
        """Without it there is no cluster. Ray would end this process after a minute."""
        now = time.monotonic()
        if now - self._looked < _FOR_THE_HEAD:
            return
        self._looked = now
        self._unseen = 0 if _answers(self._head) is None else self._unseen + 1
        if self._unseen == 2:
            raise NoCluster(f"the cluster is lost: its head at {self._head} does not answer any more")


class RayHosts(RayActors[Spec, Call, Reply]):
    """Of blocks."""

    kind = BLOCKS


def _connected(address: str, count: int) -> tuple[Any, bool]:
    """Ray, connected to the cluster; and whether that ends with us."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", address)
    check_cluster(address)
    for name, value in _BEFORE_IMPORT.items():
        os.environ.setdefault(name, value)
    import ray

    if ray.is_initialized():
        return ray, False
    ray._private.worker._worker_logs_enabled = False  # else it prints when a node is lost
    try:
        with _signals_as_they_are(), _without_warnings():
            if address == "local" or (address == "auto" and not _found(ray)):
                _start(ray, count)
            elif address != "auto":
                _join(ray, address)
    except NoCluster:
        raise
    except Exception as problem:
        ray.shutdown()
        cause = "" if problem.__cause__ is None else f": {_last_line(problem.__cause__)}"
        raise NoCluster(f"--cluster {address}: cannot be used: {_first_line(problem)}{cause}") from None
    return ray, True


def _found(ray: Any) -> bool:
    """A cluster that runs on this machine."""
    try:
        _join(ray, "auto")
        return True
    except ConnectionError:
        return False


_LOGGING: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}


def _join(ray: Any, address: str) -> None:
    given = os.environ.get(_ATTEMPTS)
    os.environ[_ATTEMPTS] = given or "1"
    try:
        ray.init(address=address, **_LOGGING)
    finally:
        if given is None:
            del os.environ[_ATTEMPTS]


def _start(ray: Any, count: int) -> None:
    """A cluster of this machine alone, for nobody else: its token is a secret of this process and those that it starts. Without
    one, Ray would make a file for it in the home folder."""
    folder = tempfile.gettempdir()
    if len(f"{folder}/session_2000-01-01_00-00-00_000000_{os.getpid()}/sockets/plasma_store") > _LONGEST_SOCKET:
        raise NoCluster(f"the name of the folder for temporary files, {folder}, is too long for Ray: set TMPDIR to another one")
    os.makedirs(folder, exist_ok=True)
    if not {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & os.environ.keys():
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    cores = len(os.sched_getaffinity(0))
    ray.init(
        address="local",
        num_cpus=count or cores,
        object_store_memory=_OBJECT_STORE,
        include_dashboard=False,
        _temp_dir=folder,
        _system_config={"worker_niceness": 0},
        **_LOGGING,
    )


def _answers(address: str) -> str | None:
    """Why nobody does; None if somebody does."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _FOR_AN_ANSWER).close()
    except OSError as problem:
        return problem.strerror or str(problem)
    return None


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ray's C++ writes to the descriptor of standard error until it has a file to write to."""
    with open(os.devnull, "w") as nowhere:
        before = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)


@contextmanager
def _signals_as_they_are() -> Iterator[None]:
    """Ray would end this process its own way when it is asked to."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _first_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0][:300]


def _last_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[-1].strip()[:300]
