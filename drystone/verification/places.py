"""Where the work of engines with hosts lives, and who writes down what they do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drystone.frontend.load import FrontendOptions
from drystone.solvers.dump import dumping
from drystone.verification.messages import Doing, Recording
from drystone.verification.options import Options
from drystone.verification.supervised import Tell
from drystone.verification.written import WrittenFile

if TYPE_CHECKING:
    from drystone.engines.dss import hosts as of_blocks
    from drystone.engines.dss.records.recording import Recorder
    from drystone.engines.dss.records.tracing import Tracer
    from drystone.engines.dss.setting import Setting
    from drystone.engines.tree import setting as of_workers
    from drystone.engines.tree.distribution import WorkerHosts
    from drystone.engines.tree.recording import Recorder as TreeRecorder
    from drystone.runtime.zygote import Zygote

_HOSTS_PER_WORKER = 4  # so that few blocks wait for each other
_BRIEF_SECONDS = 0.3  # before blocks get processes of their own


class Places:
    """Of one run."""

    def __init__(self, options: Options, tell_parent: Tell, zygote: Zygote | None) -> None:
        self.options, self.tell_parent, self.zygote = options, tell_parent, zygote
        self.recorder: Recorder | None = None
        self.tree_recorder: TreeRecorder | None = None
        self.tracer: Tracer | None = None

    def setting(self, is_first: bool) -> Callable[[int], object]:
        """Of the engine, given how many workers it may have. `is_first`: of the readings of the program; a recording has one."""
        if self.options.engine == "tree":
            return lambda workers: self._of_workers(workers, self.tree_recorder if is_first else None)
        return lambda workers: self._of_blocks(workers, self.recorder if is_first else None)

    def _of_blocks(self, workers: int, recorder: Recorder | None) -> Setting:
        from drystone.engines.dss.records.tracing import Tracer
        from drystone.engines.dss.setting import Setting

        is_here = self.options.cluster is None
        return Setting(workers, self._hosts_of_blocks, is_here, _BRIEF_SECONDS, recorder, self.tracer or Tracer())

    def _hosts_of_blocks(self, count: int) -> of_blocks.Hosts:
        if self.options.cluster is not None:
            from drystone.runtime.ray_hosts import RayHosts

            self.tell_parent(Doing("joining the cluster", {}))
            return RayHosts(self.options.cluster, self.options.workers or 0, self.options.compress)
        if self._is_inline(count):
            from drystone.engines.dss.hosts import Inline

            return Inline()
        from drystone.runtime.processes import ProcessHosts

        hosts = _HOSTS_PER_WORKER * count if count > 1 else 1
        return ProcessHosts(hosts, self.zygote, self.options.compress, at_once=count)

    def _of_workers(self, workers: int, recorder: TreeRecorder | None) -> of_workers.Setting:
        from drystone.engines.tree.log import Log
        from drystone.engines.tree.setting import Setting

        return Setting(workers, self._hosts_of_workers, recorder or Log())

    def _hosts_of_workers(self, count: int) -> WorkerHosts:
        if self.options.cluster is not None:
            from drystone.runtime.workers import RayWorkers

            self.tell_parent(Doing("joining the cluster", {}))
            return RayWorkers(self.options.cluster, self.options.workers or 0, self.options.compress)
        if self._is_inline(count):
            from drystone.engines.tree.hosted import Inline

            return Inline()
        from drystone.runtime.workers import WorkerProcesses

        return WorkerProcesses(count, self.zygote, self.options.compress)

    def _is_inline(self, count: int) -> bool:
        return self.options.transport == "inline" or (self.options.transport is None and count == 1)

    @contextmanager
    def recording(self, files: list[str], frontend_options: FrontendOptions) -> Iterator[None]:
        """Messages between blocks, or of master and workers, go to the file `record` as they are delivered, calls to the file
        `trace`, queries to the folder `dump_smt`."""
        with ExitStack() as written:
            if self.options.dump_smt is not None:
                written.enter_context(dumping(Path(self.options.dump_smt)))
            if self.options.record is not None:
                begun = lambda: self.tell_parent(Recording())  # noqa: E731
                self._record(files, frontend_options, written.enter_context(WrittenFile(self.options.record, begun)).write)
            if self.options.trace is not None:
                from drystone.engines.dss.records.tracing import WritingTracer

                self.tracer = WritingTracer(written.enter_context(WrittenFile(self.options.trace)).write, time.monotonic)
            yield

    def _record(self, files: list[str], frontend_options: FrontendOptions, write: Callable[[bytes], object]) -> None:
        from drystone.certificates.file import digest
        from drystone.engines.recordings import RecordedProgram

        frontend: dict[str, object] = msgspec.structs.asdict(frontend_options)
        program = RecordedProgram([(name, digest(name)) for name in files], frontend)
        if self.options.engine == "tree":
            from drystone.engines.tree.recording import Recorder as TreeRecorder

            self.tree_recorder = TreeRecorder(program, write)
        else:
            from drystone.engines.dss.records.recording import Recorder

            self.recorder = Recorder(program, write)

    def end_recording(self, verdict: str, reason: str) -> None:
        for recorder in (self.recorder, self.tree_recorder):
            if recorder is not None:
                recorder.end(verdict, reason)
