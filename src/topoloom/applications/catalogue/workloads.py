"""``goal`` and ``chakra``: schedules and traces of other tools, as flows or on SimGrid."""

from typing import Any

from topoloom.applications.program import Scheduled
from topoloom.applications.registry import APPLICATIONS, Application
from topoloom.workloads.named import WORKLOADS, Workload


def _register(name: str, workload: Workload) -> None:
    """An application of as many ranks as its file has."""

    def make(ranks: int, **settings: Any) -> Scheduled:
        schedule = workload.load(**settings)
        return Scheduled(f"{name}({schedule.name})", schedule.ranks, schedule)

    known = Application(name, make, workload.parameters, workload.description, workload.source, sized=True)
    APPLICATIONS.add(name, known)


for _name, _workload in WORKLOADS.items():
    _register(_name, _workload)
