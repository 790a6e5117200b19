"""Every name of an argument, with its meanings over all operations: .venv/bin/python tools/operation_names.py"""

from topoloom.core.settings import written
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS


def meanings() -> dict[str, dict[tuple[str, str, str], list[str]]]:
    """By name: what it accepts, its unit and its default, and the operations that have it so.

    Where it is required it has no default, and the meaning of where it has one.
    """
    names: dict[str, dict[tuple[str, str, str], list[str]]] = {}
    cases = [(operation, field) for operation, kind in OPERATIONS.items() for field in fields_of(kind)]
    for operation, field in sorted(cases, key=lambda case: case[1].required):
        of = names.setdefault(field.name, {})
        accepts, unit = field.accepts.removesuffix(" or none"), field.unit
        meaning = accepts, unit, "" if field.required else written(field.default)
        if field.required:
            meaning = next((one for one in of if one[:2] == (accepts, unit)), meaning)
        of.setdefault(meaning, []).append(operation)
    return dict(sorted(names.items()))


if __name__ == "__main__":
    for name, found in meanings().items():
        for (accepts, unit, default), operations in found.items():
            print(f"{name:16} {accepts[:50]:50} {unit:5} {default[:20]:20} {', '.join(operations)}")
