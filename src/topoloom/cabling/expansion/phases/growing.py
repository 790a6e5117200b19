"""The operation `phases`: a network in phases, each of which is a part of the next."""

import math
from collections.abc import Sequence
from pathlib import Path

from topoloom.cabling.expansion.phases.dates import check_phases
from topoloom.cabling.expansion.phases.numbering import ArrivalNumbers
from topoloom.cabling.expansion.phases.phase import Phase, PhaseNetwork, Phases
from topoloom.cabling.expansion.phases.phase_tables import with_phase_tables
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.bill import bill_with
from topoloom.cost.choose import CableLot
from topoloom.cost.lines import Line
from topoloom.cost.parts import Parts
from topoloom.cost.purchases import in_stock, purchases
from topoloom.cost.switch_kinds import kinds_of_part, switch_kinds
from topoloom.formats.cables import host_ports
from topoloom.graph.load import oversubscription
from topoloom.graph.planes import distinct_planes, plane_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.fitted_tables import VIRTUAL_CHANNELS

#: The kinds of line that belong to the switches and cables of one plane.
_OF_A_PLANE = frozenset({"switch", "cable", "transceiver"})


def phases(
    network: NetworkSource,
    hosts: Sequence[int],
    by: Sequence[str] = (),
    *,
    parts: Parts | str | Path | None = None,
    rate_gbps: float | None = None,
    verify: bool = False,
    virtual_channels: int = VIRTUAL_CHANNELS,
    jobs: int | None = None,
    work: Work | None = None,
) -> Phases:
    """A network in phases: the network of each phase is a part of the next, and the last is the network itself.

    Hosts come in the order of their places (a switch, or the leaves of a unit). In a tree, leaves and the switches above them
    come with their first hosts, so the top level has its final size from the first phase. Every switch, rack and cable keeps
    its number, place and ports in all later phases, which is checked cable by cable.

    Parameters
    ----------
    network : NetworkSource
        The network of the last phase. Without a layout it is placed with the default settings.
    hosts : sequence of int
        The hosts after each phase, growing; the last number is the hosts of the network.
    by : sequence of str
        The date of each phase; omitted: none.
    parts : Parts, str or path, optional
        The catalogue of the bills; the network's own, otherwise ``slimfly-2014``.
    rate_gbps : float, optional
        The rate of every link, Gb/s; in a network of several rates, each has its own.
    verify : bool
        Make the forwarding tables of each phase's network, verify them, and measure their throughput.
    virtual_channels : int
        Virtual channels of a switch, for these tables.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        Receives progress by phases, and may stop the work.

    Returns
    -------
    Phases

    Raises
    ------
    InputError
        The phases do not grow, the dates are not in order, or the last phase has other hosts than the network; its network
        cannot be routed.

    Examples
    --------
    >>> grown = phases("fat-tree:k=16,hosts=128", [64, 128])
    >>> [(phase.switches, phase.new_switches, phase.moved) for phase in grown.phases]
    [(16, {'leaf': 8, 'spine': 8}, 0), (24, {'leaf': 8}, 0)]
    """
    work = Work() if work is None else work
    source = network_of(network, "phases")
    check_phases(hosts, by)
    placed = source.with_layout(parts=parts, rate_gbps=rate_gbps)
    layout, terms = placed.part(Layout), placed.terms.changed(parts=parts, rate_gbps=rate_gbps)
    topology = layout.topology
    if hosts[-1] != topology.hosts:
        what = "beyond its capacity" if hosts[-1] > topology.hosts else "too few"
        raise InputError(
            f"{topology.name}: the last phase has {hosts[-1]:,} hosts, which is {what}: the network has {topology.hosts:,};"
            " the network of the last phase must have exactly its hosts (+populated:hosts=NUMBER leaves ports idle)"
        )
    terms = terms.on(topology, "phases")
    if terms.radix is None and not terms.spare_ports and not topology.mixed:
        # A switch of an early phase is bought with the ports that it needs in the end.
        terms = terms.changed(radix=topology.radix)
    numbers = ArrivalNumbers(layout, placed.plugs, hosts)
    kinds = switch_kinds(numbers.whole, terms)
    networks: list[PhaseNetwork] = []
    steps: list[Phase] = []
    owned: tuple[Line, ...] = ()
    stock: tuple[CableLot, ...] = ()
    work.begin(len(hosts), "phases")
    for number, count in enumerate(hosts):
        work.check()
        own, plugs = numbers.layout(number), numbers.plugs(number)
        bill = bill_with(own, terms, kinds_of_part(kinds, own.topology), orders=True)
        bought, orders = purchases(owned, bill.lines), purchases(stock, bill.orders)
        cost = math.fsum(line.cost_usd for line in bought if not math.isnan(line.cost_usd))
        earlier = networks[-1] if networks else None
        now = PhaseNetwork(own, plugs, terms, bill)
        radix = bill.radix if bill.ports_bought == 0 else bill.ports_bought // max(1, bill.switches)
        used = own.topology.degrees + own.topology.endpoints_at
        final = numbers.ports_used[: own.topology.switches]
        housing = own.housing
        steps.append(
            Phase(
                number=number + 1,
                by=by[number] if by else "",
                hosts=count,
                earlier_hosts=hosts[number - 1] if number else 0,
                switches=own.topology.switches,
                links=len(own.topology.links),
                racks=own.racks,
                new_switches=numbers.new_switches(number),
                new_cables=_cables(now) - (0 if earlier is None else _cables(earlier)),
                moved=0 if earlier is None else moved_cables(earlier, now),
                new_racks=own.racks - (0 if earlier is None else earlier.layout.racks),
                ports_reserved=int((final - used).sum()),
                ports_free=int((radix - final).clip(0).sum()),
                oversubscription=_oversubscription(own.topology, jobs),
                cost_usd=cost,
                total_usd=cost + (steps[-1].total_usd if steps else 0.0),
                power_w=bill.power_w,
                hosts_power_w=None if housing is None or not housing.host.power_w else count * housing.host.power_w,
                bought=bought,
                orders=orders,
            )
        )
        networks.append(now)
        owned, stock = in_stock(owned, bill.lines), in_stock(stock, bill.orders)
        work.advance()
    planes = max(1, plane_count(topology))
    of_planes = [line.cost_usd for line in networks[0].bill.lines if line.kind in _OF_A_PLANE]
    grown = Phases(
        spec=topology.spec,
        kind=numbers.kind,
        phases=tuple(steps),
        left_over=purchases(networks[-1].bill.lines, owned),
        planes=planes,
        plane_usd=math.fsum(usd for usd in of_planes if not math.isnan(usd)) / planes,
        networks=tuple(networks),
        number=numbers.number,
        provenance=provenance_of(
            topology,
            settings={
                "hosts": list(hosts),
                "by": list(by),
                "parts": terms.catalogue.name,
                "currency": terms.catalogue.currency,
            },
        ),
    )
    return with_phase_tables(grown, virtual_channels, jobs=jobs, work=work) if verify else grown


def moved_cables(earlier: PhaseNetwork, later: PhaseNetwork) -> int:
    """The cables of an earlier network that a later one has not between the same two ports, by their numbers."""
    had, has = (_by_number(network) for network in (earlier, later))
    return sum(has.get(number) != ends for number, ends in had.items())


def _by_number(network: PhaseNetwork) -> dict[int, tuple[object, ...]]:
    """Both ends of each cable, with their ports, by the number of the cable."""
    topology, plugs = network.layout.topology, network.plugs
    links = zip(plugs.number.tolist(), topology.links.tolist(), plugs.link.tolist(), strict=True)
    ends: dict[int, tuple[object, ...]] = {
        number: ("link", *sorted(zip(switches, ports, strict=True))) for number, switches, ports in links
    }
    columns = plugs.endpoint_number, topology.endpoints, plugs.endpoint, topology.host, host_ports(topology.host)
    for number, switch, port, host, host_port in zip(*(column.tolist() for column in columns), strict=True):
        ends[number] = "host", (switch, port), (host, host_port)
    return ends


def _cables(network: PhaseNetwork) -> int:
    """The number of its links and host ports."""
    topology = network.layout.topology
    return len(topology.links) + topology.endpoints.size


def _oversubscription(topology: Topology, jobs: int | None) -> float:
    """Of the worst plane; 0 without links."""
    return max(oversubscription(plane.topology, jobs) for plane, _ in distinct_planes(topology))
