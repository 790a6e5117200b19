"""Traffic from files, rates of hosts for any pattern, and any pattern among some hosts."""

import numpy as np
import pytest

from topoloom import build, quality, route
from topoloom.core.errors import InputError
from topoloom.throughput.traffic import hosts_matrix, matrix, traffic_of

NETWORK = build("torus:dims=4x4,hosts=2")
HOSTS = 32
DRAWN = np.random.default_rng(1).random((HOSTS, HOSTS)) * (1 - np.eye(HOSTS))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A matrix between hosts, the same as lines of pairs, one between switches, and rates."""
    monkeypatch.chdir(tmp_path)
    np.savetxt("hosts.csv", 40 * DRAWN, delimiter=",")
    pairs = [f"{s},{d},{float(DRAWN[s, d])!r}" for s in range(HOSTS) for d in range(HOSTS) if s != d]
    (tmp_path / "pairs.csv").write_text("\n".join(["source,destination,amount", "# a remark", *pairs]))
    np.savetxt("switches.txt", np.kron(np.ones((4, 4)), np.arange(16).reshape(4, 4)))
    (tmp_path / "rates.csv").write_text("\n".join("100" if host % 2 else "25" for host in range(HOSTS)))


def test_the_busiest_host_of_a_file_sends_at_full_rate(files):
    """Units do not count: rows, and lines of pairs, are the matrix scaled to a greatest row sum of 1."""
    scaled = DRAWN / DRAWN.sum(axis=1).max()
    for name in ("matrix:hosts.csv", "matrix:pairs.csv"):
        traffic = traffic_of(name, NETWORK)
        assert traffic.dense() == pytest.approx(hosts_matrix(NETWORK, scaled).dense())
        assert traffic.pace.max() == pytest.approx(1)
        assert traffic.name == name


def test_a_matrix_of_switches_is_told_by_its_size(files):
    """16 rows for 16 switches of two hosts: the busiest switch sends 2."""
    demand = np.kron(np.ones((4, 4)), np.arange(16).reshape(4, 4))
    traffic = traffic_of("matrix:switches.txt", NETWORK)
    assert traffic.dense() == pytest.approx(matrix(NETWORK, demand * 2 / demand.sum(axis=1).max()).dense())


def test_rates_of_hosts_scale_any_pattern(files):
    """Hosts of 25 and 100: a quarter and all of what the pattern sends."""
    plain, paced = traffic_of("tornado", NETWORK), traffic_of("rates:rates.csv:tornado", NETWORK)
    assert paced.amounts == pytest.approx(plain.amounts * np.where(np.arange(HOSTS) % 2, 1, 0.25))
    assert traffic_of("rates:rates.csv:uniform", NETWORK).dense().sum() == pytest.approx(
        0.625 * traffic_of("uniform", NETWORK).dense().sum()
    )


@pytest.mark.parametrize("inner", ["uniform", "permutation", "hotspot:hosts=2,share=0.5", "all-to-all"])
def test_a_pattern_among_some_hosts_is_that_of_a_network_with_these(inner):
    """The same traffic between switches as in the network without the other hosts, which neither send nor receive."""
    part = NETWORK.replace(endpoints=NETWORK.endpoints[[0, 1, 2, 3, 9]])
    whole, alone = traffic_of(f"among:0-3+9:{inner}", NETWORK), traffic_of(inner, part)
    assert whole.dense() == pytest.approx(alone.dense())
    assert np.flatnonzero(whole.senders).tolist() == [0, 1, 2, 3, 9]


def test_hosts_by_a_label():
    """Hosts of the switches of column 2."""
    traffic = traffic_of("among:x1=2:uniform", NETWORK)
    assert set(traffic.switch[traffic.senders]) == set(np.flatnonzero(NETWORK.labels["x1"] == 2))


def test_throughput_of_a_file_is_that_of_its_matrix(files):
    """`quality` takes it by name, and as given traffic."""
    routing = route(NETWORK, "dor")
    scaled = hosts_matrix(NETWORK, DRAWN / DRAWN.sum(axis=1).max())
    named, given = (quality(routing, traffic, bisections=5) for traffic in ("matrix:hosts.csv", scaled))
    assert named.traffic_throughput == pytest.approx(given.traffic_throughput)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("matrix:none.csv", "none.csv cannot be read"),
        ("matrix:rates.csv", "rates.csv:1: 1 numbers; a row must have 32"),
        ("matrix:short.csv", "short.csv: 2 rows; a matrix between hosts or switches has 16 or 32"),
        ("matrix:odd.csv", "odd.csv:2: host '32'; it must be a whole number from 0 to 31"),
        ("matrix:negative.csv", "negative.csv:2: amount '-1'; it must be a finite number of at least 0"),
        ("matrix:nan.csv", "nan.csv:2: amount 'nan'"),
        ("matrix:zero.csv", "zero.csv: all amounts are 0; at least one host must send"),
        ("rates:pairs.csv:uniform", "rates for the 32 hosts"),
        ("rates:rates.csv", "write rates:FILE:PATTERN"),
        ("rates:rates.csv:chip", "chip ends, and so has no load"),
        ("among:0-99:uniform", "'0-99' names no hosts; write numbers from 0 to 31"),
        ("among:colour=2:uniform", "has no label colour; it has x0, x1"),
        ("among:x1=7:uniform", "no switch of .* has x1 7"),
        ("among:3:uniform", "1 hosts; traffic needs at least two"),
        ("among:0-7:skewed", "has amounts between switches; use a pattern between hosts"),
    ],
)
def test_wrong_files_and_hosts_are_refused(files, tmp_path, text, sentence):
    (tmp_path / "short.csv").write_text("1,2\n3,4\n")
    for name, line in (("odd", "32,0,1"), ("negative", "1,0,-1"), ("nan", "1,0,nan"), ("zero", "1,0,0")):
        (tmp_path / f"{name}.csv").write_text(f"source,destination,amount\n{line}\n")
    with pytest.raises(InputError, match=sentence):
        traffic_of(text, NETWORK)
