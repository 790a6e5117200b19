"""The free units of the existing racks of a machine."""

import math

import numpy as np

from topoloom.machine.devices import hosts_by_kind
from topoloom.machine.machine import Machine
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.hosts.stack import host_units, switch_units
from topoloom.placement.layout.layout import Layout

_ENDLESS = float("inf")
_ROUNDING = 1 + 1e-9


class Space:
    """The free units of racks within their limits; devices that are put into them count from then on.

    Parameters
    ----------
    machine : Machine
    rule : RackRule
        The limits of racks; those of their slots hold, too.
    closed : frozenset of int
        Racks into which nothing is put.

    Attributes
    ----------
    load : float64[racks, 4]
        As of `MachineRacks`.
    kinds : list of set of str
        The kinds of hosts in each rack.
    networks : list of set of str
        The networks with a switch in each rack.
    """

    def __init__(self, machine: Machine, rule: RackRule, closed: frozenset[int]) -> None:
        racks, self._rule = machine.racks, rule
        self.load = racks.load.copy()
        others = (_ENDLESS if most is None else most for most in (rule.load_kg, rule.air_m3h))
        of_slots = machine.slots.limits[machine.slot]
        self._limits = np.tile(np.array([rule.supply_w, *others], float), (len(racks), 1))
        self._limits[:, 0] = np.minimum(self._limits[:, 0], of_slots[:, 2])
        self._most = np.minimum(of_slots[:, :2], [rule.switches or _ENDLESS, rule.hosts or _ENDLESS])
        self._most[sorted(closed)] = 0
        self._count = np.zeros((len(racks), 2), np.int64)
        self._spans: list[list[tuple[float, float]]] = [[] for _ in range(len(racks))]
        self.kinds: list[set[str]] = [set() for _ in range(len(racks))]
        self.networks: list[set[str]] = [set() for _ in range(len(racks))]
        for kind, hosts in hosts_by_kind(machine.kinds):
            for rack, unit in zip(racks.host[hosts].tolist(), racks.host_unit[hosts].tolist(), strict=True):
                self._add_host(rack, kind.plan.name, unit, host_units(kind.units))
        for number, (name, network) in enumerate(machine.networks.items()):
            heights = network.part(Layout).switch_units.tolist()
            at = zip(racks.switch[number].tolist(), racks.switch_unit[number].tolist(), heights, strict=True)
            for rack, unit, units in at:
                self._add_switch(rack, name, float(unit), units)
        for rack, device, lowest in racks.devices:
            if lowest is not None:
                self._spans[rack].append((lowest, lowest + device.u))

    def hosts_in(self, rack: int) -> int:
        """The hosts of a rack."""
        return int(self._count[rack, 1])

    def put_host(self, rack: int, kind: str, units: float, demands: np.ndarray) -> float | None:
        """Put a host into a rack: its lowest unit; None where it does not fit.

        Parameters
        ----------
        rack : int
        kind : str
        units : float
            Its height.
        demands : float64[4]
            Units, W, kg and m³/h.

        Returns
        -------
        float or None
        """
        unit = self._unit_for(rack, units, units if units < 1 else 0.5, demands, 1)
        if unit is not None:
            self._add_host(rack, kind, unit, units)
        return unit

    def put_switch(self, rack: int, network: str, demands: np.ndarray) -> int | None:
        """Put a switch into a rack: its lowest unit; None where it does not fit.

        Parameters
        ----------
        rack : int
        network : str
        demands : float64[4]
            Units, W, kg and m³/h.

        Returns
        -------
        int or None
        """
        units = max(1.0, switch_units(float(demands[0])))
        unit = self._unit_for(rack, units, 1.0, demands, 0)
        if unit is None:
            return None
        self._add_switch(rack, network, unit, units)
        return int(unit)

    def _add_host(self, rack: int, kind: str, unit: float, units: float) -> None:
        self._spans[rack].append((unit, unit + units))
        self._count[rack, 1] += 1
        self.kinds[rack].add(kind)

    def _add_switch(self, rack: int, network: str, unit: float, units: float) -> None:
        self._spans[rack].append((unit, unit + units))
        self._count[rack, 0] += 1
        self.networks[rack].add(network)

    def _unit_for(self, rack: int, units: float, step: float, demands: np.ndarray, column: int) -> float | None:
        """The lowest free units of a rack for a device within all limits, which is then counted in the load of the rack."""
        load = self.load[rack].copy()
        load[1:] += demands[1:]
        if self._count[rack, column] >= self._most[rack, column] or (load[1:] > self._limits[rack] * _ROUNDING).any():
            return None
        spans = self._spans[rack]
        for start in sorted({1.0, *(math.ceil(top / step - 1e-9) * step for _, top in spans)}):
            top = start + units
            if top - 1 <= self._rule.u + 1e-9 and all(top <= low + 1e-9 or start >= high - 1e-9 for low, high in spans):
                load[0] = max(load[0], top - 1)
                self.load[rack] = load
                return start
        return None
