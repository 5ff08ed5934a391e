"""What a program and all that it has started take of memory; what processes share is counted once (PSS)."""

from __future__ import annotations

import re
from pathlib import Path


def taken(pid: int) -> list[int]:
    """Bytes that a process takes, and that each of those takes which it and its children have started."""
    return [pss(member) for member in family(pid)]


def family(pid: int) -> list[int]:
    """A process and all that it and its children have started."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended meanwhile
            continue
        parents.setdefault(parent, []).append(int(stat.parent.name))
    members = [pid]
    for member in members:
        members += parents.get(member, [])
    return members


def pss(pid: int) -> int:
    """Bytes of memory that a process takes; of what several share, its share."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    match = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return 1024 * int(match[1]) if match else 0
