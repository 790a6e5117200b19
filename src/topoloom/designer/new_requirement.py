"""A requirement from six answers: its text, with a comment per line, and the quotes that its switches need."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from topoloom.core.errors import InputError, check_type, hint
from topoloom.core.toml_files import table_of
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import PARTS
from topoloom.cost.quotes import quoted_parts
from topoloom.cost.switch_products import SwitchProduct
from topoloom.designer.purposes import PURPOSES, PurposeName
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import requirement_of
from topoloom.designer.requirement_tables import DesignLimits
from topoloom.model.results import Provenance, json_value
from topoloom.placement.floors.floor import PRESETS
from topoloom.placement.floors.floor_files import read_floor
from topoloom.start.draft import Draft, path_from
from topoloom.start.examples import EXAMPLES, examples_folder
from topoloom.start.toml_text import toml_text

#: What may matter most, and the measure that the candidates are then ranked by.
Matter = Literal["cost", "latency", "power", "growth"]
MINIMIZED = {"cost": "cost_usd", "latency": "mean_latency_ns", "power": "power_w", "growth": "cost_usd"}
#: Where growth matters: the hosts that must fit on idle ports, as a share of the hosts.
GROWTH = 0.25
#: Full bandwidth, with room for one more host per switch: without a limit, the cheapest network would be a ring.
_FULL_BANDWIDTH = {"oversubscription": 1.05}
#: The examples that quote switches of catalogues without prices.
_MADE_UP = ("made-up-ndr", "made-up-2026")
DEFAULT_HOSTS, DEFAULT_SWITCH = 1000, "QM9700"
#: Example values of the keys that have no default.
_SAMPLES: dict[str, Any] = {
    "planes": [1, 8],
    "prices": "quotes.toml",
    "compare": ["besta-2014/table-iv"],
    "host.name": "node",
    "host.nic": "ConnectX-7",
    "host.power_w": 900,
    "rack.power_w": 40_000,
    "rack.hosts": 32,
    "rack.switches": 2,
    "rack.price_usd": 3000,
    "switch.radix": 32,
    "switch.product": DEFAULT_SWITCH,
    "limits.diameter": 4,
    "limits.worst_latency_ns": 2000,
    "limits.cost_per_host_usd": 2000,
    "limits.power_per_host_w": 50,
    "limits.longest_cable_m": 50,
    "limits.oversubscription": 1.05,
    "limits.taper": 2,
    "limits.cost_usd": 2_000_000,
    "limits.power_w": 50_000,
    "limits.switches": 100,
    "limits.racks": 40,
    "least.bisection_gbps_per_host": 100,
    "least.survives": ["port", "leaf"],
    "least.grow_to_hosts": 1_000_000,
    "floor.file": "hall.toml",
    "floor.rows": 10,
    "floor.columns": 10,
    "floor.width_m": 0.6,
    "floor.depth_m": 2.4,
    "floor.inside_m": 2,
    "floor.overhead_end_m": 2,
    "floor.switches_per_rack": 8,
    "floor.hosts_per_rack": 40,
    "families.try": ["fat-tree", "dragonfly", "slimfly"],
    "families.leave_out": ["ring"],
    "families.specs": ["fat-tree:k=16"],
}
_HEAD = """\
# {title}.
#
#   topoloom design FILE -o design
#
# Each line says what it sets. A line that begins with # is not read: it shows the (default) or, as (e.g.), an example.
# Remove the # to set it, and the # of its [table]. docs/reference/requirement-file.md has more.
#
# The bill has the switches and the cables between them. With a table [host] it also has the interfaces and cables of
# the hosts, and their racks; with hosts = true under [cable], their cables alone. It never has the hosts themselves.

"""


@dataclass(frozen=True)
class _Switch:
    """The switch of a requirement: a product, or a number of ports; the rate; its catalogue."""

    parts: Parts
    rate_gbps: float
    product: SwitchProduct | None
    ports: int


def new_requirement(
    hosts: int = DEFAULT_HOSTS,
    *,
    switch: str = DEFAULT_SWITCH,
    floor: str | None = None,
    limits: Mapping[str, Any] | None = None,
    matters: Matter = "cost",
    families: Sequence[str] = (),
    rows: int | None = None,
    columns: int | None = None,
    prices: str | None = None,
    title: str | None = None,
    purpose: PurposeName | None = None,
    folder: str | os.PathLike[str] = ".",
) -> Draft:
    """A requirement from six answers, checked as `design` checks it; `write` puts it into a file.

    Parameters
    ----------
    hosts : int
        Hosts that must be served.
    switch : str
        A product of a parts catalogue (``QM9700``), ports by rate in Gb/s (``64x400``), or both (``SN5600x400``).
    floor : str, optional
        The room: a preset's name or a floor file; ``slimfly-2014`` if omitted.
    limits : mapping, optional
        Keys of the table [limits]: ``{"cost_usd": 2e6, "power_w": 50_000}``. The oversubscription is limited to 1.05 unless
        it is among them.
    matters : "cost", "latency", "power" or "growth"
        What the candidates are ranked by; growth also requires idle ports for a quarter more hosts.
    families : sequence of str
        The families that take part; all if empty.
    rows, columns : int, optional
        The size of a preset's floor, in racks.
    prices : str, optional
        Your quotes. Made-up ones are written next to the requirement if the switch has no public price.
    title : str, optional
        The report's title.
    purpose : "ai-training", "hpc" or "general", optional
        What `PURPOSES` sets for it: the kind of host, its racks, and a limit of the bandwidth in place of an oversubscription
        of 1.05.
    folder : path
        The folder that the requirement will be written to: its paths are relative to it.

    Returns
    -------
    Draft

    Raises
    ------
    InputError
        An answer that the requirement cannot hold, or a switch that has no price.

    Examples
    --------
    >>> new_requirement(hosts=500, switch="36x40").text.splitlines()[0]
    '# 500 hosts on switches of 36 ports at 40 Gb/s.'
    """
    check_type(hosts, int, "new_requirement", "give the number of hosts")
    limit_values = _checked_limits(limits or {})
    priced, quotes, quote_files = _priced(_switch(switch), prices)
    _check_families(families)
    floor_table = _floor(floor, rows, columns)
    product = priced.product
    named = product.name if product is not None else f"switches of {priced.ports} ports"
    about = f"{hosts:,} hosts on {named} at {priced.rate_gbps:g} Gb/s"
    values: dict[str, Any] = {
        "title": title or about,
        "hosts": hosts,
        "rate_gbps": priced.rate_gbps,
        "parts": priced.parts.name,
    }
    values |= {} if quotes is None else {"prices": quotes}
    values |= {"minimize": MINIMIZED[matters]}
    values["switch"] = {"product": product.name} if product is not None else {"radix": priced.ports}
    usual = {} if purpose is None else PURPOSES[purpose].tables
    values |= {key: value for key, value in usual.items() if key != "limits"}
    values["limits"] = usual.get("limits", _FULL_BANDWIDTH) | limit_values
    if matters == "growth":
        values["least"] = {"grow_to_hosts": math.ceil(hosts * (1 + GROWTH))}
    values["floor"] = floor_table
    if families:
        values["families"] = {"try": list(families)}
    _check(values, about, examples_folder() if quote_files else Path())
    if quotes is not None and not quote_files:
        values["prices"] = path_from(folder, quotes)
    if "file" in floor_table:
        values["floor"] = {"file": path_from(folder, floor_table["file"])}
    answers = {
        "hosts": hosts,
        "switch": switch,
        "floor": floor,
        "limits": limit_values,
        "matters": matters,
        "families": list(families),
    } | ({} if purpose is None else {"purpose": purpose})
    return Draft(
        "requirement",
        _text(values, about),
        quote_files,
        provenance=Provenance.of_run(name=about, settings=json_value(answers)),
    )


def check_answers(
    switch: str,
    floor: str | None,
    limits: Mapping[str, Any],
    families: Sequence[str],
    rows: int | None,
    columns: int | None,
) -> None:
    """Refuse each answer that is wrong on its own; the parameters are those of `new_requirement`.

    Parameters
    ----------
    switch : str
    floor : str or None
    limits : mapping
    families : sequence of str
    rows, columns : int or None

    Raises
    ------
    InputError
        An answer that no requirement can hold.
    """
    _switch(switch)
    floor_table = _floor(floor, rows, columns)
    if "file" in floor_table:
        read_floor(floor_table["file"])
    _checked_limits(limits)
    _check_families(families)


def switches_to_choose() -> list[dict[str, Any]]:
    """The switches that can be chosen by name, with the made-up quotes of those that have no public price.

    Returns
    -------
    list of dict
        ``name``, ``vendor``, ``parts`` (the catalogue), ``ports``, ``rate_gbps`` and ``quotes`` (an example's name, or empty).
    """
    quoted = {product: name for name in _MADE_UP for product in _quotes(name)}
    return [
        {
            "name": product.name,
            "vendor": product.vendor,
            "parts": parts.name,
            "ports": product.ports_at(product.rate_gbps),
            "rate_gbps": product.rate_gbps,
            "quotes": "" if product.price_usd is not None else quoted[product.name],
        }
        for parts in PARTS.values()
        for product in parts.switch.product
        if product.rate_gbps is not None and (product.price_usd is not None or product.name in quoted)
    ]


def products_with_quotes() -> list[str]:
    """The switches that need no quotes of your own: those that have a public price or a made-up one."""
    names = [
        product.name for parts in PARTS.values() for product in parts.switch.product if product.price_usd is not None
    ]
    return [*names, *(name for quotes in map(_quotes, _MADE_UP) for name in quotes)]


def _check(values: Mapping[str, Any], about: str, quotes_in: Path) -> None:
    """Refuse what `design` would refuse. Made-up quotes are not written yet: they are read from the folder `quotes_in`."""
    table_of(dict(values), Requirement, "new requirement")
    floor_table = values["floor"]
    if "file" in floor_table:
        read_floor(floor_table["file"])
        floor_table = {"file": os.path.abspath(floor_table["file"])}
    requirement_of(_text({**values, "floor": floor_table}, about), "new requirement", quotes_in)


def _text(values: Mapping[str, Any], about: str) -> str:
    samples = _SAMPLES | {"least.grow_to_hosts": 2 * values["hosts"]}
    return _HEAD.format(title=about) + toml_text(Requirement, values, samples=samples)


def _checked_limits(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Limits as the requirement has them.

    Raises
    ------
    InputError
        No such limit, or a value that is not of its type or out of its range.
    """
    for name in limits:
        if name not in DesignLimits.__struct_fields__:
            raise InputError(
                f"`limits`: there is no limit '{name[:60]}' ({hint(name, DesignLimits.__struct_fields__)})"
            )
    table_of(dict(limits), DesignLimits, "`limits`")
    return dict(limits)


def _check_families(families: Sequence[str]) -> None:
    from topoloom.topologies.spec import FAMILIES

    for name in families:
        FAMILIES.find(name)


def _floor(floor: str | None, rows: int | None, columns: int | None) -> dict[str, Any]:
    """The table [floor]."""
    if floor is not None and floor.endswith((".toml", ".csv")):
        if rows is not None or columns is not None:
            raise InputError("`rows` and `columns` belong to a preset; a floor file has its own, so omit them")
        return {"file": floor}
    name = "slimfly-2014" if floor is None else floor
    if name not in PRESETS:
        raise InputError(
            f"`floor`: no floor named '{name[:60]}' (known: {', '.join(PRESETS)}, or a .toml or .csv file)"
        )
    return {"preset": name} | {key: value for key, value in (("rows", rows), ("columns", columns)) if value is not None}


def _switch(text: str) -> _Switch:
    """The switch that a text names: a product, ``PORTSxGBPS``, or a product and a slower rate.

    Raises
    ------
    InputError
        The text is none of them.
    """
    catalogues = {product.name: (parts, product) for parts in PARTS.values() for product in parts.switch.product}
    name, rate = text.strip(), None
    sized = re.fullmatch(r"(.+?)\s*x\s*(\d{1,7}(?:\.\d+)?)", name)
    if name not in catalogues and sized:
        name, rate = sized[1], float(sized[2])
    if name in catalogues:
        parts, product = catalogues[name]
        rate = rate or product.rate_gbps or parts.link_rate(None)
        if not product.ports_at(rate):
            raise InputError(
                f"`switch`: '{name}' has no ports of {rate:g} Gb/s; its fastest have {product.rate_gbps:g} Gb/s"
            )
        return _Switch(parts, rate, product, product.ports_at(rate))
    if rate and re.fullmatch(r"\d{1,4}", name) and 2 <= int(name) <= 4096:
        return _Switch(PARTS.find("slimfly-2014"), rate, None, int(name))
    advice = hint(name, catalogues) if not name[:1].isdigit() else ""
    suggestion = f"; {advice}" if advice.startswith("did you mean") else ""
    raise InputError(
        f"`switch`: '{text[:60]}' is neither a product of a parts catalogue nor ports by rate{suggestion}; write"
        f" {DEFAULT_SWITCH}, or 64x400 for 64 ports of 400 Gb/s"
    )


def _priced(switch: _Switch, prices: str | None) -> tuple[_Switch, str | None, dict[str, str]]:
    """The switch, the file of quotes that prices it, and the made-up quotes that are written with the requirement.

    Raises
    ------
    InputError
        It has no price.
    """
    product = switch.product
    if prices is not None:
        quoted = quoted_parts(switch.parts.name, prices)
        if product is not None and not any(
            sold.name == product.name and sold.price_usd for sold in quoted.switch.product
        ):
            raise InputError(f"`prices`: {prices} has no price of the switch {product.name}; quote it there")
        return switch, prices, {}
    if not switch.parts.unpriced:
        return switch, None, {}
    for name in _MADE_UP:
        if product is not None and product.name in _quotes(name):
            file = EXAMPLES[name].file
            return switch, file, {file: EXAMPLES[name].text()}
    raise InputError(
        f"`switch`: the catalogue '{switch.parts.name}' has no price of {product.name if product else 'its switches'};"
        f" `prices` names your quotes ('topoloom examples {_MADE_UP[0]}' shows their form), or take one of"
        f" {', '.join(products_with_quotes())}"
    )


def _quotes(name: str) -> list[str]:
    """The switches that an example quotes."""
    import tomllib

    content = tomllib.loads(EXAMPLES[name].text())
    return [str(switch["name"]) for switch in content["switch"]["product"]]
