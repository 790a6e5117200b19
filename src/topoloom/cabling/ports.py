"""The port tables of the sheets: what is plugged into every port of every switch."""

from html import escape

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.csv_files import numbers

PORT_HEAD = ("", "Port", "Cable", "To", "Bundle", "Length m", "Stock m", "Product")


def cable_facts(cabling: Cabling) -> list[str]:
    """Of each cable the last three cells of a row: length, stock length and product; the medium where that does not say."""
    bought = cabling.bought
    titles = [
        escape(product.title if product.medium in product.title else f"{product.title}, {product.medium}")
        for product in bought.parts.cable
    ]
    columns = (np.round(bought.length_m, 1).tolist(), numbers(bought.stock_m, 2), bought.product.tolist())
    return [
        f'<td>{length_m:.1f}</td><td>{stock_m}</td><td class="left">{titles[product]}</td>'
        for length_m, stock_m, product in zip(*columns, strict=True)
    ]


def port_rows(cabling: Cabling, labels: Labels, facts: list[str]) -> tuple[list[str], np.ndarray]:
    """A table row for every port in use, by switch and port; and where the rows of each switch begin, int64[switches + 1].

    A port with a host whose cable is not listed has a row that names the host.

    Parameters
    ----------
    cabling : Cabling
        Cables with their ends, ports and bundles.
    labels : Labels
        What is printed on each cable and its ends.
    facts : list of str
        The last cells of each cable's row, HTML.

    Returns
    -------
    rows : list of str
        HTML.
    first : int64[switches + 1]
        The rows of switch i are first[i] to first[i + 1] - 1.
    """
    topology = cabling.layout.topology
    links = np.flatnonzero(~cabling.to_host)
    unlisted = np.arange(0 if cabling.with_hosts else topology.endpoints.size)
    switch = np.concatenate([cabling.ends[:, 0], cabling.ends[links, 1], topology.endpoints[unlisted]])
    port = np.concatenate([cabling.port[:, 0], cabling.port[links, 1], topology.endpoint_ports[unlisted]])
    bundles = [str(bundle + 1) if bundle >= 0 else "" for bundle in cabling.bundle.tolist()]
    to_a, to_b = list(map(escape, labels.a)), list(map(escape, labels.b))

    def cable_row(plug: int, cable: int, far: str) -> str:
        return (
            f'<tr><td class="box"></td><td>{plug}</td><td>{labels.cable[cable]}</td>'
            f'<td class="label">{far}</td><td>{bundles[cable]}</td>{facts[cable]}</tr>'
        )

    rows = list(map(cable_row, cabling.port[:, 0].tolist(), range(len(cabling)), to_b))
    rows += [cable_row(int(cabling.port[cable, 1]), cable, to_a[cable]) for cable in links.tolist()]
    if unlisted.size:
        rows += [
            f'<tr><td></td><td>{plug}</td><td></td><td class="left">host {host}</td>{"<td></td>" * 4}</tr>'
            for plug, host in zip(topology.endpoint_ports.tolist(), topology.host.tolist(), strict=True)
        ]
    order = np.lexsort((port, switch))
    first = np.searchsorted(switch[order], np.arange(topology.switches + 1))
    return [rows[i] for i in order.tolist()], first
