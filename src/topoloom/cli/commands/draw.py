"""`topoloom draw`: a picture of a network in which its structure is seen."""

from typing import Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_facts, print_record, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.settings import setting
from topoloom.operations.catalogue.draw import DrawOperation


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting("the picture: .svg, .png, .pdf or .pgf", option="-o --output", metavar="FILE", names="new file"),
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.output is not None:
            from topoloom.figures.files import check_figure_name

            check_figure_name(self.output, "--output")


@declared(DrawOperation, Threads, _Output)
def command(operation: DrawOperation, threads: Threads, to: _Output) -> None:
    from topoloom.drawing.picture import PAGE_SCALE

    drawing = performed(operation, threads.jobs)
    if to.output is not None:
        drawing.save_picture(to.output)
    if to.json:
        print_record(drawing)
    else:
        kinds = dict.fromkeys(drawing.blocks.kind[1:])
        bundles = drawing.bundles(drawing.opened(PAGE_SCALE))
        counts = [f"{drawing.blocks.kind.count(kind):,} {kind}" for kind in kinds]
        print_facts(
            drawing.provenance.name,
            [
                ("switches", f"{drawing.switches:,}"),
                ("links", f"{drawing.links:,}"),
                ("hosts", f"{drawing.hosts:,}"),
                ("planes", f"{drawing.planes:,}"),
                ("blocks", ", ".join(counts) if counts else "none: all switches are shown"),
                ("on a page", f"{bundles.count.size:,} lines between {bundles.nodes.size:,} blocks and switches"),
            ],
        )
    if to.output is not None:
        say(f"wrote {to.output}", err=to.json)
