"""List the argument names of all operations with their meanings: .venv/bin/python tools/operation_names.py"""

from topoloom.core.settings import written
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS


def meanings() -> dict[str, dict[tuple[str, str, str], list[str]]]:
    """By argument name: each meaning (accepted values, unit, default) with the operations that use it.

    A required argument has no default; it counts as the meaning of an optional one with the same values and unit.
    """
    names: dict[str, dict[tuple[str, str, str], list[str]]] = {}
    cases = [(operation, field) for operation, kind in OPERATIONS.items() for field in fields_of(kind)]
    for operation, field in sorted(cases, key=lambda case: case[1].required):
        by_meaning = names.setdefault(field.name, {})
        accepts, unit = field.accepts.removesuffix(" or none"), field.unit
        meaning = accepts, unit, "" if field.required else written(field.default)
        if field.required:
            meaning = next((other for other in by_meaning if other[:2] == (accepts, unit)), meaning)
        by_meaning.setdefault(meaning, []).append(operation)
    return dict(sorted(names.items()))


if __name__ == "__main__":
    for name, by_meaning in meanings().items():
        for (accepts, unit, default), operations in by_meaning.items():
            print(f"{name:16} {accepts[:50]:50} {unit:5} {default[:20]:20} {', '.join(operations)}")
