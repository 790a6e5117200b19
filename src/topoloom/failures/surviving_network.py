"""What is left of a network after failures, as a network of its own."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.failure_orders import Failing, failing, failures_at, states
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class SampledLosses:
    """What fails in one sample.

    `links`: int32[k, 2], links that fail by themselves; `switches`: int64[k]. One of them is empty.
    """

    links: np.ndarray
    switches: np.ndarray


def first_failures(topology: Topology, what: Failing, share: float, seed: int, sample: int = 0) -> SampledLosses:
    """The first failures of a sample's order: those that `resilience` looks at with the same seed.

    Parameters
    ----------
    topology : Topology
        The network before failures.
    what : Failing
        What fails (links, switches or racks), and in which order; see `failing`.
    share : float
        How much of it fails, from 0 to 1; rounded as `failures_at` does.
    seed : int
        Of the random orders.
    sample : int
        Which of the seed's orders, from 0.

    Returns
    -------
    SampledLosses
        The links and switches that are gone.

    Raises
    ------
    InputError
        A share that is not between 0 and 1.
    """
    if not 0 <= share <= 1:
        raise InputError(f"share {share:g}: a share of what fails is between 0 and 1")
    state = int(states(seed, sample, sample + 1)[0])
    gone = what.drawn(state)[: failures_at(share, what.units)]
    if what.fail == "links":
        return SampledLosses(topology.links[np.sort(gone)], np.empty(0, np.int64))
    return SampledLosses(np.empty((0, 2), np.int32), np.flatnonzero(np.isin(what.unit, gone)))


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
    """What is left when a share of the links, switches or racks has failed.

    Parameters
    ----------
    topology : NetworkSource
    fail, order, racks
        As for `resilience`.
    share : float
        Of all links, switches or racks, between 0 and 1.
    seed, sample : int
        Which random order: sample 0 is the first that `resilience` with this seed looks at.

    Returns
    -------
    Topology
        The switches that are left, numbered again; the label ``was`` has their numbers before, where some are gone. Hosts all
        of whose ports are gone are gone, too.

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


def without_losses(topology: Topology, lost: SampledLosses) -> Topology:
    """A topology without what is lost; its switches are numbered again where some are."""
    n, m = topology.switches, len(topology.links)
    stays = np.ones(n, np.bool_)
    stays[lost.switches] = False
    if not stays.any():
        raise InputError(f"{topology.name}: no switch is left; let a smaller share fail")
    kept = stays[topology.links].all(axis=1)
    if len(lost.links):
        # Of parallel links as many go as are lost.
        key, gone = (links[:, 0].astype(np.int64) * n + links[:, 1] for links in (topology.links, lost.links))
        turn = np.arange(m) - np.searchsorted(key, key)
        kept &= turn >= np.searchsorted(gone, key, "right") - np.searchsorted(gone, key, "left")
    number = np.cumsum(stays) - 1
    ports = stays[topology.endpoints]
    labels = {name: values[stays] for name, values in topology.labels.items()}
    if not stays.all():
        labels["was"] = np.flatnonzero(stays)
    links, switches = len(lost.links), len(lost.switches)
    told = [
        f"{count} {one if count == 1 else many}"
        for count, one, many in ((links, "link", "links"), (switches, "switch", "switches"))
        if count
    ]
    return Topology(
        links=number[topology.links[kept]],
        switches=int(stays.sum()),
        endpoints=number[topology.endpoints[ports]],
        host=np.unique(topology.host[ports], return_inverse=True)[1],
        labels=labels,
        name=f"{topology.name} less {' and '.join(told)}" if told else topology.name,
        **topology.rates_of(kept, ports),
    )
