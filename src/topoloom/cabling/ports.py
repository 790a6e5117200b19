"""The port tables of the sheets: the cable in every port of every switch."""

from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.core.csv_files import numbers
from topoloom.core.pages.rows import table_rows

#: Length and stock length in m, and product of a cable, as sheets show them.
Facts = tuple[str, str, str]
#: The classes of the cells of a port with a cable, and of a port with only the name of a host.
_CABLE = ("box", "", "", "label", "", "", "", "left")
_HOST = ("", "", "", "left", "", "", "", "")


def cable_facts(cabling: Cabling) -> list[Facts]:
    """The length, stock length and product of each cable, with the medium if the product's title does not contain it."""
    bought = cabling.bought
    titles = [
        product.title if product.medium in product.title else f"{product.title}, {product.medium}"
        for product in bought.parts.cable
    ]
    columns = (np.round(bought.length_m, 1).tolist(), numbers(bought.stock_m, 2), bought.product.tolist())
    return [(f"{length_m:.1f}", stock_m, titles[product]) for length_m, stock_m, product in zip(*columns, strict=True)]


def port_rows(cabling: Cabling, labels: Labels, facts: list[Facts]) -> tuple[list[str], np.ndarray]:
    """A table row for every used port, by switch and port; and the first row of each switch, int64[switches + 1].

    A port whose host cable is not listed has a row that names the host.

    Parameters
    ----------
    cabling : Cabling
        Cables with their ends, ports and bundles.
    labels : Labels
        The texts printed on each cable and its ends.
    facts : list of (str, str, str)
        Facts of each cable, from `cable_facts`.

    Returns
    -------
    rows : list of str
        HTML.
    first : int64[switches + 1]
        The rows of switch i are first[i] to first[i + 1] - 1.
    """
    topology = cabling.layout.topology
    links = np.flatnonzero(~cabling.to_host)
    names = cabling.names
    unlisted = np.arange(0 if cabling.with_hosts else topology.endpoints.size)
    at_hosts = topology.endpoint_ports if cabling.fabric is None else cabling.fabric.endpoint_ports
    switch = np.concatenate([cabling.ends[:, 0], cabling.ends[links, 1], topology.endpoints[unlisted]])
    port = np.concatenate([cabling.port[:, 0], cabling.port[links, 1], at_hosts[unlisted]])
    bundles = [str(bundle + 1) if bundle >= 0 else "" for bundle in cabling.bundle.tolist()]

    def cable_rows(plugs: list[Any], cables: list[int], far_labels: list[str]) -> list[str]:
        lengths, stocks, products = zip(*(facts[cable] for cable in cables), strict=True) if cables else ((), (), ())
        named = ([labels.cable[cable] for cable in cables], [far_labels[cable] for cable in cables])
        number = [bundles[cable] for cable in cables]
        return table_rows(([""] * len(cables), plugs, *named, number, lengths, stocks, products), _CABLE)

    called = port.tolist()
    if names is not None:
        called = [names.port(end, number) for end, number in zip(switch.tolist(), called, strict=True)]
    n, m = len(cabling), len(cabling) + links.size
    rows = cable_rows(called[:n], list(range(n)), labels.b) + cable_rows(called[n:m], links.tolist(), labels.a)
    if unlisted.size:
        none = [""] * unlisted.size
        host_list = labels.hosts or ([] if names is None else names.hosts)
        hosts = [host_list[host] if host_list else f"host {host}" for host in topology.host.tolist()]
        rows += table_rows((none, called[m:], none, hosts, none, none, none, none), _HOST)
    order = np.lexsort((port, switch))
    first = np.searchsorted(switch[order], np.arange(topology.switches + 1))
    return [rows[i] for i in order.tolist()], first
