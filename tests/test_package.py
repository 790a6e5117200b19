"""The package's front door: public names, quick import, data files."""

import re
import subprocess
import sys
from importlib.resources import files

import pytest

import topoloom


@pytest.mark.parametrize("name", topoloom.__all__)
def test_every_public_name_is_there(name):
    """`from topoloom import name` works for all that `__all__` promises, and dir() shows it."""
    assert getattr(topoloom, name) is not None
    assert name in dir(topoloom)


@pytest.mark.exhaustive
def test_names_are_there_at_the_first_look():
    """`import *`, `dir()` and `__all__` show the public names also before one of them was used, and none is loaded by it."""
    for look in ("from topoloom import *; seen = dir()", "seen = dir(topoloom)", "seen = topoloom.__all__"):
        code = f"import topoloom; {look}; print('hops' in seen, 'InputError' in seen)"
        assert (
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            == "True True\n"
        )


def test_the_command_line_reads_no_stub():
    """What reads it is imported at the first use of a public name only: Ctrl-C before the handler stands is a traceback."""
    code = "import sys, topoloom; print([m for m in ('ast', 'lazy_loader') if m in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-S", "-c", f"import sys; sys.path += {sys.path!r}; {code}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        == "[]\n"
    )


def test_the_catalogue_is_a_mapping():
    """`FAMILIES` is every family by its name, aliases too; `topoloom.topologies.families` is the package they are in."""
    import topoloom.topologies.families.torus

    assert "torus" in topoloom.FAMILIES
    assert topoloom.FAMILIES["torus"].make is topoloom.topologies.families.torus.torus
    aliases = topoloom.FAMILIES.aliases
    assert aliases
    assert all(topoloom.FAMILIES[alias] is topoloom.FAMILIES[name] for alias, name in aliases.items())
    assert not callable(topoloom.topologies.families)


def test_unknown_names_are_attribute_errors():
    """A misspelt name is refused by its name."""
    with pytest.raises(AttributeError, match="topoloom attribute biuld"):
        topoloom.biuld  # noqa: B018


def test_import_is_quick():
    """`import topoloom` loads neither NumPy nor Numba."""
    code = "import sys, topoloom; print([m for m in ('numpy', 'numba', 'scipy', 'matplotlib') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("topoloom.cost", "catalogues/slimfly-2014.toml"),
        ("topoloom.cost", "catalogues/koibuchi-2013.toml"),
        ("topoloom.cost", "catalogues/nakano-2016.toml"),
        ("topoloom.cabling", "sheets.css"),
        ("topoloom.core.pages", "templates/page.html"),
        ("topoloom.report", "style.css"),
        ("topoloom.formats", "topology.schema.json"),
    ],
)
def test_data_files_are_part_of_the_package(package, name):
    """What is read at run time is installed."""
    assert (files(package) / name).is_file()


def test_no_room_imports_the_front_door():
    """`from topoloom import x` inside the package would reach over all floors, which import-linter does not see."""
    import ast
    from pathlib import Path

    files = list(Path(topoloom.__file__).parent.rglob("*.py"))
    assert files
    # Only a text with such a statement, which may be one in a docstring, is parsed.
    imports = re.compile(r"from\s+topoloom\s+import|import\b[^\n]*\btopoloom\b(?!\.)")
    for path, text in ((path, path.read_text()) for path in files):
        for node in ast.walk(ast.parse(text)) if imports.search(text) else ():
            assert not (isinstance(node, ast.ImportFrom) and node.module == "topoloom"), path
            assert not (isinstance(node, ast.Import) and any(a.name == "topoloom" for a in node.names)), path


def test_every_limit_and_objective_has_words():
    """The report can name every limit and every objective that a requirement may set."""
    from typing import get_args

    from topoloom.designer.requirement_keys import Objective
    from topoloom.designer.requirement_tables import DesignLimits
    from topoloom.report.design_tables import MEASURE_LABELS

    assert {*DesignLimits.__struct_fields__, *get_args(Objective)} <= MEASURE_LABELS.keys()


@pytest.mark.exhaustive
def test_kernels_run_where_nothing_can_be_written(tmp_path):
    """Neither installation nor home can be written to: kernels go to a folder of the process, gone afterwards."""
    import os

    code = (
        "import os; os.access = lambda *_: False; import topoloom; from pathlib import Path;"
        "from topoloom.core.compiling import kept; kept.SHIPPED = Path('nowhere');"
        "print(topoloom.hops(topoloom.build('petersen')).diameter, kept._users_folder())"
    )
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    diameter, folder = done.stdout.split()
    assert diameter == "2"
    assert folder.startswith(f"{tmp_path}/topoloom-")
    assert list(tmp_path.iterdir()) == []
