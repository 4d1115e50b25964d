"""The machine of this process: usable cores, memory, and the processor's name."""

import contextlib
import functools
import os
import platform


def core_numbers() -> list[int]:
    """Returns the system's numbers of the cores that this process may use, sorted; empty where there are none."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def cores() -> int:
    """Returns the number of cores that this process may use, at least 1."""
    return len(core_numbers()) or os.cpu_count() or 1


@functools.cache
def memory() -> int:
    """Returns the bytes of memory of this machine; 2**40 where unknown."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 40


def processor() -> str:
    """Returns the name of the processor, as the system reports it."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        if names := [line.partition(":")[2].strip() for line in file if line.startswith("model name")]:
            return names[0]
    return platform.processor() or platform.machine()
