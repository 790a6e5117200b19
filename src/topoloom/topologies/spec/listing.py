"""The catalogue as plain records: the parameters of each family, and parameter values that serve a number of hosts."""

from collections.abc import Iterable
from typing import Any

from topoloom.topologies.spec.registry import FAMILIES, TRANSFORMS, Family, Transform


def listed(chosen: Iterable[Family | Transform] | None = None) -> dict[str, Any]:
    """The record of families and transforms, all or the chosen ones: names, parameters, sources.

    Examples
    --------
    >>> from topoloom.topologies.spec import FAMILIES
    >>> found = listed([FAMILIES.find("petersen")])
    >>> found["schema"], [one["name"] for one in found["families"]]
    ('topoloom/families/1', ['petersen'])
    """
    everything: list[Family | Transform] = [*FAMILIES.values(), *TRANSFORMS.values()]
    wanted = everything if chosen is None else chosen
    return {"schema": "topoloom/families/1", "families": [_record(one) for one in wanted]}


def sizes_listed(chosen: Iterable[Family | Transform], hosts: int, radix: int) -> dict[str, Any]:
    """The record of parameter values with which families serve at least `hosts` hosts on switches of `radix` ports.

    Parameters
    ----------
    chosen : iterable of Family or Transform
        Transforms, and families without sizes, are omitted.
    hosts : int
        Fewest hosts to serve.
    radix : int
        Ports of a switch.

    Returns
    -------
    dict
        ``families``: ``name`` and ``sizes`` of each family; each size has a ``spec`` and ``parameters``.

    Examples
    --------
    >>> from topoloom.topologies.spec import FAMILIES
    >>> sizes_listed([FAMILIES.find("slimfly")], 10_000, 48)["families"][0]["sizes"][0]["parameters"]["q"]
    16
    """
    found = [
        {
            "name": one.name,
            "sizes": [
                {"spec": one.spec_of(values, values.get("hosts")), "parameters": values}
                for values in map(dict, one.sizes(hosts, radix))
            ],
        }
        for one in chosen
        if isinstance(one, Family) and one.sizes is not None
    ]
    return {"schema": "topoloom/family-sizes/1", "hosts": hosts, "radix": radix, "families": found}


def _record(one: Family | Transform) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": "family" if isinstance(one, Family) else "transform",
        "description": one.description,
        "source": one.source,
        "aliases": list(one.aliases) if isinstance(one, Family) else [],
        "labels": one.labels if isinstance(one, Family) else {},
        "parameters": {
            key: {
                "description": parameter.description,
                "type": type(parameter).__name__.lower(),
                "range": parameter.range,
                "required": parameter.required,
                "default": None
                if parameter.required or parameter.default is None
                else parameter.write(parameter.default),
            }
            for key, parameter in one.parameters.items()
        },
    }
