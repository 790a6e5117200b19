"""`topoloom families`: the catalogue, and one family's page."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.families import FamiliesOperation
from topoloom.topologies.spec import DirectedFamily, Family, Parameter, Transform
from topoloom.topologies.spec.grammar import DIRECTED_HOSTS, HOSTS


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
        sizes = {family["name"]: [size["spec"] for size in family["sizes"]] for family in result["families"]}
        _print_sizes(sizes, operation.hosts, operation.radix)
    elif operation.name:
        _print_page(operation.chosen()[0])
    else:
        _print_catalogue(operation.chosen())


def _print_catalogue(chosen: list[Family | Transform]) -> None:
    for entry in chosen:
        kind = "" if isinstance(entry, Family) else "+"
        say(f"{kind + entry.name:22} {_described(entry)}")
        say(f"{'':22} {', '.join(f'{k}={_default(p)}' for k, p in entry.parameters.items())}")
    say("\nproduct:(SPEC)*(SPEC) is the Cartesian product; every family also takes hosts=NUMBER or hosts=full.")


def _print_page(entry: Family | Transform) -> None:
    say(f"{entry.name}: {_described(entry)}")
    if isinstance(entry, Family) and entry.aliases:
        say(f"also called: {', '.join(entry.aliases)}")
    parameters = dict(entry.parameters)
    if isinstance(entry, Family):
        parameters.setdefault("hosts", DIRECTED_HOSTS if isinstance(entry, DirectedFamily) else HOSTS)
    for key, parameter in parameters.items():
        requirement = "required" if parameter.required else f"default {_default(parameter)}"
        say(
            f"  {key:12} {parameter.description} ({type(parameter).__name__.lower()}: {parameter.range}; {requirement})"
        )
    if isinstance(entry, Family):
        for key, meaning in entry.labels.items():
            say(f"  label {key}: {meaning}")
    say(f"source: {entry.source}")


def _described(entry: Family | Transform) -> str:
    """What it is, and whether its links have one direction."""
    return f"{'[directed] ' if isinstance(entry, DirectedFamily) else ''}{entry.description}"


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "..."
    return "auto" if parameter.default is None else parameter.write(parameter.default)


def _print_sizes(specs_by_family: dict[str, list[str]], hosts: int, radix: int) -> None:
    if not specs_by_family:
        say("it has no list of sizes; give its parameters in a spec", err=True)
    elif not any(specs_by_family.values()):
        say(f"no family serves {hosts} hosts with {radix}-port switches; take a larger radix", err=True)
    for specs in specs_by_family.values():
        for spec in specs:
            say(spec)
