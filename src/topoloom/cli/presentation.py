"""What only the command line has: how a result is printed and where it goes, in small groups that commands share."""

from typing import Annotated, ClassVar, Literal

from topoloom.core.settings import Settings, setting


class Json(Settings, frozen=True, kw_only=True):
    """Printing a record in place of text."""

    group: ClassVar[str] = "output"

    json: Annotated[bool, setting("one JSON document on stdout; everything else on stderr")] = False


class Threads(Settings, frozen=True, kw_only=True):
    """How many threads an operation has."""

    group: ClassVar[str] = "threads"

    jobs: Annotated[int, setting("threads; every core if omitted", least=1, most=1024)] | None = None


class KeptText(Threads, frozen=True, kw_only=True):
    """Running several networks as a study in a folder."""

    study: (
        Annotated[
            str,
            setting(
                "run as a study in this folder, which topoloom study opens: what has a record there does not run again",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None


class ToolFiles(Settings, frozen=True, kw_only=True):
    """How many files a folder of networks gets."""

    group: ClassVar[str] = "files"

    files: Annotated[
        Literal["some", "all"], setting("in the networks' folders; all: those for installers and for other tools, too")
    ] = "some"

    @property
    def everything(self) -> bool:
        """Whether the files for installers and for other tools are written."""
        return self.files == "all"
