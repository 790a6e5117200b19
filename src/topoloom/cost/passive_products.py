"""Passive fibre parts of a catalogue: panels, cords and trunks."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, ClassVar

import msgspec
import numpy as np

from topoloom.core.settings import setting
from topoloom.cost.products import Cited, Positive, Price, check_ranges, low_high
from topoloom.placement.fibre.parts import Fibre, Panel, PanelKind, Polarity, fanning, looping, shuffling


class PanelProduct(Cited, frozen=True, kw_only=True):
    """A panel, cassette or loop plug of passive fibres."""

    group: ClassVar[str] = "parts [[panel]]"

    name: Annotated[str, setting("the product's name")]
    kind: Annotated[PanelKind, setting("how its ports are joined inside")]
    front: Annotated[int, setting("front ports, which face the switches", least=1, most=1024)]
    front_pairs: Annotated[int, setting("pairs of fibres of a front port", least=1, most=1024)] = 1
    rear: Annotated[
        int, setting("rear ports of a shuffle panel; one pair of each front port leads to each", least=1, most=1024)
    ] = 1
    u: Annotated[
        float, setting("its height; below 1 where several share a unit", unit="rack units", least=0, most=100)
    ] = 1.0
    connectors: Annotated[
        int, setting("mated connector pairs that a link passes in it: 1 in an adapter", least=0, most=8)
    ] = 2
    connector_db: Annotated[float, setting("loss of one mated pair", unit="dB", least=0, most=100)] = 0.35
    loss_db: Annotated[float, setting("loss of its own fibres", unit="dB", least=0, most=100)] = 0.0
    reversals: Annotated[
        int,
        setting("adapters that a link passes in it which reverse the fibres: aligned keys, Type B", least=0, most=8),
    ] = 0
    weight_kg: Annotated[float, setting("its weight; not known, if omitted", unit="kg", least=0, most=1e5)] | None = (
        None
    )
    price_usd: Annotated[Price, setting("price of one; not known, if omitted", unit="USD")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "price_usd")
        if self.kind == "shuffle panel" and self.front_pairs % self.rear:
            raise ValueError(
                f"front_pairs: {self.front_pairs} pairs of a front port do not spread evenly over {self.rear} rear ports"
            )

    @property
    def panel(self) -> Panel:
        """The part that a plan uses."""
        if self.kind == "shuffle panel":
            pairs, inside = shuffling(self.front, self.rear, self.front_pairs // self.rear)
        else:
            pairs, inside = (
                looping(self.front_pairs) if self.kind == "loop plug" else fanning(self.front, self.front_pairs)
            )
        return Panel(
            self.name, self.kind, self.front, pairs, inside, self.u, self.connectors, self.connector_db, self.loss_db,
            self.reversals, self.weight_kg,
        )  # fmt: skip


class FibreProduct(Cited, frozen=True, kw_only=True):
    """A fibre cable with connectors: a cord between a port and a panel, or a trunk between panels."""

    group: ClassVar[str] = "parts [[cord]] and [[trunk]]"

    name: Annotated[str, setting("the product's name")]
    pairs: Annotated[int, setting("pairs of fibres", least=1, most=10_000)]
    connector: Annotated[str, setting("its connectors, as in `fibre` of a cable: `MPO-12/APC`")] = ""
    polarity: Annotated[
        Polarity, setting("the order of fibres at its ends (TIA-568.3): A straight, B reversed, C pairs crossed")
    ] = "B"
    loss_db_per_km: Annotated[float, setting("loss of its fibres", unit="dB/km", least=0, most=100)] = 0.5
    base_usd: Annotated[Price, setting("price of one of 0 m", unit="USD")] | None = None
    per_metre_usd: Annotated[Price, setting("price of one more metre", unit="USD")] | None = None
    lengths_m: Annotated[
        tuple[Positive, ...],
        setting(
            "the lengths that it is sold in, shortest first; if omitted, it is made to length, in whole metres",
            unit="m",
        ),
    ] = ()
    legs: Annotated[
        int,
        setting(
            "plugs at its far end, of `pairs` each: one piece serves as many links of a switch that need one length",
            least=1,
            most=64,
        ),
    ] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges(self, "base_usd", "per_metre_usd")
        if any(a >= b for a, b in zip(self.lengths_m, self.lengths_m[1:], strict=False)):
            raise ValueError("lengths_m: each length must be greater than the one before it")

    @property
    def has_price(self) -> bool:
        """Whether it has a price."""
        return self.base_usd is not None or self.per_metre_usd is not None

    def usd(self, stock_m: np.ndarray) -> np.ndarray:
        """The lowest and the highest price of pieces of these lengths, float64[2, pieces]; NaN without a price."""
        if not self.has_price:
            return np.full((2, *stock_m.shape), np.nan)
        return np.asarray(low_high(self.base_usd)[:, None] + low_high(self.per_metre_usd)[:, None] * stock_m)

    def fibre(self, use: str, slack_m: float) -> Fibre:
        """The part that a plan uses, as a cord or a trunk."""
        return Fibre(
            self.name, use, self.pairs, self.polarity, self.loss_db_per_km, self.connector, self.lengths_m, slack_m,  # type: ignore[arg-type]
            self.legs,
        )  # fmt: skip


class PassiveProducts(msgspec.Struct, frozen=True):
    """The panels, cords and trunks of a catalogue."""

    panel: tuple[PanelProduct, ...] = ()
    cord: tuple[FibreProduct, ...] = ()
    trunk: tuple[FibreProduct, ...] = ()


@cache
def generic_passive() -> PassiveProducts:
    """The parts of catalogues that have none of their own: common sizes, without prices."""
    content = (files("topoloom.cost") / "passive_parts.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(content), PassiveProducts)
