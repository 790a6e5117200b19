"""What routers are like: virtual channels, buffers, delays; and presets with their sources."""

import math
from dataclasses import dataclass
from typing import Any

from topoloom.errors import InputError

_LEAST_AND_MOST = {
    "vcs": (0, 32),
    "buffer_flits": (1, 1 << 16),
    "output_flits": (0, 1 << 16),
    "speedup": (1, 2),
    "link_cycles": (1, 1 << 14),
    "host_cycles": (1, 1 << 14),
    "credit_cycles": (1, 1 << 14),
    "route_cycles": (0, 1 << 14),
    "vc_cycles": (0, 12),
    "switch_cycles": (0, 1 << 14),
    "crossbar_cycles": (0, 1 << 14),
    "packet_flits": (1, 1 << 12),
    "burst_packets": (1, 1 << 16),
    "detours": (0, 256),
    "detour_threshold": (0, 1 << 16),
    "detour_weight": (0, 256),
    "cycle_ns": (0, 1e6),
    "flit_bits": (0, 1 << 20),
}


@dataclass(frozen=True)
class RouterConfig:
    """A router and its links, in flits and cycles; a cycle is what a link takes for a flit.

    Attributes
    ----------
    vcs : int
        VCs of a port, at least; 0: one for each lane of the routing.
    buffer_flits : int
        Of an input port, shared out evenly to its VCs.
    output_flits : int
        Of an output's queue behind the crossbar; 0: no limit.
    speedup : int
        Internal steps a cycle, 1 or 2. A hop takes 5 - speedup cycles with links of one cycle and no further delay.
    link_cycles, host_cycles : int
        On every cable between switches (but where simulations are told each cable's), and between a host and its switch.
    credit_cycles : int
        From a flit's leaving a buffer to its credit's use, beside the cable's; a host uses it a cycle after its cable's.
    route_cycles, vc_cycles, switch_cycles, crossbar_cycles : int
        Delays in every router beyond the internal step that each of the two allocations takes: before a flit that has arrived
        can ask; from the allocation of a VC to the first request for the switch; from that of the switch to the flit's leaving
        its buffer; and from there to the output.
    packet_flits : int
    packet_mix : str
        Packets of several lengths, as in "1:0.6,5:0.4", flits and the share of packets; empty: all have `packet_flits`.
    cut_through : bool
        A packet goes on only where there is room for all of it (virtual cut-through); else wormhole.
    burst_packets : float
        How many packets a host makes one after the other on average; 1: each by itself (Bernoulli).
    host_vcs : "any" or "one"
        "one": a host draws the VC of each packet and waits for it, and a packet goes to its host in the VC that it has come by;
        else both take any VC that is free.
    to_itself : bool
        Whether uniform traffic goes to its own host too.
    detours, detour_threshold, detour_weight : int, int, float
        For UGAL: detours compared, 0: as many as the engine says; flits that the queue on the way of the tables may be longer
        before a detour is taken; what a flit in a detour's queue counts, 0: hops decide.
    cycle_ns : float
        Nanoseconds a cycle, 0: not stated.
    flit_bits : int
        0: not stated.
    source : str
    """

    vcs: int = 0
    buffer_flits: int = 64
    output_flits: int = 0
    speedup: int = 2
    link_cycles: int = 1
    host_cycles: int = 1
    credit_cycles: int = 3
    route_cycles: int = 0
    vc_cycles: int = 0
    switch_cycles: int = 0
    crossbar_cycles: int = 0
    packet_flits: int = 1
    packet_mix: str = ""
    cut_through: bool = False
    burst_packets: float = 1.0
    host_vcs: str = "any"
    to_itself: bool = False
    detours: int = 0
    detour_threshold: int = 0
    detour_weight: float = 0.0
    cycle_ns: float = 0.0
    flit_bits: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        for name, (low, high) in _LEAST_AND_MOST.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise InputError(f"router: {name}={value}; it is {low} to {high:g}")
        if self.host_vcs not in ("any", "one"):
            raise InputError(f"router: host_vcs='{self.host_vcs}'; it is any or one")
        longest = max(length for length, _ in self.lengths)
        if self.cut_through and longest > self.buffer_flits:
            raise InputError(
                f"router: cut_through with packets of {longest} flits and buffer_flits={self.buffer_flits}; a packet needs"
                " room for all of it"
            )

    @property
    def lengths(self) -> tuple[tuple[int, float], ...]:
        """Packets' lengths in flits, and the share of packets of each."""
        if not self.packet_mix:
            return ((self.packet_flits, 1.0),)
        try:
            pairs = [part.split(":") for part in self.packet_mix.split(",")]
            found = tuple((int(length), float(share)) for length, share in pairs)
        except ValueError:
            found = ()
        total = sum(share for _, share in found)
        low, high = _LEAST_AND_MOST["packet_flits"]
        if (
            not found
            or not all(low <= length <= high and share > 0 for length, share in found)
            or abs(total - 1) > 1e-6
        ):
            raise InputError(
                f"router: packet_mix='{self.packet_mix}'; write flits:share,... as in 1:0.6,5:0.4, with shares that add up to 1"
                f" and {low} to {high} flits"
            )
        return found

    @property
    def mean_flits(self) -> float:
        """Flits of a packet on average."""
        return sum(length * share for length, share in self.lengths)

    def spread(self, load: float, packets: float) -> float:
        """The standard deviation of the flits that sources make, as a share of them, after so many packets at a load.

        A source begins a burst in a cycle or not; bursts have a geometric number of packets, and those a length each.
        """
        begins = load / self.mean_flits / self.burst_packets
        squares = sum(share * length**2 for length, share in self.lengths) / self.mean_flits**2
        return math.sqrt(max(0.0, 1 - begins) * (2 * self.burst_packets - 1) * squares / max(1.0, packets))

    @property
    def values(self) -> dict[str, Any]:
        """Every attribute but the source, by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "source"}


#: BookSim 2 with the options of its iq_router that recorded runs used; and papers' routers.
PRESETS = {
    "booksim": RouterConfig(to_itself=True, source="BookSim 2: iq_router, separable input-first, internal_speedup 2"),
    "slimfly-2014": RouterConfig(vcs=3, source="Besta 2014 V: 3 VCs, 64 flits a port, speedup 2, delays of one cycle"),
    # 256 bits at 96 Gb/s are 8/3 ns; a hop of 100 ns in the switch and 20 ns of link and injection is 45 cycles.
    "koibuchi-2013": RouterConfig(
        vcs=4,
        buffer_flits=4 * 66,
        speedup=1,
        link_cycles=7,
        host_cycles=1,
        credit_cycles=3,
        route_cycles=35,
        packet_flits=33,
        cut_through=True,
        cycle_ns=8 / 3,
        flit_bits=256,
        source="Koibuchi 2013 III.C: cut-through, packets of 33 flits of 256 bits, 96 Gb/s, 4 VCs, 100 ns a"
        " switch, 20 ns a link",
    ),
    "noc-2016": RouterConfig(
        vcs=4,
        buffer_flits=20,
        speedup=1,
        packet_mix="1:0.5,5:0.5",
        flit_bits=128,
        source="Nakano 2016 Table V: 3 cycles a router and 1 a link, 5 flits a VC, packets of 1 and 5 flits of 128 bits",
    ),
}


def find_preset(name: str) -> RouterConfig:
    """The preset of that name; raises `InputError` if there is none."""
    if name not in PRESETS:
        raise InputError(f"no router preset '{name}'; there are {', '.join(PRESETS)}")
    return PRESETS[name]
