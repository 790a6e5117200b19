"""topoloom: design the networks of supercomputers and data centres, from a requirement to cables and routes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

#: Where each public name lives; a name is imported when it is first used, so that `import topoloom` is quick.
_HOMES = {
    "Bill": "topoloom.cost.bill",
    "Bounds": "topoloom.graph.bounds",
    "Cuts": "topoloom.graph.cuts",
    "Design": "topoloom.designer.design",
    "Hops": "topoloom.graph.distances",
    "InputError": "topoloom.errors",
    "Layout": "topoloom.layout.layout",
    "Topology": "topoloom.topology",
    "bounds": "topoloom.graph.bounds",
    "build": "topoloom.spec",
    "cuts": "topoloom.graph.cuts",
    "design": "topoloom.designer.design",
    "hops": "topoloom.graph.distances",
    "load": "topoloom.formats",
    "place": "topoloom.layout.layout",
    "price": "topoloom.cost.bill",
    "save": "topoloom.formats",
}

__all__ = sorted([*_HOMES, "families"])  # noqa: PLE0605

if TYPE_CHECKING:
    from topoloom.cost.bill import Bill as Bill
    from topoloom.cost.bill import price as price
    from topoloom.designer.design import Design as Design
    from topoloom.designer.design import design as design
    from topoloom.errors import InputError as InputError
    from topoloom.formats import load as load
    from topoloom.formats import save as save
    from topoloom.graph.bounds import Bounds as Bounds
    from topoloom.graph.bounds import bounds as bounds
    from topoloom.graph.cuts import Cuts as Cuts
    from topoloom.graph.cuts import cuts as cuts
    from topoloom.graph.distances import Hops as Hops
    from topoloom.graph.distances import hops as hops
    from topoloom.layout.layout import Layout as Layout
    from topoloom.layout.layout import place as place
    from topoloom.spec import build as build
    from topoloom.spec import families as families
    from topoloom.topology import Topology as Topology


def __getattr__(name: str) -> Any:
    if name == "families":
        return import_module("topoloom.families")
    if name not in _HOMES:
        raise AttributeError(f"module 'topoloom' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
