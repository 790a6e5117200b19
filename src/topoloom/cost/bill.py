"""Bill: what a layout costs and draws, line by line."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from topoloom.cost.parts import Parts, load_parts
from topoloom.errors import InputError
from topoloom.layout.layout import Layout


@dataclass(frozen=True)
class Line:
    """One line of a bill: so many of an item, their price and their watts together; cables also have metres."""

    item: str
    count: int
    cost_usd: float
    power_w: float = 0.0
    length_m: float = 0.0


@dataclass(frozen=True)
class Bill:
    """What a layout costs: the lines, and the sums a host."""

    parts: str
    rate_gbps: float
    radix: int
    hosts: int
    lines: tuple[Line, ...]

    @property
    def cost_usd(self) -> float:
        """The whole price."""
        return sum(line.cost_usd for line in self.lines)

    @property
    def power_w(self) -> float:
        """All watts."""
        return sum(line.power_w for line in self.lines)

    @property
    def cost_per_host_usd(self) -> float:
        """Price over hosts; infinite without hosts."""
        return self.cost_usd / self.hosts if self.hosts else float("inf")

    @property
    def power_per_host_w(self) -> float:
        """Watts over hosts; infinite without hosts."""
        return self.power_w / self.hosts if self.hosts else float("inf")


def price(
    layout: Layout,
    parts: Parts | str | Path = "slimfly-2014",
    rate_gbps: float = 40.0,
    radix: int | None = None,
    host_cables: bool = False,
) -> Bill:
    """The bill of a layout: exact counts, the ports really used, each cable at the tariff of its own medium.

    Parameters
    ----------
    layout : Layout
    parts : Parts, str or path
        A catalogue, the name of one of topoloom's own, or a TOML file.
    rate_gbps : float
        The rate of every link, Gb/s; cables are priced per Gb/s.
    radix : int, optional
        Ports of every switch; the default is the most that any switch of the fabric uses.
    host_cables : bool
        Whether to add a cable inside the cabinet for every endpoint. 004 leaves them out (for all but the fat tree).

    Source: 004 VI.B-C.

    Examples
    --------
    >>> from topoloom import build, place
    >>> bill = price(place(build("slimfly:q=19,hosts=15")))
    >>> round(bill.cost_per_host_usd, 1), round(bill.power_per_host_w, 3)
    (1168.2, 8.213)
    """
    parts = parts if isinstance(parts, Parts) else load_parts(parts)
    topology = layout.topology
    ports = topology.radix if radix is None else radix
    if not 0 < rate_gbps < 1e15:
        raise InputError(f"rate_gbps={rate_gbps:g}: a rate is a number of Gb/s above 0")
    if ports < topology.radix:
        raise InputError(f"radix={ports} is too small: a switch of {topology.name} uses {topology.radix} ports")
    count = topology.switches
    lines = [Line(f"switch, {ports} ports", count, count * parts.switch_usd(ports), count * parts.switch_w(ports))]
    medium = parts.medium_of(layout.length_m, layout.between)
    for index, cable in enumerate(parts.cable):
        length_m = layout.length_m[medium == index]
        if length_m.size:
            usd = float(parts.cable_usd(index, length_m, rate_gbps).sum())
            lines.append(
                Line(f"cable, {cable.medium}", length_m.size, usd, length_m.size * cable.power_w, float(length_m.sum()))
            )
    endpoints = topology.endpoints.size
    if host_cables and endpoints:
        length_m = np.full(endpoints, layout.floor.inside_m)
        index = int(parts.medium_of(length_m[:1], np.zeros(1, bool))[0])
        usd = float(parts.cable_usd(index, length_m, rate_gbps).sum())
        watts = endpoints * parts.cable[index].power_w
        lines.append(Line(f"host cable, {parts.cable[index].medium}", endpoints, usd, watts, float(length_m.sum())))
    return Bill(parts.name, rate_gbps, ports, topology.hosts, tuple(lines))
