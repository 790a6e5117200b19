"""The size of a flat network for a number of hosts: servers and links per switch, by a rule, for a wanted oversubscription."""

from collections.abc import Callable
from fractions import Fraction

from topoloom.core.errors import InputError
from topoloom.designer.flat_families import FLAT_FAMILIES, FlatPlan
from topoloom.model.topology import Topology

#: Times that a plan is corrected by what its network was measured to carry, before single hosts are taken off its switches.
_CORRECTIONS = 4
_TOO_MUCH = (
    "no flat network of {ports}-port switches carries {hosts:,} hosts at {ratio:g}:1 with this routing; allow more"
    " oversubscription, or more ports"
)


def flat_plan(
    hosts: int, ports: int, hosts_per_switch: int, family: str = "jellyfish", most_switches: int | None = None
) -> FlatPlan | None:
    """Return the flat network with a number of hosts on every switch that has the fewest switches, and then the most links.

    Parameters
    ----------
    hosts, ports, hosts_per_switch : int
    family : str
        A key of `FLAT_FAMILIES`.
    most_switches : int, optional
        Then the network with the most throughput of those with at most as many switches.

    Returns
    -------
    FlatPlan or None
        None where fewer than two links are left, or no network has so few switches.
    """
    plans = FLAT_FAMILIES[family].plans(hosts, ports, hosts_per_switch)
    if most_switches is not None:
        fitting = (plan for plan in plans if plan.switches <= most_switches)
        return max(fitting, key=lambda plan: plan.throughput, default=None)
    return min(plans, key=lambda plan: (plan.switches, -plan.throughput), default=None)


def plan_of_switches(hosts: int, ports: int, switches: int, family: str = "jellyfish") -> FlatPlan | None:
    """Return the flat network of at most `switches` switches with the fewest hosts on each, for the most throughput.

    Parameters
    ----------
    hosts, ports, switches : int
    family : str
        A key of `FLAT_FAMILIES`.

    Returns
    -------
    FlatPlan or None
        None where no network has so few switches.
    """
    plans = (flat_plan(hosts, ports, each, family, switches) for each in range(-(-hosts // switches), ports - 1))
    return next((plan for plan in plans if plan is not None), None)


def sized_plan(
    hosts: int, ports: int, oversubscription: float, family: str = "jellyfish", carried: float = 1.0
) -> FlatPlan:
    """Return the flat network with the fewest switches that carries uniform traffic at an oversubscription.

    Parameters
    ----------
    hosts, ports : int
        Hosts of the network, and ports of each switch.
    oversubscription : float
        1 / the share of full rate that uniform traffic gets.
    family : str
        A key of `FLAT_FAMILIES`.
    carried : float
        The share of the bound of shortest paths that the routing carries.

    Returns
    -------
    FlatPlan

    Raises
    ------
    InputError
        No number of hosts per switch is small enough.

    Examples
    --------
    >>> plan = sized_plan(61440, 128, 2)
    >>> plan.switches, plan.hosts_per_switch, plan.links
    (960, 64, 64)
    >>> sized_plan(1024, 64, 2, "dring").spec("dring", 1)
    'dring:supernodes=5,size=6,hosts=40'
    """
    plans = (
        plan
        for on_switch in range(min(ports - 2, hosts), 0, -1)
        for plan in FLAT_FAMILIES[family].plans(hosts, ports, on_switch)
        if plan.throughput * carried * oversubscription >= 1.0
    )
    fewest = min(plans, key=lambda plan: (plan.switches, -plan.hosts_per_switch, -plan.throughput), default=None)
    if fewest is None:
        raise InputError(_TOO_MUCH.format(ports=ports, hosts=hosts, ratio=oversubscription))
    return fewest


def measured_plan(
    hosts: int,
    ports: int,
    oversubscription: float,
    family: str,
    seed: int,
    measure: Callable[[str], tuple[Topology, float]],
) -> tuple[FlatPlan, Topology]:
    """Return a flat network whose routing was measured to carry uniform traffic at a ratio.

    The plan for the bound of shortest paths is corrected by what its network carries, up to four times; then hosts are taken
    off its switches until it carries enough. The result is not proven to have the fewest switches.

    Parameters
    ----------
    hosts, ports, oversubscription, family
        As for `sized_plan`.
    seed : int
        The seed of the network.
    measure : callable
        Returns the network of a spec, and the share of full rate that its routing carries of uniform traffic.

    Returns
    -------
    (FlatPlan, Topology)

    Raises
    ------
    InputError
        As `sized_plan`.
    """
    carried, plan = 1.0, sized_plan(hosts, ports, oversubscription, family)
    enough: dict[int, tuple[FlatPlan, Topology]] = {}
    tried: set[int] = set()
    for _ in range(_CORRECTIONS):
        topology, share = measure(plan.spec(family, seed))
        tried.add(plan.hosts_per_switch)
        if share * oversubscription >= 1.0:
            enough[plan.hosts_per_switch] = plan, topology
        carried = share / plan.throughput
        plan = sized_plan(hosts, ports, oversubscription, family, carried)
        if plan.hosts_per_switch in tried:
            break
    while not enough:
        on_switch = min(tried) - 1
        smaller = flat_plan(hosts, ports, on_switch, family) if on_switch > 0 else None
        if smaller is None:
            raise InputError(_TOO_MUCH.format(ports=ports, hosts=hosts, ratio=oversubscription))
        topology, share = measure(smaller.spec(family, seed))
        tried.add(on_switch)
        if share * oversubscription >= 1.0:
            enough[on_switch] = smaller, topology
    return enough[max(enough)]


def ratio_text(oversubscription: float) -> str:
    """Return an oversubscription as two whole numbers, such as ``5:2``, as the spec of a fat tree takes it.

    Examples
    --------
    >>> ratio_text(2.5)
    '5:2'
    """
    ratio = Fraction(oversubscription).limit_denominator(100)
    return f"{ratio.numerator}:{ratio.denominator}"
