"""The NAS skeletons against the real programs: every call, in its order, of runs that were traced."""

import hashlib
import json
import math

import nas_runs
import pytest

_COUNTED = nas_runs.measured("calls.json")
_TRACED = nas_runs.measured("traces.json")
# Drawing the keys of is.C.64 takes half a minute of a slow machine; it was compared when the file was made.
_QUICK = sorted(name for name in _TRACED if name != "is.C.64")


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", sorted(_COUNTED))
def test_calls_sizes_and_partners_are_the_measured_ones(name: str) -> None:
    """Calls, message sizes, bytes, pairs, partners and collectives are those counted in the real program's run."""
    ours, real = nas_runs.counted(nas_runs.skeleton_of(name)), _COUNTED[name]
    offsets = ours["p2p_pairs_hop_offsets"]
    assert isinstance(offsets, dict)
    # The file keeps the twenty commonest offsets.
    assert all(offsets[offset] == number for offset, number in real["p2p_pairs_hop_offsets"].items())
    assert len(real["p2p_pairs_hop_offsets"]) == min(20, len(offsets))
    for fact in real.keys() - {"p2p_pairs_hop_offsets"}:
        assert ours[fact] == real[fact], fact


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", _QUICK)
def test_every_line_is_the_real_program_s(name: str) -> None:
    """Without its computing, a skeleton's trace is line by line what SimGrid traced of the real program."""
    program = nas_runs.skeleton_of(name)
    digest, lines = hashlib.sha256(), 0
    for rank in range(program.ranks):
        mine = nas_runs.messages(program.text(rank).splitlines())
        lines += len(mine)
        digest.update("".join(f"{line}\n" for line in mine).encode())
    assert lines == _TRACED[name]["lines"]
    assert digest.hexdigest() == _TRACED[name]["sha256"]


def test_all_benchmarks_and_odd_grids_are_among_the_traced() -> None:
    """The traced runs have all nine benchmarks, five classes, and numbers of ranks of every kind."""
    assert {name.split(".")[0] for name in _QUICK} == {"bt", "cg", "dt", "ep", "ft", "is", "lu", "mg", "sp"}
    assert {name.split(".")[1] for name in _QUICK} == {"S", "W", "A", "B", "C"}
    assert {1, 2, 6, 9, 16, 25, 36, 128} <= {int(name.split(".")[2]) for name in _QUICK}


@pytest.mark.parametrize("size", ["S", "A", "C"])
@pytest.mark.parametrize("name", ["bt", "cg", "ft", "lu", "mg", "sp"])
def test_operations_are_the_formula_s(name: str, size: str) -> None:
    """A program's operations are what NPB3.3 divides by seconds for Mop/s, and its ranks' computing adds up to them."""
    formula = json.loads((nas_runs.REFERENCE / "op_counts.json").read_text())["formulas"][name.upper()]
    side = {"S": 12, "A": 64, "C": 162}[size]
    steps = {
        "bt": (60, 200, 200),
        "sp": (100, 400, 400),
        "lu": (50, 250, 250),
        "mg": (4, 4, 20),
        "ft": (6, 6, 20),
        "cg": (15, 15, 75),
    }[name]["SAC".index(size)]
    values = {
        "n": side,
        "nx": side,
        "ny": side,
        "nz": side,
        "niter": steps,
        "itmax": steps,
        "nit": steps,
        "na": {"S": 1400, "A": 14000, "C": 150000}[size],
        "nonzer": {"S": 7, "A": 11, "C": 15}[size],
        "ntotal": {"S": 2**18, "A": 2**23, "C": 2**27}[size],
        "ln": math.log,
    }
    if name == "mg":
        values.update(dict.fromkeys(("nx", "ny", "nz"), {"S": 32, "A": 256, "C": 512}[size]))
    expected = eval(formula.replace("^", "**"), {"__builtins__": {}}, values)
    program = nas_runs.trace(f"{name}:class={size}", 16)
    assert program.operations == pytest.approx(expected, rel=1e-12)
    if size != "C":
        assert nas_runs.computed(program) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "ranks", "operations"),
    [("ep:class=A", 7, 2.0**29), ("is:class=W", 16, 10 * 2.0**20), ("dt:class=S,graph=WH", 6, 4 * 1728 * 4)],
)
def test_operations_of_the_others(text: str, ranks: int, operations: float) -> None:
    """EP counts random numbers, IS keys ranked, DT numbers over arcs."""
    program = nas_runs.trace(text, ranks)
    assert program.operations == operations
    assert nas_runs.computed(program) == pytest.approx(operations, rel=1e-9)
