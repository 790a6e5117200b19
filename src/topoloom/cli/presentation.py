"""Options that only the command line has: how a result is printed and where it goes, in groups that commands share."""

from typing import Annotated, ClassVar, Literal

from topoloom.core.settings import Settings, setting


class Json(Settings, frozen=True, kw_only=True):
    """Print a JSON record instead of text."""

    group: ClassVar[str] = "output"

    json: Annotated[bool, setting("one JSON document on stdout; everything else on stderr")] = False


class Threads(Settings, frozen=True, kw_only=True):
    """The number of threads of an operation."""

    group: ClassVar[str] = "threads"

    jobs: Annotated[int, setting("threads; every core if omitted", least=1, most=1024)] | None = None


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
