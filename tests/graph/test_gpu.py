"""Counting on a CUDA device: the processor's integers, on a device if there is one and in Numba's simulator everywhere."""

import json
import logging
import os
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner
from graph_cases import complete, regular, ring, torus
from numba.cuda.cudadrv.driver import CudaAPIError, LinkerError

from topoloom.cli.commands.hops import command
from topoloom.core.errors import InputError
from topoloom.graph import gpu
from topoloom.graph.hops import hops
from topoloom.graph.pair_counts import count_pairs
from topoloom.model.topology import Topology

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
        expected = count_pairs(topology, weight, 1, device="cpu").pairs.tolist()
        assert gpu.pair_counts_on_gpu(topology, weight, words).tolist() == expected, topology.name


@pytest.mark.exhaustive
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
    """With "auto" the device answers from WORTH_A_DEVICE switches on, and the processor below; "cuda" asks always."""
    answer = np.array([1, 2, 3])
    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "pair_counts_on_gpu", lambda topology, weight: answer)
    monkeypatch.setattr(gpu, "WORTH_A_DEVICE", 9)
    assert count_pairs(complete(9), np.ones(9, np.int64), 1) == (answer, "cuda")
    counted = count_pairs(complete(8), np.ones(8, np.int64), 1)
    assert (counted.pairs.tolist(), counted.device) == ([8, 56], "cpu")
    assert count_pairs(complete(8), np.ones(8, np.int64), 1, device="cuda") == (answer, "cuda")
    assert count_pairs(complete(9), np.ones(9, np.int64), 1, device="cpu").device == "cpu"


def _failing(monkeypatch, failure):
    """A device that is there and fails."""

    def fail(_topology, _weight):
        raise failure

    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "pair_counts_on_gpu", fail)
    monkeypatch.setattr(gpu, "WORTH_A_DEVICE", 9)


def test_a_device_that_fails_leaves_the_work_to_the_processor(monkeypatch, caplog):
    """Nobody asked for the GPU, so what Numba says of it is a warning that names the device to ask for instead."""
    _failing(monkeypatch, CudaAPIError(2, "CUDA_ERROR_OUT_OF_MEMORY"))
    with caplog.at_level(logging.WARNING, "topoloom"):
        found = hops(complete(9))
    assert found.histogram.tolist() == [9, 72]
    assert found.provenance.settings["device"] == "cpu"
    assert "CUDA_ERROR_OUT_OF_MEMORY" in caplog.text
    assert "the CPU counts (device 'cpu' avoids the attempt)" in caplog.text


def test_a_device_that_was_asked_for_and_fails_is_a_sentence(monkeypatch):
    """With "cuda" the failure ends the operation, and the sentence says what does without; so does a topology too long for
    it.
    """
    _failing(monkeypatch, LinkerError("no such architecture"))
    with pytest.raises(InputError, match=r"no such architecture.*device='cpu'"):
        hops(complete(9), device="cuda")
    monkeypatch.setattr(gpu, "pair_counts_on_gpu", lambda topology, weight: None)
    with pytest.raises(InputError, match="1024 hops apart; use device='cpu'"):
        hops(complete(9), device="cuda")


def test_a_mistake_of_ours_is_not_taken_for_the_device(monkeypatch):
    """Only what Numba raises of driver, toolkit and memory is caught."""
    _failing(monkeypatch, IndexError("ours"))
    with pytest.raises(IndexError, match="ours"):
        hops(complete(9))


def test_a_numba_that_does_not_fit_numpy_leaves_the_work_to_the_processor(monkeypatch, caplog):
    """Seen with NumPy 2.5: an AttributeError within numba-cuda is the device's failure, not ours."""
    module = ModuleType("numba_cuda.api")
    exec("def fail(topology, weight):\n    raise AttributeError('row_stack')", vars(module))
    _failing(monkeypatch, None)
    monkeypatch.setattr(gpu, "pair_counts_on_gpu", module.fail)
    with caplog.at_level(logging.WARNING, "topoloom"):
        assert hops(complete(9)).provenance.settings["device"] == "cpu"
    assert "row_stack" in caplog.text
    with pytest.raises(InputError, match="the CUDA device failed"):
        hops(complete(9), device="cuda")


def test_without_a_device_one_sentence_says_how_to_get_one(monkeypatch):
    """Asking for the GPU where there is none names the driver, the extra and what does without; a sample needs none."""
    monkeypatch.setattr(gpu, "available", lambda: False)
    monkeypatch.setattr(gpu, "WORTH_A_DEVICE", 4)
    with pytest.raises(InputError, match=r"pip install 'topoloom\[gpu\]'; otherwise use device='cpu'"):
        hops(ring(5), device="cuda")
    assert hops(ring(5)).provenance.settings["device"] == "cpu"
    with pytest.raises(InputError, match="device='gpu': choose auto, cpu or cuda"):
        hops(ring(5), device="gpu")
    monkeypatch.setattr(gpu, "available", lambda: True)
    with pytest.raises(InputError, match="omit samples"):
        hops(ring(5), samples=2, device="cuda")


def test_the_command_line_asks_for_a_device(monkeypatch):
    """`--device` goes to the operation; the record says who counted."""
    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "pair_counts_on_gpu", lambda topology, weight: np.array([10, 30, 60]))
    for device in ("cuda", "cpu"):
        ran = CliRunner().invoke(command, ["petersen", "--device", device, "--json"])
        assert json.loads(ran.stdout)["provenance"]["settings"]["device"] == device


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
    assert (
        gpu.pair_counts_on_gpu(topology, one).tolist() == count_pairs(topology, one, None, device="cpu").pairs.tolist()
    )
