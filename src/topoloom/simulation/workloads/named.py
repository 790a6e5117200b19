"""Workloads by name: ``goal:file=FILE`` and ``chakra:file=FOLDER/NAME,peak_gflops=312000``, for all simulators."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.simulation.flows.schedule import Schedule
from topoloom.topologies.spec import Choice, Parameter, Real, Text, read_settings


@dataclass(frozen=True)
class Workload:
    """A file format of workloads: its description, its settings, and a function that reads it."""

    description: str
    source: str
    parameters: dict[str, Parameter]
    load: Callable[..., Schedule]

    def usage(self, name: str) -> str:
        """Return the syntax: ``goal:file=``."""
        return f"{name}:{','.join(f'{key}=' for key in self.parameters)}"


def _goal(file: str) -> Schedule:
    from topoloom.simulation.workloads.goal import load_goal

    return load_goal(file)


def _chakra(
    file: str,
    peak_gflops: float,
    memory_gbytes_s: float,
    groups: str | None,
    controls: str,
    streams: str,
    empty: str,
    **algorithms: str,
) -> Schedule:
    from topoloom.simulation.workloads.chakra import Replay, load_chakra

    switches = (switch == "yes" for switch in (controls, streams, empty))
    return load_chakra(file, Replay(peak_gflops, memory_gbytes_s, algorithms, groups, *switches))


#: The formats by name.
WORKLOADS = {
    "goal": Workload(
        "a GOAL schedule of LogGOPSim or ATLAHS, text or binary: sends, receives and computing with dependencies",
        "Hoefler, Siebert and Lumsdaine, ICPP 2009",
        {"file": Text("a file", "the schedule")},
        _goal,
    ),
    "chakra": Workload(
        "Chakra execution traces of MLCommons, one file NAME.RANK.et per rank; collectives message by message",
        "Sridharan et al., 2023",
        {
            "file": Text("FOLDER/NAME or a folder", "the traces"),
            "peak_gflops": Real(
                0, 1e15, "speed of an accelerator, for nodes with a number of operations; 0: as traced", default=0.0
            ),
            "memory_gbytes_s": Real(0, 1e15, "bandwidth of its memory (roofline); 0: no limit", default=0.0),
            "groups": Text("a JSON file", "ranks of process groups by name", default=None),
            "controls": Choice(
                ("yes", "no"), "whether control dependencies count; choose no for traces of PyTorch", default="yes"
            ),
            "streams": Choice(
                ("yes", "no"), "whether nodes of one stream also run one after the other, as on a GPU", default="no"
            ),
            "empty": Choice(
                ("yes", "no"), "whether messages of 0 bytes, or no durations at all, are meant", default="no"
            ),
            "allreduce": Choice(("ring", "doubling", "halving"), "algorithm of all-reduces", default="ring"),
            "allgather": Choice(("ring", "doubling"), "algorithm of all-gathers", default="ring"),
            "alltoall": Choice(("shift", "xor"), "algorithm of all-to-alls", default="shift"),
        },
        _chakra,
    ),
}


def is_workload(text: str) -> bool:
    """Return whether a text names one of `WORKLOADS`."""
    return text.partition(":")[0].strip().lower() in WORKLOADS


def named_files(text: str) -> dict[str, str]:
    """Return the files that a workload's text names, by parameter; empty for any other text.

    Examples
    --------
    >>> named_files("chakra:file=traces/gpt,peak_gflops=312000")
    {'file': 'traces/gpt'}
    """
    if not is_workload(text):
        return {}
    name, _, settings = text.partition(":")
    parameters = WORKLOADS[name.strip().lower()].parameters
    pairs = (part.partition("=")[::2] for part in settings.split(","))
    return {
        key.strip(): value.strip()
        for key, value in pairs
        if isinstance(parameters.get(key.strip()), Text) and value.strip()
    }


def with_files(text: str, files: Mapping[str, str]) -> str:
    """Return the same workload with other file names, by parameter."""
    name, colon, settings = text.partition(":")
    parts = [part.partition("=") for part in settings.split(",")]
    return name + colon + ",".join(f"{key}{sign}{files.get(key.strip(), value)}" for key, sign, value in parts)


def files_behind(path: Path) -> list[Path]:
    """Return all files that belong to a workload's path: the file, or the traces of a folder or of a name.

    Raises
    ------
    OSError
        The folder cannot be read.
    """
    if path.is_file():
        return [path]
    folder, ends = (path, "") if path.is_dir() else (path.parent, f"{path.name}.")
    return sorted(file for file in folder.iterdir() if file.name.startswith(ends) and file.name.endswith(".et"))


def load_workload(text: str) -> Schedule:
    """Return the schedule that ``NAME:key=value,...`` describes.

    Parameters
    ----------
    text : str
        One of `WORKLOADS` with its settings.

    Raises
    ------
    InputError
        An unknown format or setting, or a file that cannot be read.
    """
    name, _, settings = text.strip().partition(":")
    workload = WORKLOADS.get(name.lower())
    if workload is None:
        raise InputError(f"unknown workload format '{name[:40]}'; use {' or '.join(WORKLOADS)}")
    values: dict[str, Any]
    values, _ = read_settings(name.lower(), workload.parameters, settings)
    return workload.load(**values)
