"""The spec grammar: ``family:key=value,...+transform:key=value`` to a Topology.

spec      = base { "+" transform }
base      = family [ ":" settings ] | "product:" "(" spec ")" { "*" "(" spec ")" } [ "," settings ]
settings  = key "=" value { "," key "=" value }
"""

import logging
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_made, check_type, hint
from topoloom.model.directed import DirectedNetworkError, DirectedTopology
from topoloom.model.topology import Topology
from topoloom.topologies.spec.parameters import Integer, Parameter
from topoloom.topologies.spec.registry import (
    DIRECTED_FAMILIES,
    FAMILIES,
    TRANSFORMS,
    DirectedFamily,
    Facts,
    Family,
    spec_text,
)
from topoloom.topologies.spec.sizes import check_host_count, check_size

log = logging.getLogger("topoloom")

#: Most levels of nesting (products of products); a deeper spec is a mistake or an attack.
_DEEPEST = 20
#: The parameter `hosts` of every family that does not declare one itself.
HOSTS = Integer(
    0, 4096, "hosts on each switch that carries hosts, or 'full': the most with full bandwidth", default=None
)
#: The same for directed networks.
DIRECTED_HOSTS = Integer(0, 4096, "hosts on each switch", default=None)


def build(spec: str) -> Topology:
    """The topology that a spec describes.

    Parameters
    ----------
    spec : str
        ``family:key=value,...``, transforms chained with ``+``, products as ``product:(SPEC)*(SPEC)``. Every family also
        takes ``hosts=``: a number of hosts on each switch, or ``full``.

    Raises
    ------
    InputError
        The spec has a syntax error or an unknown name, its parameters do not fit together, or it is of a directed network.

    Examples
    --------
    >>> build("slimfly:q=5,hosts=4")
    Topology(slimfly(q=5,hosts=4): 50 switches, 175 links, 200 hosts)
    >>> build("product:(petersen)*(hypercube:n=3)").switches
    80
    """
    check_type(spec, str, "build", "write family:key=value,... ('topoloom families' lists the families)")
    if not spec.strip():
        raise InputError("the spec is empty; write family:key=value,... ('topoloom families' lists the families)")
    if len(spec) > 10_000:
        raise InputError(f"the spec has {len(spec)} characters; at most 10000 are read")
    _refuse_directed(spec)
    return _build(spec.strip(), 0)


def build_directed(spec: str) -> DirectedTopology:
    """The directed network that a spec of a directed family describes.

    Parameters
    ----------
    spec : str
        ``family:key=value,...``; every directed family also takes ``hosts=``, a number of hosts on each switch.

    Returns
    -------
    DirectedTopology

    Raises
    ------
    InputError
        The spec has a syntax error, an unknown name or a transform, or its parameters do not fit together.

    Examples
    --------
    >>> build_directed("kautz-digraph:base=2,length=3,hosts=1")
    DirectedTopology(kautz-digraph(base=2,length=3,hosts=1): 12 switches, 24 arcs, 12 hosts)
    """
    base, *changes = split(spec.strip(), "+")
    name, _, text = base.partition(":")
    record = DIRECTED_FAMILIES.find(name)
    if changes:
        raise InputError(f"{record.name}: a transform changes undirected networks; omit +{changes[0][:60]}")
    values, _ = read_settings(record.name, {"hosts": DIRECTED_HOSTS, **record.parameters}, text)
    hosts = values.pop("hosts") if record.takes_hosts else None
    check_size(record.name, record.known(values), hosts)
    topology = _strong_draw(record, values) if record.random else record.make(**values)
    check_made(topology, DirectedTopology, f"directed family {record.name}", "a DirectedTopology")
    spec = record.spec_of(values, hosts)
    topology = topology.replace(name=f"{record.name}({spec.partition(':')[2]})", spec=spec)
    return topology if hosts is None else topology.with_hosts(hosts)


def _strong_draw(record: DirectedFamily, values: dict[str, Any]) -> DirectedTopology:
    """The first strongly connected draw of a random family, each with the next stream of the same seed."""
    from topoloom.graph.strong_components import strong_component_count

    for attempt in range(100):
        topology = record.make(**values, attempt=attempt)
        check_made(topology, DirectedTopology, f"directed family {record.name}", "a DirectedTopology")
        if strong_component_count(topology) == 1:
            return topology
        log.warning("%s: draw %d is not strongly connected; drawing again", record.name, attempt + 1)
    raise InputError(f"{record.name}: 100 draws in a row were not strongly connected; ask for a higher degree")


def _is_directed(spec: str) -> bool:
    name = spec.strip().partition(":")[0].partition("+")[0].strip()
    return name not in FAMILIES and name in DIRECTED_FAMILIES


def _refuse_directed(spec: str) -> None:
    """Refuse the spec of a directed network, which `build_directed` builds."""
    if _is_directed(spec):
        raise DirectedNetworkError(spec, "build", lambda: build_directed(spec))


def family_of(spec: str) -> tuple[Family, dict[str, Any], Any] | None:
    """The family, its parameters and ``hosts=`` of a spec; None for products and specs with transforms."""
    base, *changes = split(spec, "+")
    name, _, text = base.partition(":")
    if changes or name == "product":
        return None
    _refuse_directed(spec)
    record = FAMILIES.find(name)
    return record, *read_settings(record.name, record.parameters, text, takes_hosts=True)


def facts_of(spec: str) -> Facts | None:
    """The facts of a spec by theory, without building it; None for products and specs with transforms."""
    parsed = family_of(spec)
    return None if parsed is None else parsed[0].known(parsed[1])


def bisection_by_theory(spec: str | None) -> int | None:
    """The bisection of a spec by theory, in links; None where theory has no value."""
    try:
        facts = facts_of(spec) if spec else None
    except InputError:  # a file may carry the spec of a family that this version does not know
        return None
    return facts.bisection_links if facts else None


def make(record: Family, values: dict[str, Any], hosts: Any = None) -> Topology:
    """Build one family from parameter values already read, and attach its hosts.

    Parameters
    ----------
    record : Family
        The family.
    values : dict
        Its parameters by name, read and within their ranges.
    hosts : int or "full", optional
        Hosts on each switch that carries any; "full" is the most that the network serves at full bandwidth. The family's
        hosts when omitted, and where it takes ``hosts`` as a parameter.

    Returns
    -------
    Topology
        With its name and spec.

    Raises
    ------
    InputError
        Too many switches, links or hosts; parameters that do not fit together; 100 random draws in a row were
        disconnected.
    """
    facts = record.known(values)
    check_size(record.name, facts, hosts if record.takes_hosts else None)
    topology = _connected_draw(record, values) if record.random else record.make(**values)
    check_made(topology, Topology, f"family {record.name}", "a Topology")
    spec = record.spec_of(values, hosts)
    name = f"{record.name}({spec.partition(':')[2]})" if ":" in spec else spec
    topology = topology.replace(name=name, spec=spec)
    return topology if hosts is None or not record.takes_hosts else attach_hosts(topology, hosts, facts.full_hosts)


def attach_hosts(topology: Topology, hosts: int | str, full: int | None) -> Topology:
    """Put `hosts` on each switch that already carries hosts, or on all switches where none does.

    Parameters
    ----------
    topology : Topology
        The network.
    hosts : int or "full"
        Hosts on each switch that carries any; "full" is the most that the network serves at full bandwidth.
    full : int or None
        That number by theory; None: it is measured on the graph.

    Returns
    -------
    Topology
        The same switches and links.

    Raises
    ------
    InputError
        Too many hosts, or "full" for a network without links.
    """
    carries = topology.endpoints_at > 0
    if not carries.any():
        carries = np.ones(topology.switches, bool)
    if hosts == "full":
        count = full if full is not None else _full_bandwidth_hosts(topology.with_hosts(carries.astype(np.int64)))
    else:
        count = int(hosts)
    check_host_count(topology.name, count, int(carries.sum()))
    return topology.with_hosts(np.where(carries, count, 0))


def _full_bandwidth_hosts(topology: Topology) -> int:
    """Hosts per switch without a published number: Besta 2014's balance (II.B.2), measured on the graph, at least one."""
    from topoloom.graph.load import full_bandwidth_hosts

    hosts = full_bandwidth_hosts(topology)
    if hosts == float("inf"):
        raise InputError(f"{topology.name}: hosts=full has no meaning without links; give a number")
    return max(1, int(hosts))


def _connected_draw(record: Family, values: dict[str, Any]) -> Topology:
    """The first connected draw of a random family; after a disconnected one it warns and takes the next stream of the same
    seed.
    """
    from topoloom.graph.connectivity import components

    for attempt in range(100):
        topology = record.make(**values, attempt=attempt)
        check_made(topology, Topology, f"family {record.name}", "a Topology")
        parts = int(components(topology).max()) + 1
        if parts == 1:
            return topology
        log.warning("%s: draw %d is disconnected (%d components); drawing again", record.name, attempt + 1, parts)
    raise InputError(f"{record.name}: 100 draws in a row were disconnected; ask for a higher degree")


def _build(spec: str, depth: int) -> Topology:
    if depth > _DEEPEST:
        raise InputError(f"the spec nests more than {_DEEPEST} products deep")
    base, *changes = split(spec, "+")
    name, _, text = base.partition(":")
    topology = _product(text, depth) if name == "product" else _family(name, text)
    for change in changes:
        name, _, text = change.partition(":")
        record = TRANSFORMS.find(name)
        values, _ = read_settings(record.name, record.parameters, text)
        shown = ",".join(spec_text(record.parameters, values))
        step = f"+{name}:{shown}" if shown else f"+{name}"
        changed = record.apply(topology, **values)
        check_made(changed, Topology, f"transform {record.name}", "a Topology")
        topology = changed.replace(
            name=topology.name + step, spec=None if topology.spec is None else topology.spec + step
        )
    return topology


def _family(name: str, text: str) -> Topology:
    record = FAMILIES.find(name)
    values, hosts = read_settings(record.name, record.parameters, text, takes_hosts=True)
    return make(record, values, hosts)


def _product(text: str, depth: int) -> Topology:
    from topoloom.graph.product import cartesian_product

    *factors, last = split(text, "*")
    last, *settings = split(last, ",")
    inner = []
    for factor in [*factors, last]:
        if not (factor.startswith("(") and factor.endswith(")")):
            raise InputError(f"product: '{factor[:60]}' needs brackets, as in product:(torus:dims=4x4)*(petersen)")
        inner.append(factor[1:-1].strip())
        if _is_directed(inner[-1]):
            raise InputError(f"product: {inner[-1][:60]} is directed; the factors of a product are undirected networks")
    # First by theory, before anything is built, then with the real sizes.
    _, hosts = read_settings("product", {}, ",".join(settings), takes_hosts=True)
    factor_facts = [facts_of(spec) or Facts(1) for spec in inner]
    _check_product([(facts.switches, facts.links or 0) for facts in factor_facts], hosts)
    parts = [_build(spec, depth + 1) for spec in inner]
    if any(facts == Facts(1) for facts in factor_facts):
        _check_product([(part.switches, len(part.links)) for part in parts], hosts)
    topology = cartesian_product(parts)
    if hosts is None and any(part.endpoints.size for part in parts):
        log.warning("product: the factors' hosts are omitted; give hosts= to the product: product:(...)*(...),hosts=2")
    text = "*".join(f"({part.spec})" for part in parts) + ("" if hosts is None else f",hosts={hosts}")
    topology = topology.replace(name=f"product({text})", spec=f"product:{text}")
    return topology if hosts is None else attach_hosts(topology, hosts, None)


def _check_product(sizes: list[tuple[int, int]], hosts: Any) -> None:
    """Refuse a product that is too large, from the switches and links of its factors."""
    switches = prod(count for count, _ in sizes)
    links = sum(links * switches // count for count, links in sizes)
    check_size("product", Facts(switches, links=links), hosts)


def read_settings(
    name: str, parameters: dict[str, Parameter], text: str, *, takes_hosts: bool = False, lists: bool = False
) -> tuple[dict[str, Any], Any]:
    """The parameter values in ``key=value,...``, defaults filled in, and the value of ``hosts=`` (None if not given).

    Parameters
    ----------
    name : str
        The family or transform, for messages.
    parameters : dict of str to Parameter
        The keys that may be given, with kind and range.
    text : str
        ``key=value,key=value``; "" for none.
    takes_hosts : bool
        Whether ``hosts=`` may be among them.
    lists : bool
        Whether commas in square brackets belong to the value: ``nodes=node[1-4,7]``.

    Returns
    -------
    values : dict
        Every parameter's value, by name; the default where it was not given.
    hosts : int, "full" or None
        The value of ``hosts=``; None where it was not given, or is an ordinary parameter.

    Raises
    ------
    InputError
        A key that is unknown, given twice or missing; a value out of its range; a piece that is not ``key=value``.
    """
    given: dict[str, str] = {}
    names = {other: key for key, parameter in parameters.items() for other in parameter.also}
    for part in (_joined_lists(split(text, ",")) if lists else split(text, ",")) if text else []:
        key, sign, value = part.partition("=")
        key = key.strip()
        if not sign or not key:
            raise InputError(f"{name}: '{part[:60]}' is not a setting; write key=value")
        key = names.get(key, key)
        if key in given:
            raise InputError(f"{name}: {key} is given twice")
        given[key] = value.strip()
    hosts: Any = given.pop("hosts", None) if takes_hosts and "hosts" not in parameters else None
    if hosts is not None and hosts != "full":
        hosts = _read(name, "hosts", HOSTS, hosts)
    for key in given:
        if key not in parameters:
            names_taken = list(dict.fromkeys([*parameters, *(["hosts"] if takes_hosts else [])]))
            advice = hint(key[:60], names_taken)
            similar = f"{advice} " if advice.startswith("did you mean") else ""
            raise InputError(
                f"{name}: no parameter '{key[:60]}' ({similar}it takes {', '.join(names_taken) or 'none'})"
            )
    values = {}
    for key, parameter in parameters.items():
        if key in given:
            values[key] = _read(name, key, parameter, given[key])
        elif parameter.required:
            raise InputError(f"{name}: {key}= is missing ({parameter.description}, {parameter.range})")
        else:
            values[key] = parameter.default
    return values, hosts


def _read(name: str, key: str, parameter: Parameter, text: str) -> Any:
    try:
        return parameter.read(text)
    except InputError as error:
        raise InputError(f"{name}: {key}={error}") from None


def _joined_lists(parts: list[str]) -> list[str]:
    """The parts of a text between commas, with the commas in square brackets put back."""
    joined: list[str] = []
    for part in parts:
        if joined and joined[-1].count("[") > joined[-1].count("]"):
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return joined


def split(text: str, separator: str) -> list[str]:
    """The parts of a spec between separators outside all brackets."""
    return list(_parts(text, separator))


def _parts(text: str, separator: str) -> Iterator[str]:
    """The parts of `text` between separators outside all brackets."""
    depth = start = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            raise InputError(f"the spec closes a bracket that it never opened, at character {position + 1}")
        if depth == 0 and letter == separator:
            yield text[start:position].strip()
            start = position + 1
    if depth:
        raise InputError(f"the spec leaves {depth} bracket{'s' * (depth > 1)} open")
    yield text[start:].strip()
