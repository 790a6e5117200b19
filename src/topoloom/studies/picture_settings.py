"""What a picture of a study shows: the same on the command line and in a file of figures."""

from typing import Annotated, Any, ClassVar, Literal

from topoloom.core.settings import Settings, setting

Kind = Literal["lines", "heat", "winners"]


class PictureSettings(Settings, frozen=True, kw_only=True):
    """The arguments of `draw_study` that choose what is drawn."""

    group: ClassVar[str] = "figure"

    kind: Annotated[Kind, setting("the kind of picture")] = "lines"
    x: Annotated[str, setting("the horizontal axis; the first axis of numbers if omitted")] | None = None
    y: Annotated[str, setting("the measure on the vertical axis; for a map, the other axis")] | None = None
    by: Annotated[tuple[str, ...], setting("one curve per value of this axis; may be repeated")] = ()
    each: Annotated[str, setting("one panel per value of this axis")] | None = None
    value: Annotated[str, setting("the measure of a map, or of winners")] | None = None
    of: Annotated[str, setting("winners: the axis whose values compete")] | None = None
    most: Annotated[bool, setting("the largest value wins, not the smallest")] = False
    where: Annotated[
        tuple[str, ...],
        setting("only points whose axes meet this: 'load <= 0.5'; repeated, all must hold", metavar="CONDITION"),
    ] = ()
    log: Annotated[str, setting("logarithmic axes: x, y or xy")] = ""
    x_label: Annotated[str, setting("text of the horizontal axis, with its unit; by its column if omitted")] | None = (
        None
    )
    y_label: Annotated[str, setting("text of the vertical axis, with its unit; by its column if omitted")] | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name."""
        return {name: getattr(self, name) for name in PictureSettings.__struct_fields__} | {"by": self.by or None}
