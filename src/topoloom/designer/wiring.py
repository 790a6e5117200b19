"""How hosts of several ports hang on a candidate: planes, rails, or all ports on one switch; as the end of a spec."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from topoloom.core.errors import InputError
from topoloom.designer.requirement import Requirement
from topoloom.topologies.families.tree_plan import plan_tree
from topoloom.topologies.spec import Family


@dataclass(frozen=True)
class PlaneWiring:
    """So many planes, in each of which a host has so many ports.

    Attributes
    ----------
    planes, ports : int
    rails : bool
        Whether the ports of a host in a plane are spread over the leaves of a unit; else they are on one switch.
    """

    planes: int
    ports: int
    rails: bool = False

    @property
    def suffix(self) -> str:
        """What it adds to the spec of a plane."""
        spread = "" if self.ports == 1 else f"+rails:nics={self.ports}" if self.rails else f"+nics:count={self.ports}"
        return spread + (f"+planes:count={self.planes}" if self.planes > 1 else "")


def wirings(requirement: Requirement) -> Iterator[PlaneWiring]:
    """The ways in which the hosts of a need may hang on a network.

    Raises
    ------
    InputError
        A number of planes that the ports of a host cannot be spread over.
    """
    ports = requirement.ports_per_host
    for planes in requirement.planes or tuple(dict.fromkeys((1, ports))):
        if ports % planes:
            name = requirement.host.name if requirement.host is not None else "a host"
            raise InputError(
                f"planes = {planes}: '{name}' has {ports} port{'s' * (ports > 1)} on this network, which"
                f" cannot be spread evenly over {planes} planes; give [host] nics and ports that can, or other planes"
            )
        if ports == planes or requirement.rails is not True:
            yield PlaneWiring(planes, ports // planes)
        if ports > planes and requirement.rails is not False:
            yield PlaneWiring(planes, ports // planes, rails=True)


def fitted_wiring(record: Family, values: dict[str, Any], hosts: int, wiring: PlaneWiring) -> dict[str, Any] | None:
    """The parameters of a plane of a family for so many hosts; None where its ports do not go into hosts this way.

    Parameters
    ----------
    record : Family
    values : dict
        Parameters that the family offers for the ports of all hosts in a plane.
    hosts : int
        That must be served.
    wiring : PlaneWiring

    Returns
    -------
    dict or None
    """
    if wiring.ports == 1:
        return values
    if wiring.rails:
        # A unit has a leaf for each port of a host: leaves come in units.
        if record.name != "fat-tree" or "hosts" not in values:
            return None
        kept = {key: values[key] for key in ("taper", "core_taper") if key in values}
        plan = plan_tree(values["k"], values["hosts"], **kept)
        if plan.leaves % wiring.ports:
            return {**values, "hosts": -(-hosts // plan.down) * plan.down * wiring.ports}
        return values
    if "hosts" not in values:
        return values
    return {**values, "hosts": -(-values["hosts"] // wiring.ports) * wiring.ports}
