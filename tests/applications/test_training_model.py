"""What a step of training computes and sends, against the formulas of the papers, and what does not fit."""

from importlib.resources import files
from itertools import product
from math import prod

import msgspec
import pytest

from topoloom.core.errors import InputError
from topoloom.simulation.applications.grids import squarest
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.training_model import Training, on_ranks, preset_names, read_model

_GPT = Training(layers=8, hidden=512, heads=8, sequence=128, vocabulary=1000, batch=16)


@pytest.mark.parametrize(("layers", "hidden", "heads"), [(8, 512, 8), (96, 12288, 96), (80, 12288, 96)])
def test_operations_are_narayanan_s(layers, hidden, heads):
    """Narayanan et al., SC 2021, section 3: 96 B s l h^2 (1 + s/6h + V/16lh), which counts layers recomputed."""
    b, s, v = 16, 2048, 51200
    model = Training(layers=layers, hidden=hidden, heads=heads, sequence=s, vocabulary=v, batch=b)
    recomputed = layers * b * s * (model.attention_flops + model.feedforward_flops)
    published = 96 * b * s * layers * hidden**2 * (1 + s / (6 * hidden) + v / (16 * layers * hidden))
    assert model.model_flops + recomputed == pytest.approx(published, rel=1e-12)


def test_parameters_are_narayanan_s():
    """P = 12 l h^2 (1 + 13/12h + (V + s)/12lh), less biases, norms and positions: 13 l h + s h."""
    l, h, v, s = 96, 12288, 51200, 2048  # noqa: E741
    model = Training(layers=l, hidden=h, heads=96, sequence=s, vocabulary=v, batch=1)
    published = 12 * l * h * h * (1 + 13 / (12 * h) + (v + s) / (12 * l * h))
    assert model.parameters == pytest.approx(published - 13 * l * h - s * h, rel=1e-12)


@pytest.mark.parametrize(("name", "billions"), [("gpt3-175b", 175), ("llama2-7b", 6.7), ("mixtral-8x7b", 47)])
def test_presets_have_their_published_parameters(name, billions):
    """175 billion (Brown et al. 2020), 6.7 (Touvron et al. 2023), 47 (Jiang et al. 2024), to the digits that are published."""
    assert read_model(name).parameters == pytest.approx(billions * 1e9, rel=0.0075)
    assert read_model(name).source


def test_presets_are_all_there():
    """Every preset is tested above."""
    assert preset_names() == ["gpt3-175b", "llama2-7b", "mixtral-8x7b"]


def test_a_token_uses_two_of_eight_experts():
    """Mixtral: 13 billion parameters work for a token (Jiang et al. 2024, section 2); 6 operations each, and attention."""
    mixtral = read_model("mixtral-8x7b")
    idle = 6 * mixtral.feedforward_parameters * mixtral.layers
    active = mixtral.parameters - idle
    assert active == pytest.approx(13e9, rel=0.02)
    scores = 12 * mixtral.layers * mixtral.sequence * mixtral.hidden
    without_input_embedding = active - mixtral.vocabulary * mixtral.hidden
    assert mixtral.model_flops / mixtral.tokens == pytest.approx(6 * without_input_embedding + scores)


def test_ranks_share_all_parameters():
    """What the ranks keep, each share counted once, is the whole model, whatever the degrees."""
    for tp, pp, ep, ranks in [(1, 1, 1, 2), (2, 2, 2, 16), (4, 1, 4, 16), (2, 4, 1, 8)]:
        model = msgspec.structs.replace(_GPT, experts=4, every=2, tp=tp, pp=pp, ep=ep)
        step = on_ranks(model, ranks)
        kept = (step.layer_parameters + step.expert_parameters * step.ep) * tp * pp
        assert kept + step.embedding_parameters == pytest.approx(step.parameters)


@pytest.mark.parametrize(
    ("settings", "ranks", "reason"),
    [
        ("tp=3", 8, "8 ranks are not a multiple of tp"),
        ("dp=2,tp=2", 8, "2*2*1 = 4, but there are 8 ranks"),
        ("pp=5", 5, "pp=5 must divide layers=32"),
        ("tp=3", 3, "tp=3 must divide heads=32"),
        ("ep=2", 2, "ep=2 needs experts"),
        ("batch=3", 2, "must divide batch=3"),
        ("model=mixtral-8x7b,ep=3", 8, "ep=3 must divide dp=8"),
        ("model=mixtral-8x7b,ep=16,batch=16", 16, "ep=16 must divide experts=8"),
        ("micro=128,batch=1024,sequence=65536", 1, "exceeds MPI's"),
        ("zero=3", 2, "zero=3 is out of range"),
        ("recompute=maybe", 2, "must be no or yes"),
        ("model=llama2-7", 2, "did you mean llama2-7b"),
        ("model=none/such.toml", 2, "cannot be read"),
        ("depth=3", 2, "no parameter 'depth'"),
    ],
)
def test_what_does_not_fit_is_refused(settings, ranks, reason):
    """One sentence that names the numbers, before anything runs."""
    with pytest.raises(InputError) as refused:
        program_of(f"training:{settings}", ranks)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("layers = 0", ":1: layers"), ("layer = 3", "did you mean layers"), ("layers = 3", "'hidden' is missing")],
)
def test_files_are_checked(tmp_path, text, reason):
    """A model's file is checked key by key, with the line."""
    (tmp_path / "model.toml").write_text(text)
    with pytest.raises(InputError) as refused:
        program_of(f"training:model={tmp_path / 'model.toml'}", 2)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("text", "ranks", "reason"),
    [
        ("pingpong", 1, "at least 2 are needed"),
        ("alltoall", 0, "at least 2 are needed"),
        ("alltoall:check=yes", 1024, "GB for real data"),
        ("alltoall:bytes=1073741824", 2048, "exceed any memory"),
        ("allreduce:bytes=12", 4, "must be a multiple of 8"),
        ("beff:bytes=4096", 4, "out of range"),
        ("stencil2d:points=8x8", 128, "less than the halo of 1"),
        ("stencil2d:points=8x8x8", 4, "a grid in 2 dimensions needs 2"),
        ("stencil3d:grid=2x2", 4, "use, for example, 2x2x1"),
        ("stencil2d:grid=3x2", 4, "use, for example, 2x2"),
        ("matmul:n=10", 121, "the matrices have 10 rows"),
        ("matmul:grid=3x3", 8, "use, for example, 4x2"),
        ("matmul", 0, "at least 1 is needed"),
        ("matmull", 4, "did you mean 'matmul'"),
    ],
)
def test_ranks_that_a_program_cannot_take_are_refused(text, ranks, reason):
    """One sentence from Python, before anything is compiled or run."""
    with pytest.raises(InputError) as refused:
        program_of(text, ranks)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_grids_are_as_square_as_can_be():
    """Against all ways to write a number as a product: no grid has sides nearer to each other."""
    for ranks in range(1, 73):
        sides = [n for n in range(1, ranks + 1) if ranks % n == 0]
        for dims in (2, 3):
            best = min(max(c) - min(c) for c in product(sides, repeat=dims) if prod(c) == ranks)
            found = squarest(ranks, dims)
            assert prod(found) == ranks
            assert list(found) == sorted(found, reverse=True)
            assert max(found) - min(found) == best


def test_programs_are_part_of_the_package():
    """What is compiled at run time is installed, header and models too."""
    room = files("topoloom.simulation.applications")
    names = ["pingpong", "alltoall", "allreduce", "beff", "stencil", "matmul", "training", "common"]
    assert all((room / "programs" / f"{name}.c").is_file() for name in names)
    assert (room / "programs" / "common.h").is_file()
    assert (room / "data" / "gpt3-175b.toml").is_file()
