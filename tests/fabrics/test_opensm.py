"""A real OpenSM takes the files: on ibsim it installs our tables as they are, and ibdmchk finds no credit loop in them.

Where opensm, ibsim or ibdmchk are missing (Debian: opensm, ibsim-utils, ibutils) these tests are skipped and say so.
"""

import os
import re
import shutil
import subprocess
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fabric_cases import cables_of, recabled

from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_text, net_text, qos_text
from topoloom.fabric.installed import read_installed
from topoloom.fabric.lft import read_guid2lid, read_lft
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.repair import repair_fabric
from topoloom.fabric.repair_files import repair_texts
from topoloom.fabric.service_levels import read_levels
from topoloom.fabric.table_verifier import verify_tables
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.routing.route import route
from topoloom.topologies.spec import build

_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
_TOOLS = {name: shutil.which(name, path=_PATH) for name in ("opensm", "ibsim", "ibdmchk")}
_SIMULATED = next(iter(Path("/usr/lib").glob("**/umad2sim/libumad2sim.so")), None)
_MISSING = [name for name, found in _TOOLS.items() if not found] + ([] if _SIMULATED else ["libumad2sim.so"])
_PATIENCE_S = 60

pytestmark = [
    pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {', '.join(_MISSING)}"),
    pytest.mark.skipif(not Path("/proc/net/unix").exists(), reason="no /proc to see ibsim's socket in"),
]


@contextmanager
def running(command, log, **environment):
    """A program in the background, ended at the end."""
    with log.open("w") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env={**os.environ, "PATH": _PATH, **environment},
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(what, process, log):
    """Wait until `what` is true; fails with the log when the program ends or time is up."""
    end = time.monotonic() + _PATIENCE_S
    while not what():
        said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
        assert process.poll() is None, said
        assert time.monotonic() < end, said
        time.sleep(0.05)


def entries(text):
    """{(switch GUID, port GUID): out port} of forwarding tables in OpenSM's format."""
    found, switch = {}, 0
    for line in text.splitlines():
        if section := re.search(r"^Unicast lids .* guid 0x(\w+) ", line):
            switch = int(section[1], 16)
        elif entry := re.match(r"0x\w+ (\d+) .*portguid 0x(\w+)", line):
            found[switch, int(entry[2], 16)] = int(entry[1])
    return found


def merged(lines, folder):
    """The lines for a site's opensm.conf, with the files in `folder`."""
    assert "/etc/opensm/fabric.lft" in lines
    return lines.replace("/etc/opensm", str(folder))


def bring_up(folder, topology, options, conf=""):
    """A subnet on ibsim from fabric.net in `folder`, brought up by a real OpenSM: its log; its dumps lie in the folder."""
    socket = f"topoloom{os.getpid()}{folder.name[-8:]}"
    nodes = topology.switches + topology.hosts
    with ExitStack() as stack:
        simulator = stack.enter_context(
            running(
                [
                    _TOOLS["ibsim"],
                    "-s",
                    "-n",
                    "-N",
                    f"{nodes + 16}",
                    "-S",
                    f"{topology.switches + 16}",
                    "-P",
                    f"{nodes * 90}",
                    "-L",
                    "49152",
                    "fabric.net",
                ],
                folder / "ibsim.log",
                IBSIM_SOCKNAME=socket,
            )
        )
        wait_for(lambda: f"@{socket}" in Path("/proc/net/unix").read_text(), simulator, folder / "ibsim.log")
        # The log is what tells when the subnet is up.
        (folder / "test.conf").write_text("force_log_flush TRUE\nmax_wire_smps 64\nsweep_interval 0\n" + conf)
        command = [
            _TOOLS["opensm"],
            *options,
            "-e",
            "-s",
            "0",
            "-D",
            "0x43",
            "-F",
            "test.conf",
            "-f",
            f"{folder}/osm.log",
            "--dump_files_dir",
            str(folder),
        ]
        log = folder / "osm.log"
        first = next(
            line.split('"')[1] for line in (folder / "fabric.net").read_text().splitlines() if line[:2] in {"Hc", "Ca"}
        )
        manager = stack.enter_context(
            running(
                command,
                folder / "opensm.out",
                IBSIM_SOCKNAME=socket,
                SIM_HOST=first,
                LD_PRELOAD=str(_SIMULATED),
                OSM_TMP_DIR=str(folder),
                OSM_CACHE_DIR=str(folder),
            )
        )
        wait_for(
            lambda: log.exists() and "SUBNET UP" in log.read_text(errors="replace"), manager, folder / "opensm.out"
        )
        dumps = [folder / "opensm-lfts.dump", folder / "opensm-subnet.lst"]
        wait_for(lambda: all(dump.exists() and dump.stat().st_size for dump in dumps), manager, log)
        time.sleep(0.3)
        return log.read_text(errors="replace")


def credit_loops(folder):
    """What ibdmchk says of the dumps in one virtual channel: its text."""
    checked = subprocess.run(
        [_TOOLS["ibdmchk"], "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs", "-l", "0"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    # Its text counts: it may crash after its verdict.
    return (checked.stdout + checked.stderr).lower()


def test_hosts_of_a_leaf_are_reached_by_paths_of_their_own(tmp_path):
    """Entries are by address: those of a leaf's hosts leave another leaf through as many ports as there are hosts.

    The verifier follows the written tables host by host, and finds them free of deadlock; a service level for each pair of
    hosts where tables have virtual channels.
    """
    topology = build("fat-tree:k=8")
    routing = route(topology, "fat-tree-hosts")
    fabric = planned_fabric(topology)
    write_export("opensm", topology, tmp_path, routing)
    tables = read_lft((tmp_path / "fabric.lft").read_text(), "fabric.lft", fabric)
    leaves = np.flatnonzero(topology.endpoints_at)
    for leaf in leaves.tolist():
        mine = np.flatnonzero(topology.endpoints == leaf)
        for other in leaves[leaves != leaf].tolist():
            assert np.unique(tables.ports[other, mine]).size == mine.size
    found = verify_tables(tables, fabric)
    assert found.deadlock_free
    assert found.reached_pairs == 128 * 127
    # Virtual channels by table: pairs to the first hosts in virtual channel 1, to the second ones in virtual channel 2.
    virtual_channels = tuple(np.full((80, 80), vc, np.uint8) for vc in (1, 2))
    two = replace(
        routing,
        virtual_channels=virtual_channels[0],
        choice=replace(routing.choice, ports=routing.choice.ports[:1], virtual_channels=virtual_channels[1:]),
    )
    levels = read_levels(qos_text(two), "fabric.qos", fabric, tables.lid_of)
    source = int(np.flatnonzero(topology.endpoints == leaves[1])[0])
    assert [int(levels[target, source]) for target in range(4)] == [1, 2, 1, 2]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("slimfly:q=5,hosts=2", "orders"),
        ("torus:dims=4x4x4,hosts=1", "orders"),
        ("jellyfish:n=64,degree=8,hosts=1", "orders"),
        ("dragonfly:h=2", "orders"),
        ("fat-tree:k=8,hosts=96", "fat-tree-hosts"),
    ],
)
def test_opensm_installs_the_tables_and_they_have_no_credit_loop(spec, engine, tmp_path):
    """The file engine takes every entry, dumps the same tables, and ibdmchk agrees that nothing can deadlock.

    Also where each host of a switch has paths of its own.
    """
    routing = route(build(spec), engine, virtual_channels=8 if engine == "orders" else None)
    files = write_export("opensm", routing.topology, tmp_path, routing)
    assert {"opensm.conf", "deploy.txt"} < set(files)
    written = bring_up(tmp_path, routing.topology, [], merged((tmp_path / "opensm.conf").read_text(), tmp_path))
    assert "file tables configured on all switches" in written
    assert not re.findall(r"ERR [0-9A-F]{4}|PARSE ERROR", written)
    dump = (tmp_path / "opensm-lfts.dump").read_text()
    assert entries(dump) == entries((tmp_path / "fabric.lft").read_text())
    if routing.verification.virtual_channels_used == 1:
        # With virtual channels ibdmchk would need the service level of every pair; those tables are safe by the verdict.
        assert "no credit loops found" in credit_loops(tmp_path)


def lid_entries(text):
    """{(switch GUID, LID): out port} of forwarding tables in OpenSM's format."""
    found, switch = {}, 0
    for line in text.splitlines():
        if section := re.search(r"^Unicast lids .* guid 0x(\w+) ", line):
            switch = int(section[1], 16)
        elif entry := re.match(r"0x(\w+) (\d+) ", line):
            found[switch, int(entry[1], 16)] = int(entry[2])
    return found


def test_opensm_installs_several_paths_with_service_levels(tmp_path):
    """Four addresses per host port of a network that needs levels: all entries come back, and are verified with the policy."""
    topology = build("jellyfish:n=24,degree=5,hosts=2")
    write_export("opensm:lmc=2", topology, tmp_path)
    written = bring_up(tmp_path, topology, ["-x"], merged((tmp_path / "opensm.conf").read_text(), tmp_path))
    assert "file tables configured on all switches" in written
    assert not re.findall(r"ERR [0-9A-F]{4}|PARSE ERROR", written)
    dump = (tmp_path / "opensm-lfts.dump").read_text()
    assert lid_entries(dump) == lid_entries((tmp_path / "fabric.lft").read_text())
    fabric = load_fabric(tmp_path / "fabric.net")
    installed = read_installed(fabric, tmp_path / "opensm-lfts.dump", tmp_path / "fabric.qos")
    verified = verify_tables(installed.tables, fabric, installed.levels)
    assert (verified.paths, verified.deadlock_free, verified.reached_pairs) == (4, True, verified.pairs)


def test_tables_for_a_discovered_fabric_have_its_guids_and_ports(tmp_path):
    """A fabric with GUIDs, names and ports of its own, read as text: OpenSM installs every entry."""
    topology = build("torus:dims=3x3,hosts=2")
    planned = planned_fabric(topology)
    own = np.uint64(0x2C90000000000)
    odd = replace(
        planned,
        switch_names=tuple(f"leaf {s}" for s in range(9)),
        host_names=tuple(f"node{h} mlx5_0" for h in range(18)),
        switch_guids=planned.switch_guids + own,
        host_guids=planned.host_guids + own,
        port_guids=planned.port_guids + own,
        link_ports=planned.link_ports + 20,
        endpoint_ports=planned.endpoint_ports + 5,
        switch_ports=np.full(9, 36, np.int32),
        made="odd",
    )
    (tmp_path / "odd.net").write_text(discovered_text(odd))
    fabric = load_fabric(tmp_path / "odd.net")
    routing = route(fabric.topology, "updown")
    write_export("opensm", fabric, tmp_path, routing)
    written = bring_up(tmp_path, topology, ["-R", "file,no_fallback", "-U", "fabric.lft"])
    assert "file tables configured on all switches" in written
    dump = (tmp_path / "opensm-lfts.dump").read_text()
    assert entries(dump) == entries((tmp_path / "fabric.lft").read_text())
    assert {guid >> 40 for guid, _ in entries(dump)} == {0x2C9}
    assert "no credit loops found" in credit_loops(tmp_path)
    assert verify_tables(read_lft(dump, "dump", fabric), fabric).deadlock_free


def test_opensm_takes_every_step_of_a_mending(tmp_path):
    """On the fabric as it is after a loss OpenSM installs the tables of each step, entries over dead cables included."""
    fabric = planned_fabric(build("torus:dims=4x4,hosts=1"))
    routing = route(fabric.topology, "orders")
    tables = read_lft(lft_text(routing, fabric), "old.lft", fabric)
    levels = read_levels(qos_text(routing, fabric), "old.qos", fabric, tables.lid_of)
    new = recabled(fabric, [cable for number, cable in enumerate(cables_of(fabric)) if number not in (0, 9, 20)])
    texts = repair_texts(repair_fabric(fabric, tables, new, levels=levels))
    steps = [name for name in texts if name.endswith(".lft")]
    assert len(steps) > 2
    for name in steps:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "fabric.net").write_text(texts["fabric.net"])
        (folder / "fabric.lft").write_text(texts[name])
        (folder / "fabric.qos").write_text(texts["fabric.qos"])
        written = bring_up(folder, new.topology, [], merged(texts["opensm.conf"], folder))
        assert "file tables configured on all switches" in written
        assert not re.findall(r"ERR [0-9A-F]{4}|PARSE ERROR", written)
        assert entries((folder / "opensm-lfts.dump").read_text()) == entries(texts[name])


@pytest.mark.parametrize(
    ("spec", "engine"),
    [("torus:dims=5,hosts=2", "minhop"), ("slimfly:q=5,hosts=2", "updn"), ("fat-tree:k=4", "minhop")],
)
def test_opensms_own_tables_are_judged_as_ibdmchk_judges_them(spec, engine, tmp_path):
    """OpenSM spreads the hosts of a switch over ways; whether they can deadlock is what ibdmchk finds too."""
    topology = build(spec)
    (tmp_path / "fabric.net").write_text(net_text(topology))
    bring_up(tmp_path, topology, ["-R", engine])
    fabric = load_fabric(tmp_path / "fabric.net")
    k = fabric.topology.endpoints.size
    tables = read_lft((tmp_path / "opensm-lfts.dump").read_text(), "dump", fabric)
    found = verify_tables(tables, fabric, np.zeros((k, k), np.uint8))
    assert found.reached_pairs == found.pairs
    owners = read_guid2lid((tmp_path / "guid2lid").read_text(), "guid2lid")
    with_hops = read_lft((tmp_path / "opensm.fdbs").read_text(), "opensm.fdbs", fabric, owners)
    assert np.array_equal(with_hops.ports, tables.ports)
    said = credit_loops(tmp_path)
    assert "credit loop" in said
    assert found.deadlock_free is ("no credit loops found" in said)
