"""Traffic from files: a matrix of amounts, and rates of hosts for any pattern; and any pattern among some of the hosts."""

import re

import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.text_parts import decimal_in, text_lines, whole_in
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic.given import hosts_matrix, of_hosts, with_host_rates
from topoloom.throughput.traffic.making import matrix
from topoloom.throughput.traffic.register import PatternRequest, pattern, traffic_of
from topoloom.throughput.traffic.traffic import Traffic

#: Characters in the longest file.
_MOST_CHARACTERS = 400_000_000
_PAIRS = ("source", "destination", "amount")


@pattern(
    "matrix",
    "amounts between hosts, or switches, of a file: a row per sender, or lines source,destination,amount; the busiest host"
    " sends at full rate at load 1",
    rest="FILE",
)
def from_matrix(request: PatternRequest) -> Traffic:
    """Amounts count relative to each other: the host that sends most, by its rate, does so at its full rate at load 1."""
    path, topology = request.rest, request.topology
    rows = _numbers(path)
    header = tuple(cell.lower() for cell in rows[0][1])
    hosts, switches = request.hosts, topology.switches
    if header == _PAIRS:
        demand = _of_pairs(path, rows[1:], hosts)
    else:
        demand = _of_rows(path, rows, {hosts, switches})
    if not demand.any():
        raise InputError(f"{path}: all amounts are 0; at least one host must send")
    if len(demand) != hosts:
        rate = request.rate
        offered = np.bincount(request.switch, rate, switches)
        if (silent := (offered == 0) & (demand.any(axis=0) | demand.any(axis=1))).any():
            where = int(np.flatnonzero(silent)[0])
            raise InputError(f"{path}: traffic from or to switch {where}, which has no hosts")
        sends = offered > 0
        return matrix(topology, demand / (demand.sum(axis=1)[sends] / offered[sends]).max(), request.name)
    sent = demand.sum(axis=1) / (1.0 if request.rate is None else request.rate)
    return hosts_matrix(topology, demand / sent.max(), request.name)


@pattern(
    "rates",
    "any pattern between hosts that send at rates of their own, one number per host in a file; the highest is full rate",
    rest="FILE:PATTERN",
)
def at_rates(request: PatternRequest) -> Traffic:
    """Rates count relative to the highest one, which is the host's full rate at load 1; a host of rate 0 is silent."""
    path, inner = _parts(request)
    cells = [(number, cell) for number, row in _numbers(path) for cell in row]
    if len(cells) != request.hosts:
        raise InputError(
            f"{path}: {len(cells)} rates for the {request.hosts} hosts of {request.topology.name}; give one number per host"
        )
    rates = np.array([_amount(path, number, cell, "rate") for number, cell in cells])
    if not rates.any():
        raise InputError(f"{path}: all rates are 0; at least one host must send")
    return with_host_rates(
        _inner(request, inner, request.tables or request.topology), rates / rates.max(), request.name
    )


@pattern(
    "among",
    "any pattern among some hosts, the others are silent: hosts by number, 0-15+20, or of switches by a label, group=3",
    rest="HOSTS:PATTERN",
)
def among(request: PatternRequest) -> Traffic:
    """The hosts of the part are numbered from 0 for the pattern, in the order of their numbers."""
    text, inner = _parts(request)
    chosen = _hosts(request, text)
    if chosen.size < 2:
        raise InputError(f"{request.name}: {chosen.size} hosts; traffic needs at least two")
    topology = request.topology
    rate = topology.endpoint_rate_gbps
    part = topology.replace(
        endpoints=topology.endpoints[chosen], endpoint_rate_gbps=None if rate is None else rate[chosen]
    )
    return of_hosts(topology, _inner(request, inner, part), chosen, request.name)


def _parts(request: PatternRequest) -> tuple[str, str]:
    first, colon, inner = request.rest.partition(":")
    if not colon or not first or not inner:
        name = request.name.partition(":")[0]
        word = "HOSTS" if name == "among" else "FILE"
        raise InputError(f"{request.name}: write {name}:{word}:PATTERN, as in {name}:{word.lower()}:uniform")
    return first, inner


def _inner(request: PatternRequest, text: str, network: Routing | Topology) -> Traffic:
    """The pattern that another one changes."""
    sent = traffic_of(text, network, request.seed)
    if not isinstance(sent, Traffic):
        raise InputError(f"{request.name}: {text} ends, and so has no load; use a pattern with a load")
    return sent


def _hosts(request: PatternRequest, text: str) -> np.ndarray:
    """The hosts that a text names, ascending."""
    topology = request.topology
    label, sign, value = text.partition("=")
    if sign:
        if label not in topology.labels:
            labels = ", ".join(topology.labels) or "none"
            raise InputError(f"{request.name}: {topology.name} has no label {label}; it has {labels}")
        at_switch = topology.labels[label].astype(str) == value
        if not at_switch.any():
            raise InputError(f"{request.name}: no switch of {topology.name} has {label} {value}")
        return np.flatnonzero(at_switch[request.switch])
    chosen = np.zeros(request.hosts, np.bool_)
    for part in text.split("+"):
        written = part.split("-")
        ends = [end for text in written if (end := whole_in(text, request.hosts - 1)) is not None]
        if len(ends) != len(written) or len(ends) > 2 or ends[0] > ends[-1]:
            raise InputError(
                f"{request.name}: '{part[:40]}' names no hosts; write numbers from 0 to {request.hosts - 1}, as in 0-15+20, or"
                " LABEL=VALUE"
            )
        chosen[ends[0] : ends[-1] + 1] = True
    return np.flatnonzero(chosen)


def _numbers(path: str) -> list[tuple[int, list[str]]]:
    """The cells of each line with its number; empty lines and lines that start with # are skipped."""
    rows = [
        (number, [cell for cell in re.split(r"[,;\s]+", line.strip()) if cell])
        for number, line in enumerate(text_lines(read_text(path, _MOST_CHARACTERS)), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not rows:
        raise InputError(f"{path}: no numbers; write them separated by commas")
    return rows


def _of_rows(path: str, rows: list[tuple[int, list[str]]], sizes: set[int]) -> np.ndarray:
    if len(rows) not in sizes:
        wanted = " or ".join(map(str, sorted(sizes)))
        raise InputError(
            f"{path}: {len(rows)} rows; a matrix between hosts or switches has {wanted}, and the first line of pairs is"
            f" {','.join(_PAIRS)}"
        )
    demand = np.zeros((len(rows), len(rows)))
    for place, (number, cells) in enumerate(rows):
        if len(cells) != len(rows):
            raise at(path, number, f"{len(cells)} numbers; a row must have {len(rows)}")
        demand[place] = [_amount(path, number, cell, "amount") for cell in cells]
    return demand


def _of_pairs(path: str, rows: list[tuple[int, list[str]]], hosts: int) -> np.ndarray:
    demand = np.zeros((hosts, hosts))
    for number, cells in rows:
        if len(cells) != len(_PAIRS):
            raise at(path, number, f"{len(cells)} cells; write {','.join(_PAIRS)}")
        ends = [whole_in(cell, hosts - 1) for cell in cells[:2]]
        if None in ends:
            wrong = cells[ends.index(None)]
            raise at(path, number, f"host '{wrong[:40]}'; it must be a whole number from 0 to {hosts - 1}")
        demand[ends[0], ends[1]] += _amount(path, number, cells[2], "amount")
    return demand


def _amount(path: str, number: int, cell: str, word: str) -> float:
    value = decimal_in(cell)
    if value is None or not 0 <= value < float("inf"):
        raise at(path, number, f"{word} '{cell[:40]}'; it must be a finite number of at least 0")
    return value
