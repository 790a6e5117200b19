"""Free memory, and a limit on the memory that a short text may ask for: estimated before it is taken; the user can raise it.

A range of hosts, a default for all nodes, a compressed array: a few bytes of a file may stand for gigabytes. Memory in
proportion to the length of the text is not counted here.
"""

import os
from pathlib import Path

from topoloom.core.errors import InputError, at

#: The environment variable that sets the limit, in gigabytes.
VARIABLE = "TOPOLOOM_MEMORY_GB"
_GB = 1e9
#: The limit where the variable is not set.
_USUAL_GB = 1.0
#: Bytes of memory per byte of a file that are not counted.
_FREE = 64


class Allowance:
    """The memory that one file, or one spec, may ask for.

    Parameters
    ----------
    source : str
        The file's name, or another name of the text, for messages.
    text_bytes : int
        The length of the text.

    Examples
    --------
    >>> Allowance("net.csv", 90).take(3.5e9, "16,777,216 hosts", 3)
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: net.csv:3: 16,777,216 hosts take about 3.5 GB of memory; at most 1 GB is taken for so \
short a text: set TOPOLOOM_MEMORY_GB=4 if it is meant
    """

    def __init__(self, source: str, text_bytes: int = 0) -> None:
        self._source, self._taken, self._free = source, 0.0, float(_FREE * text_bytes)

    def take(self, need_bytes: float, what: str, line: int | None = None) -> None:
        """Count memory that is about to be taken.

        Parameters
        ----------
        need_bytes : float
            An estimate.
        what : str
            The objects that need it, in the plural: "16,777,216 hosts".
        line : int, optional
            The line that asks for it.

        Raises
        ------
        InputError
            This memory, and that taken before, are above the limit together.
        """
        self._taken += need_bytes
        most_gb = limit_gb()
        if self._taken <= self._free + most_gb * _GB:
            return
        needed_gb = (self._taken - self._free) / _GB
        raise at(
            self._source,
            line,
            f"{what} take about {needed_gb:,.1f} GB of memory; at most {most_gb:g} GB is taken for so short a text:"
            f" set {VARIABLE}={int(needed_gb) + 1} if it is meant",
        )


def limit_gb() -> float:
    """The limit in gigabytes: 1, or the value of the environment variable.

    Raises
    ------
    InputError
        The environment variable is not a number above 0.
    """
    text = os.environ.get(VARIABLE, "")
    if not text.strip():
        return _USUAL_GB
    try:
        limit = float(text)
    except ValueError:
        limit = 0.0
    if not 0 < limit < 1e6:
        raise InputError(f"{VARIABLE}={text[:40]!a}: it must be a number of gigabytes above 0")
    return limit


def free_bytes() -> int | None:
    """The memory that this process can still get, in bytes; None where the system does not report it."""
    limits = []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        limits += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        if most != "max":
            limits.append(int(most) - _used_by_group())
    except (OSError, ValueError, IndexError):
        pass
    if not limits and hasattr(os, "sysconf") and "SC_AVPHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(limits, default=None)


def _used_by_group() -> int:
    """Bytes of memory that the container uses and cannot free; cached files are not counted."""
    used = int(Path("/sys/fs/cgroup/memory.current").read_text())
    for line in Path("/sys/fs/cgroup/memory.stat").read_text().splitlines():
        if line.startswith("inactive_file "):
            used -= int(line.split()[1])
    return used
