"""A Ray cluster of two nodes on this machine, one CPU each, as a process of its own: Ray's threads stay out of the process of the tests.

    python ray_nodes.py FOLDER

FOLDER is for Ray's files. It prints the address. Told `kill` it ends the second node at once, as if its machine had lost power,
told `add` it starts one again; it says `done` to both, and ends with its standard input.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from drystone.runtime.watchdog import descendants


def main(folder: str) -> None:
    os.environ.update(RAY_TMPDIR=folder, RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")
    os.makedirs(os.path.join(folder, "ray"), exist_ok=True)
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "temp_dir": os.path.join(folder, "ray")})
    second = cluster.add_node(**node)
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line.strip() == "kill":
            kill(second)
        else:
            second = cluster.add_node(**node)
        print("done", flush=True)
    cluster.shutdown()


def kill(node: Any) -> None:
    """All at once, the hosts too."""
    started = [each.process.pid for listed in node.all_processes.values() for each in listed]
    for process in [*started, *(child for each in started for child in descendants(each))]:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
