"""Leaves that do not fit on top of their hosts: why, what it costs, and the remedy."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.switch_kinds import switch_feeds_w
from topoloom.cost.terms import Terms
from topoloom.placement.hosts.racks import RackCapacity, units_of
from topoloom.placement.layout.housed import common_limits
from topoloom.placement.layout.layout import Layout

#: A remedy with less than this share of the hosts of a leaf is none.
_LEAST_SHARE = 0.5
#: What `RackCapacity.RESOURCES` limit: words for the load, and the key of the limit.
_WORDS = (("{:g} units", "u"), ("{:,.0f} W", "power_w"), ("{:,.0f} kg", "load_kg"), ("{:,.0f} m³/h of air", "air_m3h"))


def leaves_apart(layout: Layout, terms: Terms) -> str | None:
    """Why leaves stand in racks without hosts although all hosts of a leaf fit into one rack, and the remedy.

    Parameters
    ----------
    layout : Layout
    terms : Terms
        The catalogue and the rate.

    Returns
    -------
    str or None
        Two sentences; None where leaves stand with their hosts, or racks of leaves were asked for, or the hosts of a leaf fill
        several racks anyhow.

    Examples
    --------
    >>> from topoloom.network.opening import open_network
    >>> from topoloom.placement.hosts.housing import HostType, Housing, RackRule
    >>> rack = Housing(HostType(u=1), RackRule(u=42))
    >>> terms = {"parts": "ethernet-2026", "rate_gbps": 100}
    >>> network = open_network("clos:leaves=4,spines=2,hosts=41").placed("koibuchi-2013", hosts=rack, **terms)
    >>> need, _, cost = leaves_apart(network.layout, network.terms).partition(": ")
    >>> need
    'A leaf and its 41 hosts take 43 units, and a rack has 42'
    >>> cost.partition(". ")[0]
    '1 rack holds leaves without hosts, and 164 cables to hosts run between racks'
    """
    housing, topology = layout.housing, layout.topology
    if housing is None or layout.host_slot is None or housing.rack.leaf != "auto" or housing.rack.unit_hosts:
        return None
    is_leaf = topology.endpoints_at > 0
    apart = np.unique(layout.rack[is_leaf & (layout.hosts_in_rack[layout.rack] == 0)])
    if not apart.size:
        return None
    try:
        watts = np.max(switch_feeds_w(topology, terms.catalogue, terms.rate_on(topology)))
        capacity = RackCapacity.of(housing, float(watts), common_limits(layout.floor))
        sizes = {(leaves.size, hosts.size) for leaves, hosts in units_of(topology)}
        if not all(capacity.holds(0, hosts) for _, hosts in sizes):
            return None
    except InputError:
        return None
    leaves, hosts = max(sizes, key=lambda size: float(capacity.load(*size)[0]))
    load = capacity.load(leaves, hosts)
    beyond = np.flatnonzero(load > capacity.limits * (1 + 1e-9))
    fewer = next((count for count in range(hosts - 1, 0, -1) if capacity.holds(leaves, count)), 0)
    many = f"{leaves} leaves and their" if leaves > 1 else "A leaf and its"
    if not beyond.size:
        need, remedy = f"{many} {hosts} hosts exceed the power of a rack with their transceivers", "more power per rack"
    else:
        words, key = _WORDS[int(beyond[0])]
        taken, limit = (words.format(float(values[beyond[0]])) for values in (load, capacity.limits))
        need = f"{many} {hosts} hosts take {taken}, and a rack has {limit.split()[0]}"
        remedy = f"{key} = {float(load[beyond[0]]):.10g} in [rack]"
    at_most = f"at most {fewer} hosts per leaf, or " if fewer >= _LEAST_SHARE * hosts and leaves == 1 else ""
    racks = f"{apart.size:,} rack{'s hold' if apart.size > 1 else ' holds'}"
    return (
        f"{need}: {racks} leaves without hosts, and {int(layout.host_between.sum()):,} cables to hosts run between racks. With"
        f" {at_most}{remedy}, leaves stand in the racks of their hosts."
    )
