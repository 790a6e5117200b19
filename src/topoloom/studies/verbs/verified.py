"""The verb verify."""

from typing import Annotated, ClassVar, Literal

from topoloom.fabrics.diagnosis.diagnose import diagnose
from topoloom.fabrics.diagnosis.diagnostics import Diagnostics
from topoloom.fabrics.diagnosis.evidence import MOST_LANES, HardwareLimits
from topoloom.fabrics.identify import identify
from topoloom.fabrics.machines import joined_for
from topoloom.fabrics.rates import parse_rate
from topoloom.opening import open_network
from topoloom.settings import Settings, setting
from topoloom.studies.verb import VERBS, Verb
from topoloom.work import Work


class VerifyTask(Settings, frozen=True, kw_only=True):
    """As `topoloom verify`, without tables."""

    group: ClassVar[str] = "verify"

    plan: Annotated[str, setting("a spec, a file or a folder")]
    actual: Annotated[str, setting("what is there; the plan alone, if left out")] | None = None
    only: Annotated[tuple[str, ...], setting("rules that are asked: codes, names, groups; all, if left out")] = ()
    ignore: Annotated[tuple[str, ...], setting("rules that are left out")] = ()
    by: Annotated[str, setting("how switches are known: auto, name, guid, hosts, shape")] = "auto"
    ports: Annotated[Literal["exact", "any"], setting("whether cables must be in the planned ports")] | None = None
    hosts: Annotated[bool, setting("whether hosts and their cables count")] = True
    machines: Annotated[str, setting("whether the adapters of a machine are one host: auto, joined, apart")] = "auto"
    rate: Annotated[str, setting("what every cable should run at: 4xNDR, or 400")] | None = None
    radix: Annotated[int, setting("ports of a switch", least=1, most=65_535)] | None = None
    lanes: Annotated[int, setting("data lanes of the switches", least=1, most=255)] = MOST_LANES
    taper: Annotated[float, setting("most host ports of a leaf for a link upwards", above=0, most=1e6)] | None = None
    longest_m: Annotated[float, setting("the longest that a link's cable may be", unit="m", above=0)] | None = None
    seed: Annotated[int, setting("of guesses by shape", least=0)] = 1


def _verify(arguments: VerifyTask, _jobs: int, _work: Work) -> Diagnostics:
    rate = None if arguments.rate is None else parse_rate(arguments.rate)
    limits = HardwareLimits(arguments.radix, arguments.lanes, arguments.longest_m, taper=arguments.taper, rate=rate)
    plan = open_network(arguments.plan, borne=True)
    there = match = None
    if arguments.actual is not None:
        there = joined_for(plan.fabric, open_network(arguments.actual, borne=True).fabric, arguments.machines)
        aliases = [[label] if label else [] for label in plan.labels]
        match = identify(plan.fabric, there, arguments.by, aliases=aliases, seed=arguments.seed)
    return diagnose(
        plan.fabric,
        there,
        match=match,
        ports=None if arguments.ports is None else arguments.ports == "exact",
        hosts=arguments.hosts,
        facts=plan.facts,
        limits=limits,
        only=arguments.only,
        ignore=arguments.ignore,
    )


VERBS.add("verify", Verb("verify", VerifyTask, _verify, ("plan", "actual")))
