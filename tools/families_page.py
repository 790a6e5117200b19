"""Write docs/reference/families.md from the records of the catalogue: .venv/bin/python tools/families_page.py"""

from pathlib import Path

from topoloom.topologies.spec import DIRECTED_FAMILIES, FAMILIES, TRANSFORMS, Family, Parameter, Transform

_PAGE = Path(__file__).parents[1] / "docs" / "reference" / "families.md"
_HEAD = """# The families

Made by `tools/families_page.py` from the records in `src/topoloom/topologies/families`; change those, not this page.
`topoloom families` shows the same on the command line. The syntax of specs: [specs](specs.md).

Every family also takes `hosts=`, the number of hosts on each switch that carries hosts, or `full`
([its meaning](specs.md#hosts)). Random families take a `seed`: the same seed gives the same links on every machine.
`topoloom families NAME --hosts 1000 --radix 36` lists the members of a family for a number of hosts. The sources name
[papers](glossary.md#the-papers) by author and year.
"""
_PRODUCT = """## `product`

The Cartesian product of any specs: `product:(torus:dims=4x4)*(petersen)`. See [products](specs.md#products).
"""

_DIRECTED = """# Directed families

Their links carry packets in one direction only ([directed networks](specs.md#directed-networks)). Each also takes
`hosts=NUMBER`.
"""

#: The topologies of EvalNet (its README of 2025), and specs that build them with topoloom.
EVALNET = (
    ("n-dimensional hypercube", ("hypercube:n=8",), ""),
    ("k-ary n-dimensional torus", ("torus:dims=8x8x8",), "sides may differ"),
    ("k-ary n-flat (flattened butterfly)", ("flattened-butterfly:dims=8x8",), ""),
    ("h-MLFM (multi-layer full mesh)", ("mlfm:h=8",), "any number of layers"),
    ("k-OFT (two-level orthogonal fat tree)", ("oft:q=7",), "k = q + 1; also prime powers"),
    ("Jellyfish", ("jellyfish:n=100,degree=8",), ""),
    ("HyperX, regular", ("hyperx:dims=6x6x6", "hyperx:dims=8x6x4,width=1x2x1"), "sides and widths may differ"),
    ("Dragonfly, balanced", ("dragonfly:h=3", "dragonfly:h=3,wiring=palmtree"), ""),
    ("fat tree of three stages", ("fat-tree:k=16",), ""),
    ("fat tree, 2x oversubscribed", ("fat-tree:k=16,hosts=512,taper=2:1",), "sized for a number of hosts"),
    ("Xpander", ("xpander:degree=7,lifts=2x2x3",), "`+lift` lifts any other network"),
    ("Slim Fly", ("slimfly:q=9",), ""),
    ("Delorme", ("delorme:v=3",), "every prime power"),
    ("Brown, Erdos-Renyi", ("polarfly:q=9",), ""),
    ("extensions of Brown graphs", (), "[`expand --method copies`](../how-to/grow-a-network.md)"),
    ("Bundlefly", ("bundlefly:q=5,p=9",), ""),
    ("Kautz", ("kautz:base=3,length=4",), ""),
    ("arrangement network", ("arrangement:n=6,k=3",), ""),
    ("extended generalized fat tree", ("pgft:m=8x4,w=1x4,p=1x2",), "with parallel links"),
    ("k-ary n-tree", ("kary-tree:k=4,n=3",), ""),
    ("mesh, with and without express links", ("mesh:dims=8x8", "express-mesh:dims=8x8,gap=2"), ""),
    ("Tofu", ("tofu:dims=4x3x5",), ""),
    ("Cascade", ("cascade:groups=4",), "sizes of groups may differ"),
    ("SpectralFly", ("spectralfly:v=11,w=7",), ""),
    ("Megafly", ("megafly:leaves=4",), "any number of groups"),
    ("PolarStar", ("polarstar:q=5,d=3", "polarstar:q=5,d=6,supernode=paley", "bdf:u=5"), "see below"),
)
_EVALNET = """# EvalNet's topologies

[EvalNet](https://github.com/spcl/EvalNet) (Besta et al., arXiv 2105.12663) generates these topologies; topoloom has them all.

| EvalNet | topoloom, for example | |
|---|---|---|
"""
_EVALNET_END = """
With Paley supernodes topoloom adds all links of PolarStar's definition at the quadrics: 5,183 links for
`polarstar:q=7,d=6,supernode=paley`. EvalNet's matching adds fewer and has 5,151 links; both have diameter 3.
"""


def families_page() -> str:
    """The text of the page."""
    records = FAMILIES
    rows = [
        f"| [`{record.name}`](#{record.name}) | {_cell(record.description)} | {'random' if record.random else ''} |"
        for record in records.values()
    ]
    index = "\n".join(["| family | description | |", "|---|---|---|", *rows])
    parts = [_HEAD, index + "\n", *map(_section, records.values()), _PRODUCT, "# Transforms\n"]
    parts += map(_section, TRANSFORMS.values())
    parts += [_DIRECTED, *map(_section, DIRECTED_FAMILIES.values())]
    parts += [_EVALNET + "\n".join(_evalnet_row(*row) for row in EVALNET), _EVALNET_END.rstrip("\n") + "\n"]
    return "\n".join(parts)


def _evalnet_row(name: str, specs: tuple[str, ...], note: str) -> str:
    return f"| {name} | {', '.join(f'`{spec}`' for spec in specs)} | {note} |"


def _section(record: Family | Transform) -> str:
    plus = "" if isinstance(record, Family) else "+"
    lines = [f"## `{plus}{record.name}`", "", _text(record.description), ""]
    if record.parameters:
        lines += ["| parameter | meaning | range | default |", "|---|---|---|---|"]
        lines += [
            f"| `{key}` | {_cell(p.description)} | {_cell(p.range)} | {_default(p)} |"
            for key, p in record.parameters.items()
        ]
        lines.append("")
    if isinstance(record, Family) and record.aliases:
        lines.append(f"* Also called: {', '.join(f'`{alias}`' for alias in record.aliases)}")
    if isinstance(record, Family):
        lines += [f"* Label `{key}`: {_text(meaning)}" for key, meaning in record.labels.items()]
    lines.append(f"* Source: {_text(record.source)}")
    return "\n".join(lines) + "\n"


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    return "computed" if parameter.default is None else f"`{parameter.write(parameter.default)}`"


def _text(text: str) -> str:
    return text.replace("<", "&lt;")


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


if __name__ == "__main__":
    _PAGE.write_text(families_page(), encoding="utf-8")
