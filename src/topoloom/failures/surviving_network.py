"""The network that survives failures, as a Topology."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.failure_orders import Failing, failing, failures_at, states
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class SampledLosses:
    """The failures of one sample.

    `links`: int32[k, 2], links that fail by themselves; `switches`: int64[k]. One of them is empty. `units`: int64[f], the
    numbers of the links, switches or racks.
    """

    links: np.ndarray
    switches: np.ndarray
    units: np.ndarray


def first_failures(topology: Topology, what: Failing, share: float, seed: int, sample: int = 0) -> SampledLosses:
    """Return the first failures of a sample's order, the same as `resilience` uses with the same seed.

    Parameters
    ----------
    topology : Topology
        The network before failures.
    what : Failing
        What fails (links, switches or racks), and in which order; see `failing`.
    share : float
        The share that fails, from 0 to 1; rounded as by `failures_at`.
    seed : int
        The seed of the random orders.
    sample : int
        The number of the order, from 0.

    Returns
    -------
    SampledLosses
        The links and switches that failed.

    Raises
    ------
    InputError
        A share that is not between 0 and 1.
    """
    if not 0 <= share <= 1:
        raise InputError(f"share {share:g}: the share that fails must be between 0 and 1")
    state = int(states(seed, sample, sample + 1)[0])
    gone = what.drawn(state)[: failures_at(share, what.units)]
    if what.fail == "links":
        return SampledLosses(topology.links[np.sort(gone)], np.empty(0, np.int64), gone)
    return SampledLosses(np.empty((0, 2), np.int32), np.flatnonzero(np.isin(what.unit, gone)), gone)


def surviving_network(
    topology: NetworkSource,
    fail: str = "links",
    share: float = 0.1,
    *,
    order: str = "random",
    seed: int = 1,
    sample: int = 0,
    racks: np.ndarray | None = None,
) -> Topology:
    """Return the network that is left when a share of the links, switches or racks has failed.

    Parameters
    ----------
    topology : NetworkSource
    fail, order, racks
        As for `resilience`.
    share : float
        Of all links, switches or racks, between 0 and 1.
    seed, sample : int
        The random order: sample 0 is the first that `resilience` uses with this seed.

    Returns
    -------
    Topology
        The surviving switches, numbered again; where some failed, the label ``was`` has their numbers before. Hosts without a
        surviving port are removed.

    Raises
    ------
    InputError
        No switch is left; or as for `resilience`.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> surviving_network(build("hypercube:n=4"), share=0.25)
    Topology(hypercube(n=4) less 8 links: 16 switches, 24 links)
    """
    topology = taken(topology, Topology, "surviving_network")
    what = failing(topology, fail, order, racks)
    return without_losses(topology, first_failures(topology, what, share, seed, sample))


def survivors(topology: Topology, lost: SampledLosses) -> tuple[np.ndarray, np.ndarray]:
    """Whether each switch and each link survives, bool[switches] and bool[links].

    Raises
    ------
    InputError
        No switch is left.
    """
    n, m = topology.switches, len(topology.links)
    alive = np.ones(n, np.bool_)
    alive[lost.switches] = False
    if not alive.any():
        raise InputError(f"{topology.name}: no switch is left; let a smaller share fail")
    alive_links = alive[topology.links].all(axis=1)
    if len(lost.links):
        # Among parallel links, remove as many as failed.
        key, gone = (links[:, 0].astype(np.int64) * n + links[:, 1] for links in (topology.links, lost.links))
        copy = np.arange(m) - np.searchsorted(key, key)
        alive_links &= copy >= np.searchsorted(gone, key, "right") - np.searchsorted(gone, key, "left")
    return alive, alive_links


def without_losses(topology: Topology, lost: SampledLosses) -> Topology:
    """Return a topology without the failed parts; the surviving switches are numbered again where some failed."""
    alive, alive_links = survivors(topology, lost)
    number = np.cumsum(alive) - 1
    ports = alive[topology.endpoints]
    labels = {name: values[alive] for name, values in topology.labels.items()}
    if not alive.all():
        labels["was"] = np.flatnonzero(alive)
    links, switches = len(lost.links), len(lost.switches)
    failed = [
        f"{count} {singular if count == 1 else plural}"
        for count, singular, plural in ((links, "link", "links"), (switches, "switch", "switches"))
        if count
    ]
    return Topology(
        links=number[topology.links[alive_links]],
        switches=int(alive.sum()),
        endpoints=number[topology.endpoints[ports]],
        host=np.unique(topology.host[ports], return_inverse=True)[1],
        labels=labels,
        name=f"{topology.name} less {' and '.join(failed)}" if failed else topology.name,
        **topology.rates_of(alive_links, ports),
    )
