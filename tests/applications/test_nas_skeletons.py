"""Laws of the NAS skeletons: they run to their end for every number of ranks, and refuse the others in one line."""

import subprocess
from pathlib import Path

import nas_runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.simulation.applications.nas.dt import SIZES as DT_SIZES
from topoloom.simulation.applications.registry import APPLICATIONS, program_of

NAMES = ("bt", "cg", "ep", "ft", "is", "lu", "mg", "sp")
USUAL = (1, 2, 4, 6, 8, 9, 12, 15, 16, 20, 25, 30, 32, 36, 42, 49, 64, 81, 100, 121, 128)


def _once(name: str, size: str) -> str:
    return f"{name}:class={size}" + ("" if name == "ep" else ",iterations=1")


@pytest.mark.exhaustive
@settings(max_examples=examples(100), deadline=None, derandomize=True)
@given(st.sampled_from(NAMES), st.sampled_from("SWABC"), st.one_of(st.sampled_from(USUAL), st.integers(1, 70)))
def test_every_number_of_ranks_runs_or_is_refused(name: str, size: str, ranks: int) -> None:
    """A skeleton runs to its end on a machine that buffers nothing, or its ranks are refused; its shares add up."""
    if name == "is" and size in "BC":
        size = "A"  # its keys are drawn, many for the larger classes
    nearest = _refused(_once(name, size), ranks)
    for number in nearest:
        assert nas_runs.trace(_once(name, size), number).ranks == number
    if not nearest:
        program = nas_runs.trace(_once(name, size), ranks)
        nas_runs.run_without_buffers(program)
        assert nas_runs.computed(program) == pytest.approx(program.operations, rel=1e-9)


def _refused(text: str, ranks: int) -> list[int]:
    """The nearest numbers of ranks that a refusal names; none where the ranks are taken."""
    try:
        program_of(text, ranks)
    except InputError as refused:
        return [int(number) for number in str(refused).rpartition("nearest: ")[2].rstrip(")").split(", ")]
    return []


@pytest.mark.parametrize("graph", ["BH", "WH", "SH"])
@pytest.mark.parametrize("size", DT_SIZES)
def test_data_traffic_runs_with_its_nodes_and_more(graph: str, size: str) -> None:
    """DT runs with as many ranks as its graph has nodes (NPB's own table) and with idle ones, not with fewer."""
    sources = 4 << "SWABC".index(size)
    nodes = {4: 5, 8: 11, 16: 21, 32: 43, 64: 85}[sources] if graph != "SH" else sources * sources.bit_length()
    for ranks in (nodes, nodes + 3):
        nas_runs.run_without_buffers(nas_runs.trace(f"dt:class={size},graph={graph}", ranks))
    with pytest.raises(InputError, match=f"dt.*{nodes - 1} ranks.*at least {nodes}"):
        program_of(f"dt:class={size},graph={graph}", nodes - 1)


@pytest.mark.parametrize("name", ["bt", "cg", "lu", "mg", "sp"])
@pytest.mark.parametrize("untimed", ["yes", "no"])
def test_untimed_parts_can_be_left_out(name: str, untimed: str) -> None:
    """Set-up, warm-up and verification have messages, no computing; without them the rest still runs to its end."""
    program = nas_runs.trace(f"{name}:class=S,iterations=2,untimed={untimed}", 4)
    nas_runs.run_without_buffers(program)
    assert nas_runs.computed(program) == pytest.approx(program.operations, rel=1e-9)
    setup = "bcast" in nas_runs.counted(program)["calls_total"]  # type: ignore[operator]
    assert setup == (untimed == "yes")


def test_an_iteration_more_is_the_same_again() -> None:
    """The difference between k and k + 1 iterations is one iteration, whatever k is."""
    for name in ("bt", "cg", "ft", "lu", "mg", "sp"):
        lengths = [len(nas_runs.trace(f"{name}:class=S,iterations={k},untimed=no", 4).text(1)) for k in (2, 3, 4)]
        sizes = [nas_runs.trace(f"{name}:class=S,iterations={k}", 4).text(1).count("\n") for k in (2, 3, 4)]
        assert sizes[1] - sizes[0] == sizes[2] - sizes[1] > 0
        assert lengths[2] - lengths[1] == lengths[1] - lengths[0] > 0


def test_all_to_all_within_groups_moves_what_is_traced() -> None:
    """FT with more ranks than planes: its groups' messages have the traced sizes, one a partner of the group."""
    grouped = nas_runs.counted(nas_runs.trace("ft:class=W,iterations=1", 64))
    traced = nas_runs.counted(nas_runs.trace("ft:class=W,iterations=1,groups=alltoall", 64))
    # 32 planes: groups of 32 and of 2; three transforms of two all-to-all each.
    assert grouped["p2p_sends_by_count_and_datatype"] == {"256x dt43": 3 * 64 * 31, "4096x dt43": 3 * 64}
    collectives = traced["collectives_by_args"]
    assert isinstance(collectives, dict)
    assert {key: number for key, number in collectives.items() if key.startswith("alltoall")} == {
        "alltoall 256 256 43 43": 3 * 64,
        "alltoall 4096 4096 43 43": 3 * 64,
    }


@pytest.mark.parametrize(
    ("text", "ranks", "told"),
    [
        ("cg:class=A", 48, "cg: 48 ranks; the number of ranks must be a power of two (nearest: 32, 64)"),
        ("bt:class=A", 60, "a square of at most 441 for class A (nearest: 49, 64)"),
        ("bt:class=S", 25, "a square of at most 16 for class S (nearest: 16)"),
        ("sp:class=W", 169, "a square of at most 144 for class W (nearest: 144)"),
        ("lu:class=A", 3, "(nearest: 2, 4)"),
        ("lu:class=S", 20, "(nearest: 16)"),
        ("lu:class=W", 128, "(nearest: 121)"),
        ("ft:class=W", 2048, "(nearest: 1024)"),
        ("is:class=S", 256, "(nearest: 128)"),
        ("ep:class=S", 257, "at most 256 for class S (nearest: 256)"),
        ("mg:class=S", 65536, "(nearest: 32768)"),
        ("mg", 10**13, "(nearest: 1048576)"),
        ("cg", 0, "(nearest: 1)"),
        ("sp", -4, "(nearest: 1)"),
        ("cg:class=Z", 4, "class='Z' is unknown; it must be S or W or A or B or C or D"),
        ("is:class=D", 4, "it must be S or W or A or B or C"),
        ("dt:graph=XX", 50, "BH or WH or SH"),
        ("lu:iterations=-1", 4, "0 to 1000"),
        ("ep:iterations=3", 4, "iterations"),
    ],
)
def test_bad_input_is_one_line(text: str, ranks: int, told: str) -> None:
    """What a benchmark refuses is told in one line, with the nearest that it takes."""
    with pytest.raises(InputError) as refused:
        program_of(text, ranks)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_all_nine_are_registered() -> None:
    """The register knows the nine benchmarks."""
    assert {*NAMES, "dt"} <= set(APPLICATIONS)


@pytest.mark.exhaustive
def test_traces_of_256_ranks() -> None:
    """The traces of CG.A with 256 ranks are 87 MB."""
    program = nas_runs.trace("cg:class=A", 256)
    assert sum(len(program.text(rank)) for rank in range(256)) > 80_000_000


@pytest.mark.simgrid
@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("bt:class=S,iterations=2", 9),
        ("cg:class=S,iterations=1", 8),
        ("dt:class=S,graph=SH", 13),
        ("ep:class=S", 5),
        ("ft:class=W,iterations=1", 64),
        ("is:class=S,iterations=2", 8),
        ("lu:class=S,iterations=2", 6),
        ("mg:class=S,iterations=1", 16),
        ("sp:class=S,iterations=2", 4),
    ],
)
def test_simgrid_replays(text: str, ranks: int, tmp_path: Path) -> None:
    """SimGrid replays a skeleton to its end, in no less time than the computing of its busiest rank takes."""
    program = nas_runs.trace(text, ranks)
    for rank in range(ranks):
        (tmp_path / f"rank{rank}").write_text(program.text(rank))
    (tmp_path / "index").write_text("".join(f"rank{rank}\n" for rank in range(ranks)))
    (tmp_path / "platform.xml").write_text(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform version='4.1'>"
        f"<cluster id='c' prefix='h' radical='0-{ranks - 1}' suffix='' speed='1Gf' bw='125MBps' lat='1us'/></platform>"
    )
    command = [
        "smpirun",
        "-np",
        str(ranks),
        "-platform",
        "platform.xml",
        "--cfg=smpi/host-speed:1Gf",
        "-replay",
        "index",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    seconds = float((done.stdout + done.stderr).rpartition("Simulation time ")[2].split()[0])
    work = [
        sum(float(line.split()[2]) for line in program.text(rank).splitlines() if line.split()[1] == "compute")
        for rank in range(ranks)
    ]
    assert seconds >= max(work) / 1e9 * 0.999
