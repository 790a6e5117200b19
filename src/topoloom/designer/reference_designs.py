"""Reference designs: the networks that a recommendation is compared with."""

from collections.abc import Iterator
from math import ceil, prod
from typing import Any

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.designer.requirement import Requirement
from topoloom.designer.switch_ports import SwitchPorts, parameters_of, sizes_of, tree_of_taper
from topoloom.designer.wiring import PlaneWiring, fitted_wiring, wired_spec
from topoloom.topologies.families.tree_plan import four_levels, plan_tree
from topoloom.topologies.spec import FAMILIES, Family

#: Ports down to ports up at the leaves of the trees.
_TAPERS = ((1, 1), (2, 1), (4, 1))


def reference_specs(requirement: Requirement, parts: Parts) -> Iterator[str]:
    """Specs of the reference designs: fat trees tapered 1:1, 2:1 and 4:1, and the smallest Dragonfly that holds the hosts.

    Where hosts and links differ in rate, the tapers are ratios of bandwidth. A tree has four levels, of equal subtrees, where
    three levels hold too few hosts and all rates are equal. Where hosts have several ports, the trees have rails, and the
    Dragonfly has all ports of a host on one switch. Where the hosts grow, each is the part for the first of them of a network
    that is sized for all.

    Parameters
    ----------
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.

    Returns
    -------
    iterator of str
    """
    ports, hosts, now = requirement.ports_per_host, requirement.grown_hosts, requirement.hosts
    sold = SwitchPorts.of(requirement, parts)
    tree, dragonfly = FAMILIES.find("fat-tree"), FAMILIES.find("dragonfly")
    wiring = PlaneWiring(1, ports, rails=ports > 1, rates=requirement.rates)
    for taper in _TAPERS:
        if sold.mixed:
            plan = tree_of_taper(hosts * ports, sold, taper)
            rated = None if plan is None else fitted_wiring(tree, parameters_of(plan), hosts, wiring)
            if rated is not None:
                yield wired_spec(tree, rated, hosts, wiring, now=now).spec
            continue
        values: dict[str, Any] = {"k": requirement.radix - requirement.radix % 2, "hosts": hosts * ports}
        values |= {"taper": taper} if taper > (1, 1) else {}
        try:
            tree_values = fitted_wiring(tree, dict(values), hosts, wiring)
        except InputError:
            yield from _four_levels(values["k"], values["hosts"], taper, requirement, wiring)
            continue
        if tree_values is not None:
            taller = (
                ()
                if _within_three_levels(tree_values)
                else tuple(_four_levels(values["k"], tree_values["hosts"], taper, requirement, wiring))
            )
            yield from taller or (wired_spec(tree, tree_values, hosts, wiring, now=now).spec,)
    wiring = PlaneWiring(1, ports, rates=requirement.rates)
    sizes = sizes_of(dragonfly, hosts * ports, sold)
    fitting = [fitted for size in sizes if (fitted := fitted_wiring(dragonfly, dict(size), hosts, wiring)) is not None]
    if sold.mixed:
        fitting = [fitted for fitted in fitting if _fits(dragonfly, fitted, hosts, wiring, sold)]
    if fitting:
        least = min(fitting, key=lambda values: dragonfly.known(dragonfly.filled(dict(values))).switches)
        yield wired_spec(dragonfly, least, hosts, wiring, now=now).spec


def _fits(record: Family, values: dict[str, Any], hosts: int, wiring: PlaneWiring, ports: SwitchPorts) -> bool:
    """Whether a switch has the ports that a family's parameters need."""
    wired = wired_spec(record, values, hosts, wiring)
    return wired.facts is not None and ports.fits(wired.facts.degree or 0, ceil(wired.per_switch))


def _within_three_levels(values: dict[str, Any]) -> bool:
    """Whether the family fat-tree, which has up to three levels, builds these values."""
    try:
        plan_tree(values["k"], values["hosts"], taper=values.get("taper", (1, 1)))
    except InputError:
        return False
    return True


def _four_levels(
    k: int, ports: int, taper: tuple[int, int], requirement: Requirement, wiring: PlaneWiring
) -> Iterator[str]:
    """The tree of four levels for a number of host ports, where one exists and its leaves divide into units.

    Parameters
    ----------
    k : int
        Ports per switch.
    ports : int
        Host ports.
    taper : (int, int)
        Ports down to ports up at the leaves.
    requirement : Requirement
        Its hosts, now and after a growth.
    wiring : PlaneWiring
        How hosts of several ports are attached.

    Returns
    -------
    iterator of str
        One spec, or none.
    """
    tree = four_levels(k, ports, taper)
    if tree is None or (wiring.rails and prod(tree["m"][1:]) % wiring.ports):
        return
    hosts, now = requirement.grown_hosts, requirement.hosts
    wired = wired_spec(FAMILIES.find("pgft"), dict(tree), hosts, wiring, now=now)
    if wired.facts is not None:  # otherwise it has more hosts than a topology may have
        yield wired.spec
