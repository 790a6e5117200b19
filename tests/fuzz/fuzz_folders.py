"""Readers of folders: those of networks, plans, designs, comparisons and searches, and what runs keep to go on from."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz_reader import Files, Reader, files_of, folder_reader
from msgspec.structs import replace

from topoloom import (
    Assessment,
    Assessments,
    InputError,
    Optimized,
    build,
    check_panel_plan,
    check_plan,
    compare,
    design_machine,
    expand,
    expand_panels,
    load_layout,
    machine_facility,
    open_machine,
    open_network,
    open_study,
    overview,
    place,
    price_machine,
    read_study,
    route,
    run_study,
    save_expansion,
    save_machine,
    save_panel_expansion,
)
from topoloom.cabling.cabling import cable
from topoloom.cabling.files import save_cabling
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.machine.reading import machine_of
from topoloom.operations.catalogue.app import AppOperation
from topoloom.operations.catalogue.resilience import ResilienceOperation
from topoloom.operations.catalogue.simulate import SimulateOperation
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.studies.study import Study
from topoloom.studies.sweeps.app_runs import app_runs_of, app_study
from topoloom.studies.sweeps.finished import study_of
from topoloom.studies.sweeps.load_curves import load_curves_of, simulate_study
from topoloom.studies.sweeps.survivals import survivals_of

_RING = "ring:n=4,hosts=1"
_TORUS = "torus:dims=4x4,hosts=1"
_PAGES = ("net/report.html", "net/compare.html")


def opened(path: Path) -> Any:
    """All that a folder of a network is opened for."""
    network = open_network(str(path))
    return [
        getattr(network, part)
        for part in ("layout", "cables", "fabric", "tables", "expansion", "design")
        if part in network.known and getattr(network, part) is not None
    ]


@cache
def virtual_channels() -> Any:
    """Tables with three virtual channels."""
    return route(build("fat-tree:k=4"), "orders", virtual_channels=3)


def _tables(path: Path) -> None:
    from topoloom.network.folder import save_routing

    path.mkdir()
    save_routing(virtual_channels(), path)


def _laid(path: Path) -> None:
    save_cabling(cable(place(build("fat-tree:k=4"), "koibuchi-2013")), path)


def _housed(path: Path) -> None:
    housing = Housing(host=HostType(name="node", nics=4, u=2, power_w=500, weight_kg=30), rack=RackRule(u=12))
    layout = place(build("fat-tree:k=8,hosts=64+rails:nics=4"), "koibuchi-2013", housing=housing)
    save_cabling(cable(layout), path)


def _panelled(path: Path) -> None:
    network = open_network("fat-tree:k=8").placed(
        rows=1, switches_per_rack=40, parts="ethernet-2026", rate_gbps=400, panels="racks", map="rows"
    )
    network.save(path)


def _machine(path: Path) -> None:
    text = (
        'parts = "slimfly-2014"\nshortlist = 0\n[[host]]\nname = "node"\ncount = 6\nu = 1\nports = { fabric = 1 }\n'
        '[[network]]\nname = "fabric"\nrate_gbps = 40\nspec = "clos:leaves=2,spines=1,hosts=3"\n'
    )
    save_machine(design_machine(machine_of(text, "machine.toml")).machine, path)


def _read_machine(path: Path) -> Any:
    machine = open_machine(path)
    return price_machine(machine).record(), overview(machine).record(), machine_facility(machine).record()


def _grown(path: Path) -> None:
    save_expansion(expand(build(_TORUS), 20), path)


@cache
def _designed() -> Files:
    """The folder of a design, with what its run keeps; 8 hosts, so that it is quick."""
    from topoloom.designer.design import design
    from topoloom.report.design_files import write_design

    with TemporaryDirectory() as place:
        found = design(_REQUIREMENT, store=Path(place) / "net" / "measured", jobs=1)
        write_design(found, Path(place) / "net")
        return files_of(Path(place))


_REQUIREMENT = Requirement(
    hosts=8,
    switch=SwitchRequirement(radix=8),
    shortlist=1,
    minutes=0.01,
    families=FamiliesRequirement(only=("ring", "complete")),
)


def _compared(path: Path) -> Any:
    return compare(["ring:n=4,hosts=1"], minutes=0.01, repeats=1, jobs=1, store=path)


@cache
def _comparison() -> Files:
    from topoloom.report.compare_files import write_comparison

    with TemporaryDirectory() as place:
        write_comparison(_compared(Path(place) / "net" / "measured"), Path(place) / "net")
        return files_of(Path(place))


def _read_screening(path: Path) -> Any:
    from topoloom.designer.store import CandidateStore, candidates_in

    store = CandidateStore(path, _REQUIREMENT, _REQUIREMENT.catalogue())
    return candidates_in(path), store.get("ring:n=4,hosts=2")


def _optimized(path: Path) -> None:
    from topoloom import optimize

    optimize(build(_TORUS), moves=3, jobs=1).save(path)


def _checkpoint(path: Path) -> None:
    from topoloom.cli.checkpoint import Checkpoint
    from topoloom.optimizer.result import BestSoFar

    path.mkdir()
    topology = build(_TORUS)
    kept = Checkpoint(topology, str(path / "x.edges"), 1, "hops", quiet=True, resume=False)
    kept.keep(BestSoFar(topology.links, (0.0,), 5, 0.1, 0.5))


def _resumed(path: Path) -> Any:
    from topoloom.cli.checkpoint import Checkpoint

    kept = Checkpoint(build(_TORUS), str(path / "x.edges"), 1, "hops", quiet=True, resume=True)
    return kept.start, kept.spent


def _studied(path: Path) -> None:
    study = path.parent / "study.toml"
    study.write_text(
        'title = "t"\noperation = "hops"\n[axes]\ntopology = ["petersen", "ring:n=5"]\n'
        '[run]\nexecutor = "threads"\njobs = 1\n'
    )
    run_study(read_study(study), path)
    study.unlink()


def _read_study(path: Path) -> Any:
    from topoloom import Store, study_status
    from topoloom.studies.run import read_definition

    study = read_definition(path)
    for record in Store(path).records().values():
        with suppress(InputError):  # names its task: it does not know its file
            record.content()
    with suppress(InputError):  # what is wrong with a point is of the study, as of one that is read from TOML
        study_status(study, Store(path))
        return open_study(path).rows()
    return None


def _sweep(study: Study, collect: Callable[[Study, Path], Any]) -> Reader:
    """What the store of a sweep has: curves, runs."""
    return folder_reader(
        lambda path: run_study(replace(study, run=replace(study.run, executor="threads", jobs=1)), path),
        lambda path: collect(study, path).record(),
    )


def _served(path: Path) -> None:
    from topoloom.studies.store import Store
    from topoloom.studies.task import task_of
    from topoloom.web.queue import Note, Queue

    Store(path, create=True)
    queue = Queue(path)
    task = task_of("hops", {"topology": "petersen"})
    queue.write(Note(task.digest, 1.0, task))
    queue.write(Note("0" * 24, 2.0))
    queue.close()
    (path / "served-by.json").write_bytes(
        b'{"kernel":"x","host":"h","pid":3,"since":"2026-01-01 00:00:00 UTC","mark":"00"}\n'
    )


def _read_served(path: Path) -> Any:
    from topoloom.web.jobs import Jobs
    from topoloom.web.lease import NAME, _read

    with Jobs(path, read_only=True) as jobs:
        return jobs.all(), _read(path / NAME)


def _journal() -> list[Files]:
    """A folder whose writer was killed after it had written its plan."""
    from topoloom.core.locks import kernel
    from topoloom.core.staging import UNFINISHED

    journal = f"net/{UNFINISHED}"
    plan = f'{{"kernel":"{kernel()}","files":["ring.edges"],"stale":["old.edges"]}}'.encode()
    return [{f"{journal}/plan.json": plan, f"{journal}/new/ring.edges": b"0 1\n1 2\n2 0\n", f"{journal}/lock": b" "}]


def _settled(path: Path) -> Any:
    from topoloom.core.folders import settle
    from topoloom.core.staging import UNFINISHED

    lock = path / UNFINISHED / "lock"
    if lock.exists():
        os.utime(lock, (0, 0))  # of whatever machine it is, it is abandoned, and nobody waits for it
    settle(path)
    return sorted(path.rglob("*"))


def _load_tables(path: Path) -> Any:
    from topoloom.routing.table_files import load_tables

    return load_tables(path)


_UNREAD = (".html", ".svg", "bill.csv", ".xlsx", "candidates.csv", "/netbox/cables.csv")


def _part(files: Callable[[], Files], *begins: str) -> Callable[[], list[Files]]:
    """Those files alone that are read: a case then damages none that nobody looks at."""
    return lambda: [
        {name: data for name, data in files().items() if name.startswith(begins) and not name.endswith(_UNREAD)}
    ]


@cache
def _plan() -> Files:
    with TemporaryDirectory() as place:
        _grown(Path(place) / "net")
        return files_of(Path(place))


@cache
def _plan_of_panels() -> Files:
    flat = open_network("shuffled:n=32,degree=16").placed(
        parts="ethernet-2026", rate_gbps=100, panels="shuffle", map="rows"
    )
    with TemporaryDirectory() as place:
        save_panel_expansion(expand_panels(flat, 40), Path(place) / "net")
        return files_of(Path(place))


def _assessed(path: Path) -> Any:
    return opened(path), Assessment.load(path / "assessment.json")


#: Readers of folders that are worked out: designs, comparisons and studies, which take a second each before one is damaged.
WORKED_OUT = {
    "design": Reader(_part(_designed, "net/"), lambda folder: opened(folder / "net")),
    "finalist": Reader(_part(_designed, "net/shortlist"), lambda folder: _assessed(folder / "net/shortlist/1")),
    "screening": Reader(_part(_designed, "net/measured"), lambda folder: _read_screening(folder / "net/measured")),
    "comparison": Reader(
        _part(_comparison, "net/compare"), lambda folder: Assessments.load(folder / "net/compare.json")
    ),
    "steps": Reader(_part(_comparison, "net/measured"), lambda folder: _compared(folder / "net/measured")),
    "store of curves": _sweep(
        simulate_study(
            [
                SimulateOperation(
                    topology=_RING, engine="dor", loads=(0.1,), fast=True, saturation=True, saturation_width=0.2
                )
            ]
        ),
        load_curves_of,
    ),
    "store of survivals": _sweep(study_of([ResilienceOperation(topology=_RING, samples=4)], "topology"), survivals_of),
    "store of application runs": _sweep(
        app_study([AppOperation(topology=_RING, app="alltoall:bytes=64", simulator="flows")]), app_runs_of
    ),
    "served store": folder_reader(_served, _read_served),
}
#: Readers of folders by name.
FOLDERS = {
    **WORKED_OUT,
    "tables": folder_reader(_tables, _load_tables),
    "routed folder": folder_reader(lambda path: route(build(_TORUS), "dor-random").save(path), opened),
    "layout folder": folder_reader(_laid, opened, _PAGES),
    "layout with hosts": folder_reader(_housed, opened, _PAGES),
    "layout with panels": folder_reader(_panelled, opened, _PAGES),
    "machine folder": folder_reader(_machine, _read_machine, _PAGES),
    "load_layout": folder_reader(_laid, load_layout, _PAGES),
    "plan folder": Reader(_part(_plan, "net"), lambda folder: opened(folder / "net")),
    "plan on paper": Reader(_part(_plan, "net"), lambda folder: check_plan(folder / "net")),
    "panel plan": Reader(
        _part(
            _plan_of_panels, "net/plan.csv", "net/steps.csv", "net/provenance", "net/before/fibre_", "net/after/fibre_"
        ),
        lambda folder: check_panel_plan(folder / "net"),
    ),
    "panel plan folder": Reader(_part(_plan_of_panels, "net"), lambda folder: opened(folder / "net")),
    "optimized": folder_reader(_optimized, Optimized.load),
    "checkpoint": folder_reader(_checkpoint, _resumed),
    "store": folder_reader(_studied, _read_study),
    "journal": Reader(_journal, lambda folder: _settled(folder / "net")),
}
