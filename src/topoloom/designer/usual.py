"""What everybody buys: the networks that a recommendation must be compared with."""

from collections.abc import Iterator
from typing import Any

from topoloom.designer.need import Need
from topoloom.designer.wiring import Wiring, fitted
from topoloom.errors import InputError
from topoloom.spec import FAMILIES

#: Down to up at the leaves.
_TAPERS = ((1, 1), (2, 1), (4, 1))


def usual_specs(need: Need) -> Iterator[str]:
    """Fat trees for the hosts of a need, tapered 1:1, 2:1 and 4:1, and the smallest Dragonfly that holds them.

    Where hosts have several ports the trees have rails, and the Dragonfly has all ports of a host on one switch.
    """
    several = need.ports_per_host
    tree, dragonfly = FAMILIES.find("fat-tree"), FAMILIES.find("dragonfly")
    wiring = Wiring(1, several, rails=several > 1)
    for taper in _TAPERS:
        values: dict[str, Any] = {"k": need.radix - need.radix % 2, "hosts": need.hosts * several}
        values |= {"taper": taper} if taper > (1, 1) else {}
        try:
            made = fitted(tree, dict(values), need.hosts, wiring)
        except InputError:
            continue  # more hosts than three levels of these switches take
        if made is not None:
            yield tree.spec_of(made, None) + wiring.suffix
    wiring = Wiring(1, several)
    sizes = dragonfly.sizes(need.hosts * several, need.radix) if dragonfly.sizes is not None else ()
    offered = [fitted(dragonfly, dict(one), need.hosts, wiring) for one in sizes]
    known = [(dragonfly.known(dragonfly.filled(dict(one))).switches, one) for one in offered if one is not None]
    if known:
        _, least = min(known, key=lambda pair: pair[0])
        hosts = least.pop("hosts", None) if dragonfly.takes_hosts else None
        yield dragonfly.spec_of(least, hosts) + wiring.suffix
