"""The notebooks run from the first cell to the last, and lie in the repository without what they showed."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (pip install nbformat nbclient ipykernel)")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (pip install nbformat nbclient ipykernel)")

_NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    """Not a folder that somebody emptied."""
    assert len(_NOTEBOOKS) == 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    """Its cells hold what they assert; tables and pictures are shown."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code), "outputs are not kept"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {kind for cell in code for output in cell.outputs for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= shown
