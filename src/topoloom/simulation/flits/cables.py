"""The delay of each cable in cycles."""

from collections.abc import Mapping

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.simulation.flits.router_config import RouterConfig

#: Nanoseconds per metre of cable (Nakano et al. 2016, Section VIII.A.1).
NS_PER_M = 5.0


def cable_cycles(
    topology: Topology,
    config: RouterConfig,
    between: Mapping[str, int] | None = None,
    length_m: np.ndarray | None = None,
) -> np.ndarray | None:
    """Return the cycles of each cable, int64[links], by labels or by its length; None: the same for all.

    Parameters
    ----------
    topology : Topology
    config : RouterConfig
        The router; without `cycle_ns`, lengths have no effect.
    between : mapping of a label's name to cycles, optional
        As for `labelled_cable_cycles`.
    length_m : float64[links], optional
        The length of each link's cable in m, where known.

    Returns
    -------
    int64[links] or None
        The cycles, at least 1 per cable.

    Raises
    ------
    InputError
        As for `labelled_cable_cycles`.
    """
    if between:
        return labelled_cable_cycles(topology, config, between)
    return laid_cable_cycles(length_m, config) if length_m is not None and config.cycle_ns else None


def labelled_cable_cycles(topology: Topology, config: RouterConfig, cycles: Mapping[str, int]) -> np.ndarray:
    """Return the cycles of each cable, int64[links]: the config's, except for cables between switches with different labels.

    Parameters
    ----------
    topology : Topology
    config : RouterConfig
    cycles : mapping of a label's name to cycles
        As in ``{"group": 100}``: cables between switches of different ``group``; the last one that fits counts.

    Returns
    -------
    int64[links]
        The cycles, in the order of the topology's links.

    Raises
    ------
    InputError
        The topology has no such label, or cycles below 1.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> cables = labelled_cable_cycles(build("dragonfly:p=1"), RouterConfig(link_cycles=10), {"group": 100})
    >>> sorted(set(cables.tolist()))
    [10, 100]
    """
    cycles_of_link = np.full(len(topology.links), config.link_cycles, np.int64)
    for label, value in cycles.items():
        if label not in topology.labels:
            available = ", ".join(topology.labels) or "no labels"
            raise InputError(f"{topology.name}: its switches have no label '{label}'; they have {available}")
        if not 1 <= value < 1 << 14:
            raise InputError(f"cables between switches of different {label}: {value} cycles; give 1 to {(1 << 14) - 1}")
        of = np.asarray(topology.labels[label])
        u, v = topology.links.T
        cycles_of_link[of[u] != of[v]] = value
    return cycles_of_link


def laid_cable_cycles(length_m: np.ndarray, config: RouterConfig) -> np.ndarray:
    """Return the cycles of each cable, int64[links], by its length in m at 5 ns per metre; at least 1.

    Raises
    ------
    InputError
        The config does not define the duration of a cycle.
    """
    if not config.cycle_ns:
        raise InputError("cable lengths need the duration of a cycle: set cycle_ns, the time of one flit on a link")
    return np.maximum(1, np.ceil(length_m * NS_PER_M / config.cycle_ns - 1e-9)).astype(np.int64)
