"""What routers are like: virtual channels, buffers, delays; and presets with their sources."""

from dataclasses import dataclass

from topoloom.errors import InputError


@dataclass(frozen=True)
class RouterConfig:
    """A router and its links, in flits and cycles.

    Attributes
    ----------
    vcs : int
        VCs of a port; 0: one for each lane of the routing.
    buffer_flits : int
        Of a port, shared out evenly to its VCs.
    speedup : int
        Internal steps a cycle, 1 or 2: a hop takes 5 - speedup cycles with links of one cycle.
    link_cycles : int
        Of every cable.
    credit_cycles : int
        From a flit's leaving to its credit's use.
    inject_cycles : int
        From a host to its router.
    packet_flits : int
    to_itself : bool
        Whether uniform traffic goes to its own host too.
    source : str
    """

    vcs: int = 0
    buffer_flits: int = 64
    speedup: int = 2
    link_cycles: int = 1
    credit_cycles: int = 4
    inject_cycles: int = 2
    packet_flits: int = 1
    to_itself: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("vcs", 0, 32), ("buffer_flits", 1, 1 << 16), ("speedup", 1, 2), ("link_cycles", 1, 1 << 16),
            ("credit_cycles", 2, 14), ("inject_cycles", 2, 1 << 16), ("packet_flits", 1, 1 << 10),
        ):  # fmt: skip
            value = getattr(self, name)
            if not low <= value <= high:
                raise InputError(f"router: {name}={value}; it is {low} to {high}")


#: BookSim 2 with the options of its iq_router that recorded runs used, and 004's Section V.
PRESETS = {
    "booksim": RouterConfig(to_itself=True, source="BookSim 2: iq_router, separable input-first, internal_speedup 2"),
    "slimfly-2014": RouterConfig(vcs=3, source="004 V: 3 VCs, 64 flits a port, speedup 2, delays of one cycle"),
}


def find_preset(name: str) -> RouterConfig:
    """The preset of that name; raises `InputError` if there is none."""
    if name not in PRESETS:
        raise InputError(f"no router preset '{name}'; there are {', '.join(PRESETS)}")
    return PRESETS[name]
