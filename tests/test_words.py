"""The words of the field: the private words of earlier versions stand nowhere but in the table of CONTRIBUTING.md."""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import click
import pytest

import topoloom
from topoloom.cli.main import cli
from topoloom.core.former_keys import FORMER_KEYS

ROOT = Path(__file__).parents[1]
PACKAGE = Path(topoloom.__file__).parent
#: The old words, each as a pattern, and what replaced it (CONTRIBUTING.md, "Old words and new").
OLD = {
    r"\b(?:USD|W|kW|USD and \S+ W) an? host\b": "USD per host",
    r"\b[Aa] (?:row|line|file|column|sheet|page|folder) an? (?=[a-z])": "one row per link",
    r"\d an? (?:host|link|second|cycle|year|rack|switch|port)\b": "5 per second",
    r"\b[Bb]esides?\b": "compared with; next to; also",
    r"\b[Tt]old\b": "reported, given, stated",
    r"\banew\b": "again",
    r"\bunder way\b": "running",
    r"\bso many\b": "that many, at most n",
    r"\bleft out\b|\bleft_out\b": "omitted",
    r"\b[Nn]ouns?\b": "result",
    r"\b[Vv]erbs?\b": "operation",
    r"\b[Jj]udge[sd]?\b|\b[Jj]udgements?\b": "verifier, verify",
    r"\b[Pp]roved\b|\b[Pp]roofs?\b": "verified, verification",
    r"(?<!irtual )\blanes?\b": "virtual channel",
    r"\bin force\b": "installed",
    r"\b[Mm]end(?:s|ed|ing)?\b": "repair",
    r"\beverybody buys\b": "reference designs",
    r"\bthe whole way\b": "full assessment",
    r"\b[Ff]inalists?\b": "shortlist",
    r"\b[Cc]abinets?\b": "rack",
    r"\b[Bb]usiest channel": "maximum channel load",
    r"\bwhat no routing can\b": "routing-independent bound",
    r"\bin one piece\b": "connected",
    r"\bborne\b": "lenient",
    r"\bwho is who\b": "node matching",
    r"\b[Mm]oney\b": "cost",
    r"\b[Dd]ear(?:er|est)?\b": "expensive",
}
#: Files in which one of these words is the field's own, and why.
RIGHT = {
    r"\b[Pp]roved\b|\b[Pp]roofs?\b": {
        "docs/explanation/errata.md": "proofs of theorems",
        "docs/how-to/balance-routing.md": "a proof of optimality",
        "docs/how-to/run-collectives.md": "a proof of optimality",
        "routing/balance/balance.py": "a proof of optimality",
        "routing/balance/exact.py": "a proof of optimality",
    },
    r"(?<!irtual )\blanes?\b": {
        "fabric/rates.py": "lanes of a cable",
        "fabric/fabric.py": "lanes of a cable",
        "fabric/running.py": "lanes of a cable",
        "fabric/compare.py": "lanes of a cable",
        "fabric/_assembly.py": "lanes of a cable",
        "fabric/discovery.py": "lanes of a cable",
        "fabric/diagnosis/evidence.py": "lanes of a cable",
        "fabric/diagnosis/rules/cables.py": "lanes of a cable",
        "fabric/exports/sonic.py": "lanes of a cage",
        "fabric/port_names.py": "lanes of a port",
        "fabric/port_alignment.py": "lanes of a port",
        "formats/netbox.py": "lanes of a port",
        "fabric/diagnosis/rules/ports.py": "lanes of a port",
        "fabric/diagnosis/rules/settings.py": "lanes of a port",
        "fabric/diagnosis/breakouts.py": "lanes of a port",
        "fabric/port_settings.py": "lanes of a port",
        "formats/_lldp/sonic.py": "lanes of a port",
        "fabric/exports/topo.py": "lanes of a cable",
        "formats/ibdiagnet.py": "lanes of a cable",
        "formats/cable_plan.py": "lanes of a cable",
        "formats/_listed_ports.py": "lanes of a cable",
        "formats/iblinkinfo.py": "lanes of a cable",
        "formats/ibnetdiscover_ports.py": "lanes of a cable",
        "formats/net_dump.py": "lanes of a cable",
        "docs/reference/file-formats.md": "lanes of a cable",
        "cost/device_types.py": "lanes of a cable",
        "cost/servers.py": "lanes of a cable",
        "cost/cages.py": "lanes of a cage",
        "cost/cable_products.py": "lanes of a cable",
        "cost/switch_products.py": "lanes of a cage",
        "cost/parts.py": "lanes of a cage",
        "topologies/families/_shuffle_boxes.py": "lanes of a cage",
        "topologies/families/shuffled.py": "lanes of a cage",
        "topologies/families/kernels/shuffled.py": "lanes of a cage",
        "docs/reference/families.md": "lanes of a cage",
        "docs/how-to/build-a-flat-network.md": "lanes of a cage",
        "topologies/expander.py": "lanes of a cage",
        "cli/commands/expander.py": "lanes of a cage",
        "expander-1.json": "lanes of a cage",
        "docs/explanation/reconfigurable.md": "lanes of a fibre",
        "docs/how-to/cable-with-panels.md": "lanes of a cage",
        "docs/explanation/flat-or-tree.md": "lanes of a cage",
        "graph/load.py": "lanes of a vector unit",
        "graph/kernels/simd.py": "lanes of a vector unit",
        "optimizer/kernels/batches.py": "lanes of a vector unit",
        "optimizer/kernels/hop_state.py": "lanes of a vector unit",
        "placement/qap/kernels/tabu.py": "lanes of a vector unit",
        "docs/how-to/start-an-ethernet-fabric.md": "lanes of a cage",
        "docs/how-to/check-and-export-a-fabric.md": "lanes of a cable",
        "docs/reference/parts-catalogue.md": "lanes of a cable",
        "docs/reference/glossary.md": "distinguishes both",
        "docs/reference/rules.md": "lanes of a cable",
        "topoloom convert": "lanes of a cage, an option of sonic",
        "topoloom export": "lanes of a cage, an option of sonic",
        "routing/table_files.py": "the name of an array of earlier versions",
    },
}
#: Names of local variables that say nothing.
VAGUE = {"found", "one", "told", "known", "mine", "there", "this", "kept", "said", "far"}


def _where(path: Path) -> str:
    return str(path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else ROOT))


def _old_words(text: str, where: str) -> list[str]:
    """The old words in a text, each with what stands around it and what to write."""
    return [
        f"{where}: '{text[max(0, match.start() - 25) : match.end() + 15]}' ({new})".replace("\n", " ")
        for pattern, new in OLD.items()
        if where not in RIGHT.get(pattern, {})
        for match in re.finditer(pattern, text)
    ]


#: A string or a comment of Python; a tokenizer takes ten times as long for the package.
STRING_OR_COMMENT = re.compile(r'''"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*''', re.DOTALL)


def _text(path: Path) -> str:
    """Docstrings, comments and the literals of a Python file, with a line between them that no pattern crosses."""
    parts = STRING_OR_COMMENT.findall(path.read_text(encoding="utf-8"))
    return "\n|\n".join(part for part in parts if part[0] == "#" or " " in part)


PAGES = [
    *(ROOT / name for name in ("README.md", "PACKAGE.md", "SECURITY.md", "papers/README.md")),
    *(
        path
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if path.stem != "changelog" and "papers" not in path.parts
    ),
]
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.stem != "former_keys"]
ASSETS = [
    path
    for path in sorted(PACKAGE.rglob("*"))
    if path.suffix in (".js", ".html") and "vendor" not in path.parts and not path.name.endswith(".min.js")
]


@pytest.mark.parametrize("path", PAGES, ids=_where)
def test_a_page_has_none_of_the_old_words(path):
    """README and documentation; the papers' pages and the changelog quote others and earlier versions."""
    assert _old_words(path.read_text(encoding="utf-8"), _where(path)) == []


def test_the_source_has_none_of_the_old_words():
    """Docstrings, comments, messages and labels of the package; what pages and the explorer show."""
    words = [word for path in SOURCES for word in _old_words(_text(path), _where(path))]
    words += [word for path in ASSETS for word in _old_words(path.read_text(encoding="utf-8"), _where(path))]
    assert words == []


def test_the_help_has_none_of_the_old_words():
    """Every command and every option."""

    def helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
        yield name, command.get_help(click.Context(command, info_name=name))
        if isinstance(command, click.Group):
            for inner in command.list_commands(click.Context(command)):
                under = command.get_command(click.Context(command), inner)
                if under is not None:
                    yield from helps(under, f"{name} {inner}")

    assert [word for name, text in helps(cli, "topoloom") for word in _old_words(text, name)] == []


def test_the_current_schemas_have_none_of_the_old_words():
    """Keys and descriptions of every record that this version writes."""
    newest: dict[str, Path] = {}
    for path in sorted((ROOT / "docs" / "schemas").glob("*.json"), key=lambda path: int(path.stem.rpartition("-")[2])):
        newest[path.stem.rpartition("-")[0]] = path
    for former in ("judgement", "mending", "verdict"):  # records of earlier versions; their successors have other names
        newest.pop(former)

    def keys(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value.get("properties", {})
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from keys(inner)

    del newest["reproduction"]  # a claim of a paper has a verdict
    for path in newest.values():
        text = path.read_text(encoding="utf-8")
        assert _old_words(text, path.name) == []
        assert not set(keys(json.loads(text))) & set(FORMER_KEYS), path.name


def _local_names(code: CodeType) -> Iterator[tuple[str, str]]:
    """The local variables of every function in compiled code, comprehensions included: the function's name, and theirs."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & inspect.CO_OPTIMIZED:  # a function, not the body of a class
                parameters = inner.co_argcount + inner.co_kwonlyargcount
                parameters += bool(inner.co_flags & inspect.CO_VARARGS) + bool(inner.co_flags & inspect.CO_VARKEYWORDS)
                names = {*inner.co_varnames[parameters:], *inner.co_cellvars} - {*inner.co_varnames[:parameters]}
                yield from ((inner.co_name, name) for name in names)
            yield from _local_names(inner)


def test_local_variables_say_what_they_hold():
    """No function of the package has a local variable of a name that fits everything."""
    vague = [
        f"{_where(path)}: {function}: {name}"
        for path in SOURCES
        for function, name in _local_names(compile(path.read_text(encoding="utf-8"), str(path), "exec"))
        if name in VAGUE
    ]
    assert vague == []


def test_strings_and_comments_are_found(tmp_path):
    """Of several lines, with quotes and number signs inside."""
    (tmp_path / "a.py").write_text(
        '"""A \\""" b\nc # d"""\nx = \'e "f\' + "g # \\" h"  # i "j\nk = ""\n', encoding="utf-8"
    )
    parts = ('"""A \\""" b\nc # d"""', "'e \"f'", '"g # \\" h"', '# i "j')
    assert _text(tmp_path / "a.py") == "\n|\n".join(parts)


def test_local_names_are_found():
    """Assigned, in loops and comprehensions, and seen by an inner function; not parameters."""
    text = "def f(a, *b, c=1, **d):\n    for e in a:\n        g = [h for h in b]\n        return lambda i: g\n"
    assert {name for _, name in _local_names(compile(text, "", "exec"))} - {".0"} == {"e", "g", "h"}
