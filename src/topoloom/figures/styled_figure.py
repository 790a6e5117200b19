"""The figure of a drawing: it remembers its format, so that a file that is written later has the same type."""

from typing import Any

from matplotlib.figure import Figure

from topoloom.figures.print_formats import PrintFormat, drawing_in
from topoloom.figures.style import style


class StyledFigure(Figure):
    """A figure of matplotlib in topoloom's style; `form` is its print format, None for a screen."""

    form: PrintFormat | None = None

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """Write the figure as matplotlib does, in its own style: fonts embedded in a PDF, and without a date.

        A file of a suffix in `topoloom.figures.files.ENDINGS` without further options has the bytes that commands write.
        """
        from topoloom.core.errors import InputError
        from topoloom.figures.files import ENDINGS, save_figure

        if not kwargs and str(fname).lower().endswith(ENDINGS):
            save_figure(self, fname)
            return
        if str(kwargs.get("format", "")).lower() == "pgf" or str(fname).lower().endswith(".pgf"):
            raise InputError("a PGF figure has no further options; give only the file's name")
        with drawing_in(self.form), style():
            super().savefig(fname, **kwargs)
