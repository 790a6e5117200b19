"""Growth in phases, checked cable by cable from the files, and the sums of what is bought."""

import csv
import math

import numpy as np
import pytest

from topoloom import InputError, build, open_network, phases, place, price, quality, route, save_phases
from topoloom.cabling.expansion.phases.dates import check_phases
from topoloom.cost.spares import Spares
from topoloom.network.opening import as_network
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.topologies.families.part import Arrival

ROOM = Housing(host=HostType(name="srv", u=8, power_w=10_000), rack=RackRule(u=48, power_w=45_000, price_usd=2_000))
#: Networks of the last phase, the hosts after each phase, and what comes later.
GROWING = {
    "two levels": ("fat-tree:k=8,hosts=32", [9, 20, 32], "tree"),
    "three levels": ("fat-tree:k=8,hosts=128", [32, 64, 128], "tree"),
    "uneven": ("fat-tree:k=8,hosts=100+populated:hosts=97", [50, 97], "tree"),
    "rails": ("fat-tree:k=16,hosts=128+rails:nics=4", [10, 16, 32], "tree"),
    "planes": ("fat-tree:k=8,hosts=32+planes:count=2", [16, 32], "tree"),
    "planes of rails": ("fat-tree:k=16,hosts=64+rails:nics=2+planes:count=2", [16, 32], "tree"),
    "dragonfly": ("dragonfly:a=4,h=2,p=2", [24, 72], "groups"),
    "dragonfly+": ("megafly:leaves=2,spines=2,p=2,h=2,g=5", [6, 20], "tree"),
    "slim fly": ("slimfly:q=5,hosts=4+populated:hosts=180", [90, 180], "whole"),
    "jellyfish": ("jellyfish:n=20,degree=4,hosts=2", [20, 40], "whole"),
}


def grown(name, *, housed=False):
    spec, hosts, _ = GROWING[name]
    by = ["2027-01", "2027-07", "2028"][: len(hosts)]
    return phases(place(build(spec), "koibuchi-2013", map="rows", housing=ROOM if housed else None), hosts, by)


def listed(folder):
    """Every cable of a folder's list by its number: kind, both ends with their ports, racks and product."""
    columns = ("a_switch", "a_port", "a_rack", "b_switch", "b_port", "b_rack")
    with (folder / "cables.csv").open(newline="") as file:
        return {
            row["cable"]: (
                row["kind"],
                row["product"],
                row["length_m"],
                frozenset([tuple(row[name] for name in columns[:3]), tuple(row[name] for name in columns[3:])]),
            )
            for row in csv.DictReader(file)
            if row["kind"] in {"link", "host"}
        }


@pytest.mark.parametrize("housed", [False, True], ids=["with switches", "in racks"])
@pytest.mark.parametrize("name", GROWING)
def test_the_cables_of_a_phase_are_cables_of_the_next(name, housed, tmp_path):
    """By the files: number, both ends with ports and racks, length and product; the new ones are those of new-cables.csv."""
    result = grown(name, housed=housed)
    assert result.kind == GROWING[name][2]
    assert [phase.hosts for phase in result.phases] == GROWING[name][1]
    save_phases(result, tmp_path / "grow")
    earlier = {}
    for phase in result.phases:
        folder = tmp_path / "grow" / str(phase.number)
        cables = listed(folder)
        assert earlier.items() <= cables.items()
        with (folder / "new-cables.csv").open(newline="") as file:
            assert {row["cable"] for row in csv.DictReader(file)} == cables.keys() - earlier.keys()
        assert phase.new_cables == len(cables) - len(earlier)
        assert phase.moved == 0
        network = open_network(folder)
        assert (network.topology.hosts, network.topology.switches) == (phase.hosts, phase.switches)
        assert network.bill.cost_usd == pytest.approx(result.networks[phase.number - 1].bill.cost_usd)
        earlier = cables
    assert len(earlier) == len(build(GROWING[name][0]).links) + build(GROWING[name][0]).endpoints.size


@pytest.mark.parametrize("spares", [None, Spares(switches=1, cables=2)], ids=["no spares", "spares"])
@pytest.mark.parametrize("name", GROWING)
def test_purchases_add_up_to_the_bill_of_the_last_phase(name, spares):
    """Counts and costs of all purchases are those of the network's own bill: nothing is left over, and nothing is missing.

    A spare cable costs the mean of its product, which is that of the phase in which it is bought.
    """
    layout = place(build(GROWING[name][0]), "koibuchi-2013", map="rows", housing=ROOM)
    network = as_network(layout).priced(spares=False if spares is None else spares)
    result = phases(network, GROWING[name][1])
    bill = price(network)
    counts, cost_usd = {}, 0.0
    for _, bought in result.purchases():
        for line in bought.lines:
            counts[line.item] = counts.get(line.item, 0) + line.count
        cost_usd += bought.cost_usd
    left = {line.item: line.count for line in result.left_over}
    assert {item: count - left.get(item, 0) for item, count in counts.items()} == {
        line.item: line.count for line in bill.lines
    }
    assert not left
    assert result.cost_usd == pytest.approx(cost_usd)
    assert result.cost_usd == pytest.approx(bill.cost_usd, rel=1e-9 if spares is None else 1e-3)
    ordered = sum(lot.count for phase in result.phases for lot in phase.orders)
    assert ordered == sum(lot.count for lot in price(network, orders=True).orders)
    assert sum(sum(phase.new_switches.values()) for phase in result.phases) == bill.switches
    assert sum(phase.new_racks for phase in result.phases) == bill.racks
    assert result.phases[-1].ports_reserved == 0
    assert math.isclose(result.phases[-1].power_w, bill.power_w)


@pytest.mark.parametrize("name", ["rails", "slim fly"])
def test_the_items_of_all_phases_are_those_of_the_last_bill(name, tmp_path):
    """By part number and length, with spares; the table states the phase of each row, and has the same sum."""
    layout = place(build(GROWING[name][0]), "koibuchi-2013", map="rows", housing=ROOM)
    network = as_network(layout).priced(parts="ethernet-2026", rate_gbps=400, spares=Spares(switches=5, cables=2))
    result = phases(network, GROWING[name][1], ["2027-01", "2027-07", "2028"][: len(GROWING[name][1])])
    bought, last = {}, {}
    for _, bill in result.purchases():
        for item in bill.items:
            counts = bought.setdefault((item.kind, item.product, item.part_number, item.length_m), [0, 0])
            counts[0] += item.count
            counts[1] += item.spares
    for item in result.networks[-1].bill.items:
        counts = last.setdefault((item.kind, item.product, item.part_number, item.length_m), [0, 0])
        counts[0] += item.count
        counts[1] += item.spares
    assert bought == last
    result.save(tmp_path / "what.csv")
    rows = list(csv.DictReader((tmp_path / "what.csv").open(newline="")))
    assert {row["phase"] for row in rows} == {f"{phase.number} ({phase.by})" for phase in result.phases}
    assert sum(int(row["to_order"]) for row in rows) == sum(map(sum, last.values()))


def test_each_phase_has_its_order_per_vendor(tmp_path):
    """A sheet per phase and vendor; a record has no items."""
    openpyxl = pytest.importorskip("openpyxl")
    network = as_network(build("fat-tree:k=64,hosts=128")).priced(parts="infiniband-2026", rate_gbps=400)
    result = phases(network, [64, 128], ["2027-01", "2027-07"])
    result.save(tmp_path / "what.xlsx")
    titles = openpyxl.load_workbook(tmp_path / "what.xlsx").sheetnames
    assert {"Order 1 NVIDIA", "Order 2 NVIDIA"} <= set(titles)
    with pytest.raises(InputError, match="phases that are read from a record have no items to buy"):
        type(result).from_record(result.record()).save(tmp_path / "again.csv")


def test_the_last_phase_is_the_network_of_the_spec(tmp_path):
    """With the numbers of numbers.csv: links and hosts are those of the spec, and the file has them."""
    result = grown("three levels")
    last, spec = result.networks[-1].layout.topology, build("fat-tree:k=8,hosts=128")
    assert last.replace(links=result.number[last.links]).links.tolist() == spec.links.tolist()
    assert np.array_equal(np.sort(result.number[last.endpoints]), spec.endpoints)
    save_phases(result, tmp_path / "grow")
    rows = [line.split(",") for line in (tmp_path / "grow" / "numbers.csv").read_text().splitlines()[1:]]
    assert [int(number) for _, number in rows] == result.number.tolist()


def test_each_cable_of_a_phase_keeps_its_rate(tmp_path):
    """Hosts of 25G under uplinks of 100G; half of the leaves later. A spine is bought with its ports of the last phase.

    By hand: 8 leaves of 4 hosts and 4 uplinks, 4 spines of 8 ports at 100G, also where 4 leaves stand.
    """
    network = as_network(build("fat-tree:k=8,hosts=32+rates:links=100,hosts=25")).priced(parts="slimfly-2014")
    result = phases(network, [16, 32])
    save_phases(result, tmp_path / "grow")
    earlier = {}
    for phase in result.phases:
        with (tmp_path / "grow" / str(phase.number) / "cables.csv").open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["kind"] in {"link", "host"}]
        ends = ("a_switch", "a_port", "b_switch", "b_port")
        cables = {row["cable"]: (row["rate_gbps"], *(row[end] for end in ends)) for row in rows}
        assert earlier.items() <= cables.items()
        assert [row["rate_gbps"] for row in rows] == [{"link": "100", "host": "25"}[row["kind"]] for row in rows]
        earlier = cables
    first, last = (network.bill for network in result.networks)
    assert [line.count for line in first.lines if line.kind == "switch"] == [4, 4]
    one = [
        {line.item: line.cost_usd / line.count for line in bill.lines if line.kind == "switch"}
        for bill in (first, last)
    ]
    assert one[0] == pytest.approx(one[1])
    assert result.left_over == ()
    assert result.cost_usd == pytest.approx(price(network).cost_usd)


def test_a_part_of_several_rates_is_bought_for_its_growth(tmp_path):
    """A spine of the part has the 8 ports of the whole network, of which 4 wait; its bill is that of the first phase."""
    spec = "fat-tree:k=8,hosts=32+rates:links=100,hosts=25"
    part = price(place(build(f"{spec}+part:hosts=16"), map="rows"))
    first = phases(place(build(spec), map="rows"), [16, 32]).networks[0].bill
    bought = {line.item: (line.count, line.cost_usd) for line in part.lines if line.kind == "switch"}
    assert bought == {line.item: (line.count, line.cost_usd) for line in first.lines if line.kind == "switch"}
    assert part.ports_bought == 4 * 8 + 4 * 8
    as_network(place(build(f"{spec}+part:hosts=16"), map="rows")).save(tmp_path / "part")
    assert price(tmp_path / "part").ports_bought == part.ports_bought


@pytest.mark.exhaustive
def test_half_now_and_half_later():
    """512 hosts on 32 ports, by hand: 16 leaves and 16 spines, then 16 leaves; the spines keep 256 ports free."""
    result = phases("fat-tree:k=32,hosts=512", [256, 512], ["2027-01", "2027-07"])
    assert [phase.new_switches for phase in result.phases] == [{"leaf": 16, "spine": 16}, {"leaf": 16}]
    assert [(phase.new_cables, phase.ports_reserved) for phase in result.phases] == [(512, 256), (512, 0)]
    assert [phase.oversubscription <= 1 for phase in result.phases] == [True, True]


def test_the_tables_of_each_phase_are_those_of_its_network():
    """What `quality` and the verifier say of the same network: three groups of a Dragonfly carry less than all nine."""
    result = phases("dragonfly:a=4,h=2,p=2", [24, 72], verify=True)
    for phase, network in zip(result.phases, result.networks, strict=True):
        tables = route(network.layout.topology, phase.tables.engine)
        measured = quality(tables)
        assert phase.tables.uniform_throughput == pytest.approx(measured.uniform_throughput)
        assert phase.tables.max_hops == tables.verification.max_hops
        assert phase.tables.deadlock_free
    assert [round(phase.tables.uniform_throughput, 2) for phase in result.phases] == [0.34, 1]
    assert phases("dragonfly:a=4,h=2,p=2", [24, 72]).verified() == []


@pytest.mark.exhaustive
def test_cores_of_two_planes_come_first():
    """16,384 to 24,576 hosts in two planes of 128-port switches, by hand.

    Per plane 24,576 / 64 = 384 leaves in 6 pods of 64, and 6 x 64 aggregation switches; their 64 uplinks are equal bundles of
    16 to 4 cores per position (3 do not divide 64), so 256 cores. 16,384 hosts need 256 leaves in 4 pods.
    """
    result = phases("fat-tree:k=128,hosts=24576+planes:count=2", [16_384, 24_576])
    assert [phase.new_switches for phase in result.phases] == [
        {"leaf": 512, "aggregation": 512, "core": 512},
        {"leaf": 256, "aggregation": 256},
    ]
    assert result.moved == 0
    assert result.planes == 2
    assert any("A plane may come later" in sentence for sentence in result.timing())


@pytest.mark.parametrize("spec", ["slimfly:q=5,hosts=4", "torus:dims=4x4,hosts=3", "jellyfish:n=20,degree=4,hosts=2"])
def test_networks_without_parts_come_at_once_and_fill_evenly(spec):
    """All switches come in the first phase, and no switch has two hosts more than another."""
    whole = build(spec)
    part = build(f"{spec}+part:hosts={whole.hosts // 2 + 3}")
    assert Arrival(whole, (whole.hosts // 2, whole.hosts)).kind == "whole"
    assert part.switches == whole.switches
    assert part.hosts == whole.hosts // 2 + 3
    assert np.ptp(part.endpoints_at) <= 1


def test_the_part_of_all_hosts_is_the_network():
    """Nothing is left out, and no host is beyond the capacity."""
    assert build("fat-tree:k=8,hosts=32+part:hosts=32") == build("fat-tree:k=8,hosts=32")
    with pytest.raises(InputError, match="it has 32 hosts, so its part cannot have 33; use at most 32"):
        build("fat-tree:k=8,hosts=32+part:hosts=33")


@pytest.mark.parametrize(
    ("hosts", "by", "reason"),
    [
        ([], [], "there is no phase"),
        ([20, 10], [], "phase 2 has 10 hosts and phase 1 20; every phase must have more hosts"),
        ([10, 10], [], "phase 2 has 10 hosts and phase 1 10; every phase must have more hosts"),
        ([10, 32], ["2027-07", "2027-01"], r"phase 2 is needed by 2027-01, before an earlier phase \(2027-07\)"),
        ([10, 20, 32], ["2028", "", "2027-12"], r"phase 3 is needed by 2027-12, before an earlier phase \(2028\)"),
        ([0, 32], [], "phase 1 has 0 hosts; every phase needs at least one"),
        ([10, 32], ["2027-01", "2027-01"], "phase 2 is needed by 2027-01, as the phase before; make both one phase"),
        ([10, 32], ["2027-02-30", ""], "phase 1 is needed by 2027-02-30, a day that its month does not have"),
        ([10.5, 32], [], "the hosts after each phase are whole numbers"),
        ("10,32", [], "the hosts after each phase are whole numbers"),
        (32, [], "the hosts after each phase are whole numbers"),
        ([10, 32], [2027, 2028], "the dates of phases are texts"),
        ([10, 32], "2027", "the dates of phases are texts"),
        ([10, 32], ["soon", ""], "phase 1 is needed by 'soon'; write a date"),
        ([10, 32], ["2027"], "there are 1 dates for 2 phases"),
        ([10, 64], [], "the last phase has 64 hosts, which is beyond its capacity: the network has 32"),
        ([10, 30], [], "the last phase has 30 hosts, which is too few: the network has 32"),
    ],
)
def test_bad_phases_are_one_sentence(hosts, by, reason):
    """The sentence names the phase."""
    with pytest.raises(InputError, match=reason):
        phases("fat-tree:k=8,hosts=32", hosts, by)


def test_good_dates_are_taken():
    """A month and one of its days may follow each other; a phase may have no date."""
    check_phases([1, 2, 3, 4], ["2027", "2027-03", "", "2027-03-15"])
