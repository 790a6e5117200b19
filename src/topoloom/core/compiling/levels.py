"""Processor levels that kernels are shipped for, by type of machine: what `make wheel` compiles, and a machine may load.

This module imports only the standard library: the build hook of the wheel reads it without Numba.
"""

import platform
from collections.abc import Mapping
from typing import NamedTuple


class ProcessorLevel(NamedTuple):
    """What kernels of a level are compiled for, and what a processor needs to run them.

    Attributes
    ----------
    processor : str
        LLVM's name of the processor.
    features : str
        Additional features, as LLVM writes them.
    needed : tuple of str
        The features that a processor must have, by LLVM's names, in addition to those of the lower levels.
    """

    processor: str
    features: str
    needed: tuple[str, ...]


_X86_64 = {
    "x86-64-v4": ProcessorLevel(
        "x86-64-v4", "+avx512vpopcntdq", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512vpopcntdq")
    ),
    "x86-64-v3": ProcessorLevel("x86-64-v3", "", ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt")),
}
#: Every 64-bit Arm processor has what LLVM's `generic` uses: floating point and NEON, which counts bits.
_AARCH64 = {"armv8-a": ProcessorLevel("generic", "+neon", ())}

_BY_MACHINE: Mapping[str, Mapping[str, ProcessorLevel]] = {"x86_64": _X86_64, "aarch64": _AARCH64}


def processor_levels(machine: str) -> Mapping[str, ProcessorLevel]:
    """The levels of a type of machine, as `platform.machine` names it, the best first; none for other types.

    Examples
    --------
    >>> list(processor_levels("x86_64")), list(processor_levels("aarch64")), list(processor_levels("riscv64"))
    (['x86-64-v4', 'x86-64-v3'], ['armv8-a'], [])
    """
    return _BY_MACHINE.get(machine, {})


def runnable(levels: Mapping[str, ProcessorLevel], features: Mapping[str, bool]) -> tuple[str, ...]:
    """The levels that a processor with these features runs, the best first.

    Parameters
    ----------
    levels : mapping of str to ProcessorLevel
        The best first.
    features : mapping of str to bool
        By LLVM's names.

    Examples
    --------
    >>> runnable(processor_levels("x86_64"), {"avx512f": True})
    ()
    >>> runnable(processor_levels("aarch64"), {})
    ('armv8-a',)
    """
    has = [all(features.get(feature) for feature in level.needed) for level in levels.values()]
    return tuple(name for at, name in enumerate(levels) if all(has[at:]))


#: The levels of this machine.
LEVELS = processor_levels(platform.machine())
