"""The planned rates in a cable list: those of its products in the parts catalogues."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.cost.parts_files import PARTS
from topoloom.fabric.fabric import Fabric
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cables import cabled_fabric


def planned_cables(cables: CableList) -> Fabric:
    """The fabric planned by a cable list, with the rates of its links' products where known."""
    fabric = cabled_fabric(cables)
    return replace(fabric, link_rate_gbps=product_rates(cables.product)) if any(cables.product) else fabric


def product_rates(titles: Sequence[str]) -> np.ndarray:
    """Gb/s of each product, float64[titles]; 0 if no catalogue has it, or if it carries several rates or all.

    Parameters
    ----------
    titles : sequence of str
        Products by their names in cable lists.

    Returns
    -------
    float64[titles]
    """
    rates: dict[str, set[float]] = {}
    for parts in PARTS.values():
        for product in parts.cable:
            rates.setdefault(product.title, set()).update(product.rates_gbps or (0.0, np.inf))
    single = {title: min(rates_of_title) for title, rates_of_title in rates.items() if len(rates_of_title) == 1}
    return np.array([single.get(title, 0.0) for title in titles], np.float64)
