"""Numbers in the order of arrival: switches, hosts and cables keep theirs in all later phases."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.cabling.plugs import Plugs
from topoloom.model.results import Provenance
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.topologies.families.part import Arrival, subnetwork

#: The names of the levels of a tree, from the leaves, by the number of levels.
_LEVELS = {2: ("leaf", "spine"), 3: ("leaf", "aggregation", "core")}


class ArrivalNumbers:
    """A network whose switches, hosts and cables are numbered phase by phase, and its parts.

    Parameters
    ----------
    layout : Layout
        Of the last phase.
    plugs : Plugs or None
        The ports of its cables; None: those of a new network.
    hosts : sequence of int
        The hosts after each phase.

    Attributes
    ----------
    kind : str
        As in `Arrival`.
    number : int64[switches]
        The number in the network of each switch, in the order of arrival.
    whole : Topology
        The network of the last phase, in the order of arrival.
    ports_used : int64[switches]
        Ports that each switch uses in the last phase, in the order of arrival.
    """

    def __init__(self, layout: Layout, plugs: Plugs | None, hosts: Sequence[int]) -> None:
        topology = layout.topology
        arrival = Arrival(topology, hosts)
        self.kind = arrival.kind
        self.number = np.argsort(arrival.switch, kind="stable")
        host_number = np.argsort(arrival.host, kind="stable")
        self._phase, self._host_phase = arrival.switch[self.number], arrival.host[host_number]
        self.whole = subnetwork(topology, self.number, host_number)
        self._layout = layout
        self._slot = layout.slot[self.number]
        self._host_slot = None if layout.host_slot is None else layout.host_slot[host_number]
        self.ports_used = self.whole.degrees + self.whole.endpoints_at
        self._levels = _level_names(self.whole)
        self._number_cables(topology, Plugs.of(topology) if plugs is None else plugs)

    def _number_cables(self, topology: Topology, plugs: Plugs) -> None:
        """The ports of all cables in the order of the whole network's links and endpoints, and their numbers."""
        place = np.empty(topology.switches, np.int64)
        place[self.number] = np.arange(topology.switches)
        ends, ports = place[topology.links], plugs.link
        turned = ends[:, 0] > ends[:, 1]
        ends = np.where(turned[:, None], ends[:, ::-1], ends)
        ports = np.where(turned[:, None], ports[:, ::-1], ports)
        # As `Topology` sorts links and endpoints; parallel cables keep their order.
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        self._link_ports = ports[order]
        self._endpoint_ports = plugs.endpoint[np.argsort(place[topology.endpoints], kind="stable")]
        whole = self.whole
        self._link_phase = self._phase[whole.links].max(axis=1)
        self._endpoint_phase = np.maximum(self._phase[whole.endpoints], self._host_phase[whole.host])
        phase = np.concatenate([self._link_phase, self._endpoint_phase])
        number = np.empty(phase.size, np.int64)
        number[np.argsort(phase, kind="stable")] = np.arange(1, phase.size + 1)
        self._link_number, self._endpoint_number = np.split(number, [self._link_phase.size])

    def layout(self, phase: int) -> Layout:
        """The network of a phase on its floor."""
        switches = np.flatnonzero(self._phase <= phase)
        hosts = np.flatnonzero(self._host_phase <= phase)
        whole, layout = self.whole, self._layout
        last = phase == int(self._host_phase.max())
        topology = subnetwork(whole, switches, hosts).replace(
            name=layout.topology.name if last else f"{layout.topology.name}, phase {phase + 1}"
        )
        own_u = layout.switch_u
        return replace(
            layout,
            topology=topology,
            slot=self._slot[switches],
            switch_u=own_u[self.number[switches]] if isinstance(own_u, np.ndarray) else own_u,
            host_slot=None if self._host_slot is None else self._host_slot[hosts],
            length_bound_m=0.0,
            # The cables and switches of a phase have other numbers.
            stated=None,
            provenance=Provenance(),
        )

    def plugs(self, phase: int) -> Plugs:
        """The ports and numbers of the cables of a phase."""
        links, endpoints = self._link_phase <= phase, self._endpoint_phase <= phase
        count = int(links.sum())
        return Plugs(
            self._link_ports[links],
            self._endpoint_ports[endpoints],
            self._link_number[links],
            self._endpoint_number[endpoints],
            ("",) * count,
            np.full(count, np.nan),
        )

    def new_switches(self, phase: int) -> dict[str, int]:
        """The switches that come with a phase, by level from the leaves; only levels with some."""
        new = self._levels[self._phase == phase]
        return {name: int((new == name).sum()) for name in dict.fromkeys(self._levels.tolist()) if (new == name).any()}


def layout_of_part(layout: Layout, part: Topology) -> Layout:
    """The layout of the part of a network that is built first: switches and hosts stand where they stand in the end.

    Parameters
    ----------
    layout : Layout
        Of the whole network.
    part : Topology
        As the transform ``+part`` makes it.

    Returns
    -------
    Layout
    """
    numbers = ArrivalNumbers(layout, None, (part.hosts, layout.topology.hosts))
    return replace(numbers.layout(0), topology=part)


def _level_names(topology: Topology) -> np.ndarray:
    """The name of the level of each switch, str[switches]: of a tree, else "switch"."""
    level = topology.labels.get("level")
    if level is None or level.dtype.kind != "i":
        return np.full(topology.switches, "switch")
    levels, place = np.unique(level, return_inverse=True)
    names = _LEVELS.get(levels.size) or tuple(f"level {number}" for number in levels.tolist())
    return np.array(names)[place.reshape(-1)] if levels.size > 1 else np.full(topology.switches, "switch")
