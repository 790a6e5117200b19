"""The fabric that results from a plan: what stays has its names and ports, and what is new gets names that nothing has."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.cabling.plugs import Plugs
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.port_names import UNKNOWN
from topoloom.formats.cables import host_ports
from topoloom.placement.layout.layout import Layout

#: What a fabric knows of each switch, of each host, of each cable, and of each endpoint in addition.
_OF_SWITCHES = ("ports", "guids", "lids", "lmc", "device", "system", "rack", "unit")
_OF_HOSTS = ("sizes", "guids", "device", "system", "rack", "unit")
_OF_CABLES = ("width", "rate_gbps", "one_sided", "length_m", "part")
_OF_ENDPOINTS = ("port_guids", "port_lids", "port_lmc", "host_ports")


def grown_fabric(before: Fabric, layout: Layout, plugs: Plugs) -> Fabric:
    """The fabric of a network that has grown.

    Parameters
    ----------
    before : Fabric
        The cabled network. Its switches and hosts keep their numbers.
    layout : Layout
        The grown network on its floor.
    plugs : Plugs
        The ports of its cables.

    Returns
    -------
    Fabric
        Devices, and cables whose two ports are the same, are as before. New devices are called ``S5`` and ``H12``, by their
        numbers, unless another one is called so; they have no port names, and their GUIDs only count them.
    """
    topology, was = layout.topology, before.topology
    like = planned_fabric(topology)
    taken = {name.strip().lower() for name in (*before.switch_names, *before.host_names)}
    made: dict[str, Any] = {
        "switch_names": (*before.switch_names, *_new_names("S", range(was.switches, topology.switches), taken)),
        "host_names": (*before.host_names, *_new_names("H", range(was.hosts, topology.hosts), taken)),
    }
    for kind, names in (("switch", _OF_SWITCHES), ("host", _OF_HOSTS)):
        for field in (f"{kind}_{name}" for name in names):
            had = getattr(before, field)
            made[field] = np.concatenate([had, getattr(like, field)[len(had) :]])
    for guids, count in (("switch_guids", was.switches), ("host_guids", was.hosts)):
        made[guids][count:] = _unused(made[guids], count)
    if all(before.switch_rack.tolist()):
        racks = np.array(layout.rack_names)[layout.rack[was.switches :]]
        made["switch_rack"] = np.concatenate([before.switch_rack, racks])
    ends = [_links(was.links, before.link_ports), _links(topology.links, plugs.link)]
    made |= _kept(before, like, [f"link_{name}" for name in _OF_CABLES], *_same(*ends))
    ends = [
        _ends_of_hosts(each.host, ports) for each, ports in ((was, before.endpoint_ports), (topology, plugs.endpoint))
    ]
    made |= _kept(before, like, [f"endpoint_{name}" for name in _OF_CABLES], *_same(*ends))
    # A host's port is the same in whichever port of a switch it is.
    ends = [[end[:2] for end in each] for each in ends]
    made |= _kept(before, like, _OF_ENDPOINTS, *_same(*ends))
    at_switch = [(topology.links.ravel(), plugs.link.ravel()), (topology.endpoints, plugs.endpoint)]
    made["switch_port_names"] = _port_names(before.switch_port_names, topology.switches, at_switch)
    made["host_port_names"] = _port_names(before.host_port_names, topology.hosts, [])
    np.maximum.at(made["switch_ports"], topology.links.ravel(), plugs.link.ravel())
    np.maximum.at(made["switch_ports"], topology.endpoints, plugs.endpoint)
    np.maximum.at(made["host_sizes"], topology.host, made["host_ports"])
    return replace(
        like,
        **made,
        link_ports=plugs.link,
        endpoint_ports=plugs.endpoint,
        loops=before.loops,
        made=f"{before.made}, grown",
        collected=before.collected,
        port_settings=before.port_settings,
        guids_given=before.guids_given and (topology.switches, topology.hosts) == (was.switches, was.hosts),
        by_neighbours=before.by_neighbours,
    )


def _new_names(letter: str, numbers: Iterable[int], taken: set[str]) -> list[str]:
    """A name for each new device: ``S5``; ``S5-new`` where another is called so."""
    names = []
    for number in numbers:
        name = f"{letter}{number}"
        while name.lower() in taken:
            name += "-new"
        taken.add(name.lower())
        names.append(name)
    return names


def _port_names(
    names: tuple[Mapping[int, str], ...], count: int, plugged: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[Mapping[int, str], ...]:
    """The port names of all devices. What is plugged into a port without one is in a port that is not stated."""
    if not names:
        return ()
    unstated: dict[int, dict[int, str]] = {}
    for nodes, ports in plugged:
        for node, port in zip(nodes.tolist(), ports.tolist(), strict=True):
            if node < len(names) and any(names[node].values()) and port not in names[node]:
                unstated.setdefault(node, {})[port] = UNKNOWN
    own = (dict(of_node) | unstated.get(node, {}) for node, of_node in enumerate(names))
    return (*own, *({} for _ in range(count - len(names))))


def _unused(guids: np.ndarray, count: int) -> np.ndarray:
    """GUIDs for the devices from `count` on that none of the first has, uint64."""
    free = np.setdiff1d(np.concatenate([guids[count:], guids.max(initial=0) + 1 + np.arange(count)]), guids[:count])
    return free[: len(guids) - count]


def _links(links: np.ndarray, ports: np.ndarray) -> list[tuple[int, ...]]:
    """Both switches of each link with their ports."""
    return list(map(tuple, np.hstack([links, ports]).tolist()))


def _ends_of_hosts(host: np.ndarray, ports: np.ndarray) -> list[tuple[int, ...]]:
    """The host of each endpoint, the place among its ports, and the port of the switch."""
    return list(zip(host.tolist(), host_ports(host).tolist(), ports.tolist(), strict=True))


def _same(had: list[tuple[int, ...]], has: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """The places after and before of what both lists hold, int64[k] each."""
    place = {end: row for row, end in enumerate(had)}
    rows = [(row, place[end]) for row, end in enumerate(has) if end in place]
    now, then = np.array(rows, np.int64).reshape(-1, 2).T
    return now, then


def _kept(
    before: Fabric, like: Fabric, fields: Iterable[str], now: np.ndarray, then: np.ndarray
) -> dict[str, np.ndarray]:
    """Arrays as planned, with the values of what stays."""
    out = {}
    for field in fields:
        had, values = getattr(before, field), getattr(like, field)
        out[field] = values.astype(np.promote_types(values.dtype, had.dtype))
        out[field][now] = had[then]
    return out
