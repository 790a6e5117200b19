"""Arguments and functions of the operations that run programs and collectives: ranks, tables, machine, simulator."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from topoloom.core.settings import setting, texts_of
from topoloom.operations.catalogue._routed import check_engine, note_installed
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation
from topoloom.operations.shared import MOST_HOST_TABLES, SEED, Engine, Seed, Source

if TYPE_CHECKING:
    from topoloom.network import Network
    from topoloom.simulation.applications.settings import AppSettings
    from topoloom.simulation.applications.sweep import Case


class ProgramOperation(Operation, frozen=True, kw_only=True):
    """An operation that places ranks on the hosts of a network; the tables give the paths of their messages."""

    topology: Source
    ranks: Annotated[int, setting("ranks; one per host if omitted", least=1, most=1 << 20)] | None = None
    placement: Annotated[
        str,
        setting(
            "where ranks run: linear, random, rack, file:PATH; programs also optimised and, by the command app, random*5"
            " (five seeds)"
        ),
    ] = "linear"
    engine: Engine | None = None
    host_tables: (
        Annotated[
            int,
            setting(
                "number of tables, which the hosts of a switch use in turn: with 4, the fifth host uses the first table; if"
                " omitted 1, but one per host with engine fat-tree",
                least=1,
                most=MOST_HOST_TABLES,
            ),
        ]
        | None
    ) = None
    preset: (
        Annotated[
            str,
            setting(
                "the preset of machine and model; if omitted truong-2016, at the rate that is stored with the network"
            ),
        ]
        | None
    ) = None
    set: Annotated[
        dict[str, Any], setting("change a setting of the preset (topoloom app --help lists them): rate_gbps=400")
    ] = msgspec.field(default_factory=dict)
    simulator: (
        Annotated[
            str,
            setting(
                "the simulator: simgrid, flows, flows:window=0.2 or flits; if omitted, simgrid for programs and flows for"
                " collectives"
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED

    def validate(self) -> None:
        from topoloom.simulation.applications.backends import backend_of

        check_engine(self.engine)
        if self.simulator is not None:
            backend_of(self.simulator)
        self.settings_on([])

    def settings_on(self, networks: "Iterable[Network]") -> "AppSettings":
        """The settings of machine and model, at the networks' stored rate unless another one is given."""
        from topoloom.simulation.applications.given import app_settings

        return app_settings(networks, self.preset, texts_of(self.set))

    def cases(
        self, name: str, network: "Network", context: RunContext, *, seed: int | None = None, seeds: int = 1
    ) -> "list[Case]":
        """The network with its installed tables, or with new tables, one set per seed, if an engine or seeds ask for them."""
        from topoloom.simulation.applications.sweep import cases_of

        if self.engine is None and self.host_tables is None and seeds == 1:
            note_installed(network, context)
        return cases_of(
            name,
            network,
            self.engine,
            host_tables=self.host_tables,
            seed=self.seed if seed is None else seed,
            seeds=seeds,
            jobs=context.jobs,
            work=context.work,
        )
