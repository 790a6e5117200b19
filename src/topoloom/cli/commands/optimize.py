"""`topoloom optimize TOPOLOGY`: exchange the ends of links for fewer hops, more throughput, or less latency, power or cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, running
from topoloom.cli.output import plain, print_facts, print_record
from topoloom.cli.presentation import Elsewhere, Json
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue.optimize import OptimizeOperation

if TYPE_CHECKING:
    from topoloom.optimizer.goals import Goal
    from topoloom.optimizer.result import Optimized


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "the file for the best graph; its suffix gives the format (.json, .edges ...)", option="-o --output"
            ),
        ]
        | None
    ) = None
    resume: Annotated[bool, setting("continue from the file of -o where an earlier run stopped")] = False
    picture: Annotated[str, setting("draw the best graph to this file: .svg, .png, .pdf or .pgf")] | None = None

    def check(self) -> None:
        """Refuse files that cannot be written, before any work."""
        if self.resume and self.output in (None, "-"):
            raise InputError("--resume continues from a file; name it with -o")
        if self.picture is not None:
            from topoloom.figures.files import check_figure_name

            check_figure_name(self.picture, "--picture")
        if self.picture is not None and not Path(self.picture).parent.is_dir():
            raise InputError(f"--picture {self.picture}: there is no folder {Path(self.picture).parent}; make it first")


@declared(OptimizeOperation, Elsewhere, _Output)
def command(operation: OptimizeOperation, elsewhere: Elsewhere, to: _Output) -> None:
    from topoloom.cli.checkpoint import Checkpoint

    to.check()
    arguments = operation.prepared()
    goal = _words(arguments.goal, operation)
    checkpoint = Checkpoint(arguments.topology, to.output, operation.seed, goal, to.json, to.resume)
    with running(operation.doing, None, elsewhere, on_result=checkpoint.keep) as context:
        result = operation.search(arguments, context, checkpoint.start, checkpoint.spent)
    checkpoint.end(result)
    if to.picture is not None:
        from topoloom.report.graph_picture import grid_picture

        grid_picture(result.topology, to.picture)
    if to.json:
        print_record(result)
    elif to.output != "-":
        print_facts(result.topology.name, _facts(result, to.output))
    if result.ended == "interrupted":
        raise KeyboardInterrupt


def _words(goal: "str | Goal", operation: OptimizeOperation) -> str:
    """The objective in words that distinguish it from every other one, for the file from which a search is resumed."""
    rules = [
        ("length", operation.length),
        ("cap_m", operation.cap_m),
        ("cap_usd", operation.cap_usd),
        ("keep", operation.keep),
    ]
    words = [f"{key} {value}" for key, value in rules if value is not None]
    if isinstance(goal, str):
        return ", ".join([goal, *words])
    words += [goal.text, f"{goal.delays.switch_ns:g} ns + {goal.delays.cable_ns_per_m:g} ns/m"]
    words += [f"cap {goal.cap_ns:g} ns"] if goal.cap_ns else []
    words += [f"parts {operation.parts}"] if operation.parts else []
    return ", ".join(words)


def _facts(result: "Optimized", output: str | None) -> list[tuple[str, str]]:
    facts = {
        "file": output,
        "objective": result.objective,
        "components": result.components,
        "diameter": result.diameter,
        "diameter_bound": result.diameter_bound,
        "aspl": result.aspl,
        "aspl_bound": result.aspl_bound,
        "gap": result.gap,
        **result.values,
        "moves": result.moves,
        "moves_per_s": result.moves_per_s,
        "seconds": result.seconds,
        "seed": result.seed,
        "start": result.start,
        "ended": result.reason if result.ended == "done" else result.ended,
        "digest": result.topology.digest,
    }
    currency = result.provenance.settings.get("currency")
    return [
        (key, plain(value)) if key != "cable_usd" or currency is None else ("cable_cost", f"{plain(value)} {currency}")
        for key, value in facts.items()
        if value is not None
    ]
