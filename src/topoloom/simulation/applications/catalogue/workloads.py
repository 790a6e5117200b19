"""``goal`` and ``chakra``: schedules and traces of other tools, simulated as flows or with SimGrid."""

from dataclasses import replace
from typing import Any

from topoloom.simulation.applications.registry import APPLICATIONS, Application
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.workloads.named import WORKLOADS, Workload


def _register(name: str, workload: Workload) -> None:
    """Register an application with as many ranks as its file has."""

    def make(ranks: int, **settings: Any) -> Schedule:
        schedule = workload.load(**settings)
        return replace(schedule, name=f"{name}({schedule.name})")

    record = Application(name, make, workload.parameters, workload.description, workload.source, sized=True)
    APPLICATIONS.add(name, record)


for _name, _workload in WORKLOADS.items():
    _register(_name, _workload)
