"""A plan's passive parts, as the rules take them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.cost.panelled import link_budgets, with_products
from topoloom.cost.terms import Terms
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class PassiveFacts:
    """The passive parts of a plan.

    Attributes
    ----------
    plant : Plant
        Its first switches are those of the network that is compared.
    racks : sequence of str
        The rack of each panel.
    budget_db : float64[links through the plant]
        The loss that the transceivers of each link allow, dB; inf where it is not known.
    others : sequence of str
        The names of the switches of other planes, whose links pass the same panels: the last switches of the plant.
    """

    plant: Plant
    racks: Sequence[str]
    budget_db: np.ndarray
    others: Sequence[str] = ()

    @classmethod
    def of(cls, layout: Layout, terms: Terms) -> "PassiveFacts | None":
        """The passive parts of a layout with the losses of the terms' catalogue, and its budgets; None without panels.

        Parameters
        ----------
        layout : Layout
        terms : Terms
        """
        plant = layout.plant
        if plant is None:
            return None
        racks = np.array(layout.rack_names, object)[np.searchsorted(layout.used, plant.slot)]
        budget_db = np.full(len(plant.start), np.inf)
        if terms.parts is not None:
            plant, budget_db = with_products(plant, terms.parts), link_budgets(layout, terms)[plant.through]
        return cls(plant, tuple(racks.tolist()), budget_db)

    @property
    def switches(self) -> int:
        """Number of switches that are compared."""
        return self.plant.switches - len(self.others)

    @property
    def compared(self) -> np.ndarray:
        """The links through the plant that are compared, bool[links through the plant]."""
        return np.asarray(self.plant.start[:, 0] < self.switches)

    def part(self, switches: np.ndarray, names: Sequence[str]) -> "PassiveFacts":
        """The same parts, where only some planes of the network are compared.

        Parameters
        ----------
        switches : int64[n]
            The switches of these planes, ascending; they get the numbers from 0.
        names : sequence of str
            The names of all switches.
        """
        plant = self.plant
        others = np.setdiff1d(np.arange(plant.switches), switches)
        number = np.arange(plant.switches + plant.panel.size)
        number[np.concatenate([switches, others])] = np.arange(plant.switches)
        ends = np.stack([number[plant.ends[:, :, 0]], plant.ends[:, :, 1]], axis=2)
        own = replace(plant, ends=ends, links=number[plant.links])
        return replace(self, plant=own, others=[names[switch] for switch in others.tolist()])
