"""The keys of requirements: those of a network, which a machine has several times, and those of the whole project."""

from typing import Annotated, Literal

import msgspec

from topoloom.core.settings import setting
from topoloom.cost.price_factors import PriceFactors
from topoloom.cost.spares import Spares
from topoloom.cost.terms import DEFAULT_PARTS
from topoloom.designer.assessment.subject import MOST_REPEATS
from topoloom.designer.requirement_tables import (
    CableRequirement,
    CollectiveRequirement,
    DesignLimits,
    FamiliesRequirement,
    FloorRequirement,
    Least,
    PhaseRequirement,
    SearchRequirement,
    SwitchRequirement,
)
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.hosts.rack_device import FacilityRule

#: The objectives: measures of a candidate of which less is better.
Objective = Literal[
    "cost_per_host_usd",
    "power_per_host_w",
    "mean_latency_ns",
    "worst_latency_ns",
    "host_aspl",
    "switches",
    "mean_cable_m",
    "oversubscription",
    "maximum_channel_load",
    "cost_usd",
    "power_w",
    "all_to_all_ms",
    "all_reduce_ms",
    "step_ms",
]


Title = Annotated[str, setting("the report's title")]
PhaseList = Annotated[
    tuple[PhaseRequirement, ...], setting("phases in which the hosts come; a design is sized for the last one")
]
Rack = Annotated[RackRule, setting("what a rack of hosts holds, and where leaf switches stand")]
Facility = Annotated[FacilityRule, setting("the power and the cooling of the machine room")]
SpareParts = Annotated[Spares | None, setting("spare parts on the shelf, included in the bill")]
ShortlistSize = Annotated[
    int,
    setting(
        "how many networks are fully assessed after the screening: bill, tables, throughput, load, collectives,"
        " failures and growth; 0: none",
        least=0,
        most=100,
    ),
]
Minutes = Annotated[
    float,
    setting(
        "the time budget of the shortlist; the report lists the steps that did not fit", unit="min", above=0, most=1e6
    ),
]
Repeats = Annotated[
    int,
    setting(
        "the largest multiple of the normal number of random draws, for tighter intervals if time is left; 1:"
        " no further draws, so that no figure depends on the time",
        least=1,
        most=MOST_REPEATS,
    ),
]
FloorOf = Annotated[FloorRequirement, setting("the machine room")]
PartsOf = Annotated[
    str,
    setting(
        "a parts catalogue: a name, or a `.toml` file relative to the folder of the requirement; if omitted,"
        f" `{DEFAULT_PARTS}`, with a warning: its prices are old"
    ),
]
PricesOf = Annotated[
    str,
    setting(
        "your quotes, which replace prices of the catalogue: a `.toml` file relative to the folder of the requirement"
    ),
]
FactorsOf = Annotated[
    PriceFactors, setting("factors that prices are multiplied by, to see how the result depends on them")
]


SwitchOf = Annotated[SwitchRequirement, setting("the available switches")]
PlaneCounts = Annotated[
    tuple[Annotated[int, msgspec.Meta(ge=1, le=1024)], ...],
    setting(
        "numbers of planes to spread the ports of a host over; if omitted, 1 and as many as it has ports",
        example="[1, 8]",
    ),
]
RailsOf = (
    Annotated[
        bool,
        setting(
            "how the ports of a host in a plane are connected: `true`, each to another leaf (fat trees only);"
            " `false`, all to one switch; if omitted, both are tried"
        ),
    ]
    | None
)
LinkRate = Annotated[
    float,
    setting(
        "the rate of every link, and of host ports without `host.rate_gbps`; cables are priced per Gb/s",
        unit="Gb/s",
        above=0,
        most=1e15,
    ),
]
CableOf = Annotated[CableRequirement, setting("the cables: their delay, and whether host cables are billed")]
LimitsOf = Annotated[DesignLimits, setting("what a design must not exceed")]
LeastOf = Annotated[Least, setting("what a design must offer at least")]
CollectiveOf = Annotated[
    CollectiveRequirement, setting("what a step of the application sends, for objectives that are times")
]
WithUsual = Annotated[
    bool,
    setting(
        "whether reference designs are measured too: fat trees tapered 1:1, 2:1 and 4:1, with rails where"
        " hosts have several interfaces, and a Dragonfly"
    ),
]
Minimized = Annotated[Objective, setting("the measure that candidates are ranked by, the lowest first")]
FamiliesOf = Annotated[FamiliesRequirement, setting("which families take part")]
SearchOf = Annotated[SearchRequirement, setting("the search for networks beyond the catalogue")]

#: The keys of a requirement that concern one network, which a network of a machine has too.
NETWORK_KEYS = (
    "switch",
    "planes",
    "rails",
    "rate_gbps",
    "cable",
    "limits",
    "least",
    "collective",
    "minimize",
    "families",
    "search",
)
