"""A small case of each public result; `python tests/results/record_cases.py` writes the records that are missing."""

import dataclasses
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

import topoloom as t
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.fabric.exports.written import WrittenFiles
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_text
from topoloom.fabric.lft import read_lft
from topoloom.fabric.port_counters import PortCounters
from topoloom.fabric.table_verifier import verify_tables
from topoloom.formats import FORMATS
from topoloom.formats.written import written_file
from topoloom.model.results import Result, provenance_of, schema_id
from topoloom.simulation.applications.sweep import Case

RECORDS = Path(__file__).parent / "records"


def _routed() -> t.Routing:
    return t.route(t.build("petersen:hosts=1"), "orders")


def _checked() -> t.CheckedPlan:
    with TemporaryDirectory() as folder:
        t.save_expansion(t.expand(t.build("petersen"), 11), folder)
        return t.check_plan(folder)


def _grown_panels() -> t.PanelExpansion:
    flat = t.open_network("shuffled:n=32,degree=16,hosts=4").placed(
        parts="ethernet-2026", rate_gbps=100, panels="shuffle", map="rows"
    )
    return t.expand_panels(flat, 40)


def _checked_panels() -> t.CheckedPanelPlan:
    with TemporaryDirectory() as folder:
        t.save_panel_expansion(_grown_panels(), folder)
        return t.check_panel_plan(folder)


def _torus() -> t.Routing:
    return t.route(t.build("torus:dims=4x4,hosts=1"), "orders")


def _scheduled() -> t.CollectiveSchedule:
    schedule = t.collective(t.build("ring:n=4,hosts=1"), "allgather", 4000).schedule
    assert schedule is not None
    return schedule


def _compared() -> t.Comparison:
    plan, there = planned_fabric(t.build("petersen:hosts=1")), planned_fabric(t.build("petersen"))
    there = dataclasses.replace(there, link_width=np.full(15, 4), link_rate_gbps=np.array([100.0] + [200.0] * 14))
    counters = PortCounters({(int(there.switch_guids[0]), 1): {"SymbolErrors": 3}})
    return t.compare_fabrics(plan, there, t.identify(plan, there), counters=counters)


def _diagnosed() -> t.Diagnostics:
    plan = t.build("petersen:hosts=1")
    return t.diagnose(plan, plan.replace(links=plan.links[1:]), t.verify_routing(_routed()))


def _verified() -> t.TableVerification:
    routing = _routed()
    fabric = planned_fabric(routing.topology)
    with TemporaryDirectory() as folder:
        t.write_export("opensm", fabric, folder, routing)
        # One entry that leads to the switch itself: a black hole.
        text = (Path(folder) / "fabric.lft").read_text().replace("\n0x0002 002 ", "\n0x0002 000 ", 1)
    return verify_tables(read_lft(text, "fabric.lft", fabric), fabric)


def _repaired() -> t.Repair:
    routing = t.route(t.build("ring:n=4,hosts=1"), "updown")
    fabric = planned_fabric(routing.topology)
    tables = read_lft(lft_text(routing, fabric), "fabric.lft", fabric)
    torn = dataclasses.replace(
        fabric, topology=fabric.topology.replace(links=fabric.topology.links[1:]), link_ports=fabric.link_ports[1:]
    )
    return t.repair_fabric(fabric, tables, torn)


def _executed() -> t.Execution:
    return t.execute(_routed(), "chip:processors=1,banks=1,memories=1,window=1,requests=20,miss=0")


@cache
def _designed() -> t.Design:
    switch, families = SwitchRequirement(radix=8), FamiliesRequirement(only=("hypercube",))
    return t.design(
        t.Requirement(hosts=32, switch=switch, families=families, shortlist=1, minutes=100, repeats=1),
        against="ring:n=8,hosts=4",
        jobs=1,
    )


@cache
def _assessed() -> t.Assessments:
    return t.compare(["petersen:hosts=1"])


def _study() -> t.Study:
    return t.Study(title="Tori", operation="hops", task={"topology": "torus:dims={side}x3"}, axes={"side": [3, 4]})


def _studied() -> t.StudyResults:
    return t.run_study(_study(), tempfile.mkdtemp() + "/study", executor="threads")


def _status() -> t.StudyStatus:
    return t.study_status(_study(), t.Store(tempfile.mkdtemp() + "/study", create=True))


def _apps() -> t.AppRuns:
    return t.run_apps([Case("torus", (_torus(),), None, 1)], ["alltoall:bytes=64"], 4)


def _machine() -> t.MachineDesign:
    return t.design_machine(_machine_file(6))


def _more_hosts() -> t.MachineRequirement:
    """The file of `_machine` with two more hosts."""
    return _machine_file(8)


def _machine_file(hosts: int) -> t.MachineRequirement:
    path = Path(tempfile.mkdtemp()) / "machine.toml"
    path.write_text(
        f'parts = "slimfly-2014"\nshortlist = 0\n[[host]]\nname = "node"\ncount = {hosts}\nu = 1\nports = {{ fabric = 1 }}\n'
        '[[network]]\nname = "fabric"\nrate_gbps = 40\nspec = "clos:leaves=2,spines=1,hosts=3"\n'
    )
    return t.read_machine_file(path)


def _discovered() -> Path:
    """A sheet with one of the cables of `_machine`."""
    path = Path(tempfile.mkdtemp()) / "fabric.csv"
    path.write_text("A-Node Name,A-Port,Z-Node Name,Z-Port\nfabric-leaf01,1,node-001,1\n")
    return path


#: By the schema's name without its version.
CASES: dict[str, Callable[[], Result]] = {
    "app-run": lambda: t.run_app(_torus(), "alltoall:bytes=64", 4),
    "app-runs": _apps,
    "assessment": lambda: _assessed().networks[0],
    "assessments": _assessed,
    "balanced-pairs": lambda: t.balanced_pairs(t.Geometry.grid(6, 6), range(3, 5), range(2, 4)),
    "balanced-paths": lambda: t.balance_paths(t.build("petersen"), seconds=20),
    "balanced-routing": lambda: t.balance_routing(t.build("petersen"), rounds=5),
    "bills": lambda: t.Bills((t.price(t.place(t.build("petersen:hosts=1"))),)),
    "bill": lambda: t.price(t.place(t.build("petersen:hosts=1"))),
    "blast-radius": lambda: t.blast_radius(t.build("petersen:hosts=1+planes:count=2")),
    "outage": lambda: t.outage("petersen:hosts=1", switches=[0], pair=(1, 7), measure_throughput=True),
    "bounds": lambda: t.bounds(t.build("petersen")),
    "cabling": lambda: t.cable(t.place(t.build("petersen:hosts=1"))),
    "collective": lambda: t.collective(t.build("ring:n=4,hosts=1"), "allreduce", 4000),
    "collective-bound": lambda: t.collective_bound(t.build("ring:n=4,hosts=1"), "allreduce", 4000),
    "collective-schedule": _scheduled,
    "comparison": _compared,
    "cuts": lambda: t.cuts(t.build("petersen")),
    "expander": lambda: t.expander("shuffled:n=20,degree=8,r=4,passes=0", random_graphs=1),
    "checked-plan": _checked,
    "panel-expansion": _grown_panels,
    "checked-panel-plan": _checked_panels,
    "expansion": lambda: t.expand(t.build("petersen:hosts=1"), 12),
    "machine-bill": lambda: _machine().bill,
    "machine-design": _machine,
    "machine-expansion": lambda: t.expand_machine(_machine().machine, _more_hosts()),
    "machine-report": lambda: t.machine_report(_machine().machine),
    "machine-diagnostics": lambda: t.verify_machine(_machine().machine, str(_discovered())),
    "machine-overview": lambda: t.overview(_machine().machine),
    "phases": lambda: t.phases("fat-tree:k=4,hosts=8", [4, 8], ["2027-01", "2027-07"]),
    "design": _designed,
    "diagnostics": _diagnosed,
    "execution": _executed,
    "facility": lambda: t.facility(t.place(t.build("petersen:hosts=1"))),
    "hops": lambda: t.hops(t.build("petersen")),
    "drawing": lambda: t.draw_network(t.build("petersen:hosts=1"), engine="orders"),
    "flat-or-tree": lambda: t.flat_or_tree(24, 8, 2, traffic=["matching"], jobs=1),
    "directed-info": lambda: t.directed_info("kautz-digraph:base=2,length=3,hosts=1"),
    "directed-routing": lambda: t.directed_route("kautz-digraph:base=2,length=3,hosts=1"),
    "info": lambda: t.info(t.build("petersen")),
    "table-verification": _verified,
    "layout": lambda: t.place(t.build("petersen:hosts=1")),
    "degradation": lambda: t.Degradations(
        "petersen", "links", "random", tuple(t.degradation(t.build("petersen"), levels=[0.2], samples=2))
    ),
    "lifetime": lambda: t.lifetime(t.build("petersen"), link_fit=50, samples=20),
    "load-curve": lambda: t.simulate(_routed(), loads=(0.1,)),
    "repair": _repaired,
    "optimized": lambda: t.optimize(t.build("torus:dims=4x4"), moves=100),
    "path-diversity": lambda: t.path_diversity(t.build("petersen"), samples=50),
    "progress": lambda: t.progress([_compared()], ["monday.net"]),
    "quality": lambda: t.quality(_routed()),
    "rerouted": lambda: t.reroute(_torus(), links=[(0, 1)]),
    "routing": _routed,
    "saturation": lambda: t.saturation(_routed(), width=0.2),
    "study": _studied,
    "study-differences": lambda: _studied().differences("side", "aspl"),
    "study-status": _status,
    "survival": lambda: t.resilience(t.build("petersen"), samples=20, levels=[0.2]),
    "survivals": lambda: t.Survivals((t.resilience(t.build("petersen"), samples=20, levels=[0.2]),)),
    "verification": lambda: t.verify_routing(_routed()),
    "draft": lambda: t.new_requirement(500, families=["fat-tree"]),
    "written-file": lambda: written_file(t.build("petersen:hosts=1"), "petersen.edges", FORMATS.find("edges")),
    "written-files": lambda: WrittenFiles("slurm", ("out/topology.conf",), provenance_of(t.build("petersen:hosts=1"))),
}


def file_of(record_name: type[Result]) -> Path:
    """Where the fixture of a result's present version lies."""
    return RECORDS / (schema_id(record_name).removeprefix("topoloom/").replace("/", "-") + ".json")


if __name__ == "__main__":
    RECORDS.mkdir(exist_ok=True)
    for case in CASES.values():
        made = case()
        if not file_of(type(made)).exists():
            text = msgspec.json.format(msgspec.json.encode(made.record()), indent=1)
            file_of(type(made)).write_bytes(text + b"\n")
