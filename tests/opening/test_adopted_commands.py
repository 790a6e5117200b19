"""Every command opens an adopted folder, and names ports and devices as the source does.

The table has a row for each command that takes a network. A command without a row fails.
"""

import re
from pathlib import Path

import pytest

from in_process import own_commands, run
from topoloom import open_network

LEAVES, SPINES, HOSTS = 3, 2, 4


def _sheet() -> str:
    """Three leaves with four hosts of 100 Gb/s each, two spines at 400 Gb/s; racks, units and lengths are stated."""
    rows = ["A-Rack,A-U,A-Node Name,A-Type,A-Port,Z-Rack,Z-RU,Z-Node Name,Z-Type,Z-Port,Speed,Length"]
    for leaf in range(1, LEAVES + 1):
        rows += [
            f"R0{leaf},{host},gpu{leaf}{host},Host,eth0,R0{leaf},40,leaf{leaf},Switch,swp{host},100G,2"
            for host in range(1, HOSTS + 1)
        ]
        rows += [
            f"R0{leaf},40,leaf{leaf},Switch,swp{50 + spine},R09,{10 + spine},spine{spine},Switch,swp{leaf},400G,{5 + leaf}"
            for spine in range(1, SPINES + 1)
        ]
    return "\n".join(rows) + "\n"


#: Of each question: its words (N: the adopted folder, O: a folder for results), and what it prints or writes.
TABLE = {
    "info": ("info N --full", ["switches +5", "hosts +12"]),
    "hops": ("hops N --eccentricities --paths --latency", ["diameter +2", "stated lengths of 6 of 6 cables"]),
    "draw": ("draw N -o O/plan.svg", ["leaf3", "spine2", "wrote"]),
    "bounds": ("bounds N", ["degree +3", "measured diameter +2", "measured aspl +1.4"]),
    "cuts": ("cuts N --by hosts", ["2 links, 800 Gb/s"]),
    "expander": ("expander N", ["links per switch +2.4"]),
    "paths": ("paths N", ["paths, shortest +2 +2", "all 6"]),
    "resilience": ("resilience N --samples 5 --levels 0.5", ["orders +5", "33.33 %, 2 of 6 links"]),
    "losses": ("losses N", ["12 hosts of 1 port"]),
    "outage": ("outage N leaf1-spine1 --pair leaf1,leaf2", ["hosts cut off +0 of 12", "leaf1 spine"]),
    "lifetime": ("lifetime N --link-fit 100", ["5679167 h"]),
    "degradation": ("degradation N --shares 50%", ["cables +50 % +1 of 5 +0.5000 +0.5000"]),
    "damage": (
        "damage N --share 20% --output O/left.json",
        ["5 switches, 5 links, 12 hosts", "omits names of hosts, names of ports"],
    ),
    "optimize": ("optimize N --moves 3 --chains 1", ["aspl +1.4"]),
    "convert": ("convert N O/plan.p2p.csv", ["swp51", "spine2", "gpu34", "R09"]),
    "route": ("route N -o O/routed", ["132 pairs of hosts", "swp52", "leaf3"]),
    "reroute a cable": ("reroute N leaf1-spine1 -o O/less", ["less 1 link", "leaf3", "swp52"]),
    "reroute a switch": ("reroute N spine1 -o O/less", ["less 3 links and 1 switch", "leaf3", "swp52"]),
    "quality": ("quality N", ["100 and 400 Gb/s", "switches +5", "edge forwarding index +2"]),
    "simulate": ("simulate N --loads 0.1 --fast --jobs 1 --heat O/heat.svg", ["100 +12"]),
    "app": (
        "app N --app alltoall:bytes=64 --simulator flows -o O/app",
        ["12 ranks on cables", "fat-tree-hosts, 4 for the hosts"],
    ),
    "collective": ("collective N --bytes 4096 -o O/schedule.json", ["1,200 Gb/s", "per rank +100 Gb/s"]),
    "layout": (
        "layout N -o O/plan",
        ["racks that the source states", "total +42 m", "6 of 6 between switches", "R01-U40-swp51", "spine2,swp3"],
    ),
    "cost": (
        "cost N",
        ["switch, 4 x 100G \\+ 2 x 400G ports +3", "cable, fibre +6 +42 m", "18 of 18 cables have the lengths"],
    ),
    "facility": ("facility N", ["rack R01 +1 +1 +0 +40 ", "rack R09 +1 +2 +0 +12 "]),
    "expand": (
        "expand N --to 7 --radix 64 --method splice -o O/grown --check",
        ["7 switches, 8 links", "leaf2,swp52,S5,6,spine2,swp2", "spine2 swp2 .R09-U12-swp2."],
    ),
    "expand --into": ("expand N --into complete:n=7,hosts=4 -o O/grown", ["28 hosts", "26 free ports", "leaf3,5,"]),
    "phases": ("phases N --hosts 6,12", ["phase 1", "names are not kept"]),
    "verify": ("verify N", ["errors +0"]),
    "verify the source": ("verify N S", ["ports +exact", "right cables +18"]),
    "verify the folder": ("verify N N", ["ports +exact", "right cables +18"]),
    "verify swapped cables": ("verify N W", ["leaf1 port swp52"]),
    "watch": ("watch N S -o O/sheets", ["18 cables"]),
    "watch swapped cables": ("watch N W -o O/sheets", ["leaf1", "swp51", "spine2", "R09"]),
    "export": ("export N sonic --output O/sonic", ["leaf3"]),
    "export containerlab": ("export N containerlab --output O/lab", ["leaf3", "swp52"]),
    "export opensm": ("export N opensm --output O/opensm", ["leaf3", "gpu34"]),
    "verify-tables": ("verify-tables N T", ["reached pairs +132", "deadlock free +yes"]),
    "repair": ("repair N T N -o O/repaired", ["entries broken +0", "leaf3"]),
    "compare": ("compare N --minutes 0.2", ["throughput, uniform"]),
    "design": ("design D --against N -o O/designs --jobs 1", ["installed"]),
}
#: Commands that take no network; a report is that of a machine.
NO_NETWORK = frozenset(
    (
        "balance",
        "build",
        "examples",
        "families",
        "flat-or-tree",
        "manual",
        "methods",
        "new",
        "report",
        "rules",
        "serve",
        "study",
    )
)
_NEED = "hosts = 12\nshortlist = 1\nminutes = 0.02\n[switch]\nradix = 64\n"


def test_every_command_has_a_row():
    """Of this table, or among those that take no network."""
    assert {words.split()[0] for words, _ in TABLE.values()} | NO_NETWORK == set(own_commands())


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """The source, its adopted folder, the same with two swapped cables, tables of another program, and a requirement."""
    folder = tmp_path_factory.mktemp("adopted")
    source = folder / "cables.csv"
    source.write_text(_sheet())
    open_network(source).adopt(folder / "hall")
    one, other = "leaf1,Switch,swp51,", "leaf1,Switch,swp52,"
    (folder / "swapped.csv").write_text(_sheet().replace(one, "~").replace(other, one).replace("~", other))
    exported = run("export", folder / "hall", "opensm", "--output", folder / "tables")
    assert exported.code == 0, exported.err
    (folder / "need.toml").write_text(_NEED)
    return {
        "N": folder / "hall",
        "S": source,
        "W": folder / "swapped.csv",
        "T": folder / "tables" / "fabric.lft",
        "D": folder / "need.toml",
    }


@pytest.mark.parametrize(
    "question",
    # Whole comparisons and designs take seconds; `compare` and `design --against` stand in tests of their own, too.
    [pytest.param(name, marks=pytest.mark.exhaustive if name in ("compare", "design") else ()) for name in TABLE],
)
def test_an_adopted_folder_is_opened(question, given, tmp_path):
    """Exit code 0 or 3, what is asked is answered, and the folder stays as it is."""
    words, expected = TABLE[question]
    stored = {path: path.read_bytes() for path in given["N"].iterdir()}
    done = run(*[given.get(word, word.replace("O/", f"{tmp_path}/", 1)) for word in words.split()])
    assert done.code in (0, 3), done.err
    assert not done.warned, done.warned
    content = done.out + done.err + _written(tmp_path)
    for text in expected:
        assert re.search(text, content), (text, done.out + done.err)
    assert {path: path.read_bytes() for path in given["N"].iterdir()} == stored


def _written(folder: Path) -> str:
    """All texts in the files that a command wrote."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return "\n".join(f"{path}\n{path.read_bytes().decode(errors='replace')}" for path in paths)
