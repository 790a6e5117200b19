"""How hosts of several ports are attached to a candidate, as the end of a spec: planes, rails, or all ports on one switch."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from topoloom.core.errors import InputError
from topoloom.designer.requirement import Requirement
from topoloom.topologies.families.tree_plan import plan_tree
from topoloom.topologies.spec import Facts, Family

#: The transform that keeps the part of a network that is built first; the number of its hosts follows.
PART = "+part:hosts="
#: Families whose parameter ``p`` is the number of hosts on a switch.
_HOSTS_AS_P = frozenset({"cascade", "dragonfly", "megafly", "slingshot"})


@dataclass(frozen=True)
class PlaneWiring:
    """The number of planes, and the ports that a host has in each.

    Attributes
    ----------
    planes, ports : int
    rails : bool
        Whether a host's ports in a plane are spread over the leaves of a unit; otherwise all are on one switch.
    rates : str
        The transform that gives links and host ports their rates; empty where all are alike.
    """

    planes: int
    ports: int
    rails: bool = False
    rates: str = ""

    @property
    def suffix(self) -> str:
        """The transforms that this wiring adds to the spec of a plane."""
        spread = "" if self.ports == 1 else f"+rails:nics={self.ports}" if self.rails else f"+nics:count={self.ports}"
        return spread + (f"+planes:count={self.planes}" if self.planes > 1 else "") + self.rates


def wirings(requirement: Requirement) -> Iterator[PlaneWiring]:
    """The possible wirings of a requirement's hosts.

    Raises
    ------
    InputError
        The ports of a host cannot be spread evenly over a number of planes.
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
            yield PlaneWiring(planes, ports // planes, rates=requirement.rates)
        if ports > planes and requirement.rails is not False:
            yield PlaneWiring(planes, ports // planes, rails=True, rates=requirement.rates)


def fitted_wiring(record: Family, values: dict[str, Any], hosts: int, wiring: PlaneWiring) -> dict[str, Any] | None:
    """A family's parameters of one plane for a number of hosts; None where its ports do not divide into hosts this way.

    Parameters
    ----------
    record : Family
    values : dict
        Parameters that the family offers for all host ports of a plane.
    hosts : int
        Hosts to serve.
    wiring : PlaneWiring

    Returns
    -------
    dict or None
    """
    if wiring.ports == 1:
        return values
    if wiring.rails:
        # A unit has one leaf per port of a host, so leaves come in whole units.
        if record.name != "fat-tree" or "hosts" not in values:
            return None
        tapers = {key: values[key] for key in ("taper", "core_taper", "leaf", "leaf_k") if key in values}
        plan = plan_tree(values["k"], values["hosts"], **tapers, even=values.get("bundles") != "uneven")
        if plan.leaves % wiring.ports:
            return {**values, "hosts": -(-hosts // plan.down) * plan.down * wiring.ports}
        return values
    if record.name in _HOSTS_AS_P and values.get("p") is not None:
        return {**values, "p": -(-values["p"] // wiring.ports) * wiring.ports}
    if "hosts" not in values:
        return values
    return {**values, "hosts": -(-values["hosts"] // wiring.ports) * wiring.ports}


@dataclass(frozen=True)
class WiredSpec:
    """The spec of a network that holds exactly the hosts of a requirement, and what is known of it before it is built.

    Attributes
    ----------
    spec : str
        With every parameter of the family written out, the wiring of the hosts, ``+populated`` if the network has room for
        more hosts, and ``+part`` if it is sized for later growth.
    facts : Facts or None
        The theory of one plane, with all its hosts; None: the family's parameters do not fit together.
    per_switch : float
        Host ports of the requirement per switch of a plane that carries hosts.
    reason : str or None
        Why the family's parameters do not fit together.
    """

    spec: str
    facts: Facts | None
    per_switch: float = 0.0
    reason: str | None = None


def wired_spec(
    record: Family, values: dict[str, Any], hosts: int, wiring: PlaneWiring, change: str = "", now: int | None = None
) -> WiredSpec:
    """The spec of a family's parameters for a number of hosts.

    Hosts per switch are the fewest that serve them: more would be the same network after the others are removed.

    Parameters
    ----------
    record : Family
    values : dict
        Its parameters, and ``hosts`` per switch where the family takes them.
    hosts : int
        Hosts to serve.
    wiring : PlaneWiring
        How they are attached.
    change : str
        A transform of its links that keeps degrees; empty for none.
    now : int, optional
        The hosts of the part that is built first, if fewer.

    Returns
    -------
    WiredSpec
    """
    values = dict(values)
    each = values.pop("hosts", None) if record.takes_hosts else None
    try:
        facts = record.known(record.filled(values))
    except InputError as error:
        return WiredSpec(record.spec_of(values, each) + change + wiring.suffix, None, reason=str(error))
    carriers = facts.switches if facts.carriers is None else facts.carriers
    ports = hosts * wiring.ports
    if each is not None:
        each = min(int(each), -(-ports // (carriers * wiring.ports)) * wiring.ports)
    room = (facts.hosts if each is None else each * carriers) // wiring.ports
    spec = record.spec_of(values, each) + change + wiring.suffix + populated_suffix(room, hosts)
    spec += f"{PART}{now}" if now is not None and now < hosts else ""
    return WiredSpec(spec, facts, min(ports, room * wiring.ports) / carriers)


def populated_suffix(room: int, hosts: int) -> str:
    """The transform that keeps `hosts` hosts of a network with room for `room`; empty if there is no host to remove."""
    return f"+populated:hosts={hosts}" if room > hosts else ""


def without_populated(spec: str) -> str:
    """A candidate's spec with all the hosts that the network has room for."""
    return whole_spec(spec).partition("+populated:")[0]


def whole_spec(spec: str) -> str:
    """The spec of a network after its growth: without the transform that keeps the part that is built first.

    Examples
    --------
    >>> whole_spec("fat-tree:k=64,hosts=2048+part:hosts=1024"), whole_spec("ring:n=5,hosts=3")
    ('fat-tree:k=64,hosts=2048', 'ring:n=5,hosts=3')
    """
    return spec.rpartition(PART)[0] or spec
