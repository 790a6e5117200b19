"""A plan's passive parts, as the rules take them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.cost.panelled import link_budgets
from topoloom.cost.terms import Terms
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class PassiveFacts:
    """The passive parts of a plan.

    Attributes
    ----------
    plant : Plant
    racks : sequence of str
        The rack of each panel.
    budget_db : float64[links through the plant]
        The loss that the transceivers of each link allow, dB; inf where it is not known.
    """

    plant: Plant
    racks: Sequence[str]
    budget_db: np.ndarray

    @classmethod
    def of(cls, layout: Layout, terms: Terms) -> "PassiveFacts | None":
        """The passive parts of a layout, and the budgets of the catalogue that the terms name; None without panels.

        Parameters
        ----------
        layout : Layout
        terms : Terms
        """
        plant = layout.plant
        if plant is None:
            return None
        racks = np.array(layout.rack_names, object)[np.searchsorted(layout.used, plant.slot)]
        unknown_db = np.full(len(plant.start), np.inf)
        budget_db = unknown_db if terms.parts is None else link_budgets(layout, terms)[plant.through]
        return cls(plant, tuple(racks.tolist()), budget_db)
