"""Counts the cords and trunks of a plan that are right, wrong, or not heard of."""

from typing import TYPE_CHECKING

import numpy as np

from topoloom.fabric.diagnosis.passive.pieces import PassiveCounts, PieceCounts
from topoloom.fabric.diagnosis.passive.roots import PassiveRoot

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.evidence import Evidence


def passive_counts(evidence: "Evidence") -> PassiveCounts | None:
    """The counts of a comparison with its roots; None without panels, without a discovery, or if ports are not compared.

    Parameters
    ----------
    evidence : Evidence
    """
    facts, comparison = evidence.facts.passive, evidence.comparison
    if facts is None or comparison is None or comparison.ports != "exact":
        return None
    plant = facts.plant
    rows = np.flatnonzero(facts.compared)
    ends = np.concatenate([plant.start, plant.planned_arrival], axis=1)[rows].tolist()
    right = np.array([(*sorted(((s, p), (t, q))),) not in evidence.not_right for s, p, t, q in ends], bool)
    state = np.zeros(plant.fibre.size, np.int64)  # 0: no link, 1: not heard of, 2: right, 3: wrong
    for links, value in ((rows, 1), (rows[right], 2)):
        fibres = plant.ways.fibre[links]
        state[fibres[fibres >= 0]] = value
    state[[fibre for root in evidence.roots if isinstance(root, PassiveRoot) for fibre in root.fibres]] = 3
    piece = np.zeros(plant.pieces.size, np.int64)
    np.maximum.at(piece, plant.piece, state)
    cords, trunks = (plant.of_use(use)[plant.pieces] for use in ("cord", "trunk"))

    def counts(of_use: np.ndarray) -> PieceCounts:
        number = np.bincount(piece[of_use], minlength=4).tolist()
        return PieceCounts(sum(number[1:]), number[2], number[3], number[1])

    return PassiveCounts(counts(cords), counts(trunks))
