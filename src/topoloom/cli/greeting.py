"""What `topoloom` says without a command: three ways in, the commands by group, and where the documentation is."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

from topoloom._version import __version__
from topoloom.cli.register import Command

#: Who comes, what they want, and commands that show it: each works in any folder, in this order.
WAYS = (
    (
        "Architect",
        "from a requirement to ranked, priced designs",
        ("topoloom new", "topoloom design requirement.toml -o design"),
    ),
    (
        "Researcher",
        "networks measured, simulated and drawn",
        ("topoloom new study", "topoloom study study.toml -o results"),
    ),
    (
        "Administrator",
        "what is cabled, compared with the plan",
        (
            "topoloom examples fabric -o examples",
            "topoloom verify hyperx:dims=8x8,hosts=16 examples/fabric/morning.net.gz",
        ),
    ),
)
#: Of a line.
_WIDTH = 80


def greeting(commands: Mapping[str, Command]) -> str:
    """The text, of one screen.

    Parameters
    ----------
    commands : mapping of str to Command
        In the order of the help.

    Returns
    -------
    str
    """
    lines = [f"topoloom {__version__} designs the networks of supercomputers and data centres.", ""]
    for who, what, examples in WAYS:
        lines += [f"{who}: {what}", *(f"  {example}" for example in examples)]
    lines += ["", "Commands (topoloom COMMAND --help explains one, topoloom --help lists all):"]
    groups: dict[str, list[str]] = {}
    for name, command in commands.items():
        groups.setdefault(command.group, []).append(name)
    column = max(map(len, groups)) + 2
    for group, names in groups.items():
        indent = " " * (column + 2)
        # No break within verify-tables.
        lines += textwrap.wrap(
            " ".join(names),
            _WIDTH,
            initial_indent=f"  {group:{column}}",
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
    return "\n".join([*lines, "", *_documentation()])


def _documentation() -> list[str]:
    """Where the pages are: in a checkout, a file; an installed package has only its help."""
    start = Path(__file__).parents[3] / "docs" / "index.md"
    if start.is_file():
        return [f"Documentation: {start}", "'make docs' there builds it as a site. Examples: topoloom examples"]
    return ["Documentation: the folder docs of topoloom's source. Examples: topoloom examples"]
