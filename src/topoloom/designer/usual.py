"""What everybody buys: the networks that a recommendation must be compared with."""

from collections.abc import Iterator
from math import prod
from typing import Any

from topoloom.core.errors import InputError
from topoloom.designer.requirement import Requirement
from topoloom.designer.wiring import PlaneWiring, fitted_wiring
from topoloom.topologies.families.tree_plan import four_levels, plan_tree
from topoloom.topologies.spec import FAMILIES, facts_of

#: Down to up at the leaves.
_TAPERS = ((1, 1), (2, 1), (4, 1))


def usual_specs(requirement: Requirement) -> Iterator[str]:
    """Fat trees for the hosts of a need, tapered 1:1, 2:1 and 4:1, and the smallest Dragonfly that holds them.

    Hosts that three levels do not take get a tree of four, of equal subtrees.
    Where hosts have several ports the trees have rails, and the Dragonfly has all ports of a host on one switch.
    """
    several = requirement.ports_per_host
    tree, dragonfly = FAMILIES.find("fat-tree"), FAMILIES.find("dragonfly")
    wiring = PlaneWiring(1, several, rails=several > 1)
    for taper in _TAPERS:
        values: dict[str, Any] = {"k": requirement.radix - requirement.radix % 2, "hosts": requirement.hosts * several}
        values |= {"taper": taper} if taper > (1, 1) else {}
        try:
            made = fitted_wiring(tree, dict(values), requirement.hosts, wiring)
        except InputError:
            yield from _four_levels(values["k"], values["hosts"], taper, wiring)
            continue
        if made is not None:
            taller = (
                () if _within_three_levels(made) else tuple(_four_levels(values["k"], made["hosts"], taper, wiring))
            )
            yield from taller or (tree.spec_of(made, None) + wiring.suffix,)
    wiring = PlaneWiring(1, several)
    sizes = dragonfly.sizes(requirement.hosts * several, requirement.radix) if dragonfly.sizes is not None else ()
    offered = [fitted_wiring(dragonfly, dict(one), requirement.hosts, wiring) for one in sizes]
    known = [(dragonfly.known(dragonfly.filled(dict(one))).switches, one) for one in offered if one is not None]
    if known:
        _, least = min(known, key=lambda pair: pair[0])
        hosts = least.pop("hosts", None) if dragonfly.takes_hosts else None
        yield dragonfly.spec_of(least, hosts) + wiring.suffix


def _within_three_levels(values: dict[str, Any]) -> bool:
    """Whether family fat-tree builds it."""
    try:
        plan_tree(values["k"], values["hosts"], taper=values.get("taper", (1, 1)))
    except InputError:
        return False
    return True


def _four_levels(k: int, ports: int, taper: tuple[int, int], wiring: PlaneWiring) -> Iterator[str]:
    """The tree of four levels for so many host ports, where there is one and its leaves go into units.

    Parameters
    ----------
    k : int
        Ports of a switch.
    ports : int
        Host ports.
    taper : (int, int)
        At the leaves.
    wiring : PlaneWiring
        How hosts of several ports hang on it.

    Returns
    -------
    iterator of str
        One spec, or none.
    """
    tree = four_levels(k, ports, taper)
    if tree is None or (wiring.rails and prod(tree["m"][1:]) % wiring.ports):
        return
    try:
        spec = FAMILIES.find("pgft").spec_of(tree) + wiring.suffix
        facts_of(spec)
    except InputError:
        return  # more hosts than are built
    yield spec
