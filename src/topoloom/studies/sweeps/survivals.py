"""`topoloom resilience` as a study: a task a network."""

import os

from topoloom.failures.survival import Survival, Survivals
from topoloom.studies.study import Study
from topoloom.studies.sweeps.kept import kept


def survivals_of(study: Study, folder: str | os.PathLike[str]) -> Survivals:
    """The curves that are finished, in the order of the networks.

    Parameters
    ----------
    study : Study
        Of `study_of`.
    folder : path

    Raises
    ------
    InputError
        The folder holds no study.
    """
    return Survivals(tuple(record.result_as(folder, Survival) for _, _, record in kept(study, folder)))
