"""Build hook: what a wheel holds besides the package: the examples, and kernels that were compiled ahead.

A wheel with kernels is one for this Python on Linux; one without is for all.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SHIPPED = "src/topoloom/core/compiling/shipped"
#: In a checkout; and in the package, where `topoloom.start.examples` looks for them.
_EXAMPLES, _SHIPPED_EXAMPLES = "examples", "topoloom/start/examples"


class ShippedKernels(BuildHookInterface):
    """Puts the examples, and the levels that tools/kernels.py compiled for any processor, into the wheel.

    Kernels for this machine's own processor stay here. An editable installation reads the examples where they lie.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before a wheel is built."""
        if version == "editable":
            return
        build_data["force_include"][str(Path(self.root, _EXAMPLES))] = _SHIPPED_EXAMPLES
        levels = sorted(Path(self.root, _SHIPPED).glob("x86-64-v*"))
        if not levels:
            return
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        build_data["tag"] = f"{python}-{python}-manylinux_2_17_x86_64"
        build_data["pure_python"] = False
        for level in levels:
            build_data["force_include"][str(level)] = f"topoloom/core/compiling/shipped/{level.name}"
