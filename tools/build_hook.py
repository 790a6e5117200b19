"""Build hook that adds the examples, the commit and precompiled kernels to a wheel, and the commit to a source distribution.

A wheel with kernels is for this version of Python on Linux; a wheel without kernels is for all systems.
"""

import platform
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PROGRAM, _LEVELS = "src/topoloom/core/program.py", "src/topoloom/core/compiling/levels.py"
_SHIPPED = "src/topoloom/core/compiling/shipped"
#: The examples in a checkout, and in the package, where `topoloom.start.examples` reads them.
_EXAMPLES, _SHIPPED_EXAMPLES = "examples", "topoloom/start/examples"


class PackagedFiles(BuildHookInterface):
    """Adds the examples, and the kernels that tools/kernels.py compiled for processor levels, to the wheel.

    Kernels for this machine's processor are not added. An editable installation reads the examples from the checkout.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Choose the files before a wheel is built."""
        if version == "editable":
            return
        self._add_commit(build_data)
        if self.target_name == "sdist":
            return
        build_data["force_include"][str(Path(self.root, _EXAMPLES))] = _SHIPPED_EXAMPLES
        names = runpy.run_path(str(Path(self.root, _LEVELS)))["LEVELS"]
        levels = [folder for name in names if (folder := Path(self.root, _SHIPPED, name)).is_dir()]
        if not levels:
            return
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        build_data["tag"] = f"{python}-{python}-manylinux_2_17_{platform.machine()}"
        build_data["pure_python"] = False
        for level in levels:
            build_data["force_include"][str(level)] = f"topoloom/core/compiling/shipped/{level.name}"

    def _add_commit(self, build_data: dict[str, Any]) -> None:
        """Add the file with the commit; the sources of a source distribution have it already."""
        program = runpy.run_path(str(Path(self.root, _PROGRAM)))
        name, commit = program["COMMIT_FILE"], program["commit"]()
        if not commit or Path(self.root, "src/topoloom", name).exists():
            return
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name, name)
        file.write_text(commit + "\n", encoding="ascii")
        build_data["force_include"][str(file)] = ("src/" if self.target_name == "sdist" else "") + f"topoloom/{name}"
