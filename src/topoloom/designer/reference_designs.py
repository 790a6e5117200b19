"""Reference designs: the networks that a recommendation is compared with."""

from collections.abc import Iterator
from math import prod
from typing import Any

from topoloom.core.errors import InputError
from topoloom.designer.requirement import Requirement
from topoloom.designer.wiring import PlaneWiring, fitted_wiring, wired_spec
from topoloom.topologies.families.tree_plan import four_levels, plan_tree
from topoloom.topologies.spec import FAMILIES

#: Ports down to ports up at the leaves of the trees.
_TAPERS = ((1, 1), (2, 1), (4, 1))


def reference_specs(requirement: Requirement) -> Iterator[str]:
    """Specs of the reference designs: fat trees tapered 1:1, 2:1 and 4:1, and the smallest Dragonfly that holds the hosts.

    A tree has four levels, of equal subtrees, where three levels hold too few hosts. Where hosts have several ports, the
    trees have rails, and the Dragonfly has all ports of a host on one switch. Where the hosts grow, each is the part for the
    first of them of a network that is sized for all.
    """
    ports, hosts, now = requirement.ports_per_host, requirement.grown_hosts, requirement.hosts
    tree, dragonfly = FAMILIES.find("fat-tree"), FAMILIES.find("dragonfly")
    wiring = PlaneWiring(1, ports, rails=ports > 1)
    for taper in _TAPERS:
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
    wiring = PlaneWiring(1, ports)
    sizes = dragonfly.sizes(hosts * ports, requirement.radix) if dragonfly.sizes is not None else ()
    fitting = [fitted for size in sizes if (fitted := fitted_wiring(dragonfly, dict(size), hosts, wiring)) is not None]
    if fitting:
        least = min(fitting, key=lambda values: dragonfly.known(dragonfly.filled(dict(values))).switches)
        yield wired_spec(dragonfly, least, hosts, wiring, now=now).spec


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
