"""`topoloom resilience` as a study: a task a network."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from topoloom.failures.survival import Survival, Survivals
from topoloom.studies.study import Study
from topoloom.studies.sweeps.kept import kept


def resilience_study(topologies: Sequence[str], **arguments: Any) -> Study:
    """The survival curve of every network.

    Parameters
    ----------
    topologies : sequence of str
        Specs, files or folders.
    **arguments
        What the verb resilience takes beside.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        An argument that the verb has not.

    Examples
    --------
    >>> len(resilience_study(["petersen", "ring:n=10"], samples=100).tasks())
    2
    """
    axes = {"topology": list(dict.fromkeys(topologies))}
    return Study(verb="resilience", task=arguments, axes=axes, base=str(Path.cwd()))


def survivals_of(study: Study, folder: str | os.PathLike[str]) -> Survivals:
    """The curves that are finished, in the order of the networks.

    Parameters
    ----------
    study : Study
        Of `resilience_study`.
    folder : path

    Returns
    -------
    Survivals

    Raises
    ------
    InputError
        The folder holds no study.
    """
    return Survivals(tuple(record.result_as(folder, Survival) for _, _, record in kept(study, folder)))
