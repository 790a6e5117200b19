"""Router presets: routers of simulators and papers, with their sources."""

from collections.abc import Iterable

import msgspec

from topoloom.core.register import Register
from topoloom.core.settings import changed, written
from topoloom.simulation.flits.router_config import RouterConfig

#: The name in results of a router that is not a preset.
CUSTOM = "custom"


class Preset(msgspec.Struct, frozen=True):
    """A router with a name.

    Attributes
    ----------
    router : RouterConfig
    source : str
        The source of its numbers.
    """

    router: RouterConfig
    source: str


PRESETS: Register[Preset] = Register("router preset", group="topoloom.routers", listed="topoloom simulate --help")
PRESETS.add(
    "booksim", Preset(RouterConfig(to_itself=True), "BookSim 2: iq_router, separable input-first, internal_speedup 2")
)
PRESETS.add(
    "slimfly-2014",
    Preset(
        RouterConfig(vcs=3),
        "Besta and Hoefler 2014, Section V: 3 VCs, 64 flits per port, speedup 2, delays of one cycle",
    ),
)
PRESETS.add(
    "koibuchi-2013",
    Preset(
        # 256 bits at 96 Gb/s are 8/3 ns; a hop of 100 ns in the switch and 20 ns of link and injection is 45 cycles.
        RouterConfig(
            vcs=4,
            buffer_flits=4 * 66,
            speedup=1,
            link_cycles=7,
            host_cycles=1,
            credit_cycles=3,
            pipeline_cycles=35,
            packet_flits=33,
            cut_through=True,
            cycle_ns=8 / 3,
            flit_bits=256,
        ),
        "Koibuchi et al. 2013, Section III.C: cut-through, packets of 33 flits of 256 bits, 96 Gb/s, 4 VCs, 100 ns per switch,"
        " 20 ns per link",
    ),
)
PRESETS.add(
    "noc-2016",
    Preset(
        RouterConfig(vcs=4, buffer_flits=20, speedup=1, packet_mix="1:0.5,5:0.5", flit_bits=128),
        "Nakano et al. 2016, Table V: 3 cycles per router and 1 per link, 5 flits per VC, packets of 1 and 5 flits of 128 bits",
    ),
)


def find_preset(name: str) -> RouterConfig:
    """Return the router of a preset.

    Raises
    ------
    InputError
        The preset is unknown; the message lists all.
    """
    return PRESETS.find(name).router


def router_of(preset: str | RouterConfig, changes: Iterable[str] = ()) -> tuple[str, RouterConfig]:
    """Return a preset's name (`CUSTOM` for another router), and its router with changes.

    Parameters
    ----------
    preset : str or RouterConfig
    changes : texts KEY=VALUE
        Values of the router to change: ``vcs=3``.

    Raises
    ------
    InputError
        An unknown preset or setting, or a value out of range.

    Examples
    --------
    >>> name, router = router_of("booksim", ["vcs=3", "to_itself=no"])
    >>> name, router.vcs, router.to_itself
    ('booksim', 3, False)
    """
    name, router = (preset, find_preset(preset)) if isinstance(preset, str) else (CUSTOM, preset)
    return name, changed(router, changes)


def shown_router(preset: str, router: RouterConfig) -> str:
    """Return a preset with its changes as text: ``slimfly-2014 with vcs=4``."""
    default = PRESETS[preset].router if preset in PRESETS else RouterConfig()
    values, others = msgspec.structs.asdict(router), msgspec.structs.asdict(default)
    changes = [f"{name}={written(value)}" for name, value in values.items() if value != others[name]]
    return f"{preset} with {', '.join(changes)}" if changes else preset
