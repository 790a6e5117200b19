"""How many cycles each cable takes."""

from collections.abc import Mapping

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.simulation.flits.router_config import RouterConfig

#: Nanoseconds a metre of cable (Nakano et al. 2016, Section VIII.A.1).
NS_PER_M = 5.0


def cable_cycles(
    topology: Topology, config: RouterConfig, between: Mapping[str, int] | None = None, layout: Layout | None = None
) -> np.ndarray | None:
    """Cycles of each cable, int64[links], by labels or else by the lengths of a layout; None: the config's for all.

    Parameters
    ----------
    topology : Topology
    config : RouterConfig
        Without `cycle_ns` lengths say nothing.
    between : mapping of a label's name to cycles, optional
        As `labelled_cable_cycles` takes it.
    layout : Layout, optional
        Of the topology.

    Returns
    -------
    int64[links] or None
        At least 1 for each cable.

    Raises
    ------
    InputError
        What `labelled_cable_cycles` refuses.
    """
    if between:
        return labelled_cable_cycles(topology, config, between)
    return laid_cable_cycles(layout, config) if layout is not None and config.cycle_ns else None


def labelled_cable_cycles(topology: Topology, config: RouterConfig, cycles: Mapping[str, int]) -> np.ndarray:
    """Cycles of each cable, int64[links]: those of the config, but others for cables between switches of unlike labels.

    Parameters
    ----------
    topology : Topology
    config : RouterConfig
    cycles : mapping of a label's name to cycles
        As in ``{"group": 100}``: cables between switches of unlike ``group``; the last one that fits counts.

    Returns
    -------
    int64[links]
        In the order of the topology's links.

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
    found = np.full(len(topology.links), config.link_cycles, np.int64)
    for label, value in cycles.items():
        if label not in topology.labels:
            known = ", ".join(topology.labels) or "no labels"
            raise InputError(f"{topology.name}: its switches have no label '{label}' (they have {known})")
        if not 1 <= value < 1 << 14:
            raise InputError(
                f"cables between switches of unlike {label}: {value} cycles; they are 1 to {(1 << 14) - 1}"
            )
        of = np.asarray(topology.labels[label])
        u, v = topology.links.T
        found[of[u] != of[v]] = value
    return found


def laid_cable_cycles(layout: Layout, config: RouterConfig) -> np.ndarray:
    """Cycles of each cable of a layout, int64[links], by its length at 5 ns a metre; at least 1.

    Raises
    ------
    InputError
        The config does not say how long a cycle takes.
    """
    if not config.cycle_ns:
        raise InputError("cables of a layout take nanoseconds: set cycle_ns, the time that a link takes for a flit")
    return np.maximum(1, np.ceil(layout.length_m * NS_PER_M / config.cycle_ns - 1e-9)).astype(np.int64)
