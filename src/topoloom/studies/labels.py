"""Labels of axes in pictures of studies: the name of a column in words, with its unit."""

#: Endings of columns with a unit, longest first.
_ENDINGS = {
    "_flits_per_cycle": "flits per cycle",
    "_per_s": "1/s",
    "_gbps": "Gb/s",
    "_usd": "USD",
    "_kwh": "kWh",
    "_kw": "kW",
    "_ns": "ns",
    "_us": "\N{MICRO SIGN}s",
    "_ms": "ms",
    "_pj": "pJ",
    "_w": "W",
    "_m": "m",
    "_s": "s",
}
_HOPS = (
    "aspl",
    "aspl_bound",
    "diameter",
    "diameter_bound",
    "h_aspl",
    "host_aspl",
    "hops_mean",
    "max_hops",
    "mean_hops",
    "radius",
)
#: Units of the other columns that operations of the product have.
_UNITS = {
    **dict.fromkeys(("load", "loads", "offered", "accepted", "accepted_min"), "flits per host and cycle"),
    **dict.fromkeys(("saturation", "uniform_throughput", "throughput"), "share of the hosts' rate"),
    **dict.fromkeys(_HOPS, "hops"),
    "seconds": "s",
}


def label_of(column: str) -> str:
    """The label of a column's axis: words, and the unit in brackets where the column has one.

    A count, and a parameter of a topology, has none.

    Examples
    --------
    >>> [label_of(name) for name in ("latency_mean", "cost_per_host_usd", "aspl", "side")]
    ['latency mean [cycles]', 'cost per host [USD]', 'aspl [hops]', 'side']
    """
    if column in _UNITS:
        return f"{_words(column)} [{_UNITS[column]}]"
    for ending, unit in _ENDINGS.items():
        if column.endswith(ending) and len(column) > len(ending):
            return f"{_words(column.removesuffix(ending))} [{unit}]"
    if column.startswith("latency_"):
        return f"{_words(column)} [cycles]"
    return _words(column)


def _words(column: str) -> str:
    return column.replace("_", " ")
