"""Exporting the table of a study to a file for other tools: CSV, Parquet, netCDF."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from topoloom.core.csv_files import csv_text
from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.studies.results import StudyResults
from topoloom.studies.winners import StudyDifferences

#: The endings of a file's name, and the content of each.
SUFFIXES = {
    ".csv": "a table",
    ".parquet": "a table with types (pandas, DuckDB)",
    ".nc": "arrays over the axes (xarray)",
}


def table_csv(results: StudyResults) -> str:
    """The table as CSV: axes, measures, and ``error`` for failed points."""
    names = [*results.axes, *results.measures, "error"]
    rows = [*results.rows(), *results.failures]
    return csv_text(names, ([row.get(name) for name in names] for row in rows))


def export_study(results: StudyResults | StudyDifferences, path: str | Path) -> None:
    """Write the table of a study, or of its paired differences.

    Parameters
    ----------
    results : StudyResults or StudyDifferences
    path : path
        Its name ends in .csv, .parquet or .nc.

    Raises
    ------
    InputError
        `path` has another ending, a library is missing, or the file cannot be written.
    """
    suffix = Path(path).suffix
    if suffix == ".csv":
        write_atomically(path, table_csv(results) if isinstance(results, StudyResults) else rows_csv(results.rows()))
    elif suffix == ".parquet":
        import io

        content = io.BytesIO()
        try:
            results.to_frame().to_parquet(content, index=False)
        except ImportError:
            raise InputError("Parquet needs pyarrow: pip install 'topoloom[frames]'") from None
        write_atomically(path, content.getvalue())
    elif suffix == ".nc" and isinstance(results, StudyResults):
        try:
            content_nc: Any = results.to_xarray().to_netcdf()
        except (ImportError, ValueError):
            raise InputError("netCDF needs xarray and scipy: pip install 'topoloom[frames]'") from None
        write_atomically(path, bytes(content_nc))
    else:
        allowed = {
            ending: content
            for ending, content in SUFFIXES.items()
            if ending != ".nc" or isinstance(results, StudyResults)
        }
        endings = ", ".join(f"{ending} ({content})" for ending, content in allowed.items())
        raise InputError(f"{path}: end its name in {endings}")


def rows_csv(rows: Sequence[dict[str, Any]]) -> str:
    """A table as CSV, with one column for every key that occurs."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text(names, ([row.get(name) for name in names] for row in rows))
