"""The time of a packet's bits on the links of a path, each at its own rate."""

from typing import Annotated, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting


class Serialization(Settings, frozen=True, kw_only=True):
    """A packet whose bits take time on every link, in switches that forward its first bits while the others come (cut-through).

    Over links of 1, 2, ... k in the order of the path, hosts' links included, a packet takes the sum of the times of a flit on
    each link, plus the time of the other flits on the last link, plus, at every link that is faster than the one before, the
    difference of the times of the other flits on both: the switch waits, so that it sends the packet without a gap. Both
    directions take the same time. With one rate everywhere the other flits count once. With ``flit_bytes = packet_bytes``,
    switches store a packet and forward it (store-and-forward).

    Raises
    ------
    InputError
        A size out of range, or a flit larger than the packet.

    Examples
    --------
    >>> Serialization(packet_bytes=4096).flit_bytes
    0.0
    """

    group = "serialization"

    packet_bytes: Annotated[
        float, setting("size of a packet whose time on the links counts; 0: none", unit="bytes", least=0.0, most=1e9)
    ] = 0.0
    flit_bytes: Annotated[
        float,
        setting(
            "what a switch receives before it forwards; 0: the delay of a switch includes it; the packet's size:"
            " store-and-forward",
            unit="bytes",
            least=0.0,
            most=1e9,
        ),
    ] = 0.0
    rate_gbps: (
        Annotated[
            float, setting("rate of every link, where the network has no rates", unit="Gb/s", above=0.0, most=1e9)
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.flit_bytes > self.packet_bytes:
            raise InputError(
                f"serialization: flit_bytes={self.flit_bytes:g} is above packet_bytes={self.packet_bytes:g}; a packet has at"
                " least one flit"
            )

    def settings(self) -> dict[str, Any]:
        """The settings of a result's provenance; empty if no packet counts."""
        if not self.packet_bytes:
            return {}
        sizes = {"packet_bytes": self.packet_bytes, "flit_bytes": self.flit_bytes}
        return sizes if self.rate_gbps is None else {**sizes, "rate_gbps": self.rate_gbps}

    def at(self, rates_gbps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The time of a flit, and of the packet's other flits, at each rate, in ns.

        Parameters
        ----------
        rates_gbps : float64[k]

        Returns
        -------
        float64[k], float64[k]
        """
        return 8 * self.flit_bytes / rates_gbps, 8 * (self.packet_bytes - self.flit_bytes) / rates_gbps
