"""`topoloom families`: the catalogue, and one family's page."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.families import FamiliesOperation
from topoloom.topologies.spec import Family, Parameter, Transform


@declared(FamiliesOperation, Json)
def command(operation: FamiliesOperation, output: Json) -> None:
    if operation.name == "product" and not output.json:
        say(
            "product: the Cartesian product of topologies.\nwrite product:(SPEC)*(SPEC), which nests; also takes hosts="
        )
        return
    result = performed(operation)
    if output.json:
        print_record(result)
    elif operation.hosts is not None and operation.radix is not None:
        sizes = {one["name"]: [size["spec"] for size in one["sizes"]] for one in result["families"]}
        _print_sizes(sizes, operation.hosts, operation.radix)
    elif operation.name:
        _print_page(operation.chosen()[0])
    else:
        _print_catalogue(operation.chosen())


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
        requirement = "required" if parameter.required else f"default {_default(parameter)}"
        say(
            f"  {key:12} {parameter.description} ({type(parameter).__name__.lower()}: {parameter.range}; {requirement})"
        )
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
