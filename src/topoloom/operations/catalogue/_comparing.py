"""Arguments and functions of the operations that compare a discovered fabric with a plan."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from topoloom.core.errors import InputError
from topoloom.core.files import read_text
from topoloom.core.settings import setting
from topoloom.operations.operation import Operation
from topoloom.operations.shared import SEED, HcaMapping, Management, Planes, Seed, SheetColumns, SourceFormats

if TYPE_CHECKING:
    from topoloom.fabric.comparison import Comparison
    from topoloom.fabric.diagnosis.evidence import PlanFacts
    from topoloom.fabric.fabric import Fabric
    from topoloom.fabric.identify import Match
    from topoloom.fabric.port_counters import PortCounters
    from topoloom.network import Network
    from topoloom.operations.context import RunContext

MOST_TEXT_BYTES = 1 << 30
#: The format that stands for detection.
AUTO = "auto"
_MOST_FORMATS = 2
#: Fewer planes are one network, or parts that share no hosts.
_LEAST_PLANES = 2


@dataclass(frozen=True, eq=False)
class Opposed:
    """A plan and its discovery.

    Attributes
    ----------
    plan : Fabric
        The planned network, or those of its planes that were discovered.
    facts : PlanFacts
    actual : Fabric
    match : Match
    exact : bool
        Whether cables must be in the planned ports.
    """

    plan: "Fabric"
    facts: "PlanFacts"
    actual: "Fabric"
    match: "Match"
    exact: bool


class ComparingOperation(Operation, frozen=True, kw_only=True):
    """An operation that compares discovered fabrics with a plan."""

    match: Annotated[
        Literal["auto", "name", "guid", "hosts", "shape"], setting("how the switches of plan and discovery are matched")
    ] = "auto"
    guids: (
        Annotated[str, setting("a CSV of switch,guid: which planned switch is which", metavar="FILE", names="file")]
        | None
    ) = None
    ports: (
        Annotated[
            Literal["exact", "any"],
            setting(
                "whether cables must be in the planned ports; exact if omitted, but any if switches are matched by shape"
            ),
        ]
        | None
    ) = None
    skip_hosts: Annotated[bool, setting("compare the switches alone, without hosts and their cables")] = False
    machines: Annotated[
        Literal["auto", "joined", "apart"],
        setting(
            "whether the adapters of one machine (node7 mlx5_0, node7 mlx5_1) are one host; auto: if the plan has hosts with"
            " several ports; joined: in the plan, too"
        ),
    ] = "auto"
    cable_rate: (
        Annotated[str, setting("the rate that every cable should have: 4xNDR, or 400 (Gb/s)", metavar="RATE")] | None
    ) = None
    plane: Planes = ()
    source_formats: SourceFormats = ()
    columns: SheetColumns | None = None
    hca_mapping: HcaMapping | None = None
    management: Management = False
    seed: Seed = SEED

    def validate(self) -> None:
        if len(self.source_formats) > _MOST_FORMATS:
            raise InputError(f"`source_formats`: at most {_MOST_FORMATS}, of the plan and of the discovery")
        for name in self.source_formats:
            if name != AUTO:
                from topoloom.formats import FORMATS

                FORMATS.find(name)
        if self.cable_rate is not None:
            from topoloom.fabric.rates import parse_rate

            parse_rate(self.cable_rate)

    @property
    def planned_rate(self) -> "tuple[int, float] | None":
        """Lanes (0: any) and Gb/s that every cable should run at; None if not given."""
        from topoloom.fabric.rates import parse_rate

        return None if self.cable_rate is None else parse_rate(self.cable_rate)

    @property
    def plan_format(self) -> str | None:
        """The format of the plan's file; None: by its suffix and content."""
        name = self.source_formats[0] if len(self.source_formats) == _MOST_FORMATS else AUTO
        return None if name == AUTO else name

    def opened_plan(self, plan: str, *, compared: bool = True, lenient: bool = False) -> "Network":
        """The plan, from a file of the named format, or a sheet with the named columns.

        Parameters
        ----------
        plan : str
        compared : bool
            Whether there is a discovery, too.
        lenient : bool
            As in `opened`.

        Returns
        -------
        Network
        """
        from topoloom.network.opening import open_network

        return open_network(
            plan,
            self.plan_format if compared else self.actual_format,
            lenient=lenient,
            columns=self.columns,
            hca_mapping=self.hca_mapping,
            management=self.management,
        )

    @property
    def actual_format(self) -> str | None:
        """The format of a discovery; None: by its suffix and content."""
        name = self.source_formats[-1] if self.source_formats else AUTO
        return None if name == AUTO else name

    def planned(self, plan: "Network", *, planes: bool = False) -> "tuple[Fabric, PlanFacts]":
        """The planned fabric and its facts; the adapters of a machine joined if that is asked for, or if planes need it."""
        import numpy as np

        from topoloom.fabric.machines import joined
        from topoloom.fabric.own_switches import with_own_switches
        from topoloom.graph.planes import plane_count

        fabric, facts = with_own_switches(plan.fabric, plan.facts)
        for_planes = planes and self.machines == "auto" and plane_count(fabric.topology) < _LEAST_PLANES
        machines = joined(fabric) if self.machines == "joined" or for_planes else fabric
        if machines is fabric or (for_planes and plane_count(machines.topology) < _LEAST_PLANES):
            return fabric, facts
        n = fabric.topology.switches
        if len(facts.racks) > n:
            for field in ("racks", "units"):
                if of_adapters := getattr(facts, field):
                    of_nodes = np.array([*of_adapters[:n], *[""] * machines.topology.hosts], object)
                    of_nodes[n + machines.topology.host] = np.array(of_adapters, object)[n + fabric.topology.host]
                    facts = replace(facts, **{field: of_nodes.tolist()})
        return machines, facts

    def opposed(
        self, plan: "Network", discoveries: "Sequence[Fabric]", context: "RunContext", *, planes: bool
    ) -> "Opposed":
        """A plan and its discovery, ready to be compared: a discovery of one plane is compared with that plane alone.

        Parameters
        ----------
        plan : Network
        discoveries : sequence of Fabric
            As `opened` gives them; several: one of each plane.
        context : RunContext
        planes : bool
            Whether each is the discovery of a plane.

        Returns
        -------
        Opposed
        """
        from topoloom.fabric.plane_matching import compare_planes, is_one_plane
        from topoloom.fabric.planned_kinds import as_planned

        planned, facts = self.planned(plan, planes=planes)
        discoveries = [as_planned(planned, discovery, self.machines) for discovery in discoveries]
        if not planes and not is_one_plane(planned, discoveries[0]):
            match, exact = self.matched(planned, plan.labels, discoveries[0], context)
            return Opposed(planned, facts, discoveries[0], match, exact)
        if self.guids is not None:
            raise InputError("`guids` is for a discovery of all planes in one file; match planes by names")
        several = compare_planes(planned, facts, discoveries, self.match, self.seed)
        if len(several.planes) < several.count:
            which = f"plane{'s' * (len(several.planes) > 1)} {', '.join(map(str, several.planes))} of {several.count}"
            context.note(f"{several.actual.made}: {which} (from 0); give each plane to compare all")
        self._note_shape(several.actual, several.match, context)
        return Opposed(several.plan, several.facts, several.actual, several.match, self._exact(several.match))

    def compared(self, opposed: "Opposed") -> "Comparison":
        """The comparison of a plan with a discovery."""
        from topoloom.fabric.compare import compare_fabrics

        return compare_fabrics(
            *(opposed.plan, opposed.actual, opposed.match),
            ports=opposed.exact,
            hosts=not self.skip_hosts,
            racks=opposed.facts.places,
            cable_numbers=opposed.facts.cable_numbers,
            rate=self.planned_rate,
            counters=None,
        )

    def matched(
        self, plan: "Fabric", labels: Sequence[str], discovered: "Fabric", context: "RunContext"
    ) -> "tuple[Match, bool]":
        """The match of planned with discovered switches, and whether cables must be in the planned ports.

        A note says that switches were matched by shape.
        """
        from topoloom.fabric.identify import identify, read_map

        aliases = [[label] if label else [] for label in labels]
        pairs = None
        if self.guids is not None:
            pairs = read_map(read_text(self.guids, MOST_TEXT_BYTES), self.guids, plan, discovered, aliases)
        match = identify(plan, discovered, self.match, aliases=aliases, given=pairs, seed=self.seed)
        self._note_shape(discovered, match, context)
        return match, self._exact(match)

    def _note_shape(self, discovered: "Fabric", match: "Match", context: "RunContext") -> None:
        if match.by == "shape":
            why = "no names match, so switches" if self.match == "auto" else "switches"
            context.note(
                f"{discovered.made}: {why} are matched by shape; in a symmetric network the places may be those of a mirror"
                " image; give `guids` or names"
            )

    def _exact(self, match: "Match") -> bool:
        return match.by != "shape" if self.ports is None else self.ports == "exact"

    def opened(
        self, plan: "Fabric | None", actual: str, *, lenient: bool = False, management: bool = False
    ) -> "Fabric":
        """The discovered fabric, as its file has it.

        Parameters
        ----------
        plan : Fabric or None
            What it will be compared with.
        actual : str
            Its file.
        lenient : bool
            Whether impossible values in the file are kept, so that rules can report them, and not refused.
        management : bool
            Whether cables of ports for management are included, whatever the setting.

        Returns
        -------
        Fabric
        """
        from topoloom.network.opening import open_network

        # Rules report what devices hear that is no cable.
        lenient = lenient or Path(actual).is_dir()
        management = management or self.management
        discovered = open_network(actual, self.actual_format, lenient=lenient, management=management).fabric
        planned = discovered.planned and plan is not None and not plan.planned
        if plan is not None and planned and actual != "-" and not Path(actual).is_file():
            raise InputError(
                f"{plan.made} is a discovered fabric, and {actual} a plan: the plan comes first, then what is cabled"
            )
        # So that messages name it by its file.
        return replace(discovered, made=actual) if discovered.planned else discovered


def counters_of(names: Sequence[str], limits: Sequence[str] = ()) -> "PortCounters | None":
    """The cable errors in all these files above their limits (``SymbolErrors=100``); None without files."""
    from topoloom.fabric.port_counters import PortCounters, counter_limit, read_counters

    if not names:
        return None
    counters = PortCounters()
    for name in names:
        counters.add(read_counters(read_text(name, MOST_TEXT_BYTES), name))
    return counters.above(dict(map(counter_limit, limits)))
