"""The cables of a machine as an installer has them: both ends with rack, unit and port, a number, a length and a product."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.labels import Labels, label, unit_text
from topoloom.core.errors import InputError
from topoloom.cost.choose import Cables
from topoloom.fabric.distinct_names import natural_key
from topoloom.machine.contents import PlacedDevice, placed_devices
from topoloom.machine.machine import Machine
from topoloom.machine.pairs import pair_cables

#: What stands for the network of cables between pairs of hosts, which are outside all networks.
_PAIRS = "pair"


@dataclass(frozen=True)
class CableEnd:
    """An end of a cable: the device, its port as people call it, and the label of the port."""

    placed: PlacedDevice
    port: str
    label: str

    @property
    def name(self) -> str:
        """The name of the device."""
        return self.placed.standing.name

    @property
    def rack(self) -> int:
        """The rack of the device."""
        return self.placed.rack

    @property
    def key(self) -> tuple[object, ...]:
        """Sorts the ends in a rack: from the lowest unit upwards, then by device and port."""
        unit = self.placed.standing.unit
        return (unit is None, unit or 0.0, natural_key(self.name), natural_key(self.port))


@dataclass(frozen=True)
class MachineCable:
    """A cable of a machine; one that carries several links has a row for each.

    Attributes
    ----------
    network : str
        ``pair`` for a cable between a pair of hosts.
    number : str
        What is printed on it: its network, and its number in the network's folder. No other cable of the machine has it.
    a, b : CableEnd
    rate_gbps, length_m : float
    stock_m : float
        As bought.
    product, medium : str
    cords : int
        The cords of the product.
    """

    network: str
    number: str
    a: CableEnd
    b: CableEnd
    rate_gbps: float
    length_m: float
    stock_m: float
    product: str
    medium: str
    cords: int

    def turned(self) -> "MachineCable":
        """The same cable from its other end."""
        return replace(self, a=self.b, b=self.a)


def cablings(machine: Machine) -> dict[str, tuple[Cabling, Labels]]:
    """The cabling of each network by its name, with labels whose numbers are unique in the machine: ``compute-00001``.

    Parameters
    ----------
    machine : Machine

    Raises
    ------
    InputError
        The links of a network pass through panels.
    """
    done = {}
    for name, network in machine.networks.items():
        cabling = cable(network)
        if cabling.layout.plant is not None:
            raise InputError(
                f"network '{name}': its links pass through panels, which lists of a machine do not have;"
                " lay it out without panels"
            )
        labels = label(cabling)
        done[name] = cabling, replace(labels, cable=[f"{name}-{number}" for number in labels.cable])
    return done


def machine_cables(machine: Machine) -> list[MachineCable]:
    """All cables: network by network in the order of work, then those between pairs of hosts.

    Parameters
    ----------
    machine : Machine
    """
    devices = {placed.standing.name: placed for placed in placed_devices(machine)}
    cables: list[MachineCable] = []
    for name, (cabling, labels) in cablings(machine).items():
        fabric, at = machine.networks[name].fabric, cabling.to_host.tolist()
        switches = [devices[each] for each in fabric.switch_names]
        hosts = [devices[each] for each in fabric.host_names]
        (a, b), (a_port, b_port) = cabling.ends.T.tolist(), cabling.port.T.tolist()
        a_ends = [CableEnd(switches[end], str(port), text) for end, port, text in zip(a, a_port, labels.a, strict=True)]
        b_ends = [
            CableEnd(hosts[end], labels.devices[end][port - 1], text)
            if host
            else CableEnd(switches[end], str(port), text)
            for end, port, host, text in zip(b, b_port, at, labels.b, strict=True)
        ]
        cables += _listed(name, labels.cable, a_ends, b_ends, cabling.rates_gbps.tolist(), cabling.bought)

    def place(placed: PlacedDevice) -> str:
        unit = placed.standing.unit
        return machine.rack_names[placed.rack] + ("" if unit is None else f"-U{unit_text(unit)}")

    names = [name for kind in machine.kinds for name in kind.names]
    count, network = 0, _PAIRS
    while network in machine.networks:
        network += "s"
    for pairs in pair_cables(machine):
        numbers = [f"{network}-{count + number:05d}" for number in range(1, len(pairs.port) + 1)]
        count += len(numbers)
        ports = [f"{network}-{port}" for port in pairs.port.tolist()]
        a_ends, b_ends = (
            [
                CableEnd(device, port, f"{place(device)} {device.standing.name}:{port}")
                for device, port in zip((devices[names[host]] for host in side.tolist()), ports, strict=True)
            ]
            for side in pairs.ends.T
        )
        cables += _listed(network, numbers, a_ends, b_ends, [pairs.rate_gbps] * len(numbers), pairs.bought)
    return cables


def _listed(
    network: str,
    numbers: Sequence[str],
    a_ends: Sequence[CableEnd],
    b_ends: Sequence[CableEnd],
    rates: Sequence[float],
    bought: Cables,
) -> Iterator[MachineCable]:
    """Cables with what is bought for each."""
    products = bought.parts.cable
    columns = zip(
        numbers,
        a_ends,
        b_ends,
        rates,
        bought.length_m.tolist(),
        bought.stock_m.tolist(),
        bought.product.tolist(),
        strict=True,
    )
    for number, a, b, rate, length_m, stock_m, product in columns:
        sold = products[product]
        yield MachineCable(network, number, a, b, rate, length_m, stock_m, sold.title, sold.medium, sold.cords)
