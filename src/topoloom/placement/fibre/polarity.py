"""The polarity methods of TIA-568.3-E, by the parts that each requires, as far as parallel optics concern it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topoloom.placement.fibre.plant import Plant


@dataclass(frozen=True)
class PolarityMethod:
    """What a method requires.

    Attributes
    ----------
    name : "A", "B", "U1" or "U2"
    trunk : "A" or "B"
        The type of trunks.
    aligned : bool
        Whether adapters have aligned keys (Type B), and so reverse the fibres.
    cords : tuple of str
        The types of the cords at both ends of a link.
    """

    name: str
    trunk: str
    aligned: bool
    cords: tuple[str, str]


#: B and U2 differ in the cords of duplex links only: a plan of these parts has the name of the first.
METHODS = (
    PolarityMethod("A", "A", False, ("A", "B")),
    PolarityMethod("U1", "B", False, ("B", "B")),
    PolarityMethod("U2", "B", True, ("B", "B")),
    PolarityMethod("B", "B", True, ("B", "B")),
)


def method_of(plant: "Plant") -> str:
    """The polarity method whose parts a plant has: ``A``, ``U1``, ``U2``; empty if it is none of them.

    Parameters
    ----------
    plant : Plant
    """
    types = {use: {fibre.polarity for fibre in plant.fibres if fibre.use == use} for use in ("cord", "trunk")}
    aligned = {panel.reversals > 0 for panel in plant.panels}
    for method in METHODS:
        if (types["trunk"], aligned, types["cord"]) == ({method.trunk}, {method.aligned}, {*method.cords}):
            return method.name
    return ""


def parts_in_words(plant: "Plant") -> str:
    """The types of a plant's parts: ``cords of type B, trunks of type B, adapters of type A``."""
    texts = [
        f"{use}s of type {' and '.join(sorted({fibre.polarity for fibre in plant.fibres if fibre.use == use}))}"
        for use in ("cord", "trunk")
    ]
    adapters = sorted({"B" if panel.reversals else "A" for panel in plant.panels})
    return f"{', '.join(texts)}, adapters of type {' and '.join(adapters)}"
