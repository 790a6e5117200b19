"""The processor levels of each type of machine: what LLVM knows, and what a processor may load."""

import platform
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from topoloom.core.compiling import kept
from topoloom.core.compiling.levels import LEVELS, processor_levels, runnable

_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_llvm_knows_the_processors_of_the_levels(machine):
    """It compiles a function for each, on a machine of any type; an unknown name or feature would be dropped in silence."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(f"{machine}-unknown-linux-gnu")
    module = llvm.parse_assembly(
        "declare i64 @llvm.ctpop.i64(i64)\n"
        "define i64 @bits(i64 %a) {\n %b = call i64 @llvm.ctpop.i64(i64 %a)\n ret i64 %b\n}"
    )
    for level in processor_levels(machine).values():
        made = target.create_target_machine(cpu=level.processor, features=level.features)
        code = made.emit_assembly(module)
        # Bits are counted by an instruction, not by a loop over masks.
        assert ("popcnt" in code) if machine == "x86_64" else ("cnt\tv" in code), code


def test_a_processor_runs_a_level_and_all_below_it():
    """A level needs the features of the lower ones too; a type of machine without levels has none."""
    levels = processor_levels("x86_64")
    low, high = levels["x86-64-v3"].needed, levels["x86-64-v4"].needed
    assert runnable(levels, dict.fromkeys(low + high, True)) == ("x86-64-v4", "x86-64-v3")
    assert runnable(levels, dict.fromkeys(low, True)) == ("x86-64-v3",)
    assert runnable(levels, dict.fromkeys(high, True)) == ()
    assert runnable(processor_levels("aarch64"), {}) == ("armv8-a",)
    assert runnable(processor_levels("riscv64"), {}) == ()


def test_this_machine_has_the_levels_of_its_type():
    """What `make wheel` compiles here."""
    assert processor_levels(platform.machine()) == LEVELS
    assert set(kept._shipped_levels()) <= LEVELS.keys()
    done = subprocess.run(
        [sys.executable, str(_ROOT / "tools" / "kernels.py"), "--levels"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [*LEVELS]
