"""The catalogue as plain records: the parameters of each family, and parameter values that serve a number of hosts."""

from collections.abc import Iterable
from typing import Any

from topoloom.topologies.spec.registry import DIRECTED_FAMILIES, FAMILIES, TRANSFORMS, DirectedFamily, Family, Transform


def listed(chosen: Iterable[Family | Transform] | None = None) -> dict[str, Any]:
    """The record of families and transforms, all or the chosen ones: names, parameters, sources.

    Examples
    --------
    >>> from topoloom.topologies.spec import FAMILIES
    >>> found = listed([FAMILIES.find("petersen")])
    >>> found["schema"], [one["name"] for one in found["families"]]
    ('topoloom/families/1', ['petersen'])
    """
    everything: list[Family | Transform] = [*FAMILIES.values(), *DIRECTED_FAMILIES.values(), *TRANSFORMS.values()]
    wanted = everything if chosen is None else chosen
    return {"schema": "topoloom/families/1", "families": [_record(record) for record in wanted]}


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
    families = [
        {
            "name": record.name,
            "sizes": [
                {"spec": record.spec_of(values, values.get("hosts")), "parameters": values}
                for values in map(dict, record.sizes(hosts, radix))
            ],
        }
        for record in chosen
        if isinstance(record, Family) and record.sizes is not None
    ]
    return {"schema": "topoloom/family-sizes/1", "hosts": hosts, "radix": radix, "families": families}


def _record(record: Family | Transform) -> dict[str, Any]:
    return {
        "name": record.name,
        "kind": "directed family"
        if isinstance(record, DirectedFamily)
        else "family"
        if isinstance(record, Family)
        else "transform",
        "description": record.description,
        "source": record.source,
        "aliases": list(record.aliases) if isinstance(record, Family) else [],
        "labels": record.labels if isinstance(record, Family) else {},
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
            for key, parameter in record.parameters.items()
        },
    }
