"""A small case of each public result; `python tests/results/record_cases.py` writes the records that are missing."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import topoloom as t
from topoloom.results import Result, schema_id

RECORDS = Path(__file__).parent / "records"


def _routed() -> t.Routing:
    return t.route(t.build("petersen:hosts=1"), "orders")


def _checked() -> t.CheckedPlan:
    with TemporaryDirectory() as folder:
        t.save_expansion(t.expand(t.build("petersen"), 11), folder)
        return t.check_plan(folder)


#: By the schema's name without its version.
CASES: dict[str, Callable[[], Result]] = {
    "bills": lambda: t.Bills((t.price(t.place(t.build("petersen:hosts=1"))),)),
    "bill": lambda: t.price(t.place(t.build("petersen:hosts=1"))),
    "cabling": lambda: t.cable(t.place(t.build("petersen:hosts=1"))),
    "cuts": lambda: t.cuts(t.build("petersen")),
    "checked-plan": _checked,
    "expansion": lambda: t.expand(t.build("petersen:hosts=1"), 12),
    "hops": lambda: t.hops(t.build("petersen")),
    "layout": lambda: t.place(t.build("petersen:hosts=1")),
    "load-curve": lambda: t.simulate(_routed(), loads=(0.1,)),
    "optimized": lambda: t.optimize(t.build("torus:dims=4x4"), moves=100),
    "quality": lambda: t.quality(_routed()),
    "reproduction": lambda: t.reproduce(["xu-2019/products"]),
    "routing": _routed,
    "verdict": lambda: t.prove(_routed()),
}


def file_of(noun: type[Result]) -> Path:
    """Where the fixture of a noun's present version lies."""
    return RECORDS / (schema_id(noun).removeprefix("topoloom/").replace("/", "-") + ".json")


if __name__ == "__main__":
    RECORDS.mkdir(exist_ok=True)
    for name, case in CASES.items():
        if not list(RECORDS.glob(f"{name}-*.json")):
            made = case()
            text = msgspec.json.format(msgspec.json.encode(made.record()), indent=1)
            file_of(type(made)).write_bytes(text + b"\n")
