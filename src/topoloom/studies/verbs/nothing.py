"""The verb nothing: what a study itself takes is measured with it."""

from typing import Annotated, Any, ClassVar

from topoloom.settings import Settings, setting
from topoloom.studies.verb import VERBS, Verb
from topoloom.work import Work


class NothingTask(Settings, frozen=True, kw_only=True):
    """Does nothing, and tells its number."""

    group: ClassVar[str] = "nothing"

    number: Annotated[int, setting("which one it is")] = 0
    seed: Annotated[int, setting("as every task has one", least=0)] = 1


def _nothing(arguments: NothingTask, _jobs: int, _work: Work) -> dict[str, Any]:
    return {"number": arguments.number, "seed": arguments.seed}


VERBS.add("nothing", Verb("nothing", NothingTask, _nothing, files=()))
