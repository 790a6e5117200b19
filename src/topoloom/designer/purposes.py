"""Purposes of a network: what a requirement for AI training, HPC or general use begins with."""

from typing import Any, Literal

import msgspec

PurposeName = Literal["ai-training", "hpc", "general"]


class Purpose(msgspec.Struct, frozen=True):
    """What a purpose sets in a requirement; every other answer and key stays free.

    Attributes
    ----------
    title : str
    description : str
        What it sets, in words.
    tables : dict
        Keys and tables of the requirement.
    """

    title: str
    description: str
    tables: dict[str, Any]


#: The purposes by their names.
PURPOSES: dict[PurposeName, Purpose] = {
    "ai-training": Purpose(
        "AI training",
        "servers of eight accelerators (GPUs) with eight network ports, full bandwidth between all of them",
        {
            "rails": True,
            "host": {"name": "8-GPU server", "nics": 8, "u": 8, "power_w": 10_200, "scale_up": 8},
            "rack": {"u": 48, "power_w": 44_000},
            "limits": {"taper": 1.0},
        },
    ),
    "hpc": Purpose(
        "HPC",
        "scientific computing: nodes with one network port, at least half of full bandwidth",
        {
            "host": {"name": "node", "nics": 1, "u": 1, "power_w": 900},
            "rack": {"u": 42, "power_w": 36_000},
            "limits": {"oversubscription": 2.0},
        },
    ),
    "general": Purpose(
        "General use",
        "servers with one network port, at least a third of full bandwidth",
        {
            "host": {"name": "server", "nics": 1, "u": 1, "power_w": 600},
            "rack": {"u": 42, "power_w": 17_000},
            "limits": {"blocking": 3.0},
        },
    ),
}
