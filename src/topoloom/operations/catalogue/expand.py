"""The operation expand: a network grown cable by cable, as a plan that an installer carries out."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.machine.recognizing import names_machine
from topoloom.operations.catalogue._placing import Placing, networks_on_floors
from topoloom.operations.context import RunContext
from topoloom.operations.operation import flat, operation
from topoloom.operations.shared import Degree, HostCables, Radix

if TYPE_CHECKING:
    from topoloom.cabling.expansion.expansion import Expansion
    from topoloom.cabling.expansion.panels.expansion import PanelExpansion
    from topoloom.machine.growing.expansion import MachineExpansion
    from topoloom.network import Network


@operation
class ExpandOperation(Placing, frozen=True, kw_only=True):
    """Grow TOPOLOGY, cable by cable: which cables to unplug, move and add, with the ports of both ends, lengths and stock.

    TOPOLOGY may also be a folder of `topoloom layout -o`, or the folder `after` of `topoloom expand -o`: then all switches and
    ports stay where they are. With --check alone, TOPOLOGY is the folder of a plan, which is checked on paper: the cables
    before, changed by its tasks, must give the cables after. `topoloom methods` lists the methods.

    Where links pass through shuffle panels, the plan sets up panels, cuts trunks and plugs cords; in each round it drains the
    links of a trunk, exchanges it, and has the links verified.

    Of the folder of a machine: --into is its machine file with more hosts. They get free ports, free units and free places of
    the room; nothing that exists is moved, renamed or unplugged.
    """

    group: ClassVar[str] = "expand"
    doing: ClassVar[str] = "expanding"
    functions: ClassVar[tuple[str, ...]] = (
        *("expand", "expand_panels", "expand_machine"),
        *("check_plan", "check_panel_plan", "load_expansion"),
    )

    to: (
        Annotated[
            int,
            setting(
                "size to grow to: switches, hosts or links, as the method counts; hosts of a tree or a part for hosts",
                least=1,
            ),
        ]
        | None
    ) = None
    method: Annotated[str, setting("the method; auto is the family's own method, or splice")] = "auto"
    into: (
        Annotated[
            str,
            setting(
                "the network to become, keeping most cables, instead of a size and a method: a spec, a file or a folder; of a"
                " machine, its machine file with more hosts",
                names="file",
            ),
        ]
        | None
    ) = None
    radix: Radix | None = None
    degree: Degree | None = None
    new_hosts: Annotated[int, setting("hosts of a new switch (splice, copies)", least=0)] | None = None
    batch: Annotated[int, setting("new switches, or links, per step (splice, channels, boxes)", least=1)] | None = None
    most_down: (
        Annotated[
            int,
            setting("with shuffle panels: most links that are drained at a time; omitted: those of one trunk", least=1),
        ]
        | None
    ) = None
    host_cables: HostCables | None = None

    def validate(self) -> None:
        if self.degree == 0:
            raise InputError("`degree` is 0: a new switch has at least one link")

    def run(self, context: RunContext) -> "Expansion | PanelExpansion | MachineExpansion":
        return self.grown_machine() if self.of_machine else self.planned(context)

    def planned(self, context: RunContext) -> "Expansion | PanelExpansion":
        """The plan of a network: cable by cable, or trunk by trunk where its links pass through panels.

        Parameters
        ----------
        context : RunContext
        """
        from topoloom.cabling.expansion.expand import expand
        from topoloom.network.opening import open_network

        goal = None if self.into is None else open_network(self.into).topology
        network = open_network(self.topology)
        if network.layout is not None and network.layout.plant is not None:
            return self._with_panels(network, context)
        if self.most_down is not None:
            raise InputError("`most_down` is for networks with shuffle panels; omit it")
        return expand(
            self._standing(network, context),
            self.to,
            self.method,
            into=goal,
            degree=self.degree,
            hosts=self.new_hosts,
            batch=self.batch,
            plugs=network.plugs,
            seed=self.seed,
            jobs=context.jobs,
            work=context.work,
        )

    def _with_panels(self, network: "Network", context: RunContext) -> "PanelExpansion":
        """The plan of a network whose links pass through panels."""
        from topoloom.cabling.expansion.panels.expand_panels import expand_panels

        names = ("into", "radix", "degree", "host_cables")
        given = next((name for name in names if getattr(self, name) is not None), None)
        if given is not None:
            raise InputError(
                f"`{given}`: a network with panels grows by whole panels, to a number of switches; omit it"
            )
        if self.to is None:
            raise InputError(f"{network.topology.name}: to how many switches does it grow? give a size (to)")
        return expand_panels(
            self._standing(network, context),
            self.to,
            self.method,
            hosts=self.new_hosts,
            batch=self.batch,
            most_down=self.most_down,
            seed=self.seed,
            jobs=context.jobs,
            work=context.work,
        )

    @property
    def of_machine(self) -> bool:
        """Whether it is asked about a machine, not a network."""
        return names_machine(self.topology)

    def grown_machine(self) -> "MachineExpansion":
        """The growth of a machine."""
        from topoloom.machine.faults import MachineError
        from topoloom.machine.growing.expanding import expand_machine
        from topoloom.machine.opening import open_machine
        from topoloom.machine.reading import placed_fault, read_machine_file

        others = [name for name in self.arguments() if name not in ("topology", "into")]
        self.refuse_changed(others, "a machine grows by its machine file with more hosts")
        if self.into is None:
            raise InputError(f"{self.topology} is a machine: give its machine file with more hosts (into)")
        machine = open_machine(self.topology)
        into = read_machine_file(self.into)
        try:
            return expand_machine(machine, into)
        except MachineError as error:
            raise placed_fault(error, into, self.into) from None

    def _standing(self, network: "Network", context: RunContext) -> "Network":
        """The network on its floor; the floor of a laid-out network can only get more rows."""
        import msgspec

        from topoloom.cabling.expansion.growing_floor import with_rows
        from topoloom.placement.layout.layout import Layout

        if network.layout is None or self.rows is None:
            return networks_on_floors(self, [network], context)[0]
        standing = networks_on_floors(msgspec.structs.replace(self, rows=None), [network], context)[0]
        return standing.standing(with_rows(standing.part(Layout), self.rows))

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        if not hasattr(result, "topology"):
            return super().row(result)
        size = {
            "switches": result.topology.switches,
            "hosts": result.topology.hosts,
            "links": len(result.topology.links),
            "steps": len(result.steps),
        }
        return size | flat({key: value for key, value in result.record().items() if not isinstance(value, dict)})
