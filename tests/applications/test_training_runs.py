"""Steps of training, run: the bytes of every kind of message against the formulas, and the times that the papers give."""

from pathlib import Path

import pytest
from smpi_runs import RATE, SPEED, simulated, traced

from topoloom.simulation.applications.training_model import read_model

pytestmark = pytest.mark.simgrid

_TOY = """
layers = 8
hidden = 64
heads = 8
sequence = 32
vocabulary = 96
batch = 16
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the program is compiled, and where models are written."""
    return tmp_path_factory.mktemp("training")


def _model(folder, more=""):
    path = folder / "model.toml"
    path.write_text(_TOY + more)
    return path


def _sent(folder, kind_of):
    """Bytes that each rank sent in the step, by what `kind_of` says of (rank, partner), and what it was sent."""
    sent = {}
    for rank, lines in traced(folder).items():
        of = sent[rank] = {}
        for line in lines:
            if line[0] in {"sendRecv", "isend"}:
                bytes_, partner = (line[1], line[2]) if line[0] == "sendRecv" else (line[3], line[1])
                kind = kind_of(line[0], rank, int(partner))
                of[kind] = of.get(kind, 0) + int(bytes_)
    return sent


@pytest.mark.parametrize("zero", [0, 1])
def test_a_dense_step_sends_what_the_papers_say(folder, zero):
    """Four all-reduces a layer and micro-batch, b s h values between stages, and twice the gradients whatever the ZeRO stage.

    Shoeybi et al. 2019, section 3; Narayanan et al. 2021, 2.2; Rajbhandari et al. 2020, section 7: 2 (P - 1)/P.
    """
    path = _model(folder)
    simulated(folder, f"training:model={path},tp=2,pp=2,zero={zero}", 16, trace=True)
    tp, dp, pp, batches = 2, 4, 2, 16 // 4
    values = 1 * 32 * 64 * 2

    def kind_of(call, rank, partner):
        return "pipeline" if call == "isend" else "tensor" if rank // tp == partner // tp else "data_or_embedding"

    for rank, sent in _sent(folder, kind_of).items():
        stage = rank // (tp * dp)
        assert sent["tensor"] == 4 * (8 // pp) * batches * (2 * (tp - 1) * values // tp)
        assert sent["pipeline"] == batches * values, stage  # forward from the first stage, backward from the last
        kept = (8 // pp) * 12 * 64**2 // tp + 96 * 64 // tp
        tied = 2 * (96 * 64 // tp * 2) / 2  # a ring of two: each sends half, twice
        assert sent["data_or_embedding"] == 2 * (dp - 1) * kept * 2 / dp + tied
    assert read_model(str(path)).parameters == 8 * 12 * 64**2 + 96 * 64


def test_experts_are_sent_tokens_twice_each_way(folder):
    """GShard, section 3: dispatch and combine, forward and backward, of top_k b s h values, all but 1/ep to other ranks."""
    path = _model(folder, "experts = 8\nevery = 2\ntop_k = 2\nep = 4\n")
    simulated(folder, f"training:model={path},tp=1", 8, trace=True)
    dp, ep, batches, values = 8, 4, 2, 32 * 64 * 2
    attention, feedforward = 4 * 64**2, 8 * 64**2
    shared = 8 * attention + 4 * feedforward + 96 * 64
    own = 4 * 8 * feedforward // ep
    for sent in _sent(folder, lambda *_: "all").values():
        exchanged = 4 * 4 * batches * (2 * values) * (ep - 1) // ep
        gradients = 2 * (dp - 1) * shared * 2 // dp + 2 * (dp // ep - 1) * own * 2 // (dp // ep)
        assert sent["all"] == exchanged + gradients


@pytest.mark.parametrize(("pp", "recompute"), [(1, "no"), (4, "no"), (8, "yes")])
def test_the_bubble_of_a_pipeline(folder, pp, recompute):
    """On a network that costs nothing a step takes (1 + (p - 1)/m) of its operations' time (Narayanan, 2.2.1)."""
    path = _model(folder, "").parent / "bubble.toml"
    path.write_text(_TOY.replace("vocabulary = 96", "vocabulary = 1").replace("hidden = 64", "hidden = 4096"))
    got = simulated(folder, f"training:model={path},pp={pp},recompute={recompute}", pp, rate=1e18)
    model = read_model(str(path))
    layers = 8 * model.tokens * (model.attention_flops + model.feedforward_flops)
    compute = (4 if recompute == "yes" else 3) * layers / pp / SPEED
    assert got["time"] == pytest.approx(compute * (1 + (pp - 1) / 16), rel=1e-3)
    assert got["compute"] == pytest.approx(compute, rel=1e-3)
    assert got["utilisation"] == pytest.approx(model.model_flops / SPEED / pp / got["time"], rel=1e-6)
    assert got["tokens"] == pytest.approx(model.tokens / got["time"])


def test_gradients_take_the_ring_s_time(folder):
    """With one micro-batch of one token the gradients are nearly all that travels: 2 (P - 1)/P of them over a rank's link."""
    path = _model(folder).parent / "gradients.toml"
    path.write_text(_TOY.replace("hidden = 64", "hidden = 512").replace("batch = 16", "batch = 4"))
    got = simulated(folder, f"training:model={path}", 4)
    parameters = read_model(str(path)).parameters
    assert got["data"] == pytest.approx(2 * 3 / 4 * 2 * parameters / RATE, rel=0.01)
    assert got["tensor"] == got["expert"] == got["pipeline"] == got["embedding"] == 0
    by_mpi = simulated(folder, f"training:model={path},collectives=mpi", 4, "smpi/allreduce:lr")
    assert by_mpi["data"] == pytest.approx(got["data"], rel=0.01)
    assert by_mpi["compute"] == pytest.approx(got["compute"])


@pytest.mark.exhaustive
def test_mpi_s_collectives_carry_the_same_step(folder):
    """Every kind of collective also runs by MPI, with the same operations, and with all degrees at once."""
    path = Path(__file__).parents[2] / "examples" / "models" / "training.toml"
    ring = simulated(folder, f"training:model={path}", 16)
    mpi = simulated(folder, f"training:model={path},collectives=mpi", 16)
    assert ring["compute"] == pytest.approx(mpi["compute"])
    for got in (ring, mpi):
        assert got["time"] > got["compute"]
        assert min(got[kind] for kind in ("tensor", "expert", "pipeline", "data", "embedding")) > 0
        assert got["speed"] == pytest.approx(got["utilisation"] * 16 * SPEED)
