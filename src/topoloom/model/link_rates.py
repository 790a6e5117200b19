"""Rates of links and endpoints in Gb/s per direction: as arrays, and as attributes of the nodes and edges of graphs."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.text_parts import decimal_in

if TYPE_CHECKING:
    from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

#: The names in files and graphs of the rate of a link, and of the rate of a switch's endpoints.
RATE, HOST_RATE = "rate_gbps", "host_rate_gbps"
#: The arguments of `Topology` that hold rates.
RATE_OF_LINKS, RATE_OF_ENDPOINTS = "link_rate_gbps", "endpoint_rate_gbps"
#: Above the rate of every cable; it excludes infinity.
_MOST_GBPS = 1e9
_IS = "a rate is a number above 0, in Gb/s"


def rate_array(rates: Any, count: int, whose: str, of: str) -> np.ndarray:
    """Rates as float64[count]; a single number means all of them, and None is accepted where `count` is 0.

    Parameters
    ----------
    rates : None, float or array of float
    count : int
    whose, of : str
        The owner of the rates and the objects that have them, for messages: "ring: link_rate_gbps", "links".

    Returns
    -------
    float64[count]

    Raises
    ------
    InputError
        The number of rates is wrong, or a rate is invalid.
    """
    if rates is None:
        if count:
            raise InputError(f"{whose} is missing; rates are given for all links and endpoints, or for none")
        return np.empty(0)
    array = np.asarray(rates)
    if array.size and array.dtype.kind not in "iuf":
        raise InputError(f"{whose} holds {array.dtype}; {_IS}")
    if array.shape not in ((), (count,)):
        raise InputError(f"{whose} has shape {array.shape}; it must be one number, or one for each of {count} {of}")
    array = array.astype(np.float64)
    # A comparison with NaN is false.
    wrong = np.flatnonzero(~((array > 0) & (array <= _MOST_GBPS)))
    if wrong.size:
        raise InputError(f"{whose} holds {array.flat[wrong[0]]:g}; {_IS}")
    return np.broadcast_to(array, (count,))


def only_rate(rates: np.ndarray) -> float | None:
    """The common rate; None where rates differ, or without rates."""
    return float(rates.flat[0]) if rates.size and (rates == rates.flat[0]).all() else None


def shown_rate(rates: np.ndarray) -> str:
    """The distinct rates, in words.

    >>> shown_rate(np.array([400.0, 800.0, 400.0])), shown_rate(np.array([100, 200, 400, 800, 54.56]))
    ('400 and 800 Gb/s', '54.56, 100, ... and 800 Gb/s')
    """
    words = [f"{rate:.10g}" for rate in np.unique(rates).tolist()]
    if len(words) > 3:
        words = [*words[:2], "...", words[-1]]
    return f"{' and '.join([', '.join(words[:-1]), words[-1]] if len(words) > 1 else words)} Gb/s"


def tell_dropped(source: str, why: str) -> None:
    """Warn that the rates of a network are dropped, when a file is read or written; `drops` collects the warnings."""
    log.warning("%s: %s; dropped %s", source, why, RATE, extra={"dropped": RATE})


@contextmanager
def drops() -> Iterator[list[str]]:
    """A context whose list collects the quantities for which `tell_dropped` warned inside it, each once."""
    quantities: list[str] = []

    def look(record: logging.LogRecord) -> bool:
        quantity = getattr(record, "dropped", None)
        if quantity is not None and quantity not in quantities:
            quantities.append(quantity)
        return True

    log.addFilter(look)
    try:
        yield quantities
    finally:
        log.removeFilter(look)


def packed_rates(endpoints: np.ndarray, rates: np.ndarray) -> dict[int, float | str]:
    """The rate of the endpoints of each switch with endpoints: a number, or a text with one number per endpoint where they
    differ.

    Parameters
    ----------
    endpoints : int[k]
        The switch of each endpoint, ascending.
    rates : float64[k]

    Examples
    --------
    >>> packed_rates(np.array([0, 0, 2, 2]), np.array([400.0, 400.0, 400.0, 200.0]))
    {0: 400.0, 2: '400 200'}
    """
    switches, first = np.unique(endpoints, return_index=True)
    packed: dict[int, float | str] = {}
    for switch, own in zip(switches.tolist(), np.split(rates, first[1:]), strict=True) if switches.size else ():
        rate = only_rate(own)
        packed[switch] = " ".join(map(rate_text, own.tolist())) if rate is None else rate
    return packed


def unpacked_rates(packed: Mapping[int, Any], counts: np.ndarray, where: Callable[[int], str]) -> np.ndarray:
    """The inverse of `packed_rates`: the rate of each endpoint, float64[k]; NaN where the switch has no rate.

    Parameters
    ----------
    packed : mapping of int to value
        By switch: a number, a text of numbers, or a list of numbers.
    counts : int[switches]
        Endpoints of each switch.
    where : callable
        Returns the name of a switch for messages.

    Returns
    -------
    float64[endpoints]

    Raises
    ------
    InputError
        A rate is invalid, or the number of rates differs from the number of endpoints.
    """
    rates = np.full(int(counts.sum()), np.nan)
    first = np.concatenate([[0], np.cumsum(counts)])
    for switch, value in packed.items():
        words = value.split() if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
        own = [rate_in(word) for word in words]
        if any(rate is None for rate in own):
            raise InputError(f"{where(switch)}: {HOST_RATE} is {str(value)[:40]!a}; {_IS}")
        count = int(counts[switch])
        if len(own) not in (1, count):
            raise InputError(
                f"{where(switch)}: {HOST_RATE} holds {len(own)} rates for {count} hosts; give one, or one per host"
            )
        rates[first[switch] : first[switch + 1]] = own
    return rates


def rate_in(value: Any) -> float | None:
    """The rate in a number or a text; None where it is not a rate."""
    number = decimal_in(value.strip()) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float | np.integer | np.floating):
        return None
    return float(number) if 0 < number <= _MOST_GBPS else None


def rate_text(rate: float) -> str:
    """A rate as text that reads back exactly, without an exponent.

    >>> rate_text(400.0), rate_text(54.56), rate_text(1e-7)
    ('400', '54.56', '0.0000001')
    """
    return np.format_float_positional(rate, trim="-")


def rates_in(
    links: Sequence[Any], endpoints: np.ndarray, source: str, where: Callable[[int], str]
) -> dict[str, np.ndarray]:
    """The arguments of `Topology` for the rates of a graph; empty where no link and no endpoint has a rate.

    Parameters
    ----------
    links : sequence
        The rate of each link, as a number or text; None where it has no rate.
    endpoints : float64[k]
        The rate of each endpoint; NaN where it has no rate.
    source : str
        The graph's name, for messages.
    where : callable
        Returns the name of a link for messages, from its index.

    Returns
    -------
    dict of str to float64 array

    Raises
    ------
    InputError
        A rate is invalid, or only some links and endpoints have one.
    """
    given = ~np.isnan(endpoints)
    if not given.any() and all(rate is None for rate in links):
        return {}
    rates = [rate_in(value) for value in links]
    if None in rates:
        place = rates.index(None)
        if links[place] is None:
            raise InputError(f"{where(place)} has no {RATE}, but other links have; give it to all or to none")
        raise InputError(f"{where(place)} has {RATE} {str(links[place])[:40]!a}; {_IS}")
    if not given.all():
        missing = f"{given.size - int(given.sum())} of {given.size} hosts' ports"
        raise InputError(
            f"{source}: links have {RATE}, but {missing} have no rate; give it as the node attribute {HOST_RATE}"
        )
    return {RATE_OF_LINKS: np.array(rates, np.float64), RATE_OF_ENDPOINTS: endpoints}


def own_rates(topology: "Topology", rate_gbps: float) -> tuple[float | np.ndarray, float | np.ndarray]:
    """The rates of links and of endpoints: their own in a network of several rates, else the given one.

    Parameters
    ----------
    topology : Topology
    rate_gbps : float

    Returns
    -------
    float or float64[links], float or float64[endpoints]
    """
    if topology.mixed and topology.link_rate_gbps is not None and topology.endpoint_rate_gbps is not None:
        return topology.link_rate_gbps, topology.endpoint_rate_gbps
    return rate_gbps, rate_gbps


def refuse_mixed(topology: "Topology", what: str) -> None:
    """Refuse a network whose links differ in their rates, for a function that takes one rate for all links.

    Parameters
    ----------
    topology : Topology
    what : str
        The function: "simulate".

    Raises
    ------
    InputError
        The links differ in their rates.

    Examples
    --------
    >>> from topoloom.model.topology import Topology
    >>> refuse_mixed(Topology(links=[(0, 1), (1, 2)], switches=3, name="line", link_rate_gbps=[400, 800]), "simulate")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: simulate: line has links of 400 and 800 Gb/s, and simulate takes one rate for all; \
its .without_rates() (topoloom convert IN OUT --drop-rates) makes all links alike
    """
    if topology.mixed:
        raise InputError(
            f"{what}: {topology.name} has links of {shown_rate(topology.rates_gbps)}, and {what} takes one rate for all;"
            " its .without_rates() (topoloom convert IN OUT --drop-rates) makes all links alike"
        )


def rate_for(topology: "Topology", given: float | None, what: str) -> float | None:
    """The single rate for a function of a network: the given one, else the network's; None without either.

    Parameters
    ----------
    topology : Topology
    given : float or None
        The caller's rate, Gb/s.
    what : str
        The function, for the message.

    Returns
    -------
    float or None

    Raises
    ------
    InputError
        The links differ in their rates.

    Examples
    --------
    >>> from topoloom.model.topology import Topology
    >>> pair = Topology(links=[(0, 1)], switches=2, link_rate_gbps=800)
    >>> rate_for(pair, None, "price"), rate_for(pair, 400, "price"), rate_for(pair.without_rates(), None, "price")
    (800.0, 400, None)
    """
    refuse_mixed(topology, what)
    return topology.uniform_rate_gbps if given is None else given
