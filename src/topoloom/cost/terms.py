"""Terms: what a network is bought by, and what its bill holds; a network remembers them, so that all commands answer alike."""

from pathlib import Path
from typing import Any

import msgspec

from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.price_factors import PriceFactors, with_factors
from topoloom.cost.quotes import lay_over
from topoloom.cost.spares import Spares
from topoloom.model.link_rates import rate_for
from topoloom.model.topology import Topology

#: The catalogue of what nobody decided about.
DEFAULT_PARTS = "slimfly-2014"


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The catalogue, the rate and what the bill holds; None where nobody decided.

    Attributes
    ----------
    parts : Parts or None
        By content, quotes and factors laid over it: no later change of a file or of a catalogue changes an answer. None:
        `DEFAULT_PARTS`.
    rate_gbps : float or None
        Of every link, Gb/s; None: that of the network, else 40, or the nearest that the catalogue's prices hold for.
    radix : int or None
        Ports of every switch that is bought; None: as many as are used.
    spare_ports : float
        Ports for growth, as a share of those in use.
    host_cables : bool
        Whether the bill has the hosts' cables.
    spares : Spares or None
        What lies on the shelf.
    """

    parts: Parts | None = None
    rate_gbps: float | None = None
    radix: int | None = None
    spare_ports: float = 0.0
    host_cables: bool = False
    spares: Spares | None = None

    @property
    def catalogue(self) -> Parts:
        """The parts that are meant."""
        return load_parts(DEFAULT_PARTS) if self.parts is None else self.parts

    @property
    def link_rate_gbps(self) -> float:
        """The rate that is meant, Gb/s.

        Raises
        ------
        InputError
            It is no number above 0.
        """
        return self.catalogue.link_rate(self.rate_gbps)

    def on(self, topology: Topology, taker: str) -> "Terms":
        """These terms for a network: at its own rate, where it has one and none was decided.

        Raises
        ------
        InputError
            Its links differ in their rates.
        """
        rate_gbps = rate_for(topology, self.rate_gbps, taker)
        return self if rate_gbps == self.rate_gbps else msgspec.structs.replace(self, rate_gbps=rate_gbps)

    def changed(
        self,
        *,
        parts: Parts | str | Path | None = None,
        prices: str | Path | None = None,
        factors: PriceFactors | None = None,
        rate_gbps: float | None = None,
        radix: int | None = None,
        spare_ports: float | None = None,
        host_cables: bool | None = None,
        spares: Spares | bool | None = None,
    ) -> "Terms":
        """These terms with what is given in the place of what was decided.

        Parameters
        ----------
        parts : Parts, str or path, optional
            A catalogue, the name of one of topoloom's own, or a file.
        prices : path, optional
            Quotes, laid over the catalogue that is meant.
        factors : PriceFactors, optional
        rate_gbps, radix, spare_ports, host_cables
            As the attributes; None: as they are.
        spares : Spares or bool, optional
            True: the usual ones; False: none.

        Raises
        ------
        InputError
            A catalogue or a file of quotes that cannot be used.
        """
        given = {"rate_gbps": rate_gbps, "spare_ports": spare_ports, "host_cables": host_cables}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if spare_ports is not None and spare_ports != self.spare_ports:
            changes["radix"] = None  # both say how many ports to buy
        if radix is not None:
            changes |= {"radix": radix} | ({"spare_ports": 0.0} if spare_ports is None else {})
        if spares is not None:
            changes["spares"] = (Spares() if spares else None) if isinstance(spares, bool) else spares
        catalogue = parts if isinstance(parts, Parts) else None if parts is None else load_parts(parts)
        if prices is not None:
            catalogue = lay_over(self.catalogue if catalogue is None else catalogue, prices)
        if factors is not None and factors != PriceFactors():
            catalogue = with_factors(self.catalogue if catalogue is None else catalogue, factors)
        if catalogue is not None:
            changes["parts"] = catalogue
        return msgspec.structs.replace(self, **changes) if changes else self
