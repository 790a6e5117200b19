"""Pages of reference that are made from the program itself: commands, settings, records, registers and the public names.

Each is a directive for MyST pages: ``{commands}``, ``{settings} module.Struct``,
``{all-settings}``,
``{records}``, ``{operations}``, ``{public-api}``, ``{public-names}``.
"""

import inspect
import json
import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar

import click
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

#: What the pages are made from.
_PACKAGES = ("topoloom", "topoloom_papers")


class _Written(SphinxDirective):
    """A directive whose content is written as MyST or reStructuredText and parsed in its place."""

    optional_arguments = 1
    final_argument_whitespace = False
    has_content = False

    def lines(self) -> list[str]:
        """The text that stands in the page."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        found = nodes.section()
        found.document = self.state.document
        self.env.note_reread()  # the program may have changed, and the page's text has not
        self.state.nested_parse(StringList(self.lines(), self.env.docname), self.content_offset, found)
        return list(found.children)


def _named(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


class Settings(_Written):
    """A table of a group of settings: name, what it is, what it accepts, unit, default, and its value in each preset.

    Tables of TOML files are in TOML's words. The option ``presets`` names a register of groups with other values.
    """

    required_arguments = 1
    optional_arguments = 0
    option_spec: ClassVar[dict[str, type]] = {"presets": str}

    def lines(self) -> list[str]:
        presets = _named(self.options["presets"]) if "presets" in self.options else {}
        return _table(_named(self.arguments[0]), presets)


class AllSettings(_Written):
    """Every group of settings that the program has, by name, each with its table."""

    def lines(self) -> list[str]:
        for package in _PACKAGES:
            for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
                if "kernels" not in module.name and not module.name.endswith(("__main__", ".gpu")):
                    import_module(module.name)
        found: list[str] = []
        for group in sorted(
            _below(_named("topoloom.core.settings.Settings")), key=lambda group: (group.group, group.__name__)
        ):
            told = inspect.cleandoc(group.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
            found += [f"## {group.group}", "", f"`{group.__module__}.{group.__name__}`: {told}", "", *_table(group), ""]
        return found


def _below(base: Any) -> Iterator[Any]:
    for one in base.__subclasses__():
        # Arguments of operations and options of commands have a page of their own.
        if one is _named("topoloom.operations.operation.Operation") or one.__module__.startswith("topoloom.cli."):
            continue
        yield from ([one] if one.__module__.partition(".")[0] in _PACKAGES and one.__struct_fields__ else [])
        yield from _below(one)


def _table(group: Any, presets: Mapping[str, Any] | None = None) -> list[str]:
    from topoloom.core.settings import described, written
    from topoloom.core.toml_files import TomlTable, described_keys

    presets = presets or {}
    toml = issubclass(group, TomlTable)
    columns = [
        "key" if toml else "setting",
        "what it is",
        "accepts",
        "unit",
        "default",
        *(f"`{name}`" for name in presets),
    ]
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for one in described_keys(group) if toml else described(group):
        default = "required" if one.required else f"`{one.default}`" if one.default else ""
        # In a column of a preset stands what differs from the default.
        others = [written(getattr(preset, one.name)) for preset in presets.values()]
        told = ["" if other == (one.default or "none") else f"`{other}`" if other else "none" for other in others]
        cells = (one.description, one.accepts, one.unit, default, *told)
        rows.append(f"| `{one.name}` | {' | '.join(map(_cell, cells))} |")
    return rows


class Records(_Written):
    """The record of every result result: its fields, and its JSON Schema."""

    def lines(self) -> list[str]:
        from public_names import result_types

        from topoloom.model.results import schema_id
        from topoloom.model.schemas import json_schema

        found: list[str] = []
        for result_type in result_types():
            schema = json_schema(result_type)
            found += [
                f"## {schema_id(result_type)}",
                "",
                f"`{result_type.__module__}.{result_type.__name__}`: {schema['description']}",
                "",
            ]
            found += ["| field | type | what it is |", "|---|---|---|"]
            for name, one in schema["properties"].items():
                if name not in _IN_ALL_RECORDS:
                    found += [f"| `{name}` | {_cell(_kind(one))} | {_cell(one.get('description', ''))} |"]
            file = schema_id(result_type).removeprefix("topoloom/").replace("/", "-")
            found += ["", f"JSON Schema: {{download}}`{file}.json <../schemas/{file}.json>`", ""]
        return found


#: Every record has these; the page says so once.
_IN_ALL_RECORDS = {"schema", "provenance"}


def _kind(schema: Mapping[str, Any]) -> str:
    """A field's type in words: "number or null", "array of integer"."""
    if "const" in schema or "enum" in schema:
        return ", ".join(json.dumps(one) for one in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    if "$ref" in schema:
        return "object"
    kind = schema.get("type", "any")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    items = schema.get("items")
    return f"{words} of {_kind(items)}" if isinstance(items, dict) and items else words


class Commands(_Written):
    """Every command with its arguments and options."""

    def lines(self) -> list[str]:
        from topoloom.cli.main import cli

        context = click.Context(cli, info_name="topoloom")
        found: list[str] = []
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            if command is None:
                continue
            inner = click.Context(command, info_name=name, parent=context)
            with inner:
                text = command.get_help(inner)
            found += [f"## topoloom {name}", "", "```text", *text.splitlines(), "```", ""]
        return found


class Operations(_Written):
    """Every operation, and every command that has none, with the table of its arguments."""

    def lines(self) -> list[str]:
        from operation_tables import lines

        return list(lines())


class PublicNames(_Written):
    """The table of what stands where: command, Python name, record, parameters with their defaults."""

    def lines(self) -> list[str]:
        from public_names import names

        rows = ["| command | Python | record | parameters with defaults |", "|---|---|---|---|"]
        for one in names():
            command = f"`{one.command}`" if one.first else ""
            record = f"[{one.record_name}](records.md#{one.anchor})" if one.record_name else ""
            words = ", ".join(f"`{name}`{_default(value)}" for name, value in (*one.shared, *one.alone))
            rows.append(f"| {command} | `{one.name}` | {record} | {_cell(words)} |")
        return rows


def _default(value: str) -> str:
    return f"\u00a0=\u00a0`{value}`" if value not in {"None", "()"} else ""


class PublicApi(_Written):
    """Every public name with its docstring."""

    def lines(self) -> list[str]:
        found: list[str] = ["```{eval-rst}"]
        for name in (f"{package}.{name}" for package in _PACKAGES for name in import_module(package).__all__):
            value = _named(name)
            kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
            found += [f".. auto{kind}:: {name}"]
            found += ["   :members:", "   :inherited-members: object, Struct, Result", ""] if kind == "class" else [""]
        return [*found, "```"]


def _bars(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings write |x| for absolute values, which reStructuredText takes for something else."""
    for at, line in enumerate(lines):
        parts = line.split("`")
        parts[::2] = [text.replace("|", "\\|") for text in parts[::2]]
        lines[at] = "`".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the directives."""
    app.add_directive("settings", Settings)
    app.add_directive("all-settings", AllSettings)
    app.add_directive("records", Records)
    app.add_directive("commands", Commands)
    app.add_directive("operations", Operations)
    app.add_directive("public-names", PublicNames)
    app.add_directive("public-api", PublicApi)
    app.connect("autodoc-process-docstring", _bars)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
