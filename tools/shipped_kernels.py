"""Build hook: a wheel with kernels compiled ahead is one for this Python on Linux; one without is for all."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SHIPPED = "src/topoloom/core/compiling/shipped"


class ShippedKernels(BuildHookInterface):
    """Puts the levels that tools/kernels.py compiled for any processor into the wheel; this machine's own stay here."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before a wheel is built."""
        levels = sorted(Path(self.root, _SHIPPED).glob("x86-64-v*"))
        if version == "editable" or not levels:
            return
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        build_data["tag"] = f"{python}-{python}-manylinux_2_17_x86_64"
        build_data["pure_python"] = False
        for level in levels:
            build_data["force_include"][str(level)] = f"topoloom/core/compiling/shipped/{level.name}"
