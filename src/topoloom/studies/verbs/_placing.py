"""What operations on laid-out networks share: the arguments of floor, placement and terms, and the network that they give."""

from typing import Annotated, Any, ClassVar

from topoloom.cost.price_factors import PriceFactors
from topoloom.network import Network
from topoloom.opening import open_network
from topoloom.settings import Settings, setting
from topoloom.work import Work


class Placing(Settings, frozen=True, kw_only=True):
    """Arguments of floor, placement, parts and rate, as the commands have them; what is omitted a network may remember."""

    group: ClassVar[str] = "placing"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    floor: Annotated[str, setting("a floor's name or file; slimfly-2014 when omitted")] | None = None
    rows: Annotated[int, setting("rows of cabinets", least=1)] | None = None
    columns: Annotated[int, setting("cabinets in a row", least=1)] | None = None
    cabinet: Annotated[int, setting("most switches in a cabinet", least=1)] | None = None
    cluster: Annotated[str, setting("which switches share a cabinet; auto when omitted")] | None = None
    map: Annotated[str, setting("where everything stands; joint when omitted")] | None = None
    hosts: Annotated[str, setting("hosts in racks of their own: a server or a file")] | None = None
    parts: (
        Annotated[str, setting("a parts catalogue or its file; the network's own, or slimfly-2014, when omitted")]
        | None
    ) = None
    prices: Annotated[str, setting("quotes laid over the catalogue")] | None = None
    rate: Annotated[float, setting("rate of a link", unit="Gb/s", above=0)] | None = None
    seed: Annotated[int, setting("of random choices", least=0)] = 1

    def laid_out(
        self, jobs: int, work: Work, *, again: bool = False, factors: PriceFactors | None = None, **search: Any
    ) -> Network:
        """The network on its floor, by its own layout or a new one, and by its own terms but for those that are given.

        Parameters
        ----------
        jobs : int
        work : Work
        again : bool
            Whether it is placed also where it has a layout.
        factors : PriceFactors, optional
        **search
            What `Network.placed` takes besides.

        Returns
        -------
        Network
        """
        network = open_network(self.topology)
        place = network.placed if again else network.with_layout
        made = place(
            self.floor,
            hosts=self.hosts,
            rows=self.rows,
            columns=self.columns,
            cabinet=self.cabinet,
            cluster=self.cluster,
            map=self.map,
            parts=self.parts,
            prices=self.prices,
            rate_gbps=self.rate,
            seed=self.seed,
            jobs=jobs,
            work=work,
            **search,
        )
        return made if factors is None else made.priced(factors=factors)


PLACING_FILES = ("topology", "floor", "hosts", "parts", "prices")
