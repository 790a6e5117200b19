"""The phases of a requirement: a design is sized for the last one, and its folder has what each phase buys."""

import json
import shutil
import sys

import pytest

from topoloom import Design, InputError, design, open_network, phases, price
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.phases import with_phase_figures
from topoloom.designer.requirement_files import read_requirement
from topoloom.report.design_files import write_design

HALF = """\
hosts = 32
shortlist = 1
minutes = 1000
repeats = 1
usual = false
[switch]
radix = 8
[families]
try = ["fat-tree"]
[limits]
oversubscription = 1.05
[search]
networks = 0
"""


def required(tmp_path, *phases):
    tables = "".join(f'[[phase]]\nhosts = {hosts}\nby = "{by}"\n' for hosts, by in phases)
    path = tmp_path / "half.toml"
    path.write_text(HALF + tables)
    return path


@pytest.fixture(scope="module")
def winner(tmp_path_factory):
    """A design in two phases without a shortlist, and its folder."""
    path = tmp_path_factory.mktemp("winner")
    made = design(required(path, (16, "2027-01"), (32, "2027-07")), shortlist=0, jobs=1)
    write_design(made, path / "out")
    return made, path / "out"


@pytest.mark.exhaustive
def test_a_design_has_the_phases_of_its_winner(winner, tmp_path):
    """Without a shortlist: 4 leaves and 4 spines for 16 hosts, then 4 leaves; in the record, the folder, and the report."""
    made, folder = winner
    grown = made.phases_of(made.best)
    assert [phase.new_switches for phase in grown.phases] == [{"leaf": 4, "spine": 4}, {"leaf": 4}]
    assert [phase.by for phase in grown.phases] == ["2027-01", "2027-07"]
    assert grown.moved == 0
    assert grown.cost_usd == pytest.approx(made.winner.cost_usd)
    again = Design.from_record(json.loads(json.dumps(made.record())))
    assert again.record() == made.record()
    assert open_network(folder / "phases" / "1").topology.hosts == 16
    report = (folder / "report.html").read_text()
    assert "ports kept free" in report
    assert "2027-07" in report
    shutil.copytree(folder, tmp_path / "out")
    write_design(design(required(tmp_path), shortlist=0, jobs=1), tmp_path / "out")
    assert not (tmp_path / "out" / "phases" / "1" / "cables.csv").exists()


@pytest.fixture
def in_phases(winner):
    return winner[1]


@pytest.fixture
def with_growth(tmp_path):
    """The folder of a design that grows further than its hosts."""
    path = required(tmp_path, (16, "2027-01"), (32, "2027-07"))
    path.write_text(path.read_text().replace("[limits]", "[least]\ngrow_to_hosts = 64\n[limits]"))
    write_design(design(path, shortlist=0, jobs=1), tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "counts"), [("in_phases", [16, 32]), ("with_growth", [16, 32, 64])])
def test_workbooks_are_those_of_the_commands(name, counts, tmp_path, request):
    """What `cost -o` and `phases -o` write from the folder, byte by byte; of a growth, from the folder of its last phase."""
    folder = request.getfixturevalue(name)
    last = open_network(folder / "phases" / str(len(counts)) if name == "with_growth" else folder)
    price(folder, orders=True).save(tmp_path / "bill.xlsx")
    phases(last, counts, ["2027-01", "2027-07", ""][: len(counts)]).save(tmp_path / "phases.xlsx")
    for workbook in ("bill.xlsx", "phases.xlsx"):
        assert (folder / workbook).read_bytes() == (tmp_path / workbook).read_bytes()


@pytest.mark.exhaustive
def test_a_missing_workbook_has_its_reason(tmp_path, monkeypatch):
    """Without openpyxl there is a file that says so, which goes when the workbook comes."""
    made = design(required(tmp_path, (16, ""), (32, "")), shortlist=0, jobs=1)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "openpyxl", None)
        write_design(made, tmp_path / "out")
    for name in ("bill.xlsx", "phases.xlsx"):
        assert "openpyxl" in (tmp_path / "out" / f"{name}-not-written.txt").read_text()
        assert not (tmp_path / "out" / name).exists()
    write_design(made, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").glob("*.xlsx*")) == ["bill.xlsx", "phases.xlsx"]


def test_phases_are_figures_of_the_assessment():
    """Cost, moved cables and kept ports of each phase; the costs add up to the bill. A network without phases has none."""
    spec = "fat-tree:k=8,hosts=32"
    grown = phases(spec, [16, 32], ["2027-01", "2027-07"])
    with_phases, without = with_phase_figures(
        [Assessment("a", spec, 32, ()), Assessment("b", "ring:n=8,hosts=4", 32, ())], [grown], "USD"
    )
    assert without.figures == ()
    assert with_phases.value("phase_1_usd") + with_phases.value("phase_2_usd") == pytest.approx(price(spec).cost_usd)
    assert [with_phases.value(f"phase_{number}_moved") for number in (1, 2)] == [0, 0]
    # 4 of 8 leaves stand: each of the 4 spines keeps 4 of its 8 ports free.
    assert [with_phases.value(f"phase_{number}_reserved") for number in (1, 2)] == [16, 0]
    assert with_phases.figure("phase_2_usd").label == "cost of phase 2, to 32 hosts by 2027-07"


@pytest.mark.exhaustive
def test_each_network_of_the_shortlist_has_its_phases(tmp_path):
    """In its own folder, from which every command opens each phase."""
    made = design(required(tmp_path, (8, ""), (32, "")), jobs=2)
    write_design(made, tmp_path / "out")
    assert [phases.spec for phases in made.phases] == [assessed.spec for assessed in made.shortlist]
    for number, grown in enumerate(made.phases, 1):
        folder = tmp_path / "out" / "shortlist" / str(number) / "phases"
        assert open_network(folder / "1").topology.hosts == 8
        assert open_network(folder / "2").bill.switches == grown.networks[-1].bill.switches
        figures = json.loads((folder.parent / "assessment.json").read_text())["figures"]
        costs = [figure["value"] for figure in figures if figure["key"] in {"phase_1_usd", "phase_2_usd"}]
        assert sum(costs) == pytest.approx(open_network(folder.parent).bill.cost_usd)
        price(folder.parent, orders=True).save(tmp_path / "bill.xlsx")
        phases(open_network(folder.parent), [8, 32]).save(tmp_path / "phases.xlsx")
        for name in ("bill.xlsx", "phases.xlsx"):
            assert (folder.parent / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize(
    ("phases", "reason"),
    [
        ([(16, ""), (8, "")], r"half.toml:17: phase 2 has 8 hosts and phase 1 16; every phase must have more hosts"),
        ([(16, ""), (16, ""), (32, "")], r"half.toml:17: phase 2 has 16 hosts and phase 1 16"),
        ([(16, "2027-07"), (32, "2027-01")], r"half.toml:17: phase 2 is needed by 2027-01, before an earlier phase"),
        ([(16, "in spring"), (32, "")], r"half.toml:14: phase 1 is needed by 'in spring'; write a date"),
        ([(16, ""), (64, "")], r"half.toml:17: phase 2 has 64 hosts, but hosts = 32; the last phase must have"),
        ([(16, "")], r"half.toml:14: phase 1 has 16 hosts, but hosts = 32"),
        ([(0, ""), (32, "")], r"half.toml:15: phase.*hosts"),
    ],
)
def test_bad_phases_are_one_sentence_with_their_line(tmp_path, phases, reason):
    """The line is that of the phase's table."""
    with pytest.raises(InputError, match=reason) as caught:
        read_requirement(required(tmp_path, *phases))
    assert "\n" not in str(caught.value)


def test_each_phase_keeps_the_limits_on_its_tables(tmp_path):
    """A balanced Dragonfly carries 1.0 with all 9 groups, and a third with three: two of a group's 8 global links are used.

    By hand, three groups of 4 switches and 8 hosts: 16 of the other 23 hosts are in two other groups, so 8 x 16 / 23 hosts'
    rates go over 2 links: 0.36.
    """
    path = required(tmp_path, (24, ""), (72, ""))
    path.write_text(
        path.read_text()
        .replace("hosts = 32", "hosts = 72", 1)
        .replace('"fat-tree"', '"dragonfly"')
        .replace("1.05", "1.2")
    )
    made = design(path, shortlist=0, jobs=1)
    failed = {dropped.spec: dropped for dropped in made.dropped}["dragonfly:a=4,h=2,p=2,g=9,wiring=absolute"]
    assert failed.limit == "oversubscription"
    assert failed.reason.endswith("but 0.833 is needed, in phase 1 of 24 hosts")


@pytest.mark.exhaustive
def test_the_tables_of_each_phase_are_in_the_design(tmp_path):
    """Free of deadlock by the verifier, with the throughput of the phase's own network; on the page, too."""
    made = design(required(tmp_path, (16, "2027-01"), (32, "2027-07")), shortlist=0, jobs=1)
    tables = [phase.tables for phase in made.phases_of(made.best).phases]
    assert [own.deadlock_free for own in tables] == [True, True]
    assert [own.uniform_throughput for own in tables] == pytest.approx([1, 1])
    assert [own.max_hops for own in tables] == [2, 2]
    write_design(made, tmp_path / "out")
    assert "are free of deadlock, verified" in (tmp_path / "out" / "report.html").read_text()
