"""The user's programs and traces: how they are built, what they are given, what they say, how they fail."""

import shutil
from pathlib import Path

import pytest
from ring_trace import TORUS, ring

from in_process import run
from topoloom import InputError
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.users_programs import program_from, trace_from

_SAYS = (
    '#include <mpi.h>\n#include <stdio.h>\n#include "inner/what.h"\nint main(int c, char **v) {{ MPI_Init(&c, &v);'
    " puts(WHAT); {} MPI_Finalize(); return 0; }}\n"
)


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
    with pytest.raises(InputError, match="make none failed"):
        program_from(tmp_path, make="none")
    (tmp_path / "bad.c").write_text("int main( {}\n")
    with pytest.raises(InputError, match=r"bad.c: it does not compile: .*bad.c:1:"):
        program_from(tmp_path / "bad.c")
    (tmp_path / "latin.c").write_bytes(b"int main( { /* caf\xe9 */ }\n")
    with pytest.raises(InputError, match=r"latin.c: it does not compile: .*latin.c:1:"):
        program_from(tmp_path / "latin.c")


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
        "prog.c": program,
        "helper.c": helper,
        "config/make.def.template": definitions,
        "Makefile": rules,
    }.items():
        (tmp_path / name).write_text(text)
    assert run_app(TORUS, program_from(tmp_path, make="prog"), 1).output.strip() == "7"
    assert not (tmp_path / "config" / "make.def").exists()


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


@pytest.mark.exhaustive
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
        "stuck": "[Dd]eadlock",
        "fails": "MPI_Abort was called",
        "crashes": "it crashed: Segmentation fault",
        "leaves": "a rank returned 3 before MPI_Finalize; it says: input.dat: no such file",
    }.items():
        with pytest.raises(InputError, match=f"{name}.c: the simulation failed: .*{reason}"):
            run_app(TORUS, program_from(tmp_path / f"{name}.c"), 2)
    with pytest.raises(InputError, match="Collective 'alltoall' has no algorithm 'nosuch'"):
        run_app(TORUS, "alltoall", 4, settings=AppSettings(algorithms="alltoall:nosuch"))


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
def test_what_a_program_charges_is_its_ranks(tmp_path):
    """Rank r computes r + 1 parts of four: the share that it waits, also where two ranks are on a host."""
    (tmp_path / "charges.c").write_text(
        "#include <mpi.h>\n#include <smpi/smpi.h>\nint main(int c, char **v) { int rank; MPI_Init(&c, &v);"
        " MPI_Comm_rank(MPI_COMM_WORLD, &rank); smpi_execute_flops(1e8 * (rank + 1)); MPI_Finalize(); }\n"
    )
    (tmp_path / "hosts.txt").write_text("3\n3\n0\n9\n")
    for placement in ("linear", f"file:{tmp_path / 'hosts.txt'}"):
        run = run_app(TORUS, program_from(tmp_path / "charges.c"), 4, placement=placement)
        assert run.communication == pytest.approx([0.75, 0.5, 0.25, 0], abs=1e-2)


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


def test_traces_that_are_none(tmp_path):
    """No index, a file that is missing, another rank's, one that is cut short."""
    with pytest.raises(InputError, match="no index of traces"):
        trace_from(tmp_path)
    (tmp_path / "index.txt").write_text("a.txt\nb.txt\n")
    with pytest.raises(InputError, match=r"index.txt:1: no such file: a.txt"):
        trace_from(tmp_path)
    (tmp_path / "index.txt").write_text("x" * 300 + "\n")
    with pytest.raises(InputError, match=r"index.txt:1: no such file: xxx"):
        trace_from(tmp_path)
    (tmp_path / "index.txt").write_text("a.txt\nb.txt\n")
    text = ring(2, 8, 0).text
    (tmp_path / "a.txt").write_text(text(0))
    (tmp_path / "b.txt").write_text(text(0))
    with pytest.raises(InputError, match=r"b.txt:1: the trace of rank 1 must begin with '1 init'; it has '0 init'"):
        trace_from(tmp_path)
    (tmp_path / "b.txt").write_text(text(1).rsplit("\n", 2)[0] + "\n")
    with pytest.raises(InputError, match=r"b\.txt: the trace is truncated"):
        trace_from(tmp_path)
    (tmp_path / "b.txt").write_text(text(1).replace("1 compute", "0 compute"))
    with pytest.raises(
        InputError, match=r"b.txt:2: the trace of rank 1 must have '1' before each action; it has '0 compute 0'"
    ):
        trace_from(tmp_path)
    (tmp_path / "b.txt").write_text(text(1))
    assert trace_from(tmp_path).ranks == 2


def test_traces_in_which_all_is_empty_say_so(tmp_path):
    """An empty message is one of MPI; if all messages, or all computations, are empty, the program has a note, printed once."""
    (tmp_path / "index.txt").write_text("0.txt\n1.txt\n")

    def notes(size, operations):
        for rank in range(2):
            actions = (f"send {1 - rank} 0 {size * rank}", f"recv {1 - rank} 0 9", "bcast 0", "barrier")
            lines = "".join(f"{rank} {action}\n" for action in ("init", f"compute {operations}", *actions, "finalize"))
            (tmp_path / f"{rank}.txt").write_text(lines)
        return [note.removeprefix(f"{tmp_path}: ") for note in trace_from(tmp_path).notes]

    messages, computations = "all 4 messages and collectives have 0 bytes", "all 2 computations have 0 operations"
    assert notes(8, 5) == []
    assert notes(8, "0.0") == [computations]
    assert notes(0, 5) == [messages]
    assert notes(0, 0) == [messages, computations]
    ran = run("app", "complete:n=2,hosts=1", "--trace", tmp_path, "--simulator", "flows")
    assert (ran.code, ran.err.count(messages), ran.err.count(computations)) == (0, 1, 1)


@pytest.mark.parametrize("amount", ["-1", "nan", "inf", "-nan", "1e999", ""])
@pytest.mark.parametrize("action", ["send 1 0", "allreduce 5", "alltoall", "compute"])
def test_amounts_in_a_trace_are_numbers_of_at_least_0(tmp_path, action, amount):
    """A negative, infinite or absent amount is told with its line, and takes no time from others."""
    (tmp_path / "index.txt").write_text("0.txt\n1.txt\n")
    for rank in range(2):
        (tmp_path / f"{rank}.txt").write_text(f"{rank} init\n{rank} {action} {amount}\n{rank} finalize\n")
    with pytest.raises(InputError, match=rf"rank 0, line 2: cannot be read: 0 {action}"):
        run_app(TORUS, trace_from(tmp_path), simulator="flows")


@pytest.mark.simgrid
def test_traces_that_are_replayed(tmp_path):
    """A folder of traces runs as its program does; another number of ranks is refused."""
    (tmp_path / "index.txt").write_text("".join(f"{rank}.txt\n" for rank in range(4)))
    for rank in range(4):
        (tmp_path / f"{rank}.txt").write_text(ring(4, 1000, 1e6).text(rank))
    run = run_app(TORUS, trace_from(tmp_path), 4)
    assert run.seconds == run_app(TORUS, ring(4, 1000, 1e6), 4).seconds
    with pytest.raises(InputError, match="the traces are for 4 ranks, not for 8"):
        run_app(TORUS, trace_from(tmp_path), 8)
