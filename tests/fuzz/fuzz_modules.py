"""Every module that reads files, and the readers of `fuzz_readers` that go through it, or why none does.

`reading_modules` finds them in the source by what they call; a new one has to be listed here.
"""

import ast
import re
from pathlib import Path

import topoloom

#: What reads a file, or makes objects of what is in one, by the name that it is called by.
_CALLS = {
    *("read_text", "read_bytes", "open_to_read", "read_toml", "read_npy", "read_npz", "csv_rows", "Shards"),
    *("parse_toml", "parse_json", "parse_yaml", "strict_json", "memmap", "open_memmap", "loadtxt", "fromfile"),
}
#: The same of modules: ``json.loads``.
_LOADERS = {"csv", "np", "numpy", "json", "tomllib", "msgspec.json", "pickle", "yaml", "zlib"}

#: What a text has that calls one of them; the others need not be parsed.
_MAY_READ = re.compile(rf"\b(?:{'|'.join((*sorted(_CALLS), 'open', 'load', 'loads', 'decode', 'reader'))})\s*\(")

#: By module: the readers that damage what it reads.
READ_BY: dict[str, tuple[str, ...]] = {
    "simulation.applications.placement": ("placement",),
    "simulation.applications.training_model": ("model",),
    "simulation.applications.users_programs": ("application traces",),
    "designer.assessment.assess": ("steps",),
    "cli.checkpoint": ("checkpoint",),
    "cost.device_types": ("device types",),
    "cost.remembered": ("layout folder",),
    "cabling.files": ("layout with panels",),
    "placement.fibre.plant_files": ("layout with panels",),
    "cost.parts_files": ("parts", "parts.json"),
    "cost.quotes": ("quotes",),
    "core.csv_files": ("format cables", "map"),
    "designer.requirement_files": ("requirement",),
    "designer.store": ("screening",),
    "cabling.expansion.plan_reader": ("plan folder",),
    "cabling.expansion.plan_rows": ("plan folder", "plan on paper"),
    "fabric.db_csv_sections": ("format ibdiagnet", "counters"),
    "fabric.exports.node_tree": ("domains",),
    "fabric.exports.nodes": ("node list", "format ibnetdiscover"),
    "fabric.identify": ("map",),
    "fabric.installed": ("lft", "qos", "guid2lid", "sl2vl"),
    "core.files": ("requirement", "trace"),
    "placement.floors.floor_csv": ("slots", "matrix"),
    "placement.floors.floor_files": ("floor.toml",),
    "formats._storage": ("gzip",),
    "formats._lldp.reading": ("format lldp",),
    "formats.air": ("format air",),
    "formats.avd": ("format avd",),
    "formats.blocks": ("format blocks",),
    "formats.cable_reader": ("format cables",),
    "formats.config_db": ("format config-db",),
    "formats.containerlab": ("format containerlab",),
    "formats.edges": ("format edges",),
    "formats.fboss": ("format fboss",),
    "formats.infragraph": ("format infragraph",),
    "formats.ndt": ("format ndt",),
    "formats.netbox": ("format netbox",),
    "formats.netlab": ("format netlab",),
    "formats.netq": ("format netq",),
    "formats.paddle": ("format paddle",),
    "formats.sheet": ("format sheet", "format xlsx"),
    "formats.topoloom_json": ("format topoloom",),
    "placement.hosts.files": ("hosts.csv", "layout with hosts"),
    "placement.hosts.housing": ("hosts.toml",),
    "core.json_files": ("record", "format topoloom"),
    "network.folder": ("design",),
    "machine.folder": ("machine folder",),
    "machine.recognizing": ("machine file",),
    "machine.reading": ("machine file",),
    "model.network_folders": ("layout folder", "routed folder"),
    "network.losses": ("losses",),
    "core.npy_files": ("tables",),
    "operations.catalogue._comparing": ("map", "counters"),
    "optimizer.result": ("optimized",),
    "model.results": ("record", "comparison"),
    "routing.table_files": ("tables",),
    "core.shards": ("store", "screening"),
    "core.staging": ("journal",),
    "studies.record": ("store", "store of curves", "store of survivals", "store of application runs"),
    "studies.run": ("store",),
    "studies.status": ("store",),
    "studies.store": ("store",),
    "studies.study": ("study",),
    "studies.figure_file": ("figures of a paper",),
    "core.toml_files": ("hosts.toml", "model"),
    "throughput.traffic.patterns.files": ("traffic matrix", "host rates"),
    "throughput.traffic.patterns.trace": ("trace",),
    "web.lease": ("served store",),
    "web.queue": ("served store",),
    "simulation.collectives.msccl_program": ("msccl",),
    "simulation.collectives.schedule": ("collective", "msccl"),
    "simulation.workloads.chakra": ("chakra",),
    "simulation.workloads.goal": ("goal",),
    "simulation.workloads.wire": ("chakra",),
}

_OWN = "files of the package itself"
_MACHINE = "what the system says of the machine"
_PRIVATE = "what its own child process or cluster has just written, in a folder or pipe of this run"
#: By module: why no damaged file reaches it.
NOT_FUZZED: dict[str, str] = {
    "cost.passive_products": _OWN,
    "designer.new_requirement": _OWN,
    "start.examples": _OWN,
    "studies.new_study": "what it has just written itself",
    "__main__": "the null device",
    "simulation.applications._supervisor": _MACHINE,
    "simulation.applications.copied_folder": "bytes of the user's programs, which are copied and not understood",
    "simulation.applications.launch": _PRIVATE,
    "simulation.applications.run": _PRIVATE,
    "simulation.applications.simgrid_backend": _PRIVATE,
    "simulation.applications.tools": "bytes of programs, for their digest",
    "fabric.repair_files": "files that it writes",
    "cabling.fault_sheets": _OWN,
    "cabling.sheets": _OWN,
    "formats._sheet_heads": "the text of an option; the rows come from formats.sheet",
    "formats.cabled": "damaged in 21 ways by opening/test_adopt.py",
    "cabling.elevations": _OWN,
    "machine.exports.elevations": _OWN,
    "cli.streams": "the null device",
    "core.compiling.kept": "compiled kernels: code, run only from folders that no other user can write (their tests)",
    "core.compiling.stamp": _OWN,
    "cost.parts": _OWN,
    "graph._metis_process": _PRIVATE,
    "graph.metis": _PRIVATE,
    "core.locks": _MACHINE,
    "core.program": _OWN,
    "report.page": _OWN,
    "report.scripting": _OWN,
    "report.side_by_side": "what it has just encoded itself",
    "core.allowance": _MACHINE,
    "routing.routing": _PRIVATE,
    "studies.call_tasks": "a file with another content than its name, a digest, is refused before it is unpickled",
    "studies.claims": _PRIVATE,
    "studies.cluster_worker": _PRIVATE,
    "studies.dask_feeder": _PRIVATE,
    "studies.executors.slurm": _PRIVATE,
    "studies.task": "bytes of files, for their digest",
    "studies.worker": _PRIVATE,
    "web.app": "requests, which tests/web damages",
    "web.assets": "files of the package",
    "web.download": "bytes of files, which are packed and not understood",
    "web.design_routes": "requests, which tests/web damages",
    "web.forms": "files of the package",
    "web.site": "bytes of files, which are copied, and a JSON file that topoloom wrote, which the page reads",
    "web.needs": "requests, which tests/web damages; read again as `requirement`",
    "web.spaces": "bytes of files, which are served and not understood",
}


def reading_modules() -> set[str]:
    """The modules of topoloom, without its name, that call something that reads."""
    root = Path(topoloom.__file__).parent
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for path in root.rglob("*.py")
        if _MAY_READ.search(text := path.read_text(encoding="utf-8"))
        if any(_reads(node) for node in ast.walk(ast.parse(text)))
    }


def _reads(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in _CALLS or node.func.id == "open"
    if not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    if name in ("load", "loads", "decode", "reader"):
        return ast.unparse(node.func.value) in _LOADERS
    return name in _CALLS or name == "open"
