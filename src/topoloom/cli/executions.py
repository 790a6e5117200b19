"""Simulations beside the sweep of `topoloom simulate`: traces and closed loops to their end, and packets one by one."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from topoloom.cli.output import plain, print_json, print_table, say
from topoloom.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from topoloom.network import Network
    from topoloom.routing.routing import Routing
    from topoloom.simulator.config import RouterConfig

#: Packets that are written down at most.
_MOST_PACKETS = 100_000


def has_end(routing: "Routing", traffic: str, seed: int) -> bool:
    """Whether traffic is a trace or a closed loop, which has no load; raises `InputError` where there is none such."""
    from topoloom.traffic import Traffic, traffic_of

    return not isinstance(traffic_of(traffic, routing, seed), Traffic)


def refuse_loads(traffic: str, given: dict[str, object]) -> None:
    """Refuse options that only sweeps over loads have."""
    for option, value in given.items():
        if value:
            raise InputError(f"{option}: '{traffic}' is simulated to its end, at no load; leave the option out")


def print_executions(
    routed: "list[Routing]",
    cables: "list[np.ndarray | None]",
    config: "RouterConfig",
    preset: str,
    traffic: str,
    seed: int,
    as_json: bool,
) -> None:
    """Simulate to the end on each topology, and print how long that took there."""
    from topoloom.simulator.execute import execute

    found = [execute(one, traffic, config, seed=seed, cables=own) for one, own in zip(routed, cables, strict=True)]
    values: list[dict[str, Any]] = [{**asdict(one), "preset": preset, "router": config.values} for one in found]
    if as_json:
        print_json(values[0] if len(values) == 1 else {"executions": values})
        return
    shown = ("topology", "cycles", "packets", "latency_mean", "latency_p99", "hops_mean")
    say(f"{traffic}, {found[0].engine}, {preset}")
    rows = [
        tuple(f"{one[name]:.4f}" if isinstance(one[name], float) else plain(one[name]) for name in shown)
        for one in values
    ]
    print_table([tuple(name.replace("_", " ") for name in shown), *rows])


def write_packets(
    routing: "Routing",
    cables: "np.ndarray | None",
    config: "RouterConfig",
    traffic: str,
    load: float,
    seed: int,
    path: str,
) -> None:
    """Write packets one by one to a CSV file."""
    from topoloom.files import write_atomically
    from topoloom.simulator.execute import PACKET_COLUMNS, packets_of

    found = packets_of(routing, traffic, config, load=load, count=_MOST_PACKETS, seed=seed, cables=cables)
    lines = [",".join(PACKET_COLUMNS), *(",".join(map(str, row)) for row in found.rows.tolist())]
    write_atomically(path, "\n".join(lines) + "\n")
    say(f"wrote {path}, {len(found.rows)} packets", err=True)


def cables_for(network: "Network", config: "RouterConfig", between: tuple[str, ...]) -> "np.ndarray | None":
    """Cycles of each cable, as ``--between`` or the layout of the network says; None: the preset's for all."""
    from topoloom.simulator.cables import cables_between, cables_of

    if not between and network.layout is not None:
        if config.cycle_ns:
            return cables_of(network.layout, config)
        say(f"{network.source}: set cycle_ns for cables as long as they are; they take link_cycles now", err=True)
    if not between:
        return None
    cycles = {}
    for text in between:
        label, _, value = text.partition("=")
        if not label or not value.isdigit():
            raise InputError(f"--between '{text}': write LABEL=CYCLES, as in group=100")
        cycles[label] = int(value)
    return cables_between(network.topology, config, cycles)
