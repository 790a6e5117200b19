"""The operation `blast_radius`: what the loss of a port, an interface, a leaf, a spine or a plane does to the hosts: how many
are cut off, and how much bandwidth the others keep.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.core.work import Work
from topoloom.failures.panel_losses import losses_of_links
from topoloom.failures.single_losses import KINDS, USUAL, Hosts, Left, losses_of, losses_of_sets
from topoloom.figures.style import Axes, drawn
from topoloom.graph.planes import distinct_planes, plane_count, planes_of
from topoloom.model.results import Provenance, Result, json_value, provenance_of
from topoloom.model.sources import NetworkSource, network_of, taken
from topoloom.model.topology import Topology
from topoloom.placement.fibre.plant import PASSIVE


@dataclass(frozen=True)
class Blast:
    """What the worst loss of one kind does.

    Attributes
    ----------
    lose : "port", "nic", "leaf", "spine", "plane", "cable", "rack", "group", "cord", "trunk" or "panel"
        What is lost: a port of a host or its cable, an interface of a host with all its ports, a switch with hosts, a switch
        without hosts, all switches of a plane, a cable between switches, all switches of a rack or of a group, or all links
        through a cord, a trunk or a panel.
    units : int
        How many units of this kind the network has, which is the number of losses that were compared.
    worst : int
        The endpoint, host (of an interface), switch, plane, cable (of `Topology.links`), rack, group, cord, trunk or panel
        whose loss cuts off the most hosts; among equals, the one that leaves the least bandwidth.
    cut_off : int
        Hosts that this loss cuts off: hosts without a live port in the main part of a plane.
    ports_mean, ports_least : float
        The share of its ports that a host keeps alive and connected (of their Gb/s, where rates differ), 0 for hosts that are
        cut off: the mean over all hosts, and the least.
    uplinks_mean, uplinks_least : float
        The same, with each port weighted by the share of its switch's links (of their Gb/s) that is left.
    name : str
        What is lost, as `outage` reads it: ``switch:7``, ``link:12-40``, ``rack:A03``; empty for a port or an interface.
    """

    lose: str
    units: int
    worst: int
    cut_off: int
    ports_mean: float
    ports_least: float
    uplinks_mean: float
    uplinks_least: float
    name: str = ""


@dataclass(frozen=True)
class BlastRadius(Result):
    """What one loss does to the hosts of a network, for each kind of loss.

    Attributes
    ----------
    switches, links, hosts, ports, planes : int
        The network's size; ports are those of hosts.
    losses : tuple of Blast
        The worst loss of each kind; several per kind if asked for, the worst first.
    """

    record_name = "blast-radius"
    record_version = 2

    switches: int
    links: int
    hosts: int
    ports: int
    planes: int
    losses: tuple[Blast, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @drawn(height_in=2.6)
    def plot(self, axes: "Axes") -> None:
        """Draw how many hosts the worst loss of each kind cuts off."""
        from topoloom.figures.bars import draw_bars

        bars = [(f"a lost {loss.lose}", float(loss.cut_off)) for loss in self.losses]
        draw_bars(
            axes,
            bars,
            f"cut off [hosts, of {self.hosts:,}]",
            f"Single losses of {self.provenance.name}",
            form="{:,.0f}",
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per kind of loss."""
        return [json_value(loss) for loss in self.losses]


def blast_radius(
    topology: NetworkSource,
    lose: Sequence[str] | None = None,
    *,
    nic_ports: int = 1,
    most: int = 1,
    work: Work | None = None,
) -> BlastRadius:
    """Return what one loss of each kind does to the hosts in the worst case; it checks every loss and draws no samples.

    Parameters
    ----------
    topology : NetworkSource
        A connected network, or one of several planes, which only its hosts join.
    lose : sequence of str, optional
        "port", "nic", "leaf", "spine", "plane", "cable", "rack", "group", "cord", "trunk", "panel"; when omitted, the first
        five of those that the network has, but interfaces only when they have several ports. Racks and panels are those of the
        network's layout.
    nic_ports : int
        Ports of each interface: 2 for dual ToR; the number of planes where every interface has a port in each plane.
    most : int
        How many of the worst losses of each kind are in the result.
    work : Work, optional
        Reports progress in kinds of losses.

    Returns
    -------
    BlastRadius

    Raises
    ------
    InputError
        No hosts; a network in parts that hosts do not join; a kind of loss that the network does not have; interfaces without
        ports, or with more ports than a host has.
    Stopped
        `work` was stopped.

    Notes
    -----
    Hosts do not forward. After a loss the main part of a plane is the part with the most hosts. A port counts while it is alive
    and its switch is in the main part of its plane; a host without such a port is cut off. `ports` is the bandwidth left where
    the hosts' own links are the limit, `uplinks` where the links of their switches are. Of identical planes only one is
    checked.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> result = blast_radius(build("fat-tree:k=8,hosts=32+planes:count=2"), ["leaf", "plane"])
    >>> [(loss.lose, loss.cut_off, loss.ports_least) for loss in result.losses]
    [('leaf', 0, 0.5), ('plane', 0, 0.5)]
    >>> blast_radius(build("fat-tree:k=8,hosts=32"), ["leaf"]).losses[0].cut_off
    4
    """
    source, topology = topology, taken(topology, Topology, "blast_radius")
    name, planes = topology.name, plane_count(topology)
    if not topology.hosts:
        raise InputError(f"{name}: no hosts that a loss could cut off; add hosts, as in hosts=4")
    if planes == 0:
        raise InputError(
            f"{name}: the network is in parts that neither links nor hosts join, before any loss; join them first"
        )
    work = Work() if work is None else work
    most_ports = int(np.bincount(topology.host).max())
    if not 1 <= nic_ports <= most_ports:
        raise InputError(
            f"{name}: nic_ports={nic_ports}: an interface has 1 to {most_ports} ports, at most all ports of a host"
        )
    named = {kind: _named_units(kind, topology, source) for kind in ("rack", "group") if kind in (lose or ())}
    passive = _passive_units(source, [kind for kind in PASSIVE if kind in (lose or ())])
    units = _units(topology, planes, nic_ports) | {kind: len(names) for kind, (_, names) in named.items()}
    units |= {kind: len(passive[kind][0]) if kind in passive else 0 for kind in PASSIVE}
    for kind in lose or ():
        if kind not in KINDS:
            raise InputError(f"lose='{kind}': {hint(kind, KINDS)}")
        if kind in PASSIVE and not units[kind]:
            raise InputError(
                f"{name}: its links pass through no {kind}; give a folder that 'topoloom layout --panels -o' wrote"
            )
        if kind == "rack" and not units[kind]:
            raise InputError(
                f"{name}: the racks of this network are not known; give a folder that 'topoloom layout -o' wrote"
            )
        if not units[kind]:
            raise InputError(f"{name}: the network has no {kind} ({KINDS[kind]}); remove it from lose=")
    default_kinds = [kind for kind in USUAL if kind != "nic" or nic_ports > 1]
    wanted = [kind for kind in KINDS if units[kind] and kind in (lose or default_kinds)]
    hosts = Hosts(topology, nic_ports)
    all_planes = planes_of(topology)
    # Where all planes have the same hosts, one plane of each kind is enough: a loss in the others has the same effect.
    same = all(plane.hosts.size == topology.hosts for plane in all_planes)
    unique_planes = [plane for plane, _ in distinct_planes(topology)] if same else all_planes
    losses = []
    work.begin(len(wanted), "kinds of losses")
    for kind in wanted:
        if kind in named:
            all_losses = losses_of_sets(hosts, topology, all_planes, named[kind][0])
        elif kind in passive:
            all_losses = losses_of_links(hosts, topology, all_planes, passive[kind][1], most)
        else:
            all_losses = losses_of(kind, hosts, all_planes if kind == "plane" else unique_planes, most)
        for left in nlargest(most, _checked(all_losses, work), key=_badness):
            names = passive[kind][0] if kind in passive else named.get(kind, ((), ()))[1]
            label = _name(kind, left.unit, topology, names)
            losses.append(
                Blast(
                    kind,
                    units[kind],
                    left.unit,
                    left.cut_off,
                    left.ports_mean,
                    left.ports_least,
                    left.uplinks_mean,
                    left.uplinks_least,
                    label,
                )
            )
        work.advance()
    return BlastRadius(
        topology.switches,
        len(topology.links),
        topology.hosts,
        topology.endpoints.size,
        planes,
        tuple(losses),
        provenance_of(
            topology, settings={"lose": wanted, "nic_ports": nic_ports, **({"most": most} if most > 1 else {})}
        ),
    )


def _checked(losses: Iterable[Left], work: Work) -> Iterator[Left]:
    """The losses, until `work` is stopped."""
    for left in losses:
        work.check()
        yield left


def _passive_units(source: NetworkSource, kinds: Sequence[str]) -> dict[str, tuple[list[str], list[np.ndarray]]]:
    """The names of the cords, trunks or panels of a layout, and the links through each; nothing without panels."""
    layout = network_of(source, "blast_radius").layout if kinds else None
    return {} if layout is None or layout.plant is None else {kind: layout.plant.links_of(kind) for kind in kinds}


def _named_units(kind: str, topology: Topology, source: NetworkSource) -> tuple[np.ndarray, list[str]]:
    """The rack or the group of each switch, by number, and their names; no names where they are not known."""
    if kind == "group":
        if "group" not in topology.labels:
            return np.zeros(0, np.int64), []
        values, group = np.unique(topology.labels["group"], return_inverse=True)
        return group.reshape(-1), [str(value) for value in values.tolist()]
    network = network_of(source, "blast_radius")
    names = network.racks if any(network.racks) else None
    if names is None and network.layout is not None:
        names = tuple(network.layout.rack_names[rack] for rack in network.layout.rack.tolist())
    if names is None:
        return np.zeros(0, np.int64), []
    different = sorted(set(names))
    number = {name: at for at, name in enumerate(different)}
    return np.array([number[name] for name in names], np.int64), different


def _name(kind: str, unit: int, topology: Topology, names: Sequence[str]) -> str:
    """What is lost, as `outage` reads it."""
    if kind in ("leaf", "spine"):
        return f"switch:{unit}"
    if kind == "cable":
        u, v = topology.links[unit].tolist()
        return f"link:{u}-{v}"
    if kind == "plane":
        return f"plane:{unit}"
    return f"{kind}:{names[unit]}" if names else ""


def _units(topology: Topology, planes: int, nic_ports: int) -> dict[str, int]:
    """Return how many units of each kind of loss the network has."""
    leaves = int((topology.endpoints_at > 0).sum())
    nics = int((-(-np.bincount(topology.host) // nic_ports)).sum())
    return {
        "port": topology.endpoints.size,
        "nic": nics,
        "leaf": leaves,
        "spine": topology.switches - leaves,
        "plane": planes,
        "cable": len(topology.links),
        "rack": 0,
        "group": 0,
    }


def _badness(left: Left) -> tuple[float, ...]:
    """Return a key that is greater for a worse loss; among equal losses the first counts."""
    return (left.cut_off, -left.uplinks_mean, -left.ports_mean, -left.uplinks_least, -left.ports_least)
