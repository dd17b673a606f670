"""Sources of Debian packages, by name and exact version: fetched by `apt-get source`, unpacked into a cache."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

_NEEDED = ("apt-get", "dpkg-source")


def unpacked(package: str, version: str, cache: Path) -> Path:
    """The folder of the package's sources, with Debian's patches; fetched if it is not in the cache yet."""
    folder = cache / f"{package}-{version.replace(':', '_')}"
    if folder.is_dir():
        return folder
    for tool in _NEEDED:
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is needed to fetch {package}: this works on Debian, with the package dpkg-dev")
    fetched = cache / "fetched" / folder.name
    fetched.mkdir(parents=True, exist_ok=True)
    print(f"fetching {package} {version}", file=sys.stderr)
    _run(["apt-get", "source", "--download-only", "-qq", f"{package}={version}"], fetched, f"{package} {version}")
    descriptions = list(fetched.glob("*.dsc"))
    if len(descriptions) != 1:
        sys.exit(f"{package} {version}: expected one .dsc file in {fetched}, found {len(descriptions)}")
    unfinished = folder.with_name(folder.name + ".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    _run(["dpkg-source", "--extract", descriptions[0].name, str(unfinished.resolve())], fetched, f"{package} {version}")
    unfinished.rename(folder)
    return folder


def _run(command: list[str], folder: Path, what: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode == 0:
        return
    said = (done.stderr or done.stdout).strip()
    if "deb-src" in said:
        advice = "apt knows no sources: add a line `deb-src` (or `Types: deb deb-src`) to its lists, then `apt-get update`"
    elif "find version" in said or "find a source" in said:
        advice = "apt's lists do not have this version: `apt-get update`, or add the archive of that release of Debian 12"
    else:
        advice = f"`{' '.join(command[:3])}` failed"
    sys.exit(f"{what}: {advice}\n{said}")


def planted(source: Path, original: str, replacement: str, target: Path) -> Path:
    """A copy of the file in which one place, which must be there exactly once, is replaced."""
    text = source.read_bytes().decode("latin-1").replace("\r\n", "\n")  # every other byte survives
    count = text.count(original)
    if count != 1:
        sys.exit(f"{source}: what is to be replaced is there {count} times, not once:\n{original.strip()}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.replace(original, replacement).encode("latin-1"))
    return target
