"""`run_app`: placements, shares, matrices, sweeps; what is refused, and what is left behind."""

import csv
import math
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from ring_trace import TORUS, ring

from topoloom import InputError, build, place, route
from topoloom.core.work import Work
from topoloom.simulation.applications.app_runs import compared
from topoloom.simulation.applications.placement import place_ranks
from topoloom.simulation.applications.program import CLOCK_STARTS, CLOCK_STOPS, RankTraces
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.run import matrix_of, run_app
from topoloom.simulation.applications.run_csv import links_csv, ranks_csv, runs_csv
from topoloom.simulation.applications.settings import PRESETS, AppSettings, with_changes
from topoloom.simulation.applications.sweep import Case, run_apps
from topoloom.simulation.applications.users_programs import program_from


@pytest.mark.simgrid
def test_shares_and_operations():
    """A rank that computes 1 ms and waits for what a message takes: the share, and operations a second."""
    run = run_app(TORUS, ring(8, 1_000_000, 1e8), 8)
    assert run.communication == pytest.approx(np.full(8, 1 - 1e-3 / run.seconds), rel=1e-6)
    assert run.mops == pytest.approx(8e8 / run.seconds / 1e6)
    slower = run_app(TORUS, ring(8, 1_000_000, 1e8), 8, settings=AppSettings(speed_gflops=10))
    assert slower.seconds == pytest.approx(run.seconds + 9e-3, rel=1e-3)
    assert {"seconds", "communication", "link_bytes", "settings", "placement"} <= run.record().keys()


@pytest.mark.simgrid
def test_faster_links_and_shorter_delays():
    """Rates and delays do what they say."""
    seconds = {
        name: run_app(TORUS, ring(8, 10_000_000, 0), 8, settings=settings).seconds
        for name, settings in {
            "as it is": AppSettings(),
            "twice": AppSettings(rate_gbps=80),
            "late": AppSettings(switch_ns=1e6),
            "smpi": AppSettings(model="smpi"),
        }.items()
    }
    assert seconds["twice"] < 0.6 * seconds["as it is"]
    assert seconds["late"] > seconds["as it is"] + 1e-3
    assert seconds["smpi"] != seconds["as it is"]


def around(ranks):
    """Who sends to whom in `ring`: each to the next, as much."""
    return np.roll(np.eye(ranks), 1, axis=1)


def test_placements(tmp_path):
    """Each host at most once; by rack in their order; from a file; optimised, a ring runs between neighbours."""
    routing = route(TORUS, "minimal")
    for how in ("linear", "random", "optimised"):
        homes = place_ranks(how, 32, routing, matrix=lambda: around(32))
        assert sorted(homes.tolist()) == list(range(32))
    layout = place(TORUS, "koibuchi-2013", map="rows")
    homes = place_ranks("rack", 20, routing, layout)
    rack = layout.rack[TORUS.endpoints[homes]]
    assert (np.diff(rack) >= 0).all()
    listed = tmp_path / "hosts.txt"
    listed.write_text("host3\n# a word\n7\n")
    assert place_ranks(f"file:{listed}", 2, routing).tolist() == [3, 7]
    (homes, other) = (place_ranks("random", 32, routing, seed=seed) for seed in (1, 2))
    assert homes.tolist() != other.tolist()


def test_an_optimised_ring_goes_short_ways():
    """The hops of all messages are fewer than at random."""
    routing = route(TORUS, "minimal")
    matrix = around(32)
    from topoloom.graph.distances import distance_matrix

    hops = distance_matrix(TORUS)[np.ix_(TORUS.endpoints, TORUS.endpoints)]

    def total(how):
        homes = place_ranks(how, 32, routing, matrix=lambda: matrix)
        return float((matrix * hops[np.ix_(homes, homes)]).sum())

    assert total("optimised") < 0.6 * total("random")


_EXCHANGES = """#include <mpi.h>
static char out[1000], in[1000];
int main(int c, char **v) {
  int rank, other;
  MPI_Comm row;
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = rank ^ 4;
  MPI_Sendrecv(out, 1000, MPI_CHAR, other, 0, in, 1000, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
  MPI_Bcast(out, 500, MPI_CHAR, 0, row);
  MPI_Finalize();
}
"""


@pytest.mark.simgrid
def test_a_matrix_counts_every_message(tmp_path):
    """Messages of traces and programs, both halves of an exchange, collectives among some of the ranks; 16 bytes more each."""
    routing = route(TORUS, "minimal")
    assert matrix_of(ring(4, 100, 0), 4, routing, AppSettings()).tolist() == (116 * around(4)).tolist()
    (tmp_path / "exchanges.c").write_text(_EXCHANGES)
    matrix = matrix_of(program_from(tmp_path / "exchanges.c"), 8, routing, AppSettings())
    for rank in range(8):
        # MPI_Comm_split gathers and spreads some bytes of its own.
        assert matrix[rank, rank ^ 4] >= 1016
        assert (matrix[rank, rank ^ 1] >= 516) == (rank % 2 == 0)
    assert matrix.sum() < 8 * 1016 + 4 * 516 + 8 * 400


@pytest.mark.parametrize(
    ("how", "ranks", "reason"),
    [
        ("linear", 33, "33 ranks, but only 32 hosts"),
        ("nearest", 4, "did you mean linear"),
        ("rack", 4, "needs racks"),
        ("file:/nowhere/hosts.txt", 4, "hosts.txt"),
        ("file:", 4, "the file is missing; write file:PATH"),
        ("random:4", 4, "only file takes a value"),
    ],
)
def test_placements_refused(how, ranks, reason):
    """One sentence each."""
    with pytest.raises(InputError, match=reason):
        place_ranks(how, ranks, route(TORUS, "minimal"))


@pytest.mark.simgrid
def test_several_runs_beside_a_baseline():
    """The baseline is 1 by itself; ratios are placement by placement; the table has one row per run."""
    cases = [
        Case(name, (route(build(name), "minimal"),), None, 1)
        for name in ("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1")
    ]
    runs = run_apps(cases, [ring(16, 100_000, 0)], 16, ["linear", "random*2"])
    ordered, ordered_full, torus, full = runs.compared
    assert [row.placement for row in (ordered, torus)] == ["linear", "random"]
    assert (torus.faster, torus.slowest, torus.fastest, torus.runs) == (1, 1, 1, 2)
    assert (ordered.runs, ordered_full.runs, full.runs) == (1, 1, 2)
    assert full.slowest <= full.faster <= full.fastest
    assert full.faster > 1
    assert len(runs_csv(runs).splitlines()) == 7
    assert all(math.isnan(row.faster) for row in compared(runs.runs[-3:], cases[0].name))


@pytest.mark.simgrid
def test_ranks_and_links_of_a_run():
    """Each rank with its host and switch; each link with its bytes and their share of what it could carry."""
    case = Case("torus", (route(TORUS, "minimal"),), None, 1)
    runs = run_apps([case], [ring(8, 100_000, 0)], 8, ["random"])
    ranks = list(csv.DictReader(ranks_csv(runs, [case]).splitlines()))
    assert [int(row["switch"]) for row in ranks] == TORUS.endpoints[[int(row["host"]) for row in ranks]].tolist()
    links = list(csv.DictReader(links_csv(runs, [case]).splitlines()))
    assert [(int(row["from"]), int(row["to"])) for row in links] == [tuple(link) for link in TORUS.links.tolist()]
    run = runs.runs[0]
    assert sum(int(row["bytes"]) + int(row["bytes_back"]) for row in links) == run.link_bytes.sum()
    for row in links:
        assert float(row["use_back"]) == pytest.approx(int(row["bytes_back"]) / (5e9 * run.seconds), abs=1e-6)


@pytest.mark.exhaustive
@pytest.mark.simgrid
def test_a_program_is_compared_by_its_own_measure():
    """An all-to-all by its time, without what surrounds it; a bandwidth by how much more there is; NAS by its clock."""
    cases = [
        Case(name, (route(build(name), "minimal"),), None, 1)
        for name in ("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1")
    ]
    runs = run_apps(cases, ["alltoall:bytes=8", "beff:bytes=8192", "ep:class=S"], 16)
    rows = [row for row in runs.compared if row.network == cases[1].name]
    assert [(row.measure, row.unit) for row in rows] == [("time", "s"), ("beff", "B/s"), ("clock", "s")]
    results = {(run.program.partition("(")[0], run.network): run for run in runs.runs}
    torus, full = ({program: results[program, case.name] for program in ("alltoall", "beff")} for case in cases)
    assert rows[0].faster == torus["alltoall"].results["time"].value / full["alltoall"].results["time"].value
    assert rows[1].faster == full["beff"].results["beff"].value / torus["beff"].results["beff"].value


@pytest.mark.simgrid
def test_mops_are_of_what_the_benchmark_times():
    """Operations over the seconds of the timed part alone, as it prints them, whether set-up and warm-up are there or not."""
    whole, timed = (run_app(TORUS, app, 16) for app in ("mg:class=S", "mg:class=S,untimed=no"))
    assert timed.mops == pytest.approx(whole.mops, rel=0.02)  # but that ranks begin at one time
    assert whole.results["clock"].value < 0.5 * whole.seconds
    operations = program_of("mg:class=S", 16).operations
    assert whole.mops == pytest.approx(operations / whole.results["clock"].value / 1e6)


@pytest.mark.simgrid
def test_a_clock_is_of_the_rank_that_takes_longest():
    """Marks in a trace: what is between them counts, and they take no time."""

    def text(rank):
        parts = [1e8, CLOCK_STARTS, 2e8 + rank * 1e8, CLOCK_STOPS, 3e8]
        return "".join(f"{rank} {line}\n" for line in ("init", *(f"compute {part:.12g}" for part in parts), "finalize"))

    run = run_app(TORUS, RankTraces("clocked", 2, text, operations=5e8, timed=False, marked=text))
    assert run.communication == pytest.approx([1 / 7, 0], abs=1e-6)
    assert run.results["clock"].value == pytest.approx(3e-3, rel=1e-9)
    assert run.mops == pytest.approx(5e8 / 3e-3 / 1e6)
    assert run.seconds == pytest.approx(7e-3, rel=1e-6)


def test_settings():
    """Read from text, with what is wrong in a sentence; the presets are what papers say."""
    assert with_changes(AppSettings(), ["rate_gbps=100", "model=smpi"]).rate_gbps == 100
    assert PRESETS["xu-2019"].speed_gflops == 8
    for change, reason in (
        ("rate=1", "no simulation setting 'rate' .did you mean rate_gbps"),
        ("rate_gbps=fast", "it is a number above 0"),
        ("rate_gbps=0", "it is a number above 0"),
        ("rate_gbps=inf", "it must be finite"),
        ("switch_ns=0.001", "it must be 0, or at least 0.1"),
        ("duplex=both", "duplex='both'; it is full or half"),
        ("cable_m=nan", "cable_m='nan'; it is a number from 0 or none"),
        ("algorithms=all2all:pair", "unknown operation all2all .did you mean"),
        ("model=tcp", "model='tcp'; it is plain or smpi"),
        ("algorithms=alltoall:", "operation:algorithm"),
        ("rate_gbps", "write KEY=VALUE"),
    ):
        with pytest.raises(InputError, match=reason):
            with_changes(AppSettings(), [change])


@pytest.mark.exhaustive
@pytest.mark.simgrid
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_whatever_ends_a_run_leaves_no_process_and_no_folder(tmp_path, sent, code):
    """Ended in the middle of a long program, by Ctrl-C or without a chance to tidy up: nothing of it is left."""
    (tmp_path / "long.c").write_text(
        "#include <mpi.h>\n#include <unistd.h>\nint main(int c, char **v) { MPI_Init(&c, &v); volatile double x = 0; for (;;) x"
        " += 1; MPI_Finalize(); }\n"
    )
    (tmp_path / "temp").mkdir()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "topoloom",
            "app",
            "torus:dims=3x3,hosts=1",
            "--mpi",
            str(tmp_path / "long.c"),
            "--ranks",
            "2",
        ],
        env={**os.environ, "TMPDIR": str(tmp_path / "temp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # CI ignores it
    )
    began = _comes(lambda: "smpimain" in _running(tmp_path))
    process.send_signal(sent)
    process.communicate(timeout=30)
    assert began
    assert process.returncode == code
    assert _comes(lambda: not list((tmp_path / "temp").iterdir()))
    assert _comes(lambda: not _running(tmp_path))


def _comes(true, seconds=30):
    """Whether something becomes true in time."""
    for _ in range(seconds * 20):
        if true():
            return True
        time.sleep(0.05)
    return False


def _running(folder):
    """The commands of processes that name a folder."""
    lines = subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return "\n".join(line for line in lines if str(folder) in line)


@pytest.mark.simgrid
def test_a_single_switch_and_several_ranks_a_host(tmp_path):
    """A network without links is a crossbar; a file may put more ranks on a host than there are hosts."""
    switch = build("complete:n=1,hosts=2")
    assert run_app(switch, ring(2, 1_000_000, 0)).seconds > 200e-6
    (tmp_path / "hosts.txt").write_text("0\n0\n1\n1\n")
    run = run_app(switch, ring(4, 1_000_000, 0), placement=f"file:{tmp_path / 'hosts.txt'}")
    assert run.homes.tolist() == [0, 0, 1, 1]

    def text(rank):
        return f"{rank} init\n{rank} compute {1e8 * (rank + 1)}\n{rank} finalize\n"

    run = run_app(switch, RankTraces("each", 4, text), placement=f"file:{tmp_path / 'hosts.txt'}")
    assert run.communication == pytest.approx([0.75, 0.5, 0.25, 0], abs=1e-6)


def test_algorithms_are_changed_one_by_one():
    """What is not named stays; blanks do not matter; nothing at all takes all away."""
    found = with_changes(AppSettings(), ["algorithms=alltoall:pair, bcast:NTSL"]).algorithms
    assert found.split(",") == ["alltoall:pair", "alltoallv:ring", "allreduce:rdb", "reduce:binomial", "bcast:NTSL"]
    assert with_changes(AppSettings(), ["algorithms="]).algorithms == ""


def test_a_sweep_refuses_before_it_runs():
    """The last program's typing error, another network's ranks, an unknown placement: nothing has run then."""
    cases = [
        Case(name, (route(build(name), "minimal"),), None, 1) for name in ("torus:dims=4x4,hosts=1", "ring:n=8,hosts=1")
    ]

    def refused(reason, *, cases=cases[:1], apps=("ep:class=S",), placements=("linear",)):
        with pytest.raises(InputError, match=reason):
            run_apps(cases, apps, None, placements, work=Work(on_result=lambda _: pytest.fail("it ran")))

    refused("no parameter 'clas'", apps=("ep:class=S", "cg:clas=S"))
    refused(
        r"different numbers of ranks cannot be compared \(torus:dims=4x4,hosts=1 16, ring:n=8,hosts=1 8\)", cases=cases
    )
    refused("no placement 'optimal'", placements=("linear", "optimal"))
