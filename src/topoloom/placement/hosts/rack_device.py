"""Further devices of a rack: power shelves, NVLink switch trays, management switches, power distribution units."""

from typing import Annotated, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable

#: Whether a rack with hosts, a rack without, or both have a device.
Where = Literal["hosts", "switches", "all"]

Pue = Annotated[
    float, setting("total power of the facility per power of its IT (power usage effectiveness)", least=1, most=10)
]
AirRise = Annotated[
    float,
    setting(
        "how much warmer air leaves a device than it enters, for devices whose airflow is not known",
        unit="K",
        above=0,
        most=100,
    ),
]
LiquidRise = Annotated[
    float, setting("how much warmer liquid leaves a rack than it enters", unit="K", above=0, most=100)
]


class RackDevice(TomlTable, frozen=True):
    """A kind of device that racks hold next to hosts and switches of the network."""

    group: ClassVar[str] = "[[rack.device]]"

    name: Annotated[str, setting("its name: `power shelf`")]
    count: Annotated[int, setting("how many of them each rack has", least=1, most=1000)] = 1
    racks: Annotated[Where, setting("the racks that have it: those with hosts, those without, or all")] = "hosts"
    hosts_below: (
        Annotated[
            int,
            setting("how many hosts stand below it: 0 at the bottom; above all hosts, if omitted", least=0, most=1000),
        ]
        | None
    ) = None
    u: Annotated[
        int, setting("its height; 0 for a device that takes no unit", unit="rack units", least=0, most=100)
    ] = 1
    power_w: (
        Annotated[
            float,
            setting(
                "its maximum power; 0 where the hosts' power includes it; not known, if omitted", unit="W", least=0
            ),
        ]
        | None
    ) = None
    typical_w: Annotated[float, setting("its typical power", unit="W", least=0)] | None = None
    weight_kg: Annotated[float, setting("its weight", unit="kg", least=0, most=1e5)] | None = None
    air_m3h: Annotated[float, setting("the air that its fans move", unit="m³/h", least=0, most=1e6)] | None = None
    liquid_share: Annotated[float, setting("the share of its heat that goes into liquid", least=0, most=1)] = 0.0
    ports: Annotated[int, setting("its ports on a network of a machine that serves it", least=0, most=64)] = 1
    vendor: Annotated[str, setting("its manufacturer")] = ""
    part_number: Annotated[str, setting("its part number")] = ""


class FacilityRule(TomlTable, frozen=True):
    """What the machine room supplies: the limits and the temperatures of its power and its cooling."""

    group: ClassVar[str] = "[facility]"

    pue: Pue | None = None
    air_k: AirRise | None = None
    liquid_k: LiquidRise | None = None
    power_w: Annotated[float, setting("the maximum power of all IT", unit="W", above=0)] | None = None
    rack_kg: (
        Annotated[float, setting("the greatest weight of a rack with its contents on the floor", unit="kg", above=0)]
        | None
    ) = None
    row_power_w: Annotated[float, setting("the maximum power of a row of racks", unit="W", above=0)] | None = None
    row_air_m3h: (
        Annotated[float, setting("the most air that a row of racks is supplied with", unit="m³/h", above=0)] | None
    ) = None
    rack_liquid_l_min: (
        Annotated[float, setting("the most liquid that a rack is supplied with", unit="L/min", above=0)] | None
    ) = None
    row_liquid_l_min: (
        Annotated[float, setting("the most liquid that a row of racks is supplied with", unit="L/min", above=0)] | None
    ) = None
    liquid_l_min: (
        Annotated[float, setting("the most liquid that all racks are supplied with", unit="L/min", above=0)] | None
    ) = None

    @property
    def limits(self) -> bool:
        """Whether it limits anything."""
        own = (self.power_w, self.rack_kg, self.row_power_w, self.row_air_m3h)
        liquid = (self.rack_liquid_l_min, self.row_liquid_l_min, self.liquid_l_min)
        return any(limit is not None for limit in own + liquid)
