"""Terms: the parts, prices and rate that a network is bought with; a network remembers them, so that all commands agree."""

from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.price_factors import PriceFactors, with_factors
from topoloom.cost.quotes import lay_over
from topoloom.cost.spares import Spares
from topoloom.model.link_rates import shown_rate
from topoloom.model.topology import Topology

#: The catalogue where none was chosen.
DEFAULT_PARTS = "slimfly-2014"


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The catalogue, the rate and the options of the bill; None where a value was not chosen.

    Attributes
    ----------
    parts : Parts or None
        The catalogue by content, with quotes and factors applied, so that later changes of a file have no effect. None:
        `DEFAULT_PARTS`.
    rate_gbps : float or None
        The rate of every link, Gb/s; None: the network's, else the catalogue's obvious rate (`Parts.obvious_rate`). A network
        of several rates has its own, and no other.
    radix : int or None
        Ports of every switch that is bought; None: as many as are used.
    spare_ports : float
        Ports for growth, as a share of those in use.
    host_cables : bool
        Whether the bill includes host cables.
    spares : Spares or None
        Spare parts; None: none.
    """

    parts: Parts | None = None
    rate_gbps: float | None = None
    radix: int | None = None
    spare_ports: float = 0.0
    host_cables: bool = False
    spares: Spares | None = None

    @property
    def catalogue(self) -> Parts:
        """The chosen parts, or the default ones."""
        return load_parts(DEFAULT_PARTS) if self.parts is None else self.parts

    @property
    def link_rate_gbps(self) -> float:
        """The chosen rate, or the default one, Gb/s.

        Raises
        ------
        InputError
            The rate is not a number above 0; or it was not chosen, and the catalogue has switches of several rates.
        """
        return self.catalogue.link_rate(self.rate_gbps)

    def rate_on(self, topology: Topology) -> float:
        """The rate of links for a network, Gb/s; without meaning for a network of several rates, which has its own.

        Raises
        ------
        InputError
            As `link_rate_gbps`.
        """
        return self.catalogue.nearest_rate() if topology.mixed else self.link_rate_gbps

    def on(self, topology: Topology, taker: str) -> "Terms":
        """These terms for a network: at its own rate, if it has one and none was chosen.

        In a network of several rates, each cable and port has its own.

        Raises
        ------
        InputError
            The network's links have different rates, and one was chosen for all.
        """
        if topology.mixed:
            if self.rate_gbps is not None:
                raise InputError(
                    f"{taker}: {topology.name} has links of {shown_rate(topology.rates_gbps)}, and {self.rate_gbps:g} Gb/s"
                    " is one rate for all; omit it, or make all links alike (topoloom convert IN OUT --drop-rates)"
                )
            return self
        rate_gbps = topology.uniform_rate_gbps if self.rate_gbps is None else self.rate_gbps
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
        """These terms with the given values in place of the earlier ones.

        Parameters
        ----------
        parts : Parts, str or path, optional
            A catalogue, the name of a built-in one, or a file.
        prices : path, optional
            Quotes, applied to the catalogue.
        factors : PriceFactors, optional
        rate_gbps, radix, spare_ports, host_cables
            As the attributes; None: unchanged.
        spares : Spares or bool, optional
            True: the default ones; False: none.

        Raises
        ------
        InputError
            A catalogue or a file of quotes cannot be used.
        """
        given = {"rate_gbps": rate_gbps, "spare_ports": spare_ports, "host_cables": host_cables}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if spare_ports is not None and spare_ports != self.spare_ports:
            changes["radix"] = None  # both set the number of ports to buy
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
