"""The built-in MPI programs, compiled and run: what they compute, what they send, and the times that formulas give."""

import pytest
from smpi_runs import DELAY, HEADER, RATE, SPEED, simulated, traced

pytestmark = pytest.mark.simgrid


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where programs are compiled, once for all tests."""
    return tmp_path_factory.mktemp("own-programs")


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("program", "ranks"),
    [
        ("pingpong:bytes=1000,check=yes", 2),
        ("pingpong:bytes=100000,pairs=9,check=yes", 7),
        ("alltoall:bytes=100,repeats=2,check=yes", 7),
        ("alltoall:bytes=70000,check=yes", 4),
        ("allreduce:bytes=808,check=yes", 6),
        ("stencil2d:points=31x20,halo=2,check=yes", 12),
        ("stencil2d:points=31x20,grid=1x5,periodic=no,overlap=yes,check=yes", 5),
        ("stencil3d:points=9x8x7,halo=3,check=yes", 8),
        ("stencil3d:points=9x8x7,grid=3x1x2,check=yes", 6),
        ("matmul:n=50,block=8,check=yes", 12),
        ("matmul:n=17,block=64,grid=1x3,check=yes", 3),
        ("matmul:n=5,block=2,check=yes", 1),
    ],
)
def test_results_are_right(folder, program, ranks):
    """With real data every rank gets what it should: halos of the right points, the product, the sums."""
    assert simulated(folder, program, ranks)["check"] == 1


@pytest.mark.parametrize("bytes_", [0, 8, 1000, 100_000, 1_000_000])
def test_latency_is_delays_and_bytes_over_rate(folder, bytes_):
    """Half a round trip over two links: their delays, and the message with SMPI's header over the rate."""
    got = simulated(folder, f"pingpong:bytes={bytes_}", 4)
    assert got["latency"] == pytest.approx(2 * DELAY + (bytes_ + HEADER) / RATE, rel=1e-6)


def test_pairs_are_drawn_and_run_one_after_another(folder):
    """On a single switch all pairs are equal, also when many are asked for; a seed gives its pairs."""
    got = simulated(folder, "pingpong:pairs=40,bytes=5000", 9)
    assert got["pairs"] == 40
    assert got["latency_least"] == pytest.approx(got["latency_most"], rel=1e-6)
    assert got["latency"] == pytest.approx(2 * DELAY + (5000 + HEADER) / RATE, rel=1e-6)

    def partners(seed):
        simulated(folder, f"pingpong:pairs=6,seed={seed}", 9, trace=True)
        return {rank: [line[1] for line in lines if line[0] == "send"] for rank, lines in traced(folder).items()}

    assert partners(3) == partners(3)
    assert partners(3) != partners(4)


def test_all_to_all_sends_what_was_asked(folder):
    """Every rank's trace has the all-to-all with its bytes; it takes no less than a rank's bytes over its link."""
    got = simulated(folder, "alltoall:bytes=40000,repeats=3", 8, "smpi/alltoall:pair", trace=True)
    for lines in traced(folder).values():
        calls = [line[1:] for line in lines if line[0] == "alltoall"]
        assert len(calls) == 3
        assert all(call[:2] == ["40000", "40000"] for call in calls)
    least = 7 * 40_000 / RATE
    assert least <= got["time"] <= 1.1 * least + 7 * 2 * DELAY
    assert got["bandwidth"] == pytest.approx(least * RATE / got["time"])


def test_an_all_reduce_by_a_ring_takes_its_bound(folder):
    """A ring moves 2 (P - 1)/P of the vector over every link: that is its least time, and on one switch nearly all of it."""
    got = simulated(folder, "allreduce:bytes=8000000", 8, "smpi/allreduce:lr")
    least = 2 * 7 / 8 * 8_000_000 / RATE
    assert least <= got["time"] <= 1.01 * least
    assert got["bus_bandwidth"] == pytest.approx(RATE * least / got["time"])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("ranks", [2, 5, 16])
def test_effective_bandwidth_of_one_switch(folder, ranks):
    """On one switch all rings are equal: two messages share a rank's link, and the mean over 21 sizes has a closed form."""
    most = 1 << 20
    got = simulated(folder, f"beff:bytes={most}", ranks)
    sizes = [2**i for i in range(13)] + [round(4096 * (most / 4096) ** (i / 8)) for i in range(1, 9)]
    each = [2 * ranks * size / (2 * DELAY + 2 * (size + HEADER) / RATE) for size in sizes]
    assert got["beff"] == pytest.approx(sum(each) / 21, rel=0.001)
    assert got["rings"] == pytest.approx(got["random"], rel=0.001)
    assert got["at_largest"] == pytest.approx(each[-1], rel=0.001)
    assert got["beff_a_rank"] == pytest.approx(got["beff"] / ranks)


def test_a_stencil_is_halos_and_operations(folder):
    """Four halos share a rank's link, then every point costs its operations; overlap hides the shorter."""
    side, flops, iterations = 100, 500.0, 3
    settings = f"points=400x400,grid=4x4,iterations={iterations},flops={flops}"
    halos = 2 * DELAY + 4 * (8 * side + HEADER) / RATE
    compute, inner = (flops * points / SPEED for points in (side**2, (side - 2) ** 2))
    apart = simulated(folder, f"stencil2d:{settings}", 16)
    assert apart["iteration"] == pytest.approx(halos + compute, rel=0.002)
    assert apart["communication"] == pytest.approx(halos / (halos + compute), rel=0.02)
    together = simulated(folder, f"stencil2d:{settings},overlap=yes", 16)
    assert together["iteration"] == pytest.approx(max(halos, inner) + compute - inner, rel=0.002)
    assert apart["speed"] == pytest.approx(flops * 400 * 400 / apart["iteration"])


def test_halos_cross_faces_only(folder):
    """In three dimensions a rank sends its six faces' layers, not more; a rank that is its own neighbour sends nothing."""
    simulated(folder, "stencil3d:points=12x10x9,grid=3x2x1,halo=2,iterations=1", 6, trace=True)
    for lines in traced(folder).values():
        values = sorted(int(line[3]) for line in lines if line[0] == "isend")
        assert values == sorted([2 * 5 * 9] * 2 + [2 * 4 * 9] * 2)


def test_matrices_are_broadcast_and_multiplied(folder):
    """Every rank charges 2 n^3 / P operations in all; n / block panels are broadcast along rows and along columns."""
    got = simulated(folder, "matmul:n=96,block=8,grid=2x3", 6, trace=True)
    for lines in traced(folder).values():
        work = sum(float(line[1]) for line in lines if line[0] == "compute")
        assert work == pytest.approx(2 * 96**3 / 6, rel=1e-4)
        assert sum(line[0] == "bcast" for line in lines) == 2 * 96 // 8
    assert got["speed"] < 6 * SPEED
    assert got["speed"] == pytest.approx(2 * 96**3 / got["time"])
    assert 0 < got["communication"] <= got["communication_most"] < 1


@pytest.mark.exhaustive
def test_a_run_is_the_same_again(folder):
    """The same settings give the same digits, seeds included."""
    assert simulated(folder, "beff:seed=5", 12) == simulated(folder, "beff:seed=5", 12)
