"""The rates that a cable list plans: those of its products, as the parts catalogues have them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.cost.parts_files import PARTS
from topoloom.fabric.fabric import Fabric
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cables import cabled_fabric


def planned_cables(found: CableList) -> Fabric:
    """The fabric that a cable list plans, with the rates of its links' products where these are known."""
    fabric = cabled_fabric(found)
    return replace(fabric, link_rate_gbps=product_rates(found.product)) if any(found.product) else fabric


def product_rates(titles: Sequence[str]) -> np.ndarray:
    """Gb/s of each product, float64[titles]; 0 where it is in no catalogue, or carries several rates, or all.

    Parameters
    ----------
    titles : sequence of str
        As cable lists call products.

    Returns
    -------
    float64[titles]
    """
    rates: dict[str, set[float]] = {}
    for parts in PARTS.values():
        for product in parts.cable:
            rates.setdefault(product.title, set()).update(product.rates_gbps or (0.0, np.inf))
    single = {title: min(one) for title, one in rates.items() if len(one) == 1}
    return np.array([single.get(title, 0.0) for title in titles], np.float64)
