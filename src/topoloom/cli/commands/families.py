"""`topoloom families`: the catalogue, and one family's page."""

import click

from topoloom.cli.output import json_option, print_record, say
from topoloom.cli.types import Whole
from topoloom.spec import FAMILIES, TRANSFORMS, Family, Parameter, Transform, listed, sizes_listed


@click.command(help="The catalogue of families; with NAME, its parameters, defaults and source.")
@click.argument("name", required=False)
@click.option(
    "--hosts", type=Whole(1, 10_000_000), help="List the parameter sets that serve at least so many hosts ..."
)
@click.option("--radix", type=Whole(2, 4096), help="... with switches of so many ports.")
@json_option
def command(name: str | None, hosts: int | None, radix: int | None, as_json: bool) -> None:
    if (hosts is None) != (radix is None):
        raise click.UsageError("--hosts and --radix go together: how many hosts, on switches of how many ports")
    if name == "product" and not as_json:
        say(
            "product: the Cartesian product of topologies.\nwrite product:(SPEC)*(SPEC), which nests; also takes hosts="
        )
        return
    chosen: list[Family | Transform] = [_find(name)] if name else [*FAMILIES.values(), *TRANSFORMS.values()]
    if hosts is not None and radix is not None:
        found = sizes_listed(chosen, hosts, radix)
        if as_json:
            print_record(found)
        else:
            _print_sizes(
                {one["name"]: [size["spec"] for size in one["sizes"]] for one in found["families"]}, hosts, radix
            )
    elif as_json:
        print_record(listed(chosen))
    elif name:
        _print_page(chosen[0])
    else:
        _print_catalogue(chosen)


def _find(name: str) -> Family | Transform:
    return TRANSFORMS[name] if name in TRANSFORMS else FAMILIES.find(name)


def _print_catalogue(chosen: list[Family | Transform]) -> None:
    for one in chosen:
        kind = "" if isinstance(one, Family) else "+"
        say(f"{kind + one.name:22} {one.description}")
        say(f"{'':22} {', '.join(f'{k}={_default(p)}' for k, p in one.parameters.items())}")
    say("\nproduct:(SPEC)*(SPEC) is the Cartesian product; every family also takes hosts=NUMBER or hosts=full.")


def _print_page(one: Family | Transform) -> None:
    say(f"{one.name}: {one.description}")
    if isinstance(one, Family) and one.aliases:
        say(f"also called: {', '.join(one.aliases)}")
    for key, parameter in one.parameters.items():
        need = "required" if parameter.required else f"default {_default(parameter)}"
        say(f"  {key:12} {parameter.description} ({type(parameter).__name__.lower()}: {parameter.range}; {need})")
    if isinstance(one, Family):
        say(f"  {'hosts':12} hosts on each switch that carries hosts, or 'full'")
        for key, meaning in one.labels.items():
            say(f"  label {key}: {meaning}")
    say(f"source: {one.source}")


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "..."
    return "auto" if parameter.default is None else parameter.write(parameter.default)


def _print_sizes(found: dict[str, list[str]], hosts: int, radix: int) -> None:
    if not any(found.values()):
        say(f"nothing here serves {hosts} hosts on {radix}-port switches; take a larger radix", err=True)
    for specs in found.values():
        for spec in specs:
            say(spec)
