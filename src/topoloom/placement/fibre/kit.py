"""The passive parts that a plan uses: one kind of panel, of cord and of trunk that fit one another."""

from dataclasses import dataclass

from topoloom.core.errors import InputError
from topoloom.placement.fibre.parts import Fibre, Panel


@dataclass(frozen=True, eq=False)
class Kit:
    """A panel, the cord for its front ports and the trunk for its rear ports.

    Attributes
    ----------
    panel : Panel
    cord, trunk : Fibre
    link_pairs : int
        Pairs of fibres of one link.
    loop : Fibre or None
        The loop plug for rear ports whose trunk comes later.

    Raises
    ------
    InputError
        A cord or a trunk does not fit the panel's ports.
    """

    panel: Panel
    cord: Fibre
    trunk: Fibre
    link_pairs: int = 1
    loop: Fibre | None = None

    def __post_init__(self) -> None:
        sides = [(self.cord, self.panel.pairs[0], "front"), (self.trunk, self.panel.pairs[-1], "rear")]
        sides += [] if self.loop is None else [(self.loop, self.panel.pairs[-1], "rear")]
        for fibre, pairs, side in sides:
            if fibre.pairs != pairs:
                raise InputError(
                    f"the {fibre.use} '{fibre.name}' has {fibre.pairs} pairs of fibres, but a {side} port of"
                    f" '{self.panel.name}' has {pairs}; choose parts that fit"
                )
        if self.panel.pairs[0] % self.link_pairs:
            raise InputError(
                f"a front port of '{self.panel.name}' has {self.panel.pairs[0]} pairs of fibres, and a link needs"
                f" {self.link_pairs}; choose a panel whose front ports hold whole links"
            )
