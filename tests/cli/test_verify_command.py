"""`topoloom verify`, and the exports of `route` and `convert`: what is printed, exit codes, and one line for a mistake."""

import json

import pytest

from topoloom import build, cable, place, save_cabling
from topoloom.cli.main import main
from topoloom.fabric.net_text import net_text


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command line in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in arguments])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return run


@pytest.fixture
def laid(tmp_path, call):
    """A laid-out Slim Fly in `plan`, and in `fabric.net` the same with two cables exchanged and one missing."""
    topology = build("slimfly:q=5,hosts=2")
    save_cabling(cable(place(topology, map="rows"), parts="slimfly-2014", host_cables=True), tmp_path / "plan")
    (tmp_path / "right.net").write_text(net_text(topology))
    lines = (tmp_path / "right.net").read_text().split("\n")
    # S0 port 4 and S9 port 4 exchange their far ends; S20 loses the cable in its last port.
    at = {}
    node = ""
    for place_, line in enumerate(lines):
        if line.startswith(("Switch", "Hca")):
            node = line.split('"')[1]
        elif line.startswith("["):
            at[node, int(line[1 : line.index("]")])] = place_

    def far(plug):
        text = lines[at[plug]].split("\t")[1]
        return text.split('"')[1], int(text.split("[")[1].rstrip("]"))

    one, other = ("S0", 4), ("S9", 4)
    ends = far(one), far(other)
    for near, end in ((one, ends[1]), (other, ends[0])):
        lines[at[near]] = f'[{near[1]}]\t"{end[0]}"[{end[1]}]'
        lines[at[end]] = f'[{end[1]}]\t"{near[0]}"[{near[1]}]'
    lost = ("S20", 9)
    gone = {at[lost], at[far(lost)]}
    (tmp_path / "fabric.net").write_text("\n".join(line for i, line in enumerate(lines) if i not in gone))
    return ends, far(lost)


def test_a_fabric_that_is_as_planned(call, laid):
    """Exit code 0, every cable right, against the folder and against the spec."""
    for plan in ("plan", "slimfly:q=5,hosts=2", "plan/cables.csv"):
        code, out, _ = call("verify", plan, "right.net")
        assert code == 0
        assert "same                          yes" in out
        assert "right cables                  275" in out


def test_faults_are_named_by_cable_rack_switch_and_port(call, laid):
    """Exit code 3; one swap, one missing cable, by the numbers and racks of the cable list; the same in JSON."""
    ends, lost = laid
    code, out, _ = call("verify", "plan", "fabric.net")
    assert code == 3
    said = [line for line in out.splitlines() if line.startswith("TL")]
    assert len(said) == 2
    missing, swap = sorted(said)
    assert swap.startswith("TL104 error: swapped: cables ")
    for name, port in (("S0", 4), ("S9", 4), *ends):
        assert f" {name} port {port}" in swap
    assert missing.startswith("TL101 error: missing: cable ")
    assert " S20 port 9" in missing
    assert f" {lost[0]} port {lost[1]}" in missing
    assert " A01 S0 port 4" in swap
    values = json.loads(call("verify", "plan", "fabric.net", "--json")[1])
    assert (values["schema"], values["clean"], values["errors"]) == ("topoloom/diagnostics/5", False, 2)
    assert [f"{one['code']} {one['severity']}: {one['text']}" for one in values["diagnostics"]] == said
    assert [len(one["planned"]) for one in values["diagnostics"]] == [1, 2]
    assert [one["page"] for one in values["diagnostics"]] == [
        "docs/reference/rules.md#tl101",
        "docs/reference/rules.md#tl104",
    ]
    assert all(one["fix"] and one["cables"] and one["racks"] for one in values["diagnostics"])
    compared = values["comparison"]
    assert compared["same"] is False
    assert sorted(fault["kind"] for fault in compared["faults"]) == ["missing", "swapped"]
    assert [fault["text"] for fault in compared["faults"]] == [line.partition(" error: ")[2] for line in said]
    assert len(compared["switches"]) == 50
    assert call("verify", "plan", "fabric.net", "--match", "shape")[0] == 3


def test_what_route_exports_is_verified(call):
    """Tables and levels of `export` are judged as `route` judged them; without the levels they deadlock."""
    assert call("export", "slimfly:q=5,hosts=2", "opensm", "-o", "osm")[0] == 0
    routed = json.loads(call("route", "slimfly:q=5,hosts=2", "--json")[1])["verification"]
    code, out, _ = call("verify-tables", "osm/fabric.net", "osm/fabric.lft", "--qos", "osm/fabric.qos", "--json")
    values = json.loads(out)["table_verification"]
    assert code == 0
    for key in ("virtual_channels_used", "deadlock_free", "minimal", "max_hops", "stretch"):
        assert values[key] == routed[key], key
    assert values["load_over_mean"] == pytest.approx(routed["load_over_mean"])
    # Pairs of hosts: four for each pair of switches, and those of the two hosts of each switch.
    assert values["pairs"] == values["reached_pairs"] == 4 * routed["pairs"] + 100
    assert values["max_channel_load"] == 4 * routed["edge_forwarding_index"]
    code, out, _ = call("verify-tables", "slimfly:q=5,hosts=2", "osm/fabric.lft")
    assert code == 3
    assert "deadlock free                  not known without service levels" in out
    assert "TL405 warning: unverified without service levels; give --qos: in one virtual lane" in out
    assert "TL401" not in out
    code, out, _ = call("verify-tables", "slimfly:q=5,hosts=2", "osm/fabric.lft", "--qos", "none")
    assert code == 3
    assert "TL401 error: waits in a cycle: S" in out
    assert call("verify-tables", "slimfly:q=5,hosts=2", "osm/fabric.lft", "--ignore", "levels-unknown")[0] == 0


def test_a_discovered_fabric_is_routed_with_its_own_ports(call, laid):
    """`export fabric.net opensm` writes tables that fit the fabric that was read, not the plan."""
    assert call("export", "fabric.net", "opensm", "--engine", "updown", "-o", "out")[0] == 0
    assert call("verify-tables", "fabric.net", "out/fabric.lft")[0] == 0
    code, _, err = call("verify-tables", "right.net", "out/fabric.lft")
    assert code in {2, 3}
    assert code == 3 or "are these the tables of right.net?" in err


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("slurm", "topology.conf"),
        ("ufm", "fabric.topo"),
        ("booksim", "network.anynet"),
        ("frr", "S0.conf"),
        ("guid2lid", "guid2lid"),
        ("ibutils", "ibnl/GSW6.ibnl"),
    ],
)
def test_convert_and_route_write_for_other_tools(call, tmp_path, kind, file):
    """The same files from both; `convert` needs no tables."""
    assert call("convert", "torus:dims=3x3,hosts=2", "one", "--format", kind)[0] == 0
    assert call("export", "torus:dims=3x3,hosts=2", kind, "-o", "two")[0] == 0
    assert (tmp_path / "one" / file).read_text() == (tmp_path / "two" / file).read_text()
    values = json.loads(call("convert", "torus:dims=3x3,hosts=2", "one", "--format", kind, "--json")[1])
    assert f"one/{file}" in values["files"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["verify"], "Missing argument 'PLAN'"),
        (["verify", "petersen", "--match", "name"], "--counters are for a comparison; name an ACTUAL"),
        (["verify", "petersen", "--ignore", "TL999"], "no rule named"),
        (["verify", "petersen", "--only", "TL9xx"], "no rule has a code like TL9xx"),
        (["verify", "petersen", "--cable-rate", "fast"], "rate 'fast'"),
        (["verify", "petersen", "--taper", "0"], "out of range"),
        (["verify", "petersen", "--parts", "gone"], "gone"),
        (["verify", "petersen", "--sarif", "no/folder/x.sarif"], "no/folder"),
        (["verify", "-", "-"], "standard input (-) holds one network"),
        (["verify", ".", "petersen"], "holds no network"),
        (["verify", "petersen", "gone.net"], "gone.net: there is no such file"),
        (["verify", "petersen", "bad.net"], "bad.net:2: '[1] nonsense' is not a port"),
        (["verify", "petersen", "petersen", "--guids", "gone.csv"], "gone.csv cannot be read"),
        (["verify-tables", "petersen", "x.lft"], "no hosts"),
        (["verify-tables", "petersen:hosts=1", "x.lft"], "x.lft cannot be read"),
        (
            ["verify-tables", "petersen:hosts=1", "bad.net"],
            "bad.net: this is a discovered fabric, not forwarding tables",
        ),
        (["convert", "petersen:hosts=1", "out", "--format", "opensm"], "use 'topoloom export'"),
        (["convert", "petersen", "out", "--format", "booksim"], "no hosts"),
        (["export", "petersen", "slurn", "-o", "out"], "did you mean 'slurm'"),
        (["export", "petersen", "slurm"], "Missing option '-o'"),
    ],
)
def test_mistakes_end_with_one_line_and_exit_code_2(call, tmp_path, arguments, reason):
    """The user's mistake is one line on stderr, and nothing is written."""
    (tmp_path / "bad.net").write_text('Switch 4 "S0"\n[1] nonsense\n')
    code, _, err = call(*arguments)
    assert code == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert reason in err
    assert not (tmp_path / "out").exists()


def test_rules_are_listed(call):
    """One line per rule, and all of each as JSON; `--only` and `--ignore` choose."""
    code, out, _ = call("rules")
    assert code == 0
    lines = out.splitlines()
    assert len(lines) >= 37
    assert lines[0].split()[:3] == ["TL101", "error", "cable-missing"]
    values = json.loads(call("rules", "--only", "TL2xx", "--ignore", "TL208", "--json")[1])
    assert [one["code"] for one in values["rules"]] == [f"TL20{n}" for n in (*range(1, 8), 9)]
    assert all(one["explanation"] and one["fix"] and one["from"] == "here" for one in values["rules"])


def test_exit_codes_by_severity(call, laid):
    """3 for errors and for warnings, 0 for notes and for what is omitted; the same on the page of the rules."""
    from pathlib import Path

    assert call("verify", "plan", "fabric.net", "--ignore", "TL101,TL104")[0] == 0
    assert call("verify", "plan", "fabric.net", "--ignore", "cable-missing")[0] == 3
    assert call("verify", "plan", "fabric.net", "--only", "TL2xx", "--only", "TL101")[0] == 3
    assert call("verify", "plan")[0] == 0
    # A warning: cables in other ports.
    text = Path("right.net").read_text()
    lines = text.split("\n")
    here = next(i for i, line in enumerate(lines) if line.startswith("Switch") and '"S0"' in line)
    ports = [i for i in range(here + 1, here + 6) if '"S' in lines[i]][:2]
    far = [lines[i].split("\t")[1] for i in ports]
    own = [lines[i].split("]")[0][1:] for i in ports]
    changed = text.replace(lines[ports[0]], f"[{own[0]}]\t{far[1]}").replace(
        lines[ports[1]], f"[{own[1]}]\t{far[0]}", 1
    )
    for end, old, new in ((far[0], own[0], own[1]), (far[1], own[1], own[0])):
        node, port = end.split('"')[1], end.split("[")[1].rstrip("]")
        begin = changed.index("Switch", changed.index(f'"{node}"\n') - 20)
        at = changed.index(f'[{port}]\t"S0"[{old}]', begin)
        changed = changed[:at] + f'[{port}]\t"S0"[{new}]' + changed[at + len(f'[{port}]\t"S0"[{old}]') :]
    Path("ports.net").write_text(changed)
    code, out, _ = call("verify", "plan", "ports.net")
    assert code == 3
    assert "warnings                      1" in out
    assert "TL105 warning: other port:" in out
    assert call("verify", "plan", "ports.net", "--ports", "any")[0] == 0
    page = (Path(__file__).parents[2] / "docs" / "reference" / "rules.md").read_text()
    assert all(f"| {code} |" in page for code in (0, 1, 2, 3, 130))


def test_a_file_that_cannot_be_is_told_with_its_lines(call, laid):
    """verify goes on where other commands refuse: the line in text, JSON and SARIF."""
    from pathlib import Path

    text = Path("right.net").read_text().replace("[4]\t", '[4]\t"S49"[99]\n[4]\t', 1)
    Path("odd.net").write_text(text)
    assert call("info", "odd.net")[0] == 2
    code, _, _ = call("verify", "odd.net", "--json", "--sarif", "odd.sarif")
    assert code == 3
    log = json.loads(Path("odd.sarif").read_text())
    found = [one for one in log["runs"][0]["results"] if one["ruleId"] == "TL110"]
    where = found[0]["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == "odd.net"
    assert text.splitlines()[where["region"]["startLine"] - 1].startswith("[4]")


def test_overlong_cables_of_a_laid_out_plan(call, laid):
    """The longest cables of the folder are told where the limit is shorter; the numbers are those of the list."""
    import csv
    from pathlib import Path

    rows = [
        row for row in csv.DictReader(Path("plan/cables.csv").read_text().splitlines()) if row.get("kind") == "link"
    ]
    longest = max(float(row["length_m"]) for row in rows)
    assert call("verify", "plan", "--longest-m", str(longest))[0] == 0
    limit = sorted({float(row["length_m"]) for row in rows})[-2]
    expected = {row["cable"] for row in rows if float(row["length_m"]) > limit}
    code, out, _ = call("verify", "plan", "--longest-m", str(limit), "--json")
    found = json.loads(out)["diagnostics"]
    assert code == 3
    assert {one["code"] for one in found} == {"TL108"}
    assert {number for one in found for number in one["cables"]} == expected


def test_a_slow_cable_and_one_that_lost_lanes(call):
    """With --cable-rate, and without it where most run faster."""
    from pathlib import Path

    lines = net_text(build("petersen:hosts=1")).splitlines()
    rated = [f'{line}\t\t# "x" lid 0 4xNDR' if line.startswith("[") else line for line in lines]
    ends = [i for i, line in enumerate(rated) if '"S0"[3]' in line or ('"S1"[' in line and line.startswith("[3]"))]
    Path("good.net").write_text("\n".join(rated) + "\n")
    assert call("verify", "petersen:hosts=1", "good.net", "--cable-rate", "4xNDR")[0] == 0
    for i in ends[:2]:
        rated[i] = rated[i].replace("4xNDR", "1xNDR")
    Path("slow.net").write_text("\n".join(rated) + "\n")
    for more in ([], ["--cable-rate", "4xNDR"]):
        code, out, _ = call("verify", "petersen:hosts=1", "slow.net", *more)
        assert code == 3
        assert "TL107 error: slow: " in out
        assert "1xNDR" in out


def test_rules_named_as_arguments_are_explained_in_full(call):
    """The code, the meaning, the explanation and what to do, as on the page of the rules."""
    code, out, _ = call("rules", "TL107", "cable-missing")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("TL")] == ["TL101", "TL107"]
    assert out.count("What to do: ") == 2
    assert "(4x to 1x)" in out
    assert "did you mean TL1xx?" in call("rules", "--only", "TL1")[2]


def test_an_unknown_lid_is_a_note(call):
    """Tables of the fabric before it changed have addresses that the fabric of today lacks; what they lack is an error."""
    from pathlib import Path

    assert call("export", "slimfly:q=5,hosts=2", "opensm", "-o", "out")[0] == 0
    lines = Path("out/fabric.lft").read_text().splitlines()
    text = "\n".join(line.split(" #")[0] for line in lines)
    Path("old.lft").write_text(text.replace("0x0001 ", "0x0fff ", 1) + "\n")
    code, out, _ = call("verify-tables", "slimfly:q=5,hosts=2", "old.lft")
    assert code == 3
    assert "TL402 error: black hole: S0 has no entry: 1 destination (H0)" in out
    assert "TL406 note: entries for addresses that are not in planned skipped, as of hosts" in out
    assert "LID 4095" in out


def test_a_match_by_shape_is_reported(call, laid):
    """Where no names match, the places may be those of a mirror image; verify and watch say so."""
    import re
    from pathlib import Path

    Path("odd.net").write_text(re.sub(r'"([SH])([0-9]+)"', r'"\1x\2"', Path("right.net").read_text()))
    for command in ("verify", "watch"):
        _, out, err = call(command, "plan", "odd.net")
        said = " ".join((out + err).split())
        assert "odd.net: no names match, so switches are matched by shape; in a symmetric network" in said
    assert "matched by shape" not in "".join(call("verify", "plan", "right.net")[1:])


@pytest.mark.parametrize("name", ["morning.txt", "morning.log", "morning"])
def test_a_discovery_under_another_suffix_is_recognised(call, laid, name):
    """The content says what it is; without a suffix the name is not taken for a family's."""
    from pathlib import Path

    Path(name).write_text("vendid=0x2c9\n" + Path("right.net").read_text())
    assert call("verify", "plan", name)[0] == 0
    code, _, err = call("verify", "plan", name, "--from", "ibdiagnet")
    assert code == 2
    assert f"{name}: has no section NODES" in err
    Path("strange").write_text("what\n")
    assert "strange: neither its suffix nor its content is that of a known format" in call("info", "strange")[2]


def test_a_plan_without_hosts_is_reported_once(call, laid):
    """Not host by host."""
    code, out, _ = call("verify", "slimfly:q=5", "right.net", "--only", "TL204")
    assert code == 3
    assert out.count("TL204") == 1
    assert "the plan has no hosts, right.net has 100; name a plan with hosts" in out


def test_switches_of_one_name_are_distinguished_by_guid(call, laid):
    """The name alone names neither of them."""
    import re
    from pathlib import Path

    text = Path("right.net").read_text()
    lines = [
        f'{re.sub(r"#.*", "", line)}\t# "twin"' if re.match(r'Switch.*"S[01]"', line) else line
        for line in text.split("\n")
    ]
    Path("twins.net").write_text("\n".join(lines))
    _, out, _ = call("verify", "plan", "twins.net", "--only", "TL503")
    found = next(line for line in out.splitlines() if line.startswith("TL503"))
    assert len(set(re.findall(r"\(twin (0x[0-9a-f]{16})\)", found))) == 2
