"""Options that only the command line has: how a result is printed and where it goes, in groups that commands share."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting
from topoloom.figures.print_formats import StyleName, WidthName, print_format
from topoloom.operations.shared import ExecutorOptions

if TYPE_CHECKING:
    from markupsafe import Markup

    from topoloom.figures.style import Figure


class Json(Settings, frozen=True, kw_only=True):
    """Print a JSON record instead of text."""

    group: ClassVar[str] = "output"

    json: Annotated[bool, setting("one JSON document on stdout; everything else on stderr")] = False
    quiet: Annotated[
        bool,
        setting("nothing on stdout if the exit code is 0, and only warnings and errors on stderr", option="-q --quiet"),
    ] = False


class Monitored(Json, frozen=True, kw_only=True):
    """Report the result of a check to a monitoring system."""

    prom: (
        Annotated[
            str,
            setting(
                "also write metrics into this .prom file, for Prometheus' textfile collector",
                metavar="FILE",
                names="new file",
            ),
        ]
        | None
    ) = None
    nagios: Annotated[bool, setting("print one line for Nagios; exit codes 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN")] = (
        False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prom is not None and not self.prom.endswith(".prom") and not self.prom.startswith("/dev/"):
            raise InputError(f"`prom` {self.prom}: the textfile collector reads only names that end in .prom")
        if self.nagios and self.json:
            raise InputError("`json` and `nagios` both print the result; give one")


class Threads(Settings, frozen=True, kw_only=True):
    """The number of threads of an operation."""

    group: ClassVar[str] = "threads"

    jobs: Annotated[int, setting("threads; every core if omitted", least=1, most=1024)] | None = None


class Elsewhere(Settings, frozen=True, kw_only=True):
    """Run the parts of an operation on an executor of studies."""

    group: ClassVar[str] = "executor"

    executor: (
        Annotated[
            str,
            setting(
                "run the parts (candidates, steps, loads, chains, long runs) as tasks of this executor: processes, dask, slurm;"
                " no result depends on it; on this machine if omitted"
            ),
        ]
        | None
    ) = None
    executor_options: ExecutorOptions = msgspec.field(default_factory=dict)
    tasks: (
        Annotated[
            str,
            setting(
                "folder of the finished tasks, which do not run again after a kill; if omitted, one in the user's cache, which"
                " is removed when the command has ended",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.executor is None:
            self.refuse_changed(("executor_options", "tasks"), "nothing runs on an executor without --executor")


class StudyOptions(Threads, frozen=True, kw_only=True):
    """Run several networks as a study in a folder."""

    study: (
        Annotated[
            str,
            setting(
                "run as a study in this folder, which topoloom study opens; tasks that have a record there do not run again",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None


class FigureOptions(Settings, frozen=True, kw_only=True):
    """How figures are drawn: for a screen, or for print in the style of a publisher."""

    group: ClassVar[str] = "figure"

    style: (
        Annotated[
            StyleName, setting("draw for print: type, widths and marks as IEEE or ACM ask for; for a screen if omitted")
        ]
        | None
    ) = None
    width: (
        Annotated[WidthName, setting("with --style, the width of one column or of the page; column if omitted")] | None
    ) = None
    outlines: Annotated[bool, setting("text of .svg as outlines, which need no font, not as letters")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        print_format(self.style, self.width)


class PlotOptions(FigureOptions, frozen=True, kw_only=True):
    """A figure of the result in a file of its own."""

    plot: (
        Annotated[str, setting("draw the result to this file: .svg, .png, .pdf, .pgf or .html", metavar="FILE")] | None
    ) = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plot is None:
            self.refuse_changed(("style", "width", "outlines"), "without --plot there is no figure")

    def check(self) -> None:
        """Refuse a file that cannot be written, before any work."""
        from topoloom.report.pictures import check_picture

        if self.plot is not None:
            check_picture(self.plot, "--plot")

    def draw(self, make: "Callable[[], Figure]", title: str, below: "Sequence[Markup]" = (), **page: Any) -> None:
        """Write the figure, if one is wanted.

        Parameters
        ----------
        make : callable () to Figure
        title, below, **page
            For an .html page: as in `report.pictures.write_picture`.
        """
        from topoloom.figures.style import printed
        from topoloom.report.pictures import write_picture

        if self.plot is None:
            return
        figure = printed(make, self.style, self.width)
        write_picture(figure, self.plot, title, below, outlines=self.outlines, **page)


class ToolFiles(Settings, frozen=True, kw_only=True):
    """Which files are written into the networks' folders."""

    group: ClassVar[str] = "files"

    files: Annotated[
        Literal["some", "all"],
        setting("files in each network's folder; all: also those for installers and for other tools"),
    ] = "some"

    @property
    def everything(self) -> bool:
        """Whether the files for installers and for other tools are written."""
        return self.files == "all"
