"""What a comparison leaves in its folder."""

from pathlib import Path

import msgspec

from topoloom.core.folders import write_folder
from topoloom.designer.assessment.assessment import Assessments
from topoloom.report.compare_page import compare_page
from topoloom.report.finalist_files import finalist_files, stale_in

#: What the folders of the networks lie in.
NETWORKS = "networks"


def write_comparison(found: Assessments, folder: str | Path, *, everything: bool = False) -> list[Path]:
    """Write the report and a network folder for each network, all of it or nothing; returns what was written.

    Parameters
    ----------
    found : Assessments
    folder : path
        Made if it is not there; the folder around it must be.
    everything : bool
        Whether the networks' folders have files for installers and for other tools, too.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        The folder cannot be made or written.
    """
    files = finalist_files(
        {f"{NETWORKS}/{number}": one for number, one in enumerate(found.networks, 1)}, "compare", everything=everything
    )
    files["compare.json"] = msgspec.json.format(msgspec.json.encode(found.record()), indent=1) + b"\n"
    files["compare.html"] = compare_page(found, NETWORKS)
    return write_folder(folder, files, stale=stale_in(NETWORKS))
