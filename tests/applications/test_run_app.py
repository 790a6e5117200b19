"""`run_app`: placements, shares, matrices, the user's programs; what is refused, and what is left behind."""

import csv
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from topoloom import InputError, build, place, route
from topoloom.applications.own import program_from, trace_from
from topoloom.applications.placement import place_ranks
from topoloom.applications.program import Trace
from topoloom.applications.run import matrix_of, plain, run_app
from topoloom.applications.run_csv import links_csv, ranks_csv, runs_csv
from topoloom.applications.settings import PRESETS, Settings, changed
from topoloom.applications.sweep import Case, compared, run_all

TORUS = build("torus:dims=4x4,hosts=2")


def ring(ranks, bytes_, flops):
    """Each rank computes, sends to the next and receives from the one before."""

    def text(rank):
        after, before = (rank + 1) % ranks, (rank - 1) % ranks
        lines = ["init", f"compute {flops}", f"isend {after} 0 {bytes_} 6", f"recv {before} 0 {bytes_} 6", "waitall 1"]
        return "".join(f"{rank} {line}\n" for line in (*lines, "finalize"))

    return Trace("ring", ranks, text, operations=ranks * flops)


@pytest.mark.simgrid
def test_shares_and_operations():
    """A rank that computes 1 ms and waits for what a message takes: the share, and operations a second."""
    run = run_app(TORUS, ring(8, 1_000_000, 1e8), 8)
    assert run.communication == pytest.approx(np.full(8, 1 - 1e-3 / run.seconds), rel=1e-6)
    assert run.mops == pytest.approx(8e8 / run.seconds / 1e6)
    slower = run_app(TORUS, ring(8, 1_000_000, 1e8), 8, settings=Settings(speed_gflops=10))
    assert slower.seconds == pytest.approx(run.seconds + 9e-3, rel=1e-3)
    assert {"seconds", "communication_share", "link_bytes", "settings", "placement"} <= plain(run).keys()


@pytest.mark.simgrid
def test_faster_links_and_shorter_delays():
    """Rates and delays do what they say."""
    seconds = {
        name: run_app(TORUS, ring(8, 10_000_000, 0), 8, settings=settings).seconds
        for name, settings in {
            "as it is": Settings(), "twice": Settings(rate_gbps=80), "late": Settings(switch_ns=1e6),
            "smpi": Settings(model="smpi"),
        }.items()
    }  # fmt: skip
    assert seconds["twice"] < 0.6 * seconds["as it is"]
    assert seconds["late"] > seconds["as it is"] + 1e-3
    assert seconds["smpi"] != seconds["as it is"]


def around(ranks):
    """Who sends to whom in `ring`: each to the next, as much."""
    return np.roll(np.eye(ranks), 1, axis=1)


def test_placements(tmp_path):
    """Each host at most once; by cabinet in their order; from a file; optimised, a ring runs between neighbours."""
    routing = route(TORUS, "minimal")
    for how in ("linear", "random", "optimised"):
        homes = place_ranks(how, 32, routing, matrix=lambda: around(32))
        assert sorted(homes.tolist()) == list(range(32))
    layout = place(TORUS, "koibuchi-2013", map="rows")
    homes = place_ranks("cabinet", 20, routing, layout)
    cabinet = layout.cabinet[TORUS.endpoints[homes]]
    assert (np.diff(cabinet) >= 0).all()
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
    assert matrix_of(ring(4, 100, 0), 4, routing, Settings()).tolist() == (116 * around(4)).tolist()
    (tmp_path / "exchanges.c").write_text(_EXCHANGES)
    matrix = matrix_of(program_from(tmp_path / "exchanges.c"), 8, routing, Settings())
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
        ("cabinet", 4, "needs cabinets"),
        ("file:/nowhere/hosts.txt", 4, "hosts.txt"),
        ("file:", 4, "which file"),
        ("random:4", 4, "only file takes something"),
    ],
)
def test_placements_refused(how, ranks, reason):
    """One sentence each."""
    with pytest.raises(InputError, match=reason):
        place_ranks(how, ranks, route(TORUS, "minimal"))


@pytest.mark.simgrid
def test_several_runs_beside_a_baseline():
    """The baseline is 1 by itself; ratios are placement by placement; the table has a row a run."""
    cases = [
        Case(name, route(build(name), "minimal"), None, 1)
        for name in ("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1")
    ]
    runs = run_all(cases, [ring(16, 100_000, 0)], 16, [("linear", 1), ("random", 1), ("random", 2)], Settings())
    ordered, ordered_full, torus, full = compared(runs, cases[0].name)
    assert [row.placement for row in (ordered, torus)] == ["linear", "random"]
    assert (torus.faster, torus.slowest, torus.fastest, torus.runs) == (1, 1, 1, 2)
    assert (ordered.runs, ordered_full.runs, full.runs) == (1, 1, 2)
    assert full.slowest <= full.faster <= full.fastest
    assert full.faster > 1
    assert len(runs_csv(runs).splitlines()) == 7
    assert all(math.isnan(row.faster) for row in compared(runs[-3:], cases[0].name))


@pytest.mark.simgrid
def test_ranks_and_links_of_a_run():
    """Each rank with its host and switch; each link with its bytes and their share of what it could carry."""
    case = Case("torus", route(TORUS, "minimal"), None, 1)
    runs = run_all([case], [ring(8, 100_000, 0)], 8, [("random", 1)], Settings())
    ranks = list(csv.DictReader(ranks_csv(runs).splitlines()))
    assert [int(row["switch"]) for row in ranks] == TORUS.endpoints[[int(row["host"]) for row in ranks]].tolist()
    links = list(csv.DictReader(links_csv(runs).splitlines()))
    assert [(int(row["from"]), int(row["to"])) for row in links] == [tuple(link) for link in TORUS.links.tolist()]
    run = runs[0][1]
    assert sum(int(row["bytes"]) + int(row["bytes_back"]) for row in links) == run.link_bytes.sum()
    for row in links:
        assert float(row["use_back"]) == pytest.approx(int(row["bytes_back"]) / (5e9 * run.seconds), abs=1e-6)


@pytest.mark.simgrid
def test_a_program_is_compared_by_its_own_measure():
    """An all-to-all by its time, without what surrounds it; a bandwidth by how much more there is; a trace by its seconds."""
    cases = [
        Case(name, route(build(name), "minimal"), None, 1)
        for name in ("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1")
    ]
    runs = run_all(cases, ["alltoall:bytes=8", "beff:bytes=8192", "ep:class=S"], 16, [("linear", 1)], Settings())
    rows = [row for row in compared(runs, cases[0].name) if row.topology == cases[1].name]
    assert [(row.measure, row.unit) for row in rows] == [("time", "s"), ("beff", "B/s"), ("seconds", "s")]
    results = {(run.program.partition("(")[0], case.name): run for case, run in runs}
    torus, full = ({program: results[program, case.name] for program in ("alltoall", "beff")} for case in cases)
    assert rows[0].faster == torus["alltoall"].results["time"][0] / full["alltoall"].results["time"][0]
    assert rows[1].faster == full["beff"].results["beff"][0] / torus["beff"].results["beff"][0]


@pytest.mark.simgrid
def test_mops_are_of_what_the_benchmark_times():
    """Operations over the seconds of the timed part alone, as it prints them; none of a run with set-up and warm-up."""
    assert np.isnan(run_app(TORUS, "mg:class=S", 16).mops)
    timed = run_app(TORUS, "mg:class=S,untimed=no", 16)
    assert timed.mops > 0


@pytest.mark.simgrid
def test_the_users_program(tmp_path):
    """A file, a folder of files, a Makefile that uses the usual variables; what does not compile says where."""
    (tmp_path / "one.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { MPI_Init(&c, &v); int r; MPI_Comm_rank("
        'MPI_COMM_WORLD, &r); if (!r) printf("with %s\\n", c > 1 ? v[1] : "nothing"); MPI_Finalize(); }\n'
    )
    run = run_app(TORUS, program_from(tmp_path / "one.c", ("words",)), 4)
    assert run.output.strip() == "with words"
    assert run_app(TORUS, program_from(tmp_path), 2).output.strip() == "with nothing"
    (tmp_path / "Makefile").write_text("prog: one.c\n\t$(MPICC) one.c -o prog\nboth: prog\n\t$(MPICC) one.c -o other\n")
    assert run_app(TORUS, program_from(tmp_path, make="prog"), 2).output.strip() == "with nothing"
    assert not (tmp_path / "prog").exists()
    with pytest.raises(InputError, match="make both builds 2 MPI programs"):
        program_from(tmp_path, make="both")
    with pytest.raises(InputError, match="make none fails"):
        program_from(tmp_path, make="none")
    (tmp_path / "bad.c").write_text("int main( {}\n")
    with pytest.raises(InputError, match=r"bad.c: it does not compile: .*bad.c:1:"):
        program_from(tmp_path / "bad.c")
    (tmp_path / "latin.c").write_bytes(b"int main( { /* caf\xe9 */ }\n")
    with pytest.raises(InputError, match=r"latin.c: it does not compile: .*latin.c:1:"):
        program_from(tmp_path / "latin.c")


_SAYS = (
    '#include <mpi.h>\n#include <stdio.h>\n#include "inner/what.h"\nint main(int c, char **v) {{ MPI_Init(&c, &v);'
    " puts(WHAT); {} MPI_Finalize(); return 0; }}\n"
)


@pytest.mark.simgrid
def test_what_a_program_includes_may_change(tmp_path):
    """A header in a folder below: the next run has what is there now; and any bytes may be printed."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "says.c").write_text(_SAYS.format(""))
    for text, printed in ((b'#define WHAT "one"\n', "one"), (b'#define WHAT "caf\xe9"\n', "caf\ufffd")):
        (tmp_path / "inner" / "what.h").write_bytes(text)
        assert run_app(TORUS, program_from(tmp_path / "says.c"), 1).output.strip() == printed


@pytest.mark.simgrid
def test_a_program_runs_where_its_user_is(tmp_path, monkeypatch):
    """It reads and writes files there."""
    monkeypatch.chdir(tmp_path)
    Path("copies.c").write_text(
        '#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int n; MPI_Init(&c, &v); FILE *in = fopen("in.txt",'
        ' "r"), *out = fopen("out.txt", "w"); fscanf(in, "%d", &n); fprintf(out, "%d", n + 1); fclose(out); MPI_Finalize();'
        " return 0; }\n"
    )
    Path("in.txt").write_text("41")
    run_app(TORUS, program_from("copies.c"), 1)
    assert Path("out.txt").read_text() == "42"


@pytest.mark.simgrid
def test_modules_come_before_what_uses_them(tmp_path):
    """A folder of Fortran sources whose names are in the wrong order; and folders that are built already."""
    (tmp_path / "a_main.f90").write_text(
        "program main\nuse zconst\ninclude 'mpif.h'\ncall MPI_INIT(i)\nprint *, 'value', seven\ncall MPI_FINALIZE(i)\nend\n"
    )
    (tmp_path / "zconst.f90").write_text("module zconst\ninteger, parameter :: seven = 7\nend module\n")
    assert run_app(TORUS, program_from(tmp_path), 1).output.split() == ["value", "7"]
    (tmp_path / "Makefile").write_text("prog: zconst.f90 a_main.f90\n\t$(MPIFC) $^ -o prog\n")
    shutil.copy("/bin/true", tmp_path / "prog")
    assert run_app(TORUS, program_from(tmp_path, make="prog"), 1).output.split() == ["value", "7"]


@pytest.mark.simgrid
def test_a_folder_as_the_nas_benchmarks_are_delivered(tmp_path):
    """Its configuration is a template, which names another MPI's libraries, and a helper is built with CC and runs."""
    program = (
        '#include <mpi.h>\n#include <stdio.h>\n#include "size.h"\nint main(int c, char **v) { MPI_Init(&c, &v);'
        ' printf("%d\\n", SIZE); MPI_Finalize(); }\n'
    )
    helper = '#include <stdio.h>\nint main(void) { printf("#define SIZE 7\\n"); }\n'
    definitions = "MPICC = cc\nCMPI_LIB = -L/nowhere -lnone\nCMPI_INC = -I/nowhere\nCC = cc -g\n"
    rules = (
        "include config/make.def\nprog: prog.c\n\t$(CC) helper.c -o helper\n\t./helper > size.h\n"
        "\t$(MPICC) $(CMPI_INC) prog.c -o $@ $(CMPI_LIB)\n"
    )
    (tmp_path / "config").mkdir()
    for name, text in {
        "prog.c": program, "helper.c": helper, "config/make.def.template": definitions, "Makefile": rules,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    assert run_app(TORUS, program_from(tmp_path, make="prog"), 1).output.strip() == "7"
    assert not (tmp_path / "config" / "make.def").exists()


@pytest.mark.simgrid
def test_a_program_that_fails_or_waits_for_ever(tmp_path):
    """SimGrid's own words in one line; nothing is left in the folder for temporary files."""
    (tmp_path / "stuck.c").write_text(
        "#include <mpi.h>\nint main(int c, char **v) { int x; MPI_Init(&c, &v); MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,"
        " MPI_STATUS_IGNORE); MPI_Finalize(); }\n"
    )
    (tmp_path / "fails.c").write_text(
        "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Abort(MPI_COMM_WORLD, 3); }\n"
    )
    start = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) { MPI_Init(&c, &v);"
    (tmp_path / "crashes.c").write_text(
        start + ' puts("relative error: fine"); fflush(stdout); *(volatile int *)0 = 1; MPI_Finalize(); }\n'
    )
    (tmp_path / "leaves.c").write_text(start + ' puts("input.dat: no such file"); exit(3); }\n')
    for name, reason in {
        "stuck": "[Dd]eadlock", "fails": "MPI_Abort was called", "crashes": "it crashed: Segmentation fault",
        "leaves": "a rank returned 3 before MPI_Finalize; it says: input.dat: no such file",
    }.items():  # fmt: skip
        with pytest.raises(InputError, match=f"{name}.c: the simulation failed: .*{reason}"):
            run_app(TORUS, program_from(tmp_path / f"{name}.c"), 2)
    with pytest.raises(InputError, match="Collective 'alltoall' has no algorithm 'nosuch'"):
        run_app(TORUS, "alltoall", 4, settings=Settings(algorithms="alltoall:nosuch"))


def test_traces_that_are_none(tmp_path):
    """No index, a file that is missing, another rank's, one that is cut short."""
    with pytest.raises(InputError, match="there is no index of traces"):
        trace_from(tmp_path)
    (tmp_path / "index.txt").write_text("a.txt\nb.txt\n")
    with pytest.raises(InputError, match=r"index.txt:1: there is no file a.txt"):
        trace_from(tmp_path)
    text = ring(2, 8, 0).text
    (tmp_path / "a.txt").write_text(text(0))
    (tmp_path / "b.txt").write_text(text(0))
    with pytest.raises(InputError, match=r"b.txt:1: the trace of rank 1 begins with '1 init'; here is '0 init'"):
        trace_from(tmp_path)
    (tmp_path / "b.txt").write_text(text(1).rsplit("\n", 2)[0] + "\n")
    with pytest.raises(InputError, match=r"b\.txt: the trace is cut short"):
        trace_from(tmp_path)
    (tmp_path / "b.txt").write_text(text(1).replace("1 compute", "0 compute"))
    with pytest.raises(
        InputError, match=r"b.txt:2: the trace of rank 1 has '1' before each action; here is '0 compute 0'"
    ):
        trace_from(tmp_path)
    (tmp_path / "b.txt").write_text(text(1))
    assert trace_from(tmp_path).ranks == 2


@pytest.mark.simgrid
def test_traces_that_are_replayed(tmp_path):
    """A folder of traces runs as its program does; another number of ranks is refused."""
    (tmp_path / "index.txt").write_text("".join(f"{rank}.txt\n" for rank in range(4)))
    for rank in range(4):
        (tmp_path / f"{rank}.txt").write_text(ring(4, 1000, 1e6).text(rank))
    run = run_app(TORUS, trace_from(tmp_path), 4)
    assert run.seconds == run_app(TORUS, ring(4, 1000, 1e6), 4).seconds
    with pytest.raises(InputError, match="the traces are of 4 ranks, not of 8"):
        run_app(TORUS, trace_from(tmp_path), 8)


def test_settings():
    """Read from text, with what is wrong in a sentence; the presets are what papers say."""
    assert changed(Settings(), {"rate_gbps": "100", "model": "smpi"}).rate_gbps == 100
    assert PRESETS["xu-2019"].speed_gflops == 8
    for changes, reason in (
        ({"rate": "1"}, "no setting 'rate'; did you mean rate_gbps"),
        ({"rate_gbps": "fast"}, "a number is needed"),
        ({"rate_gbps": "0"}, "above 0"),
        ({"switch_ns": "0.001"}, "it must be 0, or 0.1 or more"),
        ({"duplex": "both"}, "duplex=both"),
        ({"cable_m": "nan"}, "cable_m=nan: it must be 0 or more, or -1"),
        ({"algorithms": "all2all:pair"}, "no operation all2all; did you mean"),
        ({"model": "tcp"}, "model=tcp"),
        ({"algorithms": "alltoall:"}, "operation:algorithm"),
    ):
        with pytest.raises(InputError, match=reason):
            changed(Settings(), changes)


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
        [sys.executable, "-m", "topoloom", "app", "torus:dims=3x3,hosts=1", "--mpi", str(tmp_path / "long.c"), "--ranks", "2"],
        env={**os.environ, "TMPDIR": str(tmp_path / "temp")}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # CI ignores it
    )  # fmt: skip
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
def test_loops_that_wait_by_asking_end(tmp_path):
    """Time passes while a program asks whether a message is there, or what time it is."""
    (tmp_path / "polls.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int rank, flag = 0, x = 0; MPI_Request one;"
        " MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &rank); if (rank == 0) { double begun = MPI_Wtime();"
        " while (MPI_Wtime() - begun < 1e-6); MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); } else {"
        " MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &one); while (!flag) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);"
        ' puts("came"); } MPI_Finalize(); }\n'
    )
    run = run_app(TORUS, program_from(tmp_path / "polls.c"), 2)
    assert run.output.strip() == "came"
    assert 1e-6 < run.seconds < 1e-4


@pytest.mark.simgrid
def test_arguments_come_as_they_are_given_and_errors_are_shown(tmp_path, monkeypatch):
    """Blanks, stars and empty words; what is written to stderr stands behind what is printed."""
    monkeypatch.chdir(tmp_path)
    Path("tells.c").write_text(
        '#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { MPI_Init(&c, &v); fprintf(stderr, "beware\\n");'
        ' for (int i = 1; i < c; i++) printf("[%s]", v[i]); puts(""); MPI_Finalize(); }\n'
    )
    run = run_app(TORUS, program_from("tells.c", ("a b", "*", "", "$HOME", "it's")), 1)
    assert run.output.splitlines() == ["[a b][*][][$HOME][it's]", "beware"]


@pytest.mark.simgrid
def test_a_makefile_that_calls_another_mpis_compiler(tmp_path):
    """By its name it is SimGrid's; what make is asked for may have blanks in quotes."""
    (tmp_path / "Makefile").write_text("prog: prog.c\n\tmpicc $(MORE) prog.c -o prog\n")
    (tmp_path / "prog.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { MPI_Init(&c, &v);"
        ' printf("%d\\n", ONE + TWO); MPI_Finalize(); }\n'
    )
    program = program_from(tmp_path, make="prog 'MORE=-DONE=1 -DTWO=2'")
    assert run_app(TORUS, program, 1).output.strip() == "3"


@pytest.mark.simgrid
def test_a_single_switch_and_several_ranks_a_host(tmp_path):
    """A network without links is a crossbar; a file may put more ranks on a host than there are hosts."""
    switch = build("complete:n=1,hosts=2")
    assert run_app(switch, ring(2, 1_000_000, 0)).seconds > 200e-6
    (tmp_path / "hosts.txt").write_text("0\n0\n1\n1\n")
    run = run_app(switch, ring(4, 1_000_000, 0), placement=f"file:{tmp_path / 'hosts.txt'}")
    assert run.homes.tolist() == [0, 0, 1, 1]


def test_algorithms_are_changed_one_by_one():
    """What is not named stays; blanks do not matter; nothing at all takes all away."""
    found = changed(Settings(), {"algorithms": "alltoall:pair, bcast:NTSL"}).algorithms
    assert found.split(",") == ["alltoall:pair", "alltoallv:ring", "allreduce:rdb", "reduce:binomial", "bcast:NTSL"]
    assert changed(Settings(), {"algorithms": ""}).algorithms == ""


def test_a_sweep_refuses_before_it_runs():
    """The last program's typing error, another network's ranks, an unknown placement: nothing has run then."""
    cases = [
        Case(name, route(build(name), "minimal"), None, 1) for name in ("torus:dims=4x4,hosts=1", "ring:n=8,hosts=1")
    ]

    def refused(reason, *, cases=cases[:1], apps=("ep:class=S",), placements=(("linear", 1),)):
        with pytest.raises(InputError, match=reason):
            run_all(cases, apps, None, placements, Settings(), on_run=lambda *_: pytest.fail("it ran"))

    refused("no parameter 'clas'", apps=("ep:class=S", "cg:clas=S"))
    refused(r"different numbers of ranks do not compare \(torus:dims=4x4,hosts=1 16, ring:n=8,hosts=1 8\)", cases=cases)
    refused("no placement 'optimal'", placements=(("linear", 1), ("optimal", 1)))
