"""Names of networks in prose: "two-plane rail-optimised fat tree", for pages that are read by people who do not read specs."""

from collections.abc import Mapping
from typing import Any

from topoloom.core.errors import InputError
from topoloom.topologies.spec.grammar import read_settings, split
from topoloom.topologies.spec.registry import FAMILIES, TRANSFORMS

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def network_title(spec: str) -> str:
    """The name of a spec's network in prose, without its sizes, which a reader sees next to it.

    Parameters
    ----------
    spec : str

    Returns
    -------
    str
        The spec itself, where it cannot be read.

    Examples
    --------
    >>> network_title("fat-tree:k=64,hosts=2048+rails:nics=4+planes:count=2")
    'two-plane rail-optimised fat tree'
    >>> network_title("fat-tree:k=64,hosts=1024,taper=2:1"), network_title("hyperx:dims=8x8,hosts=8")
    ('2:1 fat tree', '8 x 8 HyperX')
    >>> network_title("fat-tree:k=64,hosts=1152,bundles=uneven")
    'fat tree with uneven bundles'
    """
    try:
        base, *changes = split(spec.strip(), "+")
        name, _, text = base.partition(":")
        if name == "product":
            title = f"product of {' and '.join(network_title(factor[1:-1]) for factor in _factors(text))}"
        else:
            record = FAMILIES.find(name)
            values, _ = read_settings(record.name, record.parameters, text, takes_hosts=True)
            title = " ".join([*_shape(values, _host_share(changes)), record.title])
            title += " with uneven bundles" if values.get("bundles") == "uneven" else ""
        for change in changes:
            name, _, text = change.partition(":")
            record_of_change = TRANSFORMS.find(name)
            values, _ = read_settings(record_of_change.name, record_of_change.parameters, text)
            title = " ".join([*_change(record_of_change.name, values), title])
    except InputError:
        return spec
    return title


def family_title(name: str) -> str:
    """The name of a family in prose; the given name where there is no such family.

    Examples
    --------
    >>> family_title("megafly"), family_title("product")
    ('Dragonfly+', 'product')
    """
    try:
        return FAMILIES.find(name).title
    except InputError:
        return name


def _factors(text: str) -> list[str]:
    *factors, last = split(text, "*")
    return [*factors, split(last, ",")[0]]


def _host_share(changes: list[str]) -> float:
    """The rate of host ports as a share of that of the links, by the transform `rates`."""
    for change in changes:
        name, _, text = change.partition(":")
        if name == "rates":
            values, _ = read_settings(name, TRANSFORMS.find(name).parameters, text)
            if values["links"] and values["hosts"]:
                return float(values["hosts"] / values["links"])
    return 1.0


def _shape(values: Mapping[str, Any], host_share: float) -> list[str]:
    """What tells networks of one family apart: the sides of a grid, the taper of a tree by bandwidth."""
    if values.get("dims"):
        return [" x ".join(map(str, values["dims"]))]
    shares = {"leaf": host_share, "taper": host_share, "core_taper": 1.0}
    tapers = [values[key][0] / values[key][1] * share for key, share in shares.items() if values.get(key)]
    return [f"{taper:.3g}:1" for taper in tapers if taper > 1 + 1e-9]


def _change(name: str, values: Mapping[str, Any]) -> list[str]:
    """The words that a transform puts before the name."""
    if name == "planes":
        count = values["count"]
        return [f"{_NUMBERS[count - 2] if 2 <= count <= 10 else count}-plane"]
    return {"rails": ["rail-optimised"], "rail-only": ["rail-only"], "optimized": ["optimised"]}.get(name, [])
