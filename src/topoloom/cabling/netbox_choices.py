"""NetBox's words for what topoloom writes: types of interfaces and of cables.

The choices are those of netbox/dcim/choices.py of NetBox 4.6.8 (commit 43fe81f9e833).
"""

import re

from topoloom.cost.cable_products import CableProduct
from topoloom.cost.switch_products import SwitchProduct
from topoloom.placement.fibre.parts import Fibre

#: Types of pluggable Ethernet interfaces, and of InfiniBand.
INTERFACE_TYPES = frozenset(
    [
        *("1000base-t", "10gbase-x-sfpp", "25gbase-x-sfp28", "40gbase-x-qsfpp", "50gbase-x-sfp28", "50gbase-x-sfp56"),
        *("100gbase-x-qsfp28", "100gbase-x-qsfpdd", "100gbase-x-sfp112", "200gbase-x-qsfp56", "200gbase-x-qsfpdd"),
        *("400gbase-x-osfp", "400gbase-x-osfp-rhs", "400gbase-x-qsfp112", "400gbase-x-qsfpdd"),
        *("800gbase-x-osfp", "800gbase-x-qsfpdd", "1.6tbase-x-osfp1600", "1.6tbase-x-osfp1600-rhs"),
        *("infiniband-sdr", "infiniband-ddr", "infiniband-qdr", "infiniband-fdr10", "infiniband-fdr"),
        *("infiniband-edr", "infiniband-hdr", "infiniband-ndr", "infiniband-xdr", "other"),
    ]
)

#: The cable type for each medium, and a colour chosen here; other media have no type.
_MEDIA = {
    "electric": "dac-passive",
    "copper": "dac-passive",
    "passive copper": "dac-passive",
    "active copper": "dac-active",
    "fibre": "aoc",
    "optical": "aoc",
}
COLOURS = {
    "dac-passive": "424242",
    "dac-active": "795548",
    "aoc": "00bcd4",
    **dict.fromkeys(("mmf-om3", "mmf-om4", "mmf-om5"), "00bcd4"),
    **dict.fromkeys(("smf-os1", "smf-os2"), "ffeb3b"),
}
_GRADE = re.compile(r"\b(OM[1-5]|OS[12])\b")
#: The end of a type for what a host's cage takes (`HostType.connector`).
_CAGES = {
    "OSFP finned": "osfp",
    "OSFP flat": "osfp-rhs",
    "QSFP-DD": "qsfpdd",
    "QSFP112": "qsfp112",
    "QSFP56": "qsfp56",
    "QSFP28": "qsfp28",
    "SFP28": "sfp28",
}
#: Ethernet over twisted pairs by the rate of a port, Gb/s.
_TWISTED_PAIR = {1.0: "1000base-t"}


def cable_type(product: CableProduct) -> str:
    """NetBox's type of a cable; empty where it has none.

    A fibre is of the grade in its name (``MPO-12 OM4`` is ``mmf-om4``). A fibre without one is a cable with its transceivers,
    unless it has `modules`.
    """
    grade = _GRADE.search(product.title) if product.medium == "fibre" else None
    if grade is not None:
        return f"{'mmf' if grade[1].startswith('OM') else 'smf'}-{grade[1].lower()}"
    return "" if product.modules else _MEDIA.get(product.medium, "")


def fibre_type(fibre: Fibre) -> str:
    """NetBox's type of a cord or trunk: that of the grade in its name or its connector, single-mode where neither has one."""
    grade = _GRADE.search(f"{fibre.name} {fibre.connector}")
    return "smf-os2" if grade is None else f"{'mmf' if grade[1].startswith('OM') else 'smf'}-{grade[1].lower()}"


def panel_port_type(connector: str) -> str:
    """NetBox's type of a port of a panel by its connector: ``MPO-12/APC`` is ``mpo``, ``LC`` is ``lc``.

    Examples
    --------
    >>> [panel_port_type(connector) for connector in ("MPO-12/APC", "LC", "LC/APC", "")]
    ['mpo', 'lc', 'lc-apc', 'other']
    """
    shell, _, polish = connector.partition("/")
    family = shell.partition("-")[0].strip().lower()
    if family in ("mpo", "mtp"):
        return "mpo"
    if family in ("lc", "sc"):
        return f"{family}-{polish.lower()}" if polish in ("PC", "UPC", "APC") else family
    return family if family in ("cs", "sn", "mdc") else "other"


#: InfiniBand by the rate of a port, Gb/s.
_INFINIBAND = {100: "infiniband-edr", 200: "infiniband-hdr", 400: "infiniband-ndr", 800: "infiniband-xdr"}


def native_type(product: SwitchProduct, *, infiniband: bool, rate_gbps: float | None = None) -> str:
    """NetBox's type of a product's ports at their highest rate.

    Parameters
    ----------
    product : SwitchProduct
    infiniband : bool
        Whether it is an InfiniBand switch.
    rate_gbps : float, optional
        The rate of a link: of a product with several kinds of ports, the slowest kind that has this rate.

    Returns
    -------
    str
        The product's `netbox_type`; else InfiniBand by its rate, Ethernet by rate and cage; empty where NetBox has none.
    """
    rate, connector = product.rate_gbps, product.connector
    if not isinstance(product.ports, int):
        kinds = [kind for kind in product.ports if rate_gbps is not None and kind.rate_gbps >= rate_gbps]
        slowest = min(kinds, key=lambda kind: kind.rate_gbps, default=None)
        rate, connector = (None, None) if slowest is None else (slowest.rate_gbps, slowest.connector)
    if product.netbox_type or rate is None:
        return product.netbox_type
    if infiniband:
        return _INFINIBAND.get(round(rate), "")
    if connector == "RJ45":
        name = _TWISTED_PAIR.get(rate, "")
    elif rate < 1000:
        name = f"{rate:g}gbase-x-{_CAGES.get(connector or '', '')}"
    else:
        form, _, flat = _CAGES.get(connector or "", "").partition("-")
        name = f"{rate / 1000:g}tbase-x-{form}1600{flat and '-'}{flat}"
    return name if name in INTERFACE_TYPES else ""


def interface_type(native: str, rate_gbps: float) -> str:
    """NetBox's type of a switch port whose own type is `native`, at the rate of its link.

    InfiniBand ports keep their type. An Ethernet port at a lower rate has the type of that rate in the same cage where NetBox
    has one.

    Examples
    --------
    >>> [interface_type("800gbase-x-osfp", rate) for rate in (800, 400, 200)]
    ['800gbase-x-osfp', '400gbase-x-osfp', '800gbase-x-osfp']
    """
    if not native:
        return "other"
    cage = native.partition("base-")[2]
    at_rate = f"{rate_gbps:g}gbase-{cage}"
    return at_rate if cage and at_rate in INTERFACE_TYPES else native


def host_interface_type(native: str, connector: str | None, rate_gbps: float) -> str:
    """NetBox's type of a host's port.

    Parameters
    ----------
    native : str
        The type of the port of the switch at the other end, at its highest rate.
    connector : str or None
        What the host's cage takes.
    rate_gbps : float

    Returns
    -------
    str
        InfiniBand and twisted pairs as `native`, other Ethernet by rate and cage, else ``other``.
    """
    if native.startswith("infiniband-") or native in _TWISTED_PAIR.values():
        return native
    cage = "" if connector is None or not native else _CAGES.get(connector, "")
    names = (f"{rate_gbps:g}gbase-x-{cage}", f"{rate_gbps:g}gbase-x-{cage.removesuffix('-rhs')}")
    return next((name for name in names if name in INTERFACE_TYPES), "other")
