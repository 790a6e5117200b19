"""Registering a format of cables between named ports: from the function for its cables follow all others."""

from collections.abc import Callable
from functools import partial

from topoloom.core.errors import InputError, at
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._registry import PORTS, Format, register
from topoloom.formats._text import fabric_from, stem
from topoloom.model.link_rates import RATE
from topoloom.model.topology import Topology


def guarded_cables(
    name: str, cables_in: Callable[[bytes, str, bool], NamedCables], data: bytes, source: str, lenient: bool
) -> NamedCables:
    """The cables in a file, whose values may be of other kinds than the program writes that has this format.

    Parameters
    ----------
    name : str
        Of the format.
    cables_in : callable (data: bytes, source: str, lenient: bool) -> NamedCables
    data : bytes
    source : str
    lenient : bool

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file is damaged.
    """
    try:
        return cables_in(data, source, lenient)
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise at(source, None, f"has the form of {name}, but a value in it is not what {name} writes") from None


def register_named_format(
    name: str,
    suffixes: tuple[str, ...],
    description: str,
    cables_in: Callable[..., NamedCables],
    form: str,
    *,
    shared: tuple[str, ...] = (),
    rates: bool = False,
    isolated: bool = True,
    titled: bool = False,
    columned: bool = False,
    write_fabric: Callable[[Fabric], str | bytes] | None = None,
) -> None:
    """Register a format that keeps names and ports.

    Parameters
    ----------
    name : str
    suffixes : tuple of str
    description : str
    cables_in : callable (data: bytes, source: str, lenient: bool) -> NamedCables
    form : str
        How a file names a cable, for messages.
    shared : tuple of str
        Suffixes of other formats that its files often have.
    rates : bool
        Whether it has the rates of cables.
    isolated : bool
        Whether it keeps switches without a cable.
    titled : bool
        Whether it keeps the name of the network.
    columned : bool
        Whether `cables_in` also takes what the columns have (`Format.columned`).
    write_fabric : callable (fabric: Fabric) -> str or bytes, optional
        The text of a fabric; None: the format is only read.
    """

    def fabric_of(data: bytes, source: str, *, lenient: bool = False, **columns: str) -> Fabric:
        """The fabric in a file; with lenient parsing, cables that cannot be right are omitted and reported."""
        cables = guarded_cables(name, partial(cables_in, **columns), data, source, lenient)
        return fabric_from(source, lambda: cables.fabric(cables.title or stem(source), form))

    def read(data: bytes, source: str) -> Topology:
        """The topology in a file; names and ports are ignored (`open_network` keeps them)."""
        return fabric_of(data, source).topology

    register(
        Format(
            name=name,
            suffixes=suffixes,
            description=description,
            keeps=frozenset({"endpoints", "host"})
            | ({RATE} if rates else set())
            | ({"isolated"} if isolated else set())
            | ({"name"} if titled else set()),
            holds=frozenset({"names", PORTS}),
            read=read,
            write=None if write_fabric is None else lambda topology: write_fabric(planned_fabric(topology)),
            write_fabric=write_fabric,
            fabric=fabric_of,
            lenient=True,
            columned=columned,
            shared=shared,
        )
    )
