"""Parts catalogues: what switches and cables cost and draw, as TOML."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np

from topoloom.errors import InputError
from topoloom.tables import parse_toml, read_toml

_NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e15)]


class SwitchProduct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A switch that can be bought: it is used wherever a switch needs up to `ports` ports."""

    name: str
    ports: Annotated[int, msgspec.Meta(ge=1)]
    price_usd: _NotNegative
    power_w: _NotNegative


class SwitchParts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Switches: a straight line in the number of ports from `least_ports` on, or a list of products.

    A switch that needs fewer ports than `least_ports` is priced as one with that many: a line that was fitted to large
    switches gives small ones away.
    """

    base_usd: Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)] = 0.0
    per_port_usd: _NotNegative = 0.0
    power_w_per_port: _NotNegative = 0.0
    least_ports: Annotated[int, msgspec.Meta(ge=0)] = 0
    product: tuple[SwitchProduct, ...] = ()


class CableParts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A medium of cable: where it is used, how far it reaches, and its price line in metres, per Gb/s."""

    medium: str
    use: Literal["inside", "between", "any"]
    base_usd_per_gbps: _NotNegative
    per_metre_usd_per_gbps: _NotNegative
    reach_m: Annotated[float, msgspec.Meta(gt=0)] = float("inf")
    power_w: _NotNegative = 0.0


class Parts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parts catalogue."""

    name: str
    source: str
    switch: SwitchParts
    cable: Annotated[tuple[CableParts, ...], msgspec.Meta(min_length=1)]
    rate_gbps: tuple[float, float] | None = None

    def switch_usd(self, ports: int) -> float:
        """The price of a switch with so many ports: the smallest product that has them, else the line."""
        product = self._product(ports)
        if product is not None:
            return product.price_usd
        return max(0.0, self.switch.base_usd + self.switch.per_port_usd * max(ports, self.switch.least_ports))

    def switch_w(self, ports: int) -> float:
        """The watts of a switch with so many ports."""
        product = self._product(ports)
        return (
            product.power_w
            if product is not None
            else self.switch.power_w_per_port * max(ports, self.switch.least_ports)
        )

    def _product(self, ports: int) -> SwitchProduct | None:
        fitting = [product for product in self.switch.product if product.ports >= ports]
        if self.switch.product and not fitting:
            raise InputError(f"parts '{self.name}': no switch has {ports} ports (at most {self.most_ports})")
        return min(fitting, key=lambda product: (product.ports, product.price_usd)) if fitting else None

    @property
    def most_ports(self) -> int:
        """The ports of the largest product; 0 when switches are priced by a line."""
        return max((product.ports for product in self.switch.product), default=0)

    def medium_of(self, length_m: np.ndarray, between: np.ndarray) -> np.ndarray:
        """For each cable, the index of the first medium that is used there and reaches that far: int64[cables]."""
        chosen = np.full(length_m.size, -1)
        for index, cable in enumerate(self.cable):
            fits = (cable.use == "any") | (between if cable.use == "between" else ~between)
            chosen[(chosen < 0) & fits & (length_m <= cable.reach_m)] = index
        if (chosen < 0).any():
            worst = float(length_m[chosen < 0].max())
            raise InputError(f"parts '{self.name}': no medium reaches {worst:.1f} m; add one with a greater reach_m")
        return chosen

    def cable_usd(self, index: int, length_m: np.ndarray, rate_gbps: float) -> np.ndarray:
        """Prices of cables of one medium, float64[cables]: rate * (base + per metre * length)."""
        cable = self.cable[index]
        return rate_gbps * (cable.base_usd_per_gbps + cable.per_metre_usd_per_gbps * length_m)


def load_parts(name: str | Path) -> Parts:
    """A parts catalogue: one of topoloom's own by name (``slimfly-2014``), or a TOML file by path."""
    parts = _read_parts(name)
    if not parts.switch.product and not parts.switch.per_port_usd and parts.switch.base_usd <= 0:
        raise InputError(f"{name}: [switch] has no price; give per_port_usd and base_usd, or [[switch.product]] tables")
    if parts.rate_gbps is not None and not 0 < parts.rate_gbps[0] <= parts.rate_gbps[1] < 1e15:
        raise InputError(f"{name}: rate_gbps must be two rates above 0, the lower one first")
    return parts


def _read_parts(name: str | Path) -> Parts:
    own = files("topoloom.cost") / "data" / f"{name}.toml"
    if "/" not in str(name) and own.is_file():
        return parse_toml(own.read_text(encoding="utf-8"), Parts, str(name))
    if Path(name).suffix != ".toml":
        known = ", ".join(
            sorted(p.name[:-5] for p in (files("topoloom.cost") / "data").iterdir() if p.name.endswith(".toml"))
        )
        raise InputError(f"no parts named '{name}' (known: {known}; or the path of a .toml file)")
    return read_toml(name, Parts)
