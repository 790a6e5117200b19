"""Names of candidates for people: the kind of network, and how many of which switch."""

from collections import Counter

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import switch_kinds
from topoloom.cost.terms import Terms
from topoloom.model.topology import Topology
from topoloom.topologies.spec.titles import network_title


def network_name(spec: str, switches: int, radix: int, parts: Parts, rate_gbps: float | None) -> str:
    """The name of a network: "two-plane rail-optimised fat tree, 96 SN5600".

    Parameters
    ----------
    spec : str
    switches : int
        Number of switches.
    radix : int
        The most ports that one of them uses.
    parts : Parts
        Names the product; without products the name gives the ports.
    rate_gbps : float or None
        The rate of the ports, Gb/s.

    Returns
    -------
    str

    Examples
    --------
    >>> from topoloom.cost.parts_files import load_parts
    >>> network_name("fat-tree:k=64,hosts=1024+rails:nics=8", 48, 64, load_parts("infiniband-2026"), 400)
    'rail-optimised fat tree, 48 QM9700'
    >>> network_name("slimfly:q=5,hosts=4", 50, 11, load_parts("slimfly-2014"), 40)
    'Slim Fly, 50 switches of 11 ports'
    """
    try:
        product = parts.switch_product(radix, rate_gbps)
    except InputError:  # a spec that the catalogue cannot build has a name, too
        product = None
    sold = product.name if product is not None else f"switch{'es' * (switches != 1)} of {radix} ports"
    return f"{network_title(spec)}, {switches:,} {sold}"


def name_of_network(spec: str, topology: Topology, parts: Parts, rate_gbps: float, radix: int) -> str:
    """The name of a built network; where rates differ, with the product of each kind of switch.

    Parameters
    ----------
    spec : str
    topology : Topology
    parts : Parts
    rate_gbps : float
        The rate of the ports of a network without rates of its own, Gb/s.
    radix : int
        The ports that each switch of a network of one rate is bought with.

    Returns
    -------
    str
    """
    if not topology.mixed:
        return network_name(spec, topology.switches, radix, parts, rate_gbps)
    kinds = switch_kinds(topology, Terms(parts=parts))
    counts: Counter[str] = Counter()
    for kind in kinds:
        product = kind.product(parts)
        counts[f"switches of {kind.words}" if product is None else product.name] += kind.switches.size
    return f"{network_title(spec)}, {' and '.join(f'{count:,} {sold}' for sold, count in counts.items())}"
