"""One declaration per operation: the command line, Python, study tasks, the explorer's forms and the schema are the same."""

import ast
import inspect
import re
import runpy
from pathlib import Path

import click
import msgspec
import pytest

import topoloom
from topoloom import InputError
from topoloom.cli.commands.serve import Serve
from topoloom.cli.commands.study import PlotStudy, RunStudy
from topoloom.cli.declared import DeclaredCommand, DeclaredGroup
from topoloom.cli.main import cli
from topoloom.cli.types import Number, Whole
from topoloom.core.settings import described, written
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS, operation_of, schema_of, section
from topoloom.operations.sections import SECTIONS
from topoloom.studies.pictures import draw_study
from topoloom.studies.run import run_study

ROOT = Path(__file__).parents[2]
CONTEXT = click.Context(cli, info_name="topoloom")
WITH_COMMANDS = [name for name in OPERATIONS if section(OPERATIONS[name])]
CASES = [(name, field) for name, kind in OPERATIONS.items() for field in fields_of(kind)]
OF_FIELDS = pytest.mark.parametrize(("name", "field"), CASES, ids=[f"{name}-{field.name}" for name, field in CASES])

#: What the Python function of an operation calls by another name, or takes as an object.
_RACKS = dict.fromkeys(("floor", "switches_per_rack", "cluster"), "racks")
_PROGRAMS = {
    **dict.fromkeys(("engine", "host_tables"), "network: a Network or its tables"),
    **dict.fromkeys(("preset", "set"), "settings=AppSettings()"),
}
IN_PYTHON = {
    "app": {
        **_PROGRAMS,
        "floor": "layout",
        "time_limit": "time_limit_s",
        "routing_seed": "network: tables of that seed",
    },
    "collective": {**_PROGRAMS, "schedule": "operation: a CollectiveSchedule", "bound": "collective_bound"},
    "resilience": _RACKS,
    "damage": _RACKS,
    "degradation": {**_RACKS, "shares": "levels", "draws": "samples", "reroute": "network", "engine": "network"},
    "lifetime": dict.fromkeys(("link_fit", "switch_fit", "link_mtbf", "switch_mtbf"), "link_fit=0, switch_fit=0"),
    "hops": {
        "switch_ns": "latency",
        "cable_ns_per_m": "latency",
        "latency": "latency=Delays()",
        **dict.fromkeys(("packet_bytes", "flit_bytes", "rate_gbps"), "packet=Serialization()"),
    },
    "bounds": dict.fromkeys(("switches", "grid", "diagrid", "degree", "length"), "bounds_of_order, bounds_on_grid"),
    "balance": dict.fromkeys(("rows", "columns", "diagonal"), "geometry"),
    # A network is placed by the functions of `Network`.
    **{
        name: dict.fromkeys((field.name for field in fields_of(OPERATIONS[name])), "Network.placed, Network.priced")
        for name in ("layout", "cost", "facility")
    },
    "simulate": {
        **dict.fromkeys(("engine", "virtual_channels"), "routing: a Network or its tables"),
        **dict.fromkeys(("tables", "qos"), "routing: read_installed(fabric, tables, qos).routing(fabric)"),
        "set": "settings",
        "between": "cables",
        **dict.fromkeys(("saturation", "saturation_width"), "saturation(width=)"),
    },
    "route": {"tables": "topoloom.fabric.tables_compared"},
    "quality": {
        **dict.fromkeys(("engine", "virtual_channels", "host_tables"), "tables"),
        **dict.fromkeys(("tables", "qos"), "routing: read_installed(fabric, tables, qos).routing(fabric)"),
    },
    "expand": {
        **dict.fromkeys(
            ("rows", "columns", "switches_per_rack", "cluster", "map", "prices"), "Network.placed, Network.priced"
        ),
        "new_hosts": "hosts",
        "most_down": "expand_panels",
    },
    "phases": {
        **dict.fromkeys(
            ("floor", "rows", "columns", "switches_per_rack", "cluster", "map", "prices", "server", "seed"),
            "Network.placed, Network.priced",
        ),
        **dict.fromkeys(("host_cables", "spares"), "Network.priced"),
        "dates": "by, a list",
    },
    "compare": {
        **dict.fromkeys(("rows", "columns", "switches_per_rack", "cluster", "map"), "Network.placed"),
        "server": "housing",
        "needed": "hosts",
    },
    "design": {
        **dict.fromkeys(("change", "shortlist", "minutes", "repeats", "search"), "requirement"),
        "measured": "store",
    },
    "cuts": {"exact": "exact_bisection"},
    "info": dict.fromkeys(("source_format", "columns", "hca_mapping", "management"), "parameters of open_network"),
    "families": dict.fromkeys(("name", "hosts", "radix"), "FAMILIES"),
    "convert": {
        "source_format": "format",
        "columns": "columns",
        "hca_mapping": "hca_mapping",
        "management": "management",
        "join_machines": "fabrics.machines.joined",
        "adopt": "Network.adopt",
        "drop_rates": "unrated",
        "undirected": "DirectedTopology.undirected",
    },
    # A comparison is made of objects: fabrics, a match, limits.
    **{
        name: dict.fromkeys((field.name for field in fields_of(OPERATIONS[name])), "objects")
        for name in ("verify", "verify-tables", "watch")
    },
    "reroute": dict.fromkeys(("lost", "engine", "root", "seed", "tables"), "routing, links, switches"),
    **{
        name: dict.fromkeys((field.name for field in fields_of(OPERATIONS[name])), "objects")
        for name in ("export", "repair")
    },
    "rules": dict.fromkeys(("only", "ignore"), "RULES"),
    "examples": {"name": "a key"},
    "optimize": {
        "chains": "jobs",
        **dict.fromkeys(("cap_ns", "switch_ns", "cable_ns_per_m"), "objective=Goal()"),
        **dict.fromkeys(("pitch_m", "overhead_m"), "lengths"),
    },
}
#: Names of several meanings, each with the reason.
SEVERAL_MEANINGS = {
    "hosts": "of a requirement, which has some; of parameter sets that are listed for them; after each phase of a growth",
    "operation": "of a study; a collective",
    "seeds": "of every task of a study; of a search for cuts",
    "values": "of the axis of a study; the values behind the confidence intervals of resilience",
    "samples": "random switches of hops, random orders of failures",
    "gap": "a collective has a bracket always, quality where it is asked for",
    "objective": "of a layout; of a graph",
    "preset": "of machines; of routers",
    "columns": "racks per row of a floor; what the columns of a sheet have",
    "traffic": "quality measures more than one, simulate simulates one",
}


def _command(name):
    found = cli.get_command(CONTEXT, name)
    assert found is not None
    return found


def test_no_command_declares_an_option_by_hand():
    """Every command is made of a declaration, those within groups, too."""
    own = [name for commands in SECTIONS.values() for name in commands]
    assert [name for name in own if not isinstance(_command(name), DeclaredCommand | DeclaredGroup)] == []
    inner = [one for name in own if isinstance(found := _command(name), click.Group) for one in found.commands.values()]
    assert len(inner) == 7
    assert all(isinstance(one, DeclaredCommand) for one in inner)


def test_no_file_of_the_command_line_makes_an_option_itself():
    """Options and arguments are made of declarations, in one place; main has --version."""
    own, makers = ROOT / "src" / "topoloom" / "cli", {"declared.py", "main.py"}
    files = [path for path in sorted(own.rglob("*.py")) if path.name not in makers]
    assert len(files) > 50
    pattern = re.compile(r"click\.(option|argument|command|group|Option|Argument)\b")
    assert [path.name for path in files if pattern.search(path.read_text())] == []


def test_there_are_operations():
    """The laws below look at something."""
    assert len(WITH_COMMANDS) >= 20
    assert len(CASES) > 60


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_the_command_has_the_fields_of_the_operation(name):
    """Every field is an option or an argument of that spelling, required or with that default, of these choices and range."""
    parameters = {one.name: one for one in _command(name).params}
    for field in fields_of(OPERATIONS[name]):
        one = parameters[field.name]
        assert one.required == field.required
        assert isinstance(one, click.Argument) == field.positional
        if not field.positional:
            assert field.option in one.opts
        if field.choices:
            assert tuple(one.type.choices) == field.choices
        if isinstance(one.type, Whole | Number):
            above = getattr(one.type, "above", None)
            assert (one.type.least, above, one.type.most) == field.range
        if not field.required and not one.multiple and one.nargs == 1:
            assert one.get_default(click.Context(click.Command("x"))) == field.default


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_python_has_the_fields_of_the_operation(name):
    """Every field is a parameter of the operation's function with the same default, or stands in the table above."""
    function = getattr(topoloom, OPERATIONS[name].functions[0])
    parameters = inspect.signature(function).parameters if inspect.isfunction(function) else {}
    for field in fields_of(OPERATIONS[name]):
        other = IN_PYTHON.get(name, {}).get(field.name)
        if other is not None:
            continue
        if field.required:
            assert field.positional or field.name in parameters, field.name
            continue
        if field.positional and field.name not in parameters:
            continue
        assert field.name in parameters, field.name
        default = parameters[field.name].default
        if isinstance(default, range):
            default = (default[0], default[-1])
        if default is not inspect.Parameter.empty:
            assert default == field.default, field.name


#: Commands without an operation: their settings, the function in Python, and what the function has not or calls otherwise.
SETTINGS = [
    (Serve, topoloom.serve, {"browser"}),
    (RunStudy, run_study, {"file", "output", "dry_run", "pilots", "trust"}),
    (PlotStudy, draw_study, {"output"}),
]


@pytest.mark.parametrize(("settings", "function", "other"), SETTINGS, ids=[one[0].group for one in SETTINGS])
def test_python_has_the_settings_of_a_command_without_an_operation(settings, function, other):
    """The same names and defaults, and every range is checked when the settings are made."""
    parameters = inspect.signature(function).parameters
    for field in fields_of(settings):
        if field.name in other:
            assert field.name not in parameters
            continue
        if field.positional:
            assert next(iter(parameters)) in (field.name, "results")
            continue
        assert field.name in parameters, field.name
        default = parameters[field.name].default
        if default is not inspect.Parameter.empty:
            assert (default or None) == (field.default or None) or default == field.default, field.name
        for value in _examples(field):
            with pytest.raises(InputError, match=f"{field.name}="):
                settings(**{field.name: value, **{one.name: "x" for one in fields_of(settings) if one.required}})


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_form_and_the_schema_have_the_fields_of_the_operation(name):
    """The same names, defaults, ranges and choices."""
    kind = OPERATIONS[name]
    form = {one.name: one for one in described(kind)}
    schema = schema_of(kind)["$defs"][kind.__name__]
    assert [*form] == [*schema["properties"]] == [field.name for field in fields_of(kind)]
    for field in fields_of(kind):
        assert form[field.name].accepts == field.accepts
        assert form[field.name].description == field.description
        assert form[field.name].required == (field.name in schema.get("required", []))
        if not field.required and field.default is not None:
            assert form[field.name].default == (written(field.default) if _plain(field.default) else "")
        there = schema["properties"][field.name]
        if not field.required:
            assert there["default"] == msgspec.to_builtins(field.default)
        alternatives = there.get("anyOf", [there])
        if field.choices and not field.listed:
            assert any(set(one.get("enum", ())) >= set(field.choices) for one in alternatives)
        least, above, most = field.range
        if not field.listed:
            for key, end in (("minimum", least), ("exclusiveMinimum", above), ("maximum", most)):
                assert any(one.get(key) == end for one in alternatives), key


def _plain(value):
    return not isinstance(value, dict | msgspec.Struct)


def _examples(field):
    """A value of a wrong type, and those just outside the range or the choices."""
    kind = field.kind
    # A list of one may be given as its value.
    yield {"b": 1} if field.listed else ["a", {"b": 1}]
    if not isinstance(kind, msgspec.inspect.StrType) and not field.choices and not field.listed:
        yield "words"
    if isinstance(kind, msgspec.inspect.StrType):
        yield 3
    if isinstance(kind, msgspec.inspect.IntType):
        yield 1.5
        yield True
    if field.choices and not field.listed:
        yield "foo"
    least, above, most = field.range
    if field.listed:
        return
    if least is not None:
        yield least - 1
    if above is not None:
        yield above
    if most is not None:
        yield most + 1
        yield 10**400
    if isinstance(kind, msgspec.inspect.FloatType):
        yield float("nan")


#: What each operation needs beside the field that is looked at.
NEEDED = {"rows": 8, "columns": 8, "discoveries": ["petersen"], "files": ["petersen"], "tables": "a.lft"}
NEEDED |= {
    "app": "alltoall",
    "requirement": "need.toml",
    "claim": "x",
    "from_switch": 0,
    "to_switch": 1,
    "text": "hosts = 4",
    "folder": "designs",
}
NEEDED |= {"networks": ["petersen"], "hosts": "1,2", "least_hosts": 64, "radix": 8}
NEEDED |= {"kind": "opensm", "lost": "0-1", "old": "a.net", "new": "b.net"}
NEEDED |= dict.fromkeys(("topology", "spec", "source", "plan", "fabric"), "petersen")


@OF_FIELDS
def test_a_wrong_value_is_refused_in_one_sentence_that_names_the_field(name, field):
    """By a task's table and by the class: a wrong type, a value out of range, a choice that does not exist."""
    kind = OPERATIONS[name]
    needed = {one.name: NEEDED[one.name] for one in fields_of(kind) if one.required and one.name != field.name}
    wrong = [*_examples(field)]
    assert wrong
    for value in wrong:
        for make in (lambda given: operation_of(kind, given), lambda given: kind(**given)):
            with pytest.raises(InputError, match=rf"^{name}: {field.name}=") as caught:
                make({**needed, field.name: value})
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 400


def test_a_name_has_one_meaning_one_range_and_one_default():
    """Over all operations, but for the names of the table above."""
    meanings = runpy.run_path(str(ROOT / "tools" / "operation_names.py"))["meanings"]()
    several = {name: of for name, of in meanings.items() if len(of) > 1}
    assert {name: of for name, of in several.items() if name not in SEVERAL_MEANINGS} == {}
    assert set(SEVERAL_MEANINGS) - set(several) == set()


def test_the_library_names_no_option_in_its_errors():
    """A caller in Python reads names of arguments, which the command line spells as options of its own."""
    found, option = [], re.compile(r"(?<![\w-])--[a-z]{2}")
    for path in sorted((ROOT / "src" / "topoloom").rglob("*.py")):
        if "cli" in path.parts or "web" in path.parts or not option.search(text := path.read_text()):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Raise) and node.exc is not None:
                texts = [
                    one.value
                    for one in ast.walk(node.exc)
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                ]
                found += [(path.name, text) for text in texts if option.search(text)]
    # Options of other programs, and whole commands.
    assert [one for one in found if not re.search(r"sbatch|--save-mem|--pc|--constraint|topoloom \w+", one[1])] == []


@pytest.mark.parametrize("name", [name for commands in SECTIONS.values() for name in commands])
def test_help_prints_no_indentation_of_the_source(name):
    """The paragraphs of a help text begin where the first one does."""
    command = _command(name)
    with click.Context(command, info_name=name, parent=CONTEXT) as context:
        text = command.get_help(context)
    about = text.partition("\nOptions:")[0].splitlines()[1:]
    assert [line for line in about if re.match(r" {3,}\S", line)] == []
    assert [line for line in about if re.search(r"\S {3,}\S", line)] == []


def test_the_readme_names_every_command():
    """Each stands in its table."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What it does")[2].partition("```console")[0]
    named = set(re.findall(r"`(?:topoloom )?([a-z][a-z-]*)", table))
    assert [name for commands in SECTIONS.values() for name in commands if name not in named] == []
