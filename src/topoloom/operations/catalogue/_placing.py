"""What operations on laid-out networks share: the arguments of floor, placement and terms, and the network that they give."""

from typing import Annotated, Any, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.cost.price_factors import PriceFactors
from topoloom.network import Network
from topoloom.network.opening import open_network
from topoloom.operations.operation import Operation
from topoloom.operations.shared import SEED, Cabinet, Cluster, Floor, Parts, Prices, Rate, Seed, Server, Source


class Placing(Operation, frozen=True, kw_only=True):
    """Arguments of floor, placement, parts and rate, as the commands have them; what is omitted a network may remember."""

    group: ClassVar[str] = "placing"

    topology: Source
    floor: Floor | None = None
    rows: Annotated[int, setting("rows of cabinets; near-square if omitted", least=1, most=10_000)] | None = None
    columns: Annotated[int, setting("cabinets per row", least=1, most=10_000)] | None = None
    cabinet: Cabinet | None = None
    cluster: Cluster | None = None
    map: (
        Annotated[
            Literal["joint", "tabu", "anneal", "serpentine", "rows"],
            setting("where everything stands: joint searches, rows puts cabinets row by row; joint if omitted"),
        ]
        | None
    ) = None
    server: Server | None = None
    parts: Parts | None = None
    prices: Prices | None = None
    rate_gbps: Rate | None = None
    seed: Seed = SEED

    def laid_out(
        self, jobs: int | None, work: Work, *, again: bool = False, factors: PriceFactors | None = None, **search: Any
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
            hosts=self.server,
            rows=self.rows,
            columns=self.columns,
            cabinet=self.cabinet,
            cluster=self.cluster,
            map=self.map,
            parts=self.parts,
            prices=self.prices,
            rate_gbps=self.rate_gbps,
            seed=self.seed,
            jobs=jobs,
            work=work,
            **search,
        )
        return made if factors is None else made.priced(factors=factors)
