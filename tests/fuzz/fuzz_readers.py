"""Every reader of files from outside: the files that topoloom writes for it, and how it is called."""

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from fuzz_folders import FOLDERS, virtual_channels
from fuzz_reader import Files, Reader, path_reader, text_reader
from fuzz_records import RECORDS

from topoloom import InputError, build, open_network, trace_from
from topoloom.fabric.exports.node_tree import domains_in
from topoloom.fabric.exports.nodes import listed_nodes
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.formats import FORMATS, encode, encode_directed
from topoloom.formats.ibnetdiscover import fabric_of
from topoloom.model.directed import DirectedNetworkError, DirectedTopology
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build_directed

_TESTS = Path(__file__).parents[1]
_SPEC = "fat-tree:k=4"
_SAMPLES = _TESTS / "formats" / "fixtures"
#: A file of each format that is only read.
READ_ONLY = json.loads((_SAMPLES / "read-only.json").read_text())


def _topologies() -> list[Topology]:
    labelled = Topology(
        [(0, 1), (1, 2), (2, 3), (3, 0), (0, 1), (1, 4)],
        6,
        [0, 0, 1, 2, 4],
        [0, 1, 2, 0, 3],
        {"x": np.array([0, 1, 2, 0, 1, 2]), "y": np.array([0, 0, 0, 1, 1, 1]), "role": np.array(list('ab<&"é'))},
        "sample(n=6)",
        "sample:n=6",
    )
    return [build(_SPEC), build("torus:dims=3x3,hosts=2"), labelled]


def _simple(topology: Topology) -> Topology:
    return topology.replace(links=np.unique(topology.links, axis=0).reshape(-1, 2))


def _format(name: str) -> Reader:
    record = FORMATS.find(name)
    file = f"net{record.suffixes[0]}"

    def seeds() -> list[Files]:
        if record.write is None:
            return [{file: (_SAMPLES / READ_ONLY[name]).read_bytes()}]
        found = []
        for topology in _topologies():
            if name == "grid-edges" and "y" not in topology.labels:
                continue
            found.append({file: encode(_simple(topology) if record.simple else topology, record)})
        if record.write_directed is not None:
            found.append({file: encode_directed(build_directed("unidirectional-torus:dims=3x2,hosts=1"), record)})
        return found

    def opened(data: bytes, folder: Path) -> Topology | DirectedTopology:
        try:
            return record.read(data, str(folder / file))
        except DirectedNetworkError as refused:
            return refused.opened()

    def read(folder: Path) -> Topology | DirectedTopology:
        return opened((folder / file).read_bytes(), folder)

    def again(found: Topology | DirectedTopology, folder: Path) -> Topology | DirectedTopology | None:
        if record.write is None:
            return None
        if isinstance(found, DirectedTopology):
            try:
                back = opened(encode_directed(found, record), folder)
            except DirectedNetworkError:
                raise
            except InputError:  # as below
                return None
            return back if "labels" in record.keeps else back.replace(labels=found.labels, endpoints=found.endpoints)
        if (
            "isolated" not in record.keeps
            and np.setdiff1d(np.arange(found.switches), np.union1d(found.links, found.endpoints)).size
        ):
            return None
        if record.simple and len(np.unique(found.links, axis=0)) != len(found.links):
            return None
        try:
            data = encode(found, record)
        except InputError:  # what one format holds of names and labels another does not
            return None
        back = record.read(data, str(folder / file))
        if "labels" in record.keeps:
            return back
        return back.replace(
            labels=found.labels,
            **({} if "host" in record.keeps else {"endpoints": found.endpoints, "host": found.host}),
        )

    return Reader(seeds, read, again)


@cache
def _fabric() -> Fabric:
    return planned_fabric(build(_SPEC))


@cache
def _discovered() -> Fabric:
    from topoloom.fabric.net_text import discovered_text

    return fabric_of(discovered_text(_fabric()).encode(), "net")


def _levels(text: str, source: str) -> Any:
    from topoloom.fabric.infiniband import lft_text
    from topoloom.fabric.lft import read_lft
    from topoloom.fabric.service_levels import read_levels

    tables = read_lft(lft_text(virtual_channels(), _fabric()), "x.lft", _fabric())
    return read_levels(text, source, _fabric(), tables.lid_of)


def _sl2vl() -> str:
    """The virtual lanes of some switches, as OpenSM dumps them."""
    levels = " ".join(map(str, range(16)))
    rows = "".join(f"{into}   {out}   : {levels}\n" for into in range(2) for out in range(1, 3))
    guids = _fabric().switch_guids.tolist()
    return "".join(
        f'Switch 0x{guid:016x}, base LID {s}, "S{s}"\n#in out : 0  1\n{rows}\n' for s, guid in enumerate(guids)
    )


_FDBS = """dump_ucast_routes: Switch 0x0000000000200000
LID    : Port : Hops : Optimal
0x0001 : 001  : 01   : yes
0x0002 : UNREACHABLE
0x0003 : 002  : 03   : No 2 hop path possible via port 3!
"""
_FAR_HEAD = "File version: 1\n"
_FAR = """Switch 0x0000000000200000 AR: enabled
Groups Definition:
Group   Sub Group   WHBF   Ports
--------------------------------
1       0           0      1,2,

LFT Definition:
PLFT_NUM: 0, top: 0x3
LID     Static Port   Lid State   Group
---------------------------------------
0x0001  1             Static      0
0x0003  2             Free        1
"""


def _for_each_switch(section: str) -> str:
    """A section of a dump, which begins with its switch, for all switches."""
    guids = _fabric().switch_guids.tolist()
    return "".join(section.replace("0x0000000000200000", f"0x{guid:016x}") for guid in guids)


def _lft() -> str:
    from topoloom.fabric.infiniband import lft_text

    return lft_text(virtual_channels(), _fabric())


def _qos() -> str:
    from topoloom.fabric.infiniband import qos_text

    return qos_text(virtual_channels(), _fabric())


def _goal() -> list[Files]:
    from topoloom.simulation.workloads.goal import load_goal, save_goal

    text = (
        b"num_ranks 3\nrank 0 {\nl1: calc 100 cpu 0\nl2: send 10b to 1 tag 7\nl2 requires l1\nl3: recv 8b from 2\n}\n"
        b"rank 1 {\nl1: recv 10b from 0 tag 7\n}\nrank 2 {\na: send 8b to 0\n}\n"
    )
    with TemporaryDirectory() as place:
        path = Path(place) / "x.goal"
        path.write_bytes(text)
        save_goal(load_goal(path), path, binary=True)
        return [{"x.goal": text}, {"x.goal": path.read_bytes()}]


def _chakra() -> list[Files]:
    sys.path.append(str(_TESTS / "workloads"))
    from chakra_writer import COLL, COMP, RECV, SEND, node, written

    ranks = [
        written(
            [
                node(1, COMP, micros=5, num_ops=1000),
                node(2, SEND, [1], comm_size=8, comm_dst=1, comm_tag=3)
                if rank == 0
                else node(2, RECV, [1], comm_size=8, comm_src=0, comm_tag=3),
                node(3, COLL, [2], comm_type=0, comm_size=1024),
            ]
        )
        for rank in range(2)
    ]
    return [{"t.0.et": ranks[0], "t.1.et": ranks[1], "groups.json": b'{"0": [0, 1]}'}]


def _read_chakra(folder: Path) -> Any:
    from topoloom.simulation.workloads.chakra import Replay, load_chakra

    return load_chakra(folder / "t", Replay(groups=folder / "groups.json"))


def _traces() -> list[Files]:
    lines = "{0} init\n{0} compute 1e6\n{0} send {1} 0 100\n{0} recv {1} 0 100\n{0} finalize\n"
    traces = {f"rank-{rank}.txt": lines.format(rank, 1 - rank).encode() for rank in range(2)}
    return [{"index.txt": "".join(f"{name}\n" for name in traces).encode(), **traces}]


def _read_traces(folder: Path) -> Any:
    found = trace_from(folder)
    return [found.text(rank) for rank in range(found.ranks)]


def _examples(*names: str) -> Callable[[], list[str | bytes]]:
    return lambda: [path.read_bytes() for name in names for path in sorted((_TESTS.parent / "examples").glob(name))]


def _example_reader(pattern: str, around: str, read: Callable[[Path], Any]) -> Reader:
    """A reader of examples that name other files, which lie around them and are not damaged."""
    examples = _TESTS.parent / "examples"
    others = [file for file in examples.glob(around) if file.suffix in (".toml", ".csv")]
    spared = {str(file.relative_to(examples)): file.read_bytes() for file in others}

    def seeds() -> list[Files]:
        folder = str(Path(pattern).parent)
        return [{**spared, f"{folder}/fuzzed.toml": file.read_bytes()} for file in sorted(examples.glob(pattern))]

    return Reader(seeds, lambda path: read(next(path.rglob("fuzzed.toml"))), spared=tuple(spared))


def _parts() -> list[str | bytes]:
    from importlib.resources import files

    return [
        (files("topoloom.cost") / "catalogues" / f"{name}.toml").read_bytes()
        for name in ("slimfly-2014", "infiniband-2026")
    ]


def _made() -> dict[str, Reader]:
    from topoloom.cost.parts_files import load_parts, parts_from_json, parts_json
    from topoloom.cost.quotes import quoted_parts
    from topoloom.designer.requirement_files import read_requirement
    from topoloom.fabric.exports.opensm import guid2lid_text
    from topoloom.fabric.identify import read_map
    from topoloom.fabric.lft import read_guid2lid, read_lft
    from topoloom.fabric.net_text import discovered_text
    from topoloom.fabric.port_counters import read_counters
    from topoloom.fabric.sl2vl import read_sl2vl
    from topoloom.formats._storage import load
    from topoloom.machine.reading import read_machine_file
    from topoloom.network.losses import losses
    from topoloom.placement.floors.floor_files import read_floor
    from topoloom.placement.hosts.files import housing_toml, read_host_names
    from topoloom.placement.hosts.housing import HostType, Housing, RackRule, read_housing
    from topoloom.simulation.applications.placement import place_ranks
    from topoloom.simulation.applications.training_model import read_model
    from topoloom.simulation.workloads.goal import load_goal
    from topoloom.studies.figure_file import read_figures
    from topoloom.studies.study import read_study
    from topoloom.throughput.traffic import traffic_of
    from topoloom.throughput.traffic.patterns.trace import read_trace

    guids = [f"0x{guid:x}" for guid in _fabric().switch_guids.tolist()]
    device = "".join(
        ["manufacturer: Nvidia\nmodel: SN5600\nslug: x\nu_height: 1\nweight: 23.5\nweight_unit: kg\ninterfaces:\n"]
        + [f"- name: swp{i}\n  type: 800gbase-x-osfp\n" for i in range(1, 17)]
        + ["power-ports:\n- name: PSU1\n  maximum_draw: 1300\n"]
    )
    guid = _fabric().switch_guids.tolist()[0]
    counters = [
        f'Errors for 0x{guid:x} "S0"\n   GUID 0x{guid:x} port ALL: [SymbolErrorCounter == 7]\n'
        f"   GUID 0x{guid:x} port 2: [SymbolErrorCounter == 7] [LinkDownedCounter == 3]\n",
        "# Port counters: Lid 4 port 2 (CapMask: 0x1400)\nPortSelect:......................2\n"
        "SymbolErrorCounter:..............9\n",
        f"START_PM_INFO\nNodeGUID,PortGUID,PortNumber,SymbolErrorCounter\n0x{guid:x},0x{guid:x},3,12\nEND_PM_INFO\n",
    ]
    slot = '[[slot]]\nname = "{}"\nx_m = {}\ny_m = 0\n'
    hall = 'matrix = "m.csv"\ndistance = "matrix"\n' + slot.format("A", 0) + slot.format("B", 3)
    matrix = ",A,B\nA,0,3\nB,3,0\n"
    network, four = open_network(_SPEC), build("ring:n=4,hosts=1")
    return {
        **{f"format {name}": _format(name) for name, record in FORMATS.items() if record.read is not None},
        "gzip": Reader(
            lambda: [{"net.edges.gz": _packed(encode(one, FORMATS.find("edges")))} for one in _topologies()],
            lambda folder: load(folder / "net.edges.gz"),
        ),
        "discovered": text_reader(
            "net.net", lambda: [discovered_text(_fabric())], lambda text, source: fabric_of(text.encode(), source)
        ),
        "discovered, lenient": text_reader(
            "net.net",
            lambda: [discovered_text(_fabric())],
            lambda text, source: fabric_of(text.encode(), source, lenient=True),
        ),
        "lft": text_reader(
            "x.lft",
            lambda: [_lft(), _for_each_switch(_FDBS), _FAR_HEAD + _for_each_switch(_FAR)],
            lambda text, source: read_lft(text, source, _fabric()),
        ),
        "guid2lid": text_reader("guid2lid", lambda: [guid2lid_text(_discovered())], read_guid2lid),
        "qos": text_reader("x.qos", lambda: [_qos()], _levels),
        "sl2vl": text_reader("x.dump", lambda: [_sl2vl()], lambda text, source: read_sl2vl(text, source, _fabric())),
        "counters": text_reader("x.txt", lambda: counters, read_counters),
        "map": text_reader(
            "map.csv",
            lambda: ["switch,guid\n" + "".join(f"{i},{guid}\n" for i, guid in enumerate(guids))],
            lambda text, source: read_map(text, source, _fabric(), _fabric(), ()),
        ),
        "node list": text_reader("nodes", lambda: ["node[01-16,20]\nlogin1, gpu7  # off\n"], listed_nodes),
        "domains": text_reader(
            "domains.csv",
            lambda: ["node,domain\nn1,a\nn2.site,a\n"],
            lambda text, source: domains_in(text, source, {"n1": 0}),
        ),
        "floor.toml": _example_reader("floors/*.toml", "floors/*.csv", read_floor),
        "slots": path_reader("floor.csv", _examples("floors/*.csv"), read_floor),
        "matrix": Reader(
            lambda: [{"floor.toml": hall.encode(), "m.csv": matrix.encode()}],
            lambda folder: read_floor(folder / "floor.toml"),
        ),
        "hosts.toml": path_reader(
            "hosts.toml",
            lambda: [housing_toml(Housing(host=HostType(name="node", nics=4, u=2), rack=RackRule(u=12)))],
            read_housing,
        ),
        "hosts.csv": path_reader(
            "hosts.csv", lambda: ["host,name\n0,a\n1,b\n2,c\n"], lambda path: read_host_names(path, 3)
        ),
        "machine file": path_reader("m.toml", _examples("machines/dgx-superpod-h100.toml"), read_machine_file),
        "requirement": _example_reader("*.toml", "*/*", read_requirement),
        "quotes": path_reader(
            "q.toml", _examples("quotes/*ndr.toml"), lambda path: quoted_parts("infiniband-2026", path)
        ),
        "parts": path_reader("parts.toml", _parts, load_parts),
        "parts.json": text_reader(
            "parts.json", lambda: [parts_json(load_parts("slimfly-2014")).decode()], parts_from_json
        ),
        "device types": path_reader("x.yaml", lambda: [device], load_parts),
        "study": path_reader("study.toml", _examples("studies/*.toml"), _study(read_study)),
        "figures of a paper": path_reader(
            "figures.toml",
            lambda: [
                'study = "curves"\nstyle = "ieee"\n[[figure]]\nfile = "a.pdf"\nx = "load"\ny = "latency"\nlog = "y"\n'
            ],
            read_figures,
        ),
        "model": path_reader("model.toml", _examples("models/*.toml"), lambda path: read_model(str(path))),
        "goal": Reader(_goal, lambda folder: load_goal(folder / "x.goal")),
        "chakra": Reader(_chakra, _read_chakra),
        "losses": path_reader("lost.txt", lambda: ["0-4,5  # x\nS7\n"], lambda path: losses(network, f"@{path}")),
        "trace": path_reader(
            "t.csv",
            lambda: ["cycle,source,destination,flits\n0,0,1,2\n5,3,2,1\n"],
            lambda path: read_trace(str(path), 8),
        ),
        "traffic matrix": path_reader(
            "m.csv",
            lambda: ["source,destination,amount\n0,1,2.5\n3,2,1e3\n", "0,1,2,3\n1,0,0,0\n0,0,0,4\n5,0,1,0\n"],
            lambda path: traffic_of(f"matrix:{path}", four, 1),
        ),
        "host rates": path_reader(
            "r.csv", lambda: ["1\n0.5\n0\n2\n"], lambda path: traffic_of(f"rates:{path}:uniform", four, 1)
        ),
        "application traces": Reader(_traces, _read_traces),
        "placement": path_reader(
            "p.txt", lambda: ["0\n3\nhost5\n"], lambda path: place_ranks(f"file:{path}", 3, build(_SPEC))
        ),
    }


def _study(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def tasks(path: Path) -> Any:
        study = read(path)
        try:
            return [one for one, _ in zip(study.points(), range(50), strict=False)]
        except InputError:  # of a condition, where it is asked
            return None

    return tasks


def _packed(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, mtime=0)


READERS = {**_made(), **FOLDERS, **RECORDS}
