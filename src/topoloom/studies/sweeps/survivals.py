"""`topoloom resilience` as a study: one task per network."""

import os

from topoloom.failures.survival import Survival, Survivals
from topoloom.studies.study import Study
from topoloom.studies.sweeps.finished import finished_points


def survivals_of(study: Study, folder: str | os.PathLike[str]) -> Survivals:
    """The finished curves, in the order of the networks.

    Parameters
    ----------
    study : Study
        The result of `study_of`.
    folder : path

    Raises
    ------
    InputError
        The folder contains no study.
    """
    return Survivals(tuple(record.result_as(folder, Survival) for _, _, record in finished_points(study, folder)))
