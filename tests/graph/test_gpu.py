"""Counting on a CUDA device: the processor's integers, on a device if there is one and in Numba's simulator everywhere."""

import logging
import os
import subprocess
import sys

import numpy as np
import pytest
from graph_cases import complete, regular, ring, torus

from topoloom.errors import InputError
from topoloom.graph import gpu
from topoloom.graph._pairs import pair_counts
from topoloom.topology import Topology

#: Every kind: one block and several, components, a switch alone, parallel links, one switch, no links.
_CASES = {
    "regular": regular(70, 4),
    "ring": ring(20),
    "torus": torus(4, 5),
    "complete": complete(9),
    "parts": Topology(links=[(0, 1), (1, 2), (3, 4)], switches=6),
    "parallel": Topology(links=[(0, 1), (0, 1), (1, 2)], switches=3),
    "one": Topology(links=[], switches=1),
}
#: The kernels run as Python, with few threads: each is one of Python's.
_IN_THE_SIMULATOR = """
import sys; sys.path.insert(0, {folder!r})
import numpy as np
from graph_cases import path
from topoloom.graph.kernels import cuda
cuda.THREADS = 4
from test_gpu import _CASES, check, gpu
gpu._MOST_BLOCKS = 2
for case in _CASES.values():
    check(case)
gpu._MOST_ROUNDS = 9
print(len(_CASES), [gpu.pair_counts_on_gpu(path(n), np.ones(n, np.int64)) is None for n in (10, 11)])
"""

needs_device = pytest.mark.skipif(not gpu.available(), reason="no CUDA device that Numba can use")


def check(topology):
    """Equal weights in one block; unequal ones, some zero, so that sources come in groups, in small blocks; no weight."""
    n = topology.switches
    for weight, words in ((np.ones(n, np.int64), None), (np.arange(n) % 3, 1), (np.zeros(n, np.int64), None)):
        expected = pair_counts(topology, weight, 1).tolist()
        assert gpu.pair_counts_on_gpu(topology, weight, words).tolist() == expected, topology.name


def test_the_kernels_count_as_the_processor_does_in_the_simulator():
    """Numba runs the CUDA kernels as Python: on every kind of graph and weight they give the processor's integers.

    A path with more hops than the rounds allowed is left to the processor, one with as many is not.
    """
    folder = os.path.dirname(__file__)
    ran = subprocess.run(
        [sys.executable, "-c", _IN_THE_SIMULATOR.format(folder=folder)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == f"{len(_CASES)} [False, True]\n", ran.stderr


def test_a_large_topology_is_counted_by_the_device_that_is_there(monkeypatch):
    """`pair_counts` takes the device's answer from WORTH_A_DEVICE switches on, and asks for none below."""
    answer = np.array([1, 2, 3])
    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "pair_counts_on_gpu", lambda topology, weight: answer)
    monkeypatch.setattr(gpu, "WORTH_A_DEVICE", 9)
    assert pair_counts(complete(9), np.ones(9, np.int64), 1) is answer
    assert pair_counts(complete(8), np.ones(8, np.int64), 1).tolist() == [8, 56]


def test_a_device_that_fails_leaves_the_work_to_the_processor(monkeypatch, caplog):
    """Nobody asked for the GPU, so its failure is a warning with the way to leave it out, and the counts come all the same."""

    def fail(_topology, _weight):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "pair_counts_on_gpu", fail)
    monkeypatch.setattr(gpu, "WORTH_A_DEVICE", 9)
    with caplog.at_level(logging.WARNING, "topoloom"):
        assert pair_counts(complete(9), np.ones(9, np.int64), 1).tolist() == [9, 72]
    assert "out of memory" in caplog.text
    assert "NUMBA_DISABLE_CUDA=1" in caplog.text


def test_without_a_device_one_sentence_says_how_to_get_one(monkeypatch):
    """Asking for the GPU where there is none names the driver and the extra."""
    monkeypatch.setattr(gpu, "available", lambda: False)
    with pytest.raises(InputError, match=r"pip install 'topoloom\[gpu\]'"):
        gpu.pair_counts_on_gpu(ring(5), np.ones(5, np.int64))


@needs_device
@pytest.mark.parametrize("name", _CASES)
def test_a_device_counts_as_the_processor_does(name):
    """On a device the same cases give the same integers."""
    check(_CASES[name])


@needs_device
def test_a_device_counts_a_large_graph_as_the_processor_does():
    """20,000 switches take several blocks of 4,096 sources; the integers are the processor's."""
    topology = regular(20_000, 8)
    one = np.ones(topology.switches, np.int64)
    assert gpu.pair_counts_on_gpu(topology, one).tolist() == pair_counts(topology, one, None).tolist()
