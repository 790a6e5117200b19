"""The table of what racks, rows and the room take, as texts: one source for the terminal and for pages."""

from topoloom.cost.facility import Supply

#: The columns.
SUPPLY_HEAD = (
    *("", "racks", "switches", "hosts", "units", "max kW", "typical kW", "kg"),
    *("air m³/h", "liquid kW", "liquid L/min"),
)


def supply_cells(supply: Supply, prefix: str = "") -> tuple[str, ...]:
    """What a rack, a row or the room takes, in the columns `SUPPLY_HEAD`.

    Parameters
    ----------
    supply : Supply
    prefix : str
        What precedes its name.

    Returns
    -------
    tuple of str
        Sums that lack some devices with the mark of a lower bound.
    """
    return (
        f"{prefix}{supply.name}",
        f"{supply.racks}",
        f"{supply.switches:,}",
        f"{supply.hosts:,}",
        f"{supply.units:,.10g}",
        _cell(supply.max_w, supply.max_unknown, 1000, 1),
        _cell(supply.typical_w, supply.typical_unknown, 1000, 1),
        _cell(supply.weight_kg, supply.weight_unknown, 1, 0),
        _cell(supply.air_m3h, supply.air_unknown, 1, 0),
        f"{supply.liquid_w / 1000:,.1f}",
        _cell(supply.liquid_l_min, supply.liquid_unknown, 1, 0),
    )


def unknown_figures(supply: Supply) -> list[tuple[str, int]]:
    """The figures that some devices lack, and how many do."""
    counts = {
        "maximum power": supply.max_unknown,
        "typical power": supply.typical_unknown,
        "weight": supply.weight_unknown,
        "airflow": supply.air_unknown,
        "liquid": supply.liquid_unknown,
    }
    return [(what, count) for what, count in counts.items() if count]


def _cell(value: float | None, unknown: int, per: float, digits: int) -> str:
    """A sum; with the mark of a lower bound where some devices lack the figure."""
    if value is None:
        return "unknown"
    return f"{'>= ' if unknown else ''}{value / per:,.{digits}f}"
