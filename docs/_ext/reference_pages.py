"""Reference pages that are generated from the program: commands, settings, records, registers and public names.

Each is a directive for MyST pages: ``{commands}``, ``{settings} module.Struct``, ``{all-settings}``, ``{records}``,
``{operations}``, ``{public-api}``, ``{plug-in-api}``, ``{public-names}``.
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

#: The packages from which the pages are generated.
_PACKAGES = ("topoloom", "topoloom_papers")


class _Written(SphinxDirective):
    """A directive that generates MyST or reStructuredText, which is parsed in its place."""

    optional_arguments = 1
    final_argument_whitespace = False
    has_content = False

    def lines(self) -> list[str]:
        """The generated lines."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        section = nodes.section()
        section.document = self.state.document
        self.env.note_reread()  # the program may have changed although the page has not
        self.state.nested_parse(StringList(self.lines(), self.env.docname), self.content_offset, section)
        return list(section.children)


def _named(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


class Settings(_Written):
    """A table of a group of settings: name, meaning, accepted values, unit, default, and the value in each preset.

    Tables for TOML files use TOML's terms. The option ``presets`` names a register of groups with other values.
    """

    required_arguments = 1
    optional_arguments = 0
    option_spec: ClassVar[dict[str, type]] = {"presets": str}

    def lines(self) -> list[str]:
        presets = _named(self.options["presets"]) if "presets" in self.options else {}
        return _table(_named(self.arguments[0]), presets)


class AllSettings(_Written):
    """All groups of settings by name, each with its table."""

    def lines(self) -> list[str]:
        for package in _PACKAGES:
            for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
                if "kernels" not in module.name and not module.name.endswith(("__main__", ".gpu")):
                    import_module(module.name)
        lines: list[str] = []
        for group in sorted(
            _below(_named("topoloom.core.settings.Settings")), key=lambda group: (group.group, group.__name__)
        ):
            summary = inspect.cleandoc(group.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
            lines += [
                f"## {group.group}",
                "",
                f"`{group.__module__}.{group.__name__}`: {summary}",
                "",
                *_table(group),
                "",
            ]
        return lines


def _below(base: Any) -> Iterator[Any]:
    """All subclasses of a group of settings in the documented packages."""
    for group in base.__subclasses__():
        # Arguments of operations and options of commands have their own page.
        if group is _named("topoloom.operations.operation.Operation") or group.__module__.startswith("topoloom.cli."):
            continue
        yield from ([group] if group.__module__.partition(".")[0] in _PACKAGES and group.__struct_fields__ else [])
        yield from _below(group)


def _table(group: Any, presets: Mapping[str, Any] | None = None) -> list[str]:
    from topoloom.core.settings import described, written
    from topoloom.core.toml_files import TomlTable, described_keys

    presets = presets or {}
    toml = issubclass(group, TomlTable)
    columns = [
        "key" if toml else "setting",
        "meaning",
        "accepts",
        "unit",
        "default",
        *(f"`{name}`" for name in presets),
    ]
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for key in described_keys(group) if toml else described(group):
        default = "required" if key.required else f"`{key.default}`" if key.default else ""
        # The column of a preset shows only values that differ from the default.
        others = [written(getattr(preset, key.name)) for preset in presets.values()]
        shown = ["" if other == (key.default or "none") else f"`{other}`" if other else "none" for other in others]
        cells = (key.description, key.accepts, key.unit, default, *shown)
        rows.append(f"| `{key.name}` | {' | '.join(map(_cell, cells))} |")
    return rows


class Records(_Written):
    """The record of every result type: its fields, and its JSON Schema."""

    def lines(self) -> list[str]:
        from public_names import result_types

        from topoloom.model.results import schema_id
        from topoloom.model.schemas import json_schema

        lines: list[str] = []
        for result_type in result_types():
            schema = json_schema(result_type)
            lines += [
                f"## {schema_id(result_type)}",
                "",
                f"`{result_type.__module__}.{result_type.__name__}`: {schema['description']}",
                "",
            ]
            lines += ["| field | type | meaning |", "|---|---|---|"]
            for name, field in schema["properties"].items():
                if name not in _IN_ALL_RECORDS:
                    lines += [f"| `{name}` | {_cell(_kind(field))} | {_cell(field.get('description', ''))} |"]
            file = schema_id(result_type).removeprefix("topoloom/").replace("/", "-")
            lines += ["", f"JSON Schema: {{download}}`{file}.json <../schemas/{file}.json>`", ""]
        return lines


#: Fields of every record; the page describes them once.
_IN_ALL_RECORDS = {"schema", "provenance"}


def _kind(schema: Mapping[str, Any]) -> str:
    """A field's type in words: "number or null", "array of integer"."""
    if "const" in schema or "enum" in schema:
        return ", ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(choice) for choice in schema["anyOf"]))
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
        lines: list[str] = []
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            if command is None:
                continue
            inner = click.Context(command, info_name=name, parent=context)
            with inner:
                text = command.get_help(inner)
            lines += [f"## topoloom {name}", "", "```text", *text.splitlines(), "```", ""]
        return lines


class Operations(_Written):
    """Every operation, and every command without an operation, with the table of its arguments."""

    def lines(self) -> list[str]:
        from operation_tables import lines

        return list(lines())


class PublicNames(_Written):
    """The table of public names: command, Python name, record, parameters with their defaults."""

    def lines(self) -> list[str]:
        from public_names import names

        rows = ["| command | Python | record | parameters with defaults |", "|---|---|---|---|"]
        for row in names():
            command = f"`{row.command}`" if row.first else ""
            record = f"[{row.record_name}](records.md#{row.anchor})" if row.record_name else ""
            words = ", ".join(f"`{name}`{_default(value)}" for name, value in (*row.shared, *row.alone))
            rows.append(f"| {command} | `{row.name}` | {record} | {_cell(words)} |")
        return rows


def _default(value: str) -> str:
    return f"\u00a0=\u00a0`{value}`" if value not in {"None", "()"} else ""


class PublicApi(_Written):
    """Every public name with its docstring."""

    def lines(self) -> list[str]:
        lines: list[str] = ["```{eval-rst}"]
        for name in (f"{package}.{name}" for package in _PACKAGES for name in import_module(package).__all__):
            value = _named(name)
            kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
            lines += [f".. auto{kind}:: {name}"]
            lines += ["   :members:", "   :inherited-members: object, Struct, Result", ""] if kind == "class" else [""]
        return [*lines, "```"]


class PlugInApi(_Written):
    """The names that plug-ins import, by module, each with its docstring; one of the package itself is in `PublicApi`."""

    def lines(self) -> list[str]:
        from plug_in_names import PLUG_IN_NAMES

        public = {id(_named(f"{package}.{name}")) for package in _PACKAGES for name in import_module(package).__all__}
        lines: list[str] = []
        for module, names in PLUG_IN_NAMES.items():
            lines += [f"## {module}", ""]
            for name in names:
                value = _named(f"{module}.{name}")
                if id(value) in public:
                    lines += [f"`{name}`: see [Python](python.md).", ""]
                    continue
                kind = "class" if inspect.isclass(value) else "function" if inspect.isfunction(value) else "data"
                lines += ["```{eval-rst}", f".. auto{kind}:: {module}.{name}"]
                lines += ["   :members:", ""] if kind == "class" else [""]
                lines += ["```", ""]
        return lines


def _bars(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Escape |x| in docstrings, which means an absolute value there and a substitution in reStructuredText."""
    for at, line in enumerate(lines):
        parts = line.split("`")
        parts[::2] = [text.replace("|", "\\|") for text in parts[::2]]
        lines[at] = "`".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("settings", Settings)
    app.add_directive("all-settings", AllSettings)
    app.add_directive("records", Records)
    app.add_directive("commands", Commands)
    app.add_directive("operations", Operations)
    app.add_directive("public-names", PublicNames)
    app.add_directive("public-api", PublicApi)
    app.add_directive("plug-in-api", PlugInApi)
    app.connect("autodoc-process-docstring", _bars)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
