"""Write docs/families.md from the records of the catalogue: .venv/bin/python tools/families_page.py"""

from pathlib import Path

from topoloom.spec import FAMILIES, TRANSFORMS, Family, Parameter, Transform

_PAGE = Path(__file__).parents[1] / "docs" / "families.md"
_HEAD = """# The families

Made by `tools/families_page.py` from the records in `src/topoloom/families`; change those, not this page.
`topoloom families` shows the same on the command line. How a spec is written: [specs](specs.md).

Every family also takes `hosts=`, a number of hosts on each switch that carries hosts, or `full`
([what that means](specs.md#hosts)). Random families take a `seed`: the same seed gives the same links everywhere. Which
members of a family serve a number of hosts: `topoloom families NAME --hosts 1000 --radix 36`. Papers
that the sources name by author and year are [these](glossary.md#the-papers).
"""
_PRODUCT = """## `product`

The Cartesian product of any specs: `product:(torus:dims=4x4)*(petersen)`. See [products](specs.md#products).
"""


def families_page() -> str:
    """The whole page."""
    records = FAMILIES
    rows = [
        f"| [`{one.name}`](#{one.name}) | {_cell(one.description)} | {'random' if one.random else ''} |"
        for one in records.values()
    ]
    index = "\n".join(["| family | what it is | |", "|---|---|---|", *rows])
    parts = [_HEAD, index + "\n", *map(_section, records.values()), _PRODUCT, "# Transforms\n"]
    parts += map(_section, TRANSFORMS.values())
    return "\n".join(parts)


def _section(one: Family | Transform) -> str:
    plus = "" if isinstance(one, Family) else "+"
    lines = [f"## `{plus}{one.name}`", "", _text(one.description), ""]
    if one.parameters:
        lines += ["| parameter | meaning | range | default |", "|---|---|---|---|"]
        lines += [
            f"| `{key}` | {_cell(p.description)} | {_cell(p.range)} | {_default(p)} |"
            for key, p in one.parameters.items()
        ]
        lines.append("")
    if isinstance(one, Family) and one.aliases:
        lines.append(f"* Also called: {', '.join(f'`{alias}`' for alias in one.aliases)}")
    if isinstance(one, Family):
        lines += [f"* Label `{key}`: {_text(meaning)}" for key, meaning in one.labels.items()]
    lines.append(f"* Source: {_text(one.source)}")
    return "\n".join(lines) + "\n"


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    return "worked out" if parameter.default is None else f"`{parameter.write(parameter.default)}`"


def _text(text: str) -> str:
    return text.replace("<", "&lt;")


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


if __name__ == "__main__":
    _PAGE.write_text(families_page(), encoding="utf-8")
