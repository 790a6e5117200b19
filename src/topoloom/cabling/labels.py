"""What is printed on cables and switches: ``A01-U03-P12`` is port 12 of the third switch from below in rack A01."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.placement.hosts.housing import host_names


@dataclass(frozen=True, eq=False)
class Labels:
    """The texts of a cabling: `cable`, list of str a cable; `switch`, one a switch; `a` and `b`, one a cable.

    `port_digits`: as many as the numbers of ports have. `hosts`: what hosts in racks are called, empty where they stand
    with their switches; `device` is what their interfaces are called.
    """

    cable: list[str]
    switch: list[str]
    a: list[str]
    b: list[str]
    port_digits: int
    hosts: list[str] = field(default_factory=list)
    device: str = ""

    def end(self, switch: int, port: int) -> str:
        """The label of a port of a switch, also of one that no cable is in."""
        return f"{self.switch[switch]}-P{port:0{self.port_digits}d}"

    def host_end(self, host: int, port: int) -> str:
        """The label of a host's port."""
        return host_end(host, port, self.hosts, self.device)


def host_end(host: int, port: int, names: Sequence[str] = (), device: str = "") -> str:
    """The label of a host's port: ``H17-P1``, or with names and what interfaces are called ``node0018:mlx5_0``.

    Parameters
    ----------
    host, port : int
        The host, from 0, and its port, from 1.
    names : sequence of str
        Of hosts; empty: they are called by their numbers.
    device : str
        What an interface is called before its number.

    Returns
    -------
    str
    """
    return f"{names[host]}:{device}{port - 1}" if names else f"H{host}-P{port}"


def label(cabling: Cabling) -> Labels:
    """The labels of a cabling.

    A cable is its number, ``00123``; a switch its rack and height, ``A01-U03``; a port ``A01-U03-P12``; a host's port
    ``H17-P1`` where the host stands with its switch, else ``node0018:mlx5_0``, with the words of its housing. Numbers of one
    kind have as many digits as the largest.
    """
    layout = cabling.layout
    names = layout.rack_names
    high = _digits(layout.height, 2)
    switch = [
        f"{names[rack]}-U{height:0{high}d}"
        for rack, height in zip(layout.rack.tolist(), layout.height.tolist(), strict=True)
    ]
    at_switch = np.concatenate([cabling.port[:, 0], cabling.port[~cabling.to_host, 1]])
    highest = max(layout.topology.radix, int(at_switch.max(initial=0)))
    wide = _digits(np.array([highest]), 2)
    port = [f"-P{number:0{wide}d}" for number in range(highest + 1)]
    (a, b), (a_port, b_port) = cabling.ends.T.tolist(), cabling.port.T.tolist()
    nodes = [] if layout.housing is None else host_names(layout.housing.host, layout.topology.hosts)
    device = "" if layout.housing is None else layout.housing.host.device
    far = [
        host_end(end, plug, nodes, device) if host else switch[end] + port[plug]
        for end, plug, host in zip(b, b_port, cabling.to_host.tolist(), strict=True)
    ]
    digits = _digits(cabling.number, 5)
    return Labels(
        cable=[f"{number:0{digits}d}" for number in cabling.number.tolist()],
        switch=switch,
        a=[switch[end] + port[plug] for end, plug in zip(a, a_port, strict=True)],
        b=far,
        port_digits=wide,
        hosts=nodes,
        device=device,
    )


def _digits(values: np.ndarray, least: int) -> int:
    return max(least, len(str(values.max(initial=0))))
