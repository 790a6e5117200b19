"""The verb `centre`: how much of all shortest paths passes the busiest switch; for studies."""

from typing import Annotated, Any, ClassVar

from topoloom import build, route
from topoloom.settings import Settings, setting
from topoloom.studies.verb import VERBS, Verb
from topoloom.work import Work


class CentreTask(Settings, frozen=True, kw_only=True):
    """What a study may say of it: each field is an argument or an axis."""

    group: ClassVar[str] = "centre"

    topology: Annotated[str, setting("a spec")]
    engine: Annotated[str, setting("how paths are chosen")] = "minimal"


def centre(arguments: CentreTask, jobs: int, work: Work) -> dict[str, Any]:
    """The busiest switch, and its share of all pairs; `jobs` are threads, and no number may depend on them."""
    verdict = route(build(arguments.topology), arguments.engine, jobs=jobs, work=work).verdict
    load = verdict.switch_load
    return {"switch": int(load.argmax()), "share": float(load.max()) / verdict.pairs}


VERBS.add("centre", Verb("centre", CentreTask, centre))
