"""InfraGraph, of the Chakra working group: devices, their instances, one line per cable; further facts as annotations.

The schema is that of ``Keysight/infragraph`` (2701fa5); tested with the package infragraph 3.1.0. The file is YAML in which
every entry of a list is one line of JSON, so that a cable is one line.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.model.link_rates import rate_text

#: The first letter of instances of switches and of hosts.
SWITCHES, HOSTS = "S", "H"


@export(
    "infragraph",
    "InfraGraph, which ASTRA-sim's service reads: network and annotations",
    tables=False,
    timed=True,
    rates=True,
)
def infragraph(request: ExportRequest) -> Files:
    """infragraph.yaml; and annotations.yaml: names, labels, lengths, and the annotations that ASTRA-sim's service needs."""
    return {"infragraph.yaml": infragraph_text(request), "annotations.yaml": _annotations(request)}


def infragraph_text(request: ExportRequest) -> str:
    """The network: port p of switch s is ``S[s]`` ``port[p - 1]``, port q of host h ``H[h]`` ``nic[q - 1]``.

    If switches, or hosts, have different numbers of ports, there is one instance per run of equal ones: ``S``, ``S40``, ...,
    named by the first. ``links`` has one entry per rate and length.

    Raises
    ------
    InputError
        A cable is in a port that the switch or the host does not have.
    """
    fabric, topology = request.fabric, request.topology
    switch_sizes = np.maximum(1, fabric.switch_ports)
    host_sizes = np.maximum(1, fabric.host_sizes)
    switch, switches = _instances(SWITCHES, "switch", switch_sizes)
    host, hosts = _instances(HOSTS, "host", host_sizes)
    _check_ports(request)
    devices = [_switch_device(size) for size in sorted(set(switch_sizes.tolist()))]
    devices += [_host_device(size) for size in sorted(set(host_sizes.tolist()))]
    links: dict[str, Any] = {}

    def link(rate: float, length_m: float, delay_ns: float) -> str:
        # Names may hold only letters, digits, blanks, -, _, (), [], < and >.
        name = f"{_plain(rate_text(rate))}G-{round(length_m * 1000)}mm"
        if name not in links:
            links[name] = {
                "name": name,
                "physical": {
                    "bandwidth": {"choice": "gigabits_per_second", "gigabits_per_second": rate},
                    "latency": {"choice": "ns", "ns": round(delay_ns, 6)},
                },
            }
        return name

    edges = []
    for (u, v), (p, q), rate, length_m, ns in zip(
        topology.links.tolist(),
        fabric.link_ports.tolist(),
        request.link_gbps.tolist(),
        request.link_m.tolist(),
        request.link_ns.tolist(),
        strict=True,
    ):
        ends = (
            {"instance": switch[u], "component": f"port[{p - 1}]"},
            {"instance": switch[v], "component": f"port[{q - 1}]"},
        )
        edges.append(_edge(*ends, link(rate, length_m, ns)))
    for s, p, h, q, rate, length_m, ns in zip(
        topology.endpoints.tolist(),
        fabric.endpoint_ports.tolist(),
        topology.host.tolist(),
        fabric.host_ports.tolist(),
        request.host_gbps.tolist(),
        request.host_m.tolist(),
        request.host_ns.tolist(),
        strict=True,
    ):
        ends = (
            {"instance": host[h], "component": f"nic[{q - 1}]"},
            {"instance": switch[s], "component": f"port[{p - 1}]"},
        )
        edges.append(_edge(*ends, link(rate, length_m, ns)))
    description = f"written by topoloom{f' from {topology.spec}' if topology.spec else ''}; tried with infragraph 3.1.0"
    head = f"name: {_yaml(_plain(topology.name) or 'network')}\ndescription: {_yaml(description)}\n"
    lists = {"devices": devices, "links": links.values(), "instances": [*switches, *hosts], "edges": edges}
    return head + "".join(_list(name, entries) for name, entries in lists.items())


def _plain(name: str) -> str:
    """A name of only the characters that the schema allows."""
    return re.sub(r"[^a-zA-Z0-9_()<>\[\] -]", "-", name)


def _instances(letter: str, device: str, sizes: np.ndarray) -> tuple[list[str], list[dict[str, Any]]]:
    """The name of each part in an edge, and the instances: one for each run of parts of the same size."""
    names: list[str] = []
    instances: list[dict[str, Any]] = []
    for begin in [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist()] if sizes.size else []:
        rest = np.flatnonzero(sizes[begin:] != sizes[begin])
        count = int(rest[0]) if rest.size else sizes.size - begin
        name = f"{letter}{begin}" if begin else letter
        instances.append({"name": name, "device": f"{device}-{sizes[begin]}", "count": count})
        names += [f"{name}[{i}]" for i in range(count)]
    return names, instances


def _check_ports(request: ExportRequest) -> None:
    """Refuse ports beyond those of their switch or host, which InfraGraph would not report."""
    fabric, topology = request.fabric, request.topology
    for ports, sizes, of in (
        (fabric.link_ports, fabric.switch_ports, topology.links),
        (fabric.endpoint_ports, fabric.switch_ports, topology.endpoints),
        (fabric.host_ports, fabric.host_sizes, topology.host),
    ):
        if ports.size and ((ports < 1) | (ports > np.maximum(1, sizes)[of])).any():
            raise InputError(f"{fabric.made}: a cable is in a port that its switch or host does not have")


def _edge(first: dict[str, str], second: dict[str, str], link: str) -> dict[str, Any]:
    return {"ep1": first, "ep2": second, "scheme": "one2one", "link": link}


def _switch_device(ports: int) -> dict[str, Any]:
    return {
        "name": f"switch-{ports}",
        "components": [
            {"name": "asic", "count": 1, "choice": "switch"},
            {"name": "port", "count": ports, "choice": "port"},
        ],
        "links": [{"name": "inside"}],
        "edges": [
            {
                "ep1": {"component": "asic[0]"},
                "ep2": {"component": f"port[0:{ports}]"},
                "scheme": "many2many",
                "link": "inside",
            }
        ],
    }


def _host_device(ports: int) -> dict[str, Any]:
    """A host with a processor behind each port, as ASTRA-sim's service requires."""
    return {
        "name": f"host-{ports}",
        "components": [
            {"name": "xpu", "count": ports, "choice": "xpu"},
            {"name": "nic", "count": ports, "choice": "nic"},
        ],
        "links": [{"name": "pcie"}],
        "edges": [
            {
                "ep1": {"component": f"xpu[0:{ports}]"},
                "ep2": {"component": f"nic[0:{ports}]"},
                "scheme": "one2one",
                "link": "pcie",
            }
        ],
    }


def _annotations(request: ExportRequest) -> str:
    """Facts without a place in the schema: names, labels, kinds, the spec, and lengths where known."""
    fabric, topology = request.fabric, request.topology
    switch, _ = _instances(SWITCHES, "switch", np.maximum(1, fabric.switch_ports))
    host, _ = _instances(HOSTS, "host", np.maximum(1, fabric.host_sizes))
    labels = {key: values.tolist() for key, values in topology.labels.items()}
    nodes = [
        _node(part, {key: of[s] for key, of in labels.items()} | {"device_type": "switch", "name": name})
        for s, (part, name) in enumerate(zip(switch, fabric.switch_names, strict=True))
    ]
    nodes += [
        _node(part, {"device_type": "host", "name": name}) for part, name in zip(host, fabric.host_names, strict=True)
    ]
    lists: dict[str, Iterable[Any]] = {"nodes": nodes}
    if request.measured:
        lists["edges"] = _lengths(request, switch, host)
    lists["graph"] = _attributes({"topoloom_name": topology.name, "topoloom_spec": topology.spec or ""})
    return "".join(_list(name, entries) for name, entries in lists.items())


def _node(part: str, values: dict[str, object]) -> dict[str, Any]:
    return {"name": _dotted(part), "attributes": _attributes(values)}


def _lengths(request: ExportRequest, switch: list[str], host: list[str]) -> Iterator[dict[str, Any]]:
    fabric, topology = request.fabric, request.topology
    for (u, v), (p, q), length_m in zip(
        topology.links.tolist(), fabric.link_ports.tolist(), request.link_m.tolist(), strict=True
    ):
        yield _cable(f"{_dotted(switch[u])}.port.{p - 1}", f"{_dotted(switch[v])}.port.{q - 1}", length_m)
    for s, p, h, q, length_m in zip(
        topology.endpoints.tolist(),
        fabric.endpoint_ports.tolist(),
        topology.host.tolist(),
        fabric.host_ports.tolist(),
        request.host_m.tolist(),
        strict=True,
    ):
        yield _cable(f"{_dotted(host[h])}.nic.{q - 1}", f"{_dotted(switch[s])}.port.{p - 1}", length_m)


def _cable(first: str, second: str, length_m: float) -> dict[str, Any]:
    return {"ep1": first, "ep2": second, "attributes": _attributes({"cable_m": f"{length_m:.3f}"})}


def _attributes(values: dict[str, object]) -> list[dict[str, str]]:
    return [{"attribute": key, "value": str(value)} for key, value in values.items()]


def _dotted(part: str) -> str:
    """``S[3]`` in the form of the expanded graph: ``S.3``."""
    return part.replace("[", ".").rstrip("]")


def _list(name: str, entries: Iterable[Any]) -> str:
    lines = "".join(f"- {_yaml(entry)}\n" for entry in entries)
    return f"{name}:\n{lines}" if lines else f"{name}: []\n"


def _yaml(value: Any) -> str:
    """A value as one line of JSON that YAML reads identically: no surrogate pairs for characters beyond 16 bits."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if " " <= c <= "~" else f"\\U{ord(c):08x}" for c in text)
