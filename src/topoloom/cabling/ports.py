"""The port tables of the sheets: the cable in every port of every switch and panel."""

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.labels import Labels
from topoloom.core.csv_files import numbers
from topoloom.core.pages.rows import table_rows
from topoloom.placement.fibre.parts import Panel

#: Length and stock length in m, and product of a cable, as sheets show them.
Facts = tuple[str, str, str]
#: The classes of the cells of a port with a cable, and of a port with only the name of a host.
_CABLE = ("box", "", "", "label", "", "", "", "left")
_HOST = ("", "", "", "left", "", "", "", "")


def cable_facts(cabling: Cabling) -> list[Facts]:
    """The length, stock length and product of each cable that is laid.

    The product has the medium, or ``cord`` or ``trunk``, if its title does not contain it.
    """
    bought, laid, plant = cabling.bought, cabling.laid, cabling.layout.plant
    titles = [_titled(product.title, product.medium) for product in bought.parts.cable]
    fibres = () if plant is None else [_titled(fibre.name, fibre.use) for fibre in plant.fibres]
    kinds = np.zeros(0, np.int64) if plant is None else plant.fibre
    sold = [
        titles[bought.product[row]] if row >= 0 else fibres[kinds[fibre]]
        for row, fibre in zip(laid.row.tolist(), laid.fibre.tolist(), strict=True)
    ]
    columns = (np.round(laid.length_m, 1).tolist(), numbers(laid.stock_m, 2), sold)
    return [(f"{length_m:.1f}", stock_m, title) for length_m, stock_m, title in zip(*columns, strict=True)]


def _titled(title: str, what: str) -> str:
    return title if what in title else f"{title}, {what}"


def port_rows(cabling: Cabling, labels: Labels, facts: list[Facts]) -> tuple[list[str], np.ndarray]:
    """A table row for every used port, by device and port; and the first row of each device, int64[switches + panels + 1].

    A port whose host cable is not listed has a row that names the host. The port of a link through panels has the cord there.

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
    first : int64[switches + panels + 1]
        The rows of switch i are first[i] to first[i + 1] - 1; panels follow the switches.
    """
    topology, names, plant = cabling.layout.topology, cabling.names, cabling.layout.plant
    unlisted = np.arange(0 if cabling.with_hosts else topology.endpoints.size)
    at_hosts = topology.endpoint_ports if cabling.fabric is None else cabling.fabric.endpoint_ports
    device, port, cable, end = _plugs(cabling).T
    bundles = [str(bundle + 1) if bundle >= 0 else "" for bundle in cabling.laid.bundle.tolist()]
    n = topology.switches

    def called(device: int, port: int) -> str:
        if plant is not None and device >= n:
            panel: Panel = plant.panels[plant.panel[device - n]]
            return panel.port_name(port)
        return str(port) if names is None else names.port(device, port)

    plugs = [called(*plug) for plug in zip(device.tolist(), port.tolist(), strict=True)]
    cables = cable.tolist()
    lengths, stocks, products = zip(*(facts[each] for each in cables), strict=True) if cables else ((), (), ())
    numbered = [labels.laid[each][0] for each in cables]
    far_ends = [labels.laid[each][2 - own] for each, own in zip(cables, end.tolist(), strict=True)]
    of_bundles = [bundles[each] for each in cables]
    rows = table_rows(([""] * len(cables), plugs, numbered, far_ends, of_bundles, lengths, stocks, products), _CABLE)
    if unlisted.size:
        none = [""] * unlisted.size
        host_list = labels.hosts or ([] if names is None else names.hosts)
        hosts = [host_list[host] if host_list else f"host {host}" for host in topology.host.tolist()]
        own = [called(*plug) for plug in zip(topology.endpoints.tolist(), at_hosts.tolist(), strict=True)]
        rows += table_rows((none, own, none, hosts, none, none, none, none), _HOST)
        device, port = np.concatenate([device, topology.endpoints]), np.concatenate([port, at_hosts])
    order = np.lexsort((port, device))
    devices = n + (0 if plant is None else plant.panel.size)
    first = np.searchsorted(device[order], np.arange(devices + 1))
    return [rows[i] for i in order.tolist()], first


def _plugs(cabling: Cabling) -> np.ndarray:
    """Every port with a cable, int64[ports, 4]: the device, the port, the place of the cable among those laid, and its end."""
    laid, plant = cabling.laid, cabling.layout.plant
    own = np.flatnonzero(laid.own)
    rows = laid.row[own]
    of_links = ~cabling.to_host[rows]
    plugs = [
        np.column_stack([cabling.ends[some, end], cabling.port[some, end], which, np.full(len(some), end)])
        for end, some, which in ((0, rows, own), (1, rows[of_links], own[of_links]))
    ]
    if plant is None:
        return np.concatenate(plugs).astype(np.int64)
    fibres, most = np.flatnonzero(~laid.own), 1 + int(plant.ports.max(initial=0))
    used = np.unique(plant.links[plant.through].astype(np.int64) * most + plant.ports[plant.through])
    links = np.maximum(plant.pairs[laid.fibre[fibres]] // plant.link_pairs, 1)
    for end, (device, port) in enumerate(laid.ends(plant).transpose(1, 2, 0)):
        served = np.where(device < plant.switches, links, 1)
        of_end = np.repeat(np.arange(len(device)), served)
        lane = np.arange(of_end.size) - np.repeat(np.cumsum(served) - served, served)
        each = np.column_stack([device[of_end], port[of_end] + lane, fibres[of_end], np.full(of_end.size, end)])
        plugs.append(each[(each[:, 0] >= plant.switches) | np.isin(each[:, 0] * most + each[:, 1], used)])
    return np.concatenate(plugs).astype(np.int64)
