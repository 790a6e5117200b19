"""`topoloom optimize TOPOLOGY`: exchange links' ends for few hops, much throughput, or little latency, power or cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from topoloom.cli.output import json_option, plain, print_facts, print_record
from topoloom.cli.progress import working
from topoloom.cli.types import Number, Whole
from topoloom.topology import Topology

if TYPE_CHECKING:
    from topoloom.cost.parts import Parts
    from topoloom.optimizer.goals import Goal
    from topoloom.optimizer.link_lengths import LinkLengths
    from topoloom.optimizer.result import Optimized


class _Options(TypedDict):
    """What a search is told, by the options of the command."""

    seconds: float | None
    moves: int | None
    seed: int
    jobs: int | None
    target: int | None
    start: str
    symmetric: bool | None
    tempering: bool
    length: int | None
    keep: str | None
    fix: str | None
    cap_m: float | None
    cap_usd: float | None
    objective: str
    cap_ns: float | None
    switch_ns: float
    cable_ns_per_m: float
    pitch_m: str
    overhead_m: float
    parts: str | None
    rate_gbps: float | None


@click.command(
    help="""Give the switches of TOPOLOGY other links: the same degrees, fewer hops.

    TOPOLOGY is a spec, a file, or a folder that `topoloom layout -o` wrote. On a grid or diagrid links stay as short as
    they are. The best graph so far is always in the file of -o; Ctrl-C ends the search and keeps it.
    """
)
@click.argument("topology")
@click.option("-o", "--output", help="Where to write the best graph; its name tells the format (.json, .edges ...).")
@click.option("--seconds", type=Number(above=0, unit="seconds"), help="How long to search.")
@click.option("--moves", type=Whole(1), help="... or how many moves each chain tries: repeatable with --jobs 1.")
@click.option("--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of all draws.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads, a chain for each; every core when left out.")
@click.option("--resume", is_flag=True, help="Go on from the file of -o where an earlier run stopped.")
@click.option("--target", type=Whole(1), help="Diameter to aim at; chosen when left out.")
@click.option(
    "--start",
    type=click.Choice(["given", "structured"]),
    default="given",
    show_default=True,
    help="structured: look for Cayley graphs, lifts and algebraic graphs first.",
)
@click.option(
    "--symmetric/--no-symmetric",
    default=None,
    help="Begin with a graph that looks the same from all sides of the"
    " grid; left out: yes for the random grids of the catalogue.",
)
@click.option("--tempering", is_flag=True, help="Replicas that exchange temperatures instead of independent chains.")
@click.option("--length", type=Whole(1, 10_000), help="Longest link of a grid, in steps; as in TOPOLOGY if left out.")
@click.option(
    "--keep",
    metavar="LABEL",
    help="Keep how many links join any two cabinets: the label that tells them, or 'cabinets' of a layout.",
)
@click.option(
    "--fix",
    metavar="LABEL",
    help="Links whose two ends share this label stay as they are; 'cabinets' of a layout: the cables inside these.",
)
@click.option("--cap-m", type=Number(above=0, unit="metres"), help="Longest cable of a layout, in metres.")
@click.option("--cap-usd", type=Number(above=0, unit="dollars"), help="What all cables together may cost, by --parts.")
@click.option(
    "--objective",
    "--for",
    "objective",
    default="hops",
    show_default=True,
    help="hops, all-to-all, permutation, worst-case (throughput); latency, worst, power, cost, or weights: mean=1,worst=0.2.",
)
@click.option("--cap-ns", type=Number(above=0, unit="nanoseconds"), help="Latency that no pair may exceed.")
@click.option(
    "--switch-ns", type=Number(0, unit="nanoseconds"), default=60.0, show_default=True, help="Delay of a switch."
)
@click.option(
    "--cable-ns-per-m",
    type=Number(0, unit="nanoseconds"),
    default=5.0,
    show_default=True,
    help="Delay of a metre of cable.",
)
@click.option("--pitch-m", default="1", show_default=True, help="Between neighbours on a grid: one number, or x,y.")
@click.option(
    "--overhead-m", type=Number(0, unit="metres"), default=0.0, show_default=True, help="Cable at each end, on a grid."
)
@click.option("--parts", help="Parts catalogue for power and cost: a name, a TOML file, or NetBox device types.")
@click.option("--rate", "rate_gbps", type=Number(above=0, unit="Gb/s"), help="Gb/s a link, for power and cost.")
@click.option("--picture", help="Draw the best graph to this file, .svg or .png.")
@json_option
def command(
    topology: str, output: str | None, as_json: bool, resume: bool, picture: str | None, **options: Unpack[_Options]
) -> None:
    from topoloom.cli.checkpoint import Checkpoint
    from topoloom.errors import InputError
    from topoloom.optimizer.optimize import optimize

    if resume and output in (None, "-"):
        raise InputError("--resume goes on from a file: name it with -o")
    if picture is not None and not picture.endswith((".svg", ".png")):
        raise InputError(f"--picture {picture}: end its name in .svg or .png")
    if picture is not None and not Path(picture).parent.is_dir():
        raise InputError(f"--picture {picture}: there is no folder {Path(picture).parent}; make it first")
    opened, lengths, cabinets = _opened(topology, options)
    goal = _goal(options)
    checkpoint = Checkpoint(opened, output, options["seed"], _told(goal, options), as_json, resume)
    keep, fix = (
        cabinets if options[name] == "cabinets" and cabinets is not None else options[name] for name in ("keep", "fix")
    )
    with working("optimising", on_result=checkpoint.keep) as work:
        found = optimize(
            checkpoint.start,
            goal,
            length=options["length"],
            lengths=lengths,
            cap_m=options["cap_m"],
            cap_usd=options["cap_usd"],
            parts=_parts(options) if options["cap_usd"] else None,
            rate_gbps=options["rate_gbps"],
            keep=keep,
            fix=fix,
            start=options["start"],
            target=options["target"],
            symmetric=options["symmetric"],
            tempering=options["tempering"],
            moves=options["moves"],
            seconds=options["seconds"],
            seed=options["seed"],
            jobs=options["jobs"],
            spent=checkpoint.spent,
            work=work,
        )
    checkpoint.end(found)
    if picture is not None:
        from topoloom.report.graph_picture import grid_picture

        grid_picture(found.topology, picture)
    if as_json:
        print_record(found)
    elif output != "-":
        print_facts(found.topology.name, _facts(found, output))
    if found.ended == "interrupted":
        raise KeyboardInterrupt


def _opened(name: str, options: _Options) -> tuple[Topology, "LinkLengths | None", Any]:
    """The topology; the lengths of links between its switches and their cabinets where it is laid out."""
    from topoloom.cli.placing import refuse_given
    from topoloom.graph.geometry import geometry_of
    from topoloom.opening import open_network
    from topoloom.optimizer.link_lengths import LinkLengths

    network = open_network(name)
    opened, layout = network.topology, network.layout
    if layout is not None:
        refuse_given(("pitch_m", "overhead_m"), "a layout says itself how long its cables are")
        return layout.topology, LinkLengths.of_layout(layout), layout.cabinet
    geometry = geometry_of(opened)
    if geometry is None or (_unweighed(options) and options["cap_m"] is None and options["cap_usd"] is None):
        return opened, None, None
    return opened, LinkLengths.of_geometry(geometry, _pitch(options["pitch_m"]), options["overhead_m"]), None


def _pitch(text: str) -> tuple[float, float]:
    from topoloom.errors import InputError

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise InputError(f"--pitch-m '{text}': write one number of metres, or two: 0.6,2.1")
    return numbers[0], numbers[-1]


def _goal(options: _Options) -> "str | Goal":
    """ "hops", a goal of traffic by its name, or the goal with its delays, cap and parts."""
    if _unweighed(options):
        from topoloom.cli.placing import refuse_given

        names = ["cap_ns", "switch_ns", "cable_ns_per_m"]
        if options["cap_usd"] is None:
            names += ["parts", "rate_gbps"]
        if options["cap_m"] is None and options["cap_usd"] is None:
            names += ["overhead_m", "pitch_m"]
        refuse_given(names, f"the objective is {options['objective']}")
        return options["objective"]
    from topoloom.graph.latency import Delays
    from topoloom.optimizer.goals import parse_goal

    parts = _parts(options)
    delays = Delays(switch_ns=options["switch_ns"], cable_ns_per_m=options["cable_ns_per_m"])
    return parse_goal(
        options["objective"], cap_ns=options["cap_ns"], delays=delays, parts=parts, rate_gbps=options["rate_gbps"]
    )


def _parts(options: _Options) -> "Parts | None":
    from topoloom.cost.parts_files import load_parts

    return load_parts(options["parts"]) if options["parts"] else None


def _unweighed(options: _Options) -> bool:
    """Whether the objective has no delays, cap, parts or weights."""
    from topoloom.optimizer.traffic_goals import NAMES

    return options["objective"] == "hops" or options["objective"] in NAMES


def _told(goal: "str | Goal", options: _Options) -> str:
    """The objective in words that tell it from any other, for the file that a search is resumed from."""
    rules = [
        ("length", options["length"]),
        ("cap_m", options["cap_m"]),
        ("cap_usd", options["cap_usd"]),
        ("keep", options["keep"]),
    ]
    told = [f"{key} {value}" for key, value in rules if value is not None]
    if isinstance(goal, str):
        return ", ".join([goal, *told])
    told += [goal.text, f"{goal.delays.switch_ns:g} ns + {goal.delays.cable_ns_per_m:g} ns/m"]
    told += [f"cap {goal.cap_ns:g} ns"] if goal.cap_ns else []
    told += [f"parts {options['parts']}"] if options["parts"] else []
    return ", ".join(told)


def _facts(found: "Optimized", output: str | None) -> list[tuple[str, str]]:
    facts = {
        "file": output,
        "objective": found.objective,
        "components": found.components,
        "diameter": found.diameter,
        "diameter_bound": found.diameter_bound,
        "aspl": found.aspl,
        "aspl_bound": found.aspl_bound,
        "gap": found.gap,
        **found.values,
        "moves": found.moves,
        "moves_per_s": found.moves_per_s,
        "seconds": found.seconds,
        "seed": found.seed,
        "start": found.start,
        "ended": found.reason if found.ended == "done" else found.ended,
        "digest": found.topology.digest,
    }
    return [(key, plain(value)) for key, value in facts.items() if value is not None]
