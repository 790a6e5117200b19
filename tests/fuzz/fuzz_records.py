"""Readers of records: what results leave in a JSON file, and read again."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from fuzz_reader import Files, Reader, steady

import topoloom
from topoloom import build, place, quality, route
from topoloom.model.results import Result
from topoloom.simulation.collectives.msccl import msccl_xml

_MAKERS: dict[str, Callable[[Any], Result]] = {
    "hops": topoloom.hops,
    "info": lambda net: topoloom.info(net, full=True),
    "bounds": topoloom.bounds,
    "cuts": topoloom.cuts,
    "expander": topoloom.expander,
    "survival": lambda net: topoloom.resilience(net, samples=4),
    "lifetime": lambda net: topoloom.lifetime(net, link_fit=100, samples=5),
    "blast-radius": topoloom.blast_radius,
    "outage": lambda net: topoloom.outage(net, switches=[0]),
    "bill": lambda net: topoloom.price(place(net)),
    "quality": lambda net: quality(route(net), bisections=10),
    "load-curve": lambda net: topoloom.simulate(route(net), loads=[0.1], fast=True),
    "app-run": lambda net: topoloom.run_app(net, "alltoall:bytes=64", simulator="flows"),
    "collective-bound": lambda net: topoloom.collective_bound(net, "allgather", 4096),
    "path-diversity": topoloom.path_diversity,
    "diagnostics": topoloom.diagnose,
    "execution": lambda net: topoloom.execute(route(net), "chip:processors=1,banks=1,memories=1,requests=5"),
}


@cache
def _kinds() -> dict[str, tuple[type[Result], bytes]]:
    """A record of each kind, and what reads it."""
    network, found = build("torus:dims=3x3,hosts=1"), {}
    with TemporaryDirectory() as folder:
        for record_name, make in _MAKERS.items():
            result, path = make(network), Path(folder) / f"{record_name}.json"
            result.save(path)
            found[record_name] = type(result), steady(path)
    return found


def _seeds() -> list[Files]:
    return [{f"{record_name}.json": data} for record_name, (_, data) in _kinds().items()]


def _read(folder: Path) -> Any:
    path = next(folder.glob("*.json"))
    result = _kinds()[path.stem][0].load(path)
    # What was read can be shown and written again, or the fault is found too late.
    msgspec.json.encode(result.record())
    return result.rows()


def _collective() -> list[Files]:
    schedule = topoloom.collective(build("ring:n=4,hosts=1"), "allreduce", 1_000_000, pieces=1).schedule
    with TemporaryDirectory() as folder:
        schedule.save(Path(folder) / "x.json")
        return [{"x.json": steady(Path(folder) / "x.json")}]


def _msccl() -> list[Files]:
    made = topoloom.collective(build("ring:n=3,hosts=1"), "allreduce", 3000, algorithm="ring", pieces=1)
    return [{"x.xml": msccl_xml(made.schedule).encode()}]


#: Readers of records by name.
RECORDS = {
    "record": Reader(_seeds, _read),
    "collective": Reader(_collective, lambda folder: topoloom.read_schedule(str(folder / "x.json"))),
    "msccl": Reader(_msccl, lambda folder: topoloom.read_schedule(folder / "x.xml")),
}
