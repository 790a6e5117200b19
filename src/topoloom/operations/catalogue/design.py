"""The operation design: from a requirement to ranked, priced designs."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting, written
from topoloom.core.toml_files import merged
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation

if TYPE_CHECKING:
    from topoloom.designer.design import Design
    from topoloom.designer.requirement import Requirement
    from topoloom.machine.designing import MachineDesign

#: A design for more hosts takes so long that a note announces it.
_MANY_HOSTS = 100_000
#: Fields that replace keys of the requirement.
_REPLACING = ("shortlist", "minutes", "repeats")


@operation
class DesignOperation(Operation, frozen=True, kw_only=True):
    """From a requirement file to ranked, priced designs and a report."""

    group: ClassVar[str] = "design"
    doing: ClassVar[str] = "measuring"
    functions: ClassVar[tuple[str, ...]] = ("design",)

    requirement: Annotated[str, setting("the requirement's file", positional=True, names="file")]
    change: Annotated[dict[str, Any], setting("change keys of the requirement: hosts=2048, switch.radix=36")] = (
        msgspec.field(default_factory=dict)
    )
    against: (
        Annotated[
            str,
            setting(
                "an installed network, measured by the same terms and assessed with the shortlist: a folder, a file or a spec",
                metavar="NETWORK",
                names="file",
            ),
        ]
        | None
    ) = None
    shortlist: (
        Annotated[
            int,
            setting(
                "networks that get a full assessment; as in the requirement if omitted, none in a study",
                least=0,
                most=100,
            ),
        ]
        | None
    ) = None
    minutes: (
        Annotated[
            float,
            setting("time for the full assessments; as in the requirement if omitted", unit="min", above=0, most=1e6),
        ]
        | None
    ) = None
    repeats: (
        Annotated[
            int,
            setting(
                "most repetitions of the random draws, if time is left; as in the requirement if omitted",
                least=1,
                most=16,
            ),
        ]
        | None
    ) = None
    search: (
        Annotated[
            int,
            setting(
                "networks outside the catalogue to try; as in the requirement if omitted",
                least=0,
                most=1_000_000,
                metavar="NETWORKS",
            ),
        ]
        | None
    ) = None
    measured: (
        Annotated[str, setting("a folder with the measurements of another design, which are used again")] | None
    ) = None

    def repeatable(self) -> "DesignOperation":
        if self.shortlist is not None or "shortlist" in self.change:
            return self
        return msgspec.structs.replace(self, shortlist=0)

    @property
    def of_machine(self) -> bool:
        """Whether the file is that of a machine, with several networks or kinds of hosts."""
        from topoloom.machine.recognizing import names_machine

        return names_machine(self.requirement)

    def machine_design(self, context: RunContext) -> "MachineDesign":
        """The design of a machine file.

        Parameters
        ----------
        context : RunContext

        Raises
        ------
        InputError
            The file cannot be read or used; or an option is given that applies to one network.
        """
        from topoloom.machine.designing import design_machine
        from topoloom.machine.faults import MachineError
        from topoloom.machine.reading import placed_fault, read_machine_file

        self.refuse_changed(
            ("change", "against", "search", "measured"),
            "the file is that of a machine; set the key in the [[network]] that it is for",
        )
        machine = read_machine_file(self.requirement)
        given = {
            name: value for name in ("shortlist", "minutes", "repeats") if (value := getattr(self, name)) is not None
        }
        machine = msgspec.structs.replace(machine, **given)
        try:
            return design_machine(machine, jobs=context.jobs, work=context.work)
        except MachineError as fault:
            raise placed_fault(fault, machine, self.requirement) from None

    def prepared(self) -> "Requirement":
        """The requirement, with all changes.

        Raises
        ------
        InputError
            The file cannot be read, a key does not exist, or a value is out of range.
        """
        from topoloom.designer.requirement_files import read_requirement

        changes = _nested(self.change)
        changes |= {name: value for name in _REPLACING if (value := getattr(self, name)) is not None}
        if self.search is not None:
            changes = merged(changes, {"search": {"networks": self.search}})
        requirement = read_requirement(self.requirement)
        for key, value in self.change.items():
            try:
                changed_requirement(requirement, _nested({key: value}))
            except InputError as error:
                # The command line shows the key and the value as the user wrote them.
                reason = re.sub(r"^design: change: (?:[\w.]+ = .*?: (?=it is ))?", "", str(error))
                raise InputError(f"`change` {key}={written(value)}: {reason}") from None
        return changed_requirement(requirement, changes)

    def designed(
        self, requirement: "Requirement", context: RunContext, store: str | Path | None = None, *, fresh: bool = False
    ) -> "Design":
        """The design for a requirement.

        Parameters
        ----------
        requirement : Requirement
            The return value of `prepared`.
        context : RunContext
        store : path, optional
            The folder that stores measurements, unless `measured` names one.
        fresh : bool
            Whether everything is measured again.

        Returns
        -------
        Design
        """
        from topoloom.designer.candidates import MOST_SWITCHES
        from topoloom.designer.design import design

        if requirement.hosts > _MANY_HOSTS:
            context.note(
                f"{requirement.hosts:,} hosts: networks of up to {MOST_SWITCHES:,} switches are measured, the largest take "
                "minutes;"
                " after an interrupt, or `time_limit`, the design uses what is measured by then"
            )
        return design(
            requirement,
            against=self.against,
            store=self.measured or store,
            fresh=fresh,
            jobs=context.jobs,
            work=context.work,
        )

    def run(self, context: RunContext) -> "Design | MachineDesign":
        if self.of_machine:
            return self.machine_design(context)
        return self.designed(self.prepared(), context)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        from topoloom.designer.outcomes import MEASURES

        if result.record_name == "machine-design":
            return {"ranked": len(result.ranked), "dropped": len(result.dropped)} | (
                {key: getattr(result.ranked[0], key) for key in ("cost_usd", "power_w", "switches", "racks")}
                if result.ranked
                else {}
            )
        best = result.winner
        row = {"best": result.best, "ranked": len(result.ranked), "dropped": sum(result.dropped_by.values())}
        if best is not None:
            row |= {"family": best.family} | {key: getattr(best, key) for key in MEASURES}
        return row


def changed_requirement(requirement: "Requirement", changes: Mapping[str, Any]) -> "Requirement":
    """A requirement with some of its keys changed, tables within it key by key.

    Raises
    ------
    InputError
        A key does not exist, or a value is out of range.
    """
    return requirement.changed(changes, "design: change")


def _nested(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes with keys such as ``switch.radix`` as tables within tables."""
    nested: dict[str, Any] = {}
    for key, value in changes.items():
        for name in reversed(key.split(".")):
            value = {name: value}
        nested = merged(nested, value)
    return nested
