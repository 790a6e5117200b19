"""Adaptive routing: tables with groups of ports, as ibdiagnet2.far lists them, are followed over every choice.

The form of the file is that which the public reader of Rapimt (crates/rapimt_io/src/ib/cmd_parser/ibfar.pest, 2024) accepts:
per switch ``Groups Definition`` with group, subgroup, WHBF and ports, then ``LFT Definition`` with the set of tables, and LID,
static port, state and group of each entry. No file of a real fabric is public; these are written by `far_text`.
"""

import itertools
import json
import re

import numpy as np
import pytest

from topoloom import quality
from topoloom.cli.main import main
from topoloom.core.errors import InputError
from topoloom.fabric.diagnosis.diagnose import diagnose
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_text
from topoloom.fabric.installed import Installed, read_installed
from topoloom.fabric.lft import read_lft
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.several_paths import with_addresses
from topoloom.fabric.table_verifier import verify_tables
from topoloom.graph.distances import distances_from
from topoloom.routing.channels import channels_of
from topoloom.routing.route import route
from topoloom.topologies.spec import build


def shortest_choices(fabric, switch, target):
    """The real ports of a switch on shortest paths to a host port or, after the endpoints, a switch."""
    topology, k = fabric.topology, fabric.topology.endpoints.size
    home = int(topology.endpoints[target]) if target < k else target - k
    if switch == home:
        return [int(fabric.endpoint_ports[target])] if target < k else [0]
    channels, distance = channels_of(topology), distances_from(topology, np.array([home]), 1)[0]
    own = range(channels.first[switch], channels.first[switch + 1])
    return [int(fabric.channel_ports[c]) for c in own if distance[channels.to[c]] == distance[switch] - 1]


def far_text(fabric, choices=shortest_choices, more_sets=""):
    """Tables as ibdiagnet2.far lists them; `choices(fabric, switch, target)` are the ports of an entry."""
    lids = np.concatenate(fabric.lids).tolist()
    lines = ["# Adaptive routing tables", "File version: 1", ""]
    for switch in range(fabric.topology.switches):
        ports = [tuple(choices(fabric, switch, target)) for target in range(len(lids))]
        groups = {group: number for number, group in enumerate(sorted({each for each in ports if len(each) > 1}), 1)}
        lines += [f"Switch 0x{fabric.switch_guids[switch]:016x} AR: enabled, SHIELD: disabled", ""]
        lines += ["Groups Definition:", "Group   Sub Group   WHBF   Ports", "-" * 40]
        for group, number in groups.items():
            first, second = group[::2], group[1::2]
            lines += [
                f"{number:<8}{sub:<12}0      {','.join(map(str, part))}," for sub, part in enumerate((first, second))
            ]
        lines += ["", "LFT Definition:", f"PLFT_NUM: 0, top: 0x{max(lids):x}"]
        lines += ["LID   Static Port   Lid State   Group", "-" * 40]
        for lid, group in sorted(zip(lids, ports, strict=True)):
            if group:
                state = ("Free", "HBF", "Bounded")[lid % 3] if len(group) > 1 else "Static"
                lines.append(f"0x{lid:04x}  {group[lid % len(group)]:<6}  {state:<8}  {groups.get(group, 0)}")
        lines += [more_sets, ""]
    return "\n".join(lines) + "\n"


def all_paths(fabric, tables, source, target):
    """Every path of switches and real ports that packets may take, by brute force; None for one that does not arrive."""
    topology, channels = fabric.topology, channels_of(fabric.topology)
    home, paths = int(topology.endpoints[target]), []
    todo = [((source,), ())]
    while todo:
        switches, taken = todo.pop()
        here = switches[-1]
        group = tables.groups.of[here, target]
        ports = tables.groups.ports[group] if group >= 0 else (int(tables.ports[here, target]),)
        if here == home:
            paths.append(taken if ports == (int(fabric.endpoint_ports[target]),) else None)
            continue
        for port in ports:
            own = [c for c in range(channels.first[here], channels.first[here + 1]) if fabric.channel_ports[c] == port]
            if not own or len(switches) > topology.switches:
                paths.append(None)
            else:
                todo.append(((*switches, int(channels.to[own[0]])), (*taken, own[0])))
    return paths


SPECS = ["fat-tree:k=4", "clos:leaves=4,spines=2,hosts=3,width=2", "torus:dims=3x3,hosts=2", "hyperx:dims=3x3,hosts=1"]


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Runs a command in the test's folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        try:
            code = main([*arguments])
        except SystemExit as ended:
            code = ended.code
        return (code or 0, *capsys.readouterr())

    return run


@pytest.mark.parametrize("spec", SPECS)
def test_all_choices_are_followed_as_by_brute_force(spec):
    """Pairs reached, hops of the longest path, load of an even spread, and turns, for all shortest ports."""
    fabric = planned_fabric(build(spec))
    topology, tables = fabric.topology, read_lft(far_text(fabric), "x.far", fabric)
    verified = verify_tables(tables, fabric)
    k = topology.endpoints.size
    assert verified.pairs == verified.reached_pairs == verified.minimal_pairs == k * (k - 1)
    load = np.zeros(2 * len(topology.links))
    for source, target in itertools.permutations(range(0, k, max(1, k // 8)), 2):
        paths = all_paths(fabric, tables, int(topology.endpoints[source]), target)
        assert None not in paths
        assert len({len(path) for path in paths}) == 1
    for target in range(k):
        distance = distances_from(topology, topology.endpoints[[target]], 1)[0]
        weight = topology.endpoints_at.astype(float)
        for switch in np.argsort(-distance).tolist():
            if distance[switch]:
                onward = all_next(fabric, switch, target)
                for channel in onward:
                    load[channel] += weight[switch] / len(onward)
                    weight[channels_of(topology).to[channel]] += weight[switch] / len(onward)
    assert np.allclose(verified.channel_load, load)


def all_next(fabric, switch, target):
    """The channels of a switch on shortest paths to a host port."""
    channels, ports = channels_of(fabric.topology), shortest_choices(fabric, switch, target)
    return [c for c in range(channels.first[switch], channels.first[switch + 1]) if fabric.channel_ports[c] in ports]


@pytest.mark.parametrize(
    ("spec", "free"), [("fat-tree:k=4", True), ("torus:dims=6,hosts=1", None), ("torus:dims=4x4,hosts=1", None)]
)
def test_choices_that_can_form_a_cycle_are_unverified(spec, free):
    """A tree's choices hold no cycle; those of a ring and of a torus do, which is TL408 and not TL401."""
    fabric = planned_fabric(build(spec))
    verified = verify_tables(read_lft(far_text(fabric), "x.far", fabric), fabric)
    assert verified.deadlock_free is free
    codes = {entry.code for entry in diagnose(fabric, None, verified, ports=True).diagnostics}
    assert "TL409" in codes
    assert not codes & {"TL401", "TL405"}
    assert ("TL408" in codes) is (free is None)


def detour(fabric, switch, target):
    """All shortest ports, and at switch 0 those to neighbours that are as far from the host."""
    ports, channels = shortest_choices(fabric, switch, target), channels_of(fabric.topology)
    home = fabric.topology.endpoints[[target]] if target < fabric.topology.endpoints.size else [switch]
    distance = distances_from(fabric.topology, np.asarray(home), 1)[0]
    level = [c for c in range(channels.first[1]) if distance[channels.to[c]] == distance[0]]
    return sorted({*ports, *fabric.channel_ports[level].tolist()}) if switch == 0 else ports


def test_one_wrong_port_of_a_group_is_found():
    """A port of a group without a cable, and one more than the host's at its switch, lose pairs, though the others work."""
    fabric = planned_fabric(build("fat-tree:k=4"))
    leaf = int(fabric.topology.endpoints[0])

    def broken(extra, only=None):
        def choices(fabric, switch, target):
            ports = shortest_choices(fabric, switch, target)
            here = switch == leaf and (target == only if only is not None else len(ports) > 1)
            return sorted({*ports, extra}) if here else ports

        return read_lft(far_text(fabric, choices), "x.far", fabric)

    dead = verify_tables(broken(99), fabric)
    assert "port 99 leads to nothing" in dead.fault
    assert dead.reached_pairs < dead.pairs
    home = int(fabric.endpoint_ports[1])
    wrong = verify_tables(broken(home, only=0), fabric)
    (hole,) = wrong.black_holes
    assert (hole.pairs, hole.destinations) == (15, 1)
    assert f"port {home}" in str(hole)


def test_groups_that_send_back_and_forth_are_a_circle():
    """Two switches of a ring may send to each other for the opposite host: pairs are lost, though a choice would arrive."""
    fabric = planned_fabric(build("torus:dims=5,hosts=1"))

    def both(fabric, switch, target):
        around = fabric.channel_ports[channels_of(fabric.topology).first[switch] :][:2].tolist()
        return around if target == 0 and switch in (2, 3) else shortest_choices(fabric, switch, target)

    tables = read_lft(far_text(fabric, both), "x.far", fabric)
    verified = verify_tables(tables, fabric)
    assert any("in a circle, S2 -> S3 -> S2" in str(hole) for hole in verified.black_holes)
    lost = [s for s in range(1, 5) if None in all_paths(fabric, tables, s, 0)]
    assert verified.pairs - verified.reached_pairs == len(lost)


def test_longer_choices_are_not_minimal():
    """A group that holds a port of a longer way: pairs through it do not take the fewest hops."""
    fabric = planned_fabric(build("torus:dims=3x5,hosts=1"))
    tables = read_lft(far_text(fabric, detour), "x.far", fabric)
    verified = verify_tables(tables, fabric)
    expected = reached = 0
    for source, target in itertools.permutations(range(15), 2):
        paths = all_paths(fabric, tables, source, target)
        fewest = int(distances_from(fabric.topology, np.array([target]), 1)[0][source])
        reached += None not in paths
        expected += None not in paths and {len(path) for path in paths} == {fewest}
    assert (verified.reached_pairs, verified.minimal_pairs) == (reached, expected)
    assert expected < reached


def test_a_static_file_is_the_same_as_its_plain_tables():
    """A file without groups is verified as opensm-lfts.dump of the same entries."""
    routing = route(build("fat-tree:k=4"))
    fabric = planned_fabric(routing.topology)
    plain = read_lft(lft_text(routing), "x.lft", fabric)
    far = far_text(fabric, lambda fabric, switch, target: [int(plain.ports[switch, target])])
    tables = read_lft(far, "x.far", fabric)
    assert tables.groups is None
    assert np.array_equal(tables.ports, plain.ports)


def test_quality_measures_an_even_spread_or_names_its_ports(tmp_path, call):
    """All shortest ports: any shortest path; other groups: the static ports, which the engine's name says."""
    fabric = with_addresses(planned_fabric(build("fat-tree:k=4")), 0)
    (tmp_path / "f.net").write_text(discovered_text(fabric))
    (tmp_path / "f.far").write_text(far_text(fabric))
    routing = read_installed(fabric, "f.far").routing(fabric)
    assert routing.packets_choose == "AnyShortest"
    assert quality(routing).uniform_throughput == pytest.approx(
        quality(route(fabric.topology, "ecmp")).uniform_throughput
    )
    code, out, _ = call("quality", "f.net", "--tables", "f.far")
    assert (code, "tables of f.far, adaptive" in out, "splits evenly over its channels" in out) == (0, True, True)
    torus = planned_fabric(build("torus:dims=3x5,hosts=1"))
    named = Installed(read_lft(far_text(torus, detour), "x.far", torus)).routing(torus)
    assert (named.engine, named.packets_choose) == ("tables of x.far, one port of each group", None)


def test_the_command_states_what_is_known(tmp_path, call):
    """verify-tables: switches, groups, ports and entries, the same in the record; repair refuses."""
    fabric = with_addresses(planned_fabric(build("fat-tree:k=4")), 0)
    (tmp_path / "f.net").write_text(discovered_text(fabric))
    (tmp_path / "f.far").write_text(far_text(fabric))
    code, out, _ = call("verify-tables", "f.net", "f.far")
    assert code == 0
    assert "TL409 note: adaptive routing on 16 switches: 16 groups of 2 ports in use, by 68.4% of the entries" in out
    code, out, _ = call("verify-tables", "f.net", "f.far", "--json")
    assert (code, [entry["code"] for entry in json.loads(out)["diagnostics"]]) == (0, ["TL409"])
    record = verify_tables(read_installed(fabric, "f.far").tables, fabric).record()
    assert (record["adaptive"]["switches"], record["adaptive"]["groups"]) == (16, 16)
    code, _, err = call("repair", "f.net", "f.far", "f.net")
    assert (code, "packets choose among groups of ports" in err) == (2, True)


@pytest.mark.parametrize(
    ("pattern", "new", "message"),
    [
        (
            r"(0x0001 .*) Static ",
            r"\1 Sticky ",
            r"x:\d+: state 'Sticky'; the known ones are Static, Free, Bounded and HBF",
        ),
        (r"(Free +)\d+\n", r"\g<1>77\n", r"x:\d+: group 77, which the switch does not define above"),
        (r"(0x0002 .*\n)", r"\1\1", r"x:\d+: LID 2 has two entries"),
        (r"(?s)(Switch 0x\w+ .*?\n\n)(?=Switch)", r"\1\1", r"x:\d+: switch 0x\w+ has a table already, on line 4"),
        (r"(?s)0x0012 [^\n]*\n\s*\Z", "\n", r"x: the table of switch 0x\w+ ends before its highest address"),
        (r"Ports", "Portz", r"x:\d+: 'Group   Sub Group   WHBF   Portz' is not a line of forwarding tables"),
    ],
)
def test_damaged_files_are_refused(pattern, new, message):
    """States, groups and lines that are not known, repeated and missing entries: one sentence with the place."""
    fabric = planned_fabric(build("torus:dims=3x3,hosts=1"))
    changed = re.sub(pattern, new, far_text(fabric), count=1)
    with pytest.raises(InputError, match=message):
        read_lft(changed, "x", fabric)


def test_several_sets_of_tables_are_refused_with_their_number():
    """A second set (PLFT 1) with entries: which packets use which is not in the file."""
    fabric = planned_fabric(build("torus:dims=3x3,hosts=1"))
    with pytest.raises(InputError, match="x: 9 of 9 switches have several sets of tables, as switch 0x200000 PLFT 1"):
        read_lft(far_text(fabric, more_sets="PLFT_NUM: 1, top: 0x2\n0x0001 1 Static 0\n"), "x", fabric)
