"""`topoloom new`: a requirement or a study from six answers."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.cli.declared import DeclaredGroup, declared
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.cli.questions import Question, answered
from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, plain_of, setting
from topoloom.operations.catalogue.new_requirement import NewRequirementOperation
from topoloom.operations.catalogue.new_study import NewStudyOperation

if TYPE_CHECKING:
    from topoloom.start.draft import Draft


class NewCommands(Settings, frozen=True, kw_only=True):
    """Write a first requirement or study from six questions, or from their answers as options.

    Every line of the file is explained, and further keys are in comments. `topoloom new` alone writes a requirement. `topoloom
    new study --help` lists the options of a study.
    """

    group: ClassVar[str] = "new"


class _Output(Json, frozen=True, kw_only=True):
    force: Annotated[bool, setting("replace an existing file")] = False
    yes: Annotated[bool, setting("ask no questions; arguments that are not given have their defaults")] = False


class _RequirementOutput(_Output, frozen=True, kw_only=True):
    output: Annotated[str, setting("the file", option="-o --output", metavar="FILE")] = "requirement.toml"


class _StudyOutput(_Output, frozen=True, kw_only=True):
    output: Annotated[str, setting("the file", option="-o --output", metavar="FILE")] = "study.toml"


def _words(text: str) -> tuple[str, ...]:
    return () if text in ("all", "none") else tuple(text.replace(", ", " ").split())


def _whole(text: str) -> Any:
    """A whole number, also written as 10,000 or 10_000."""
    return plain_of(text.replace(",", "").replace("_", ""))


def _limits(text: str) -> dict[str, Any]:
    """``cost_usd=2e6 power_w=5e4`` as a table."""
    limits = {}
    for word in _words(text):
        name, equals, value = word.strip(",").partition("=")
        if not equals:
            raise InputError(f"'{word[:60]}': write a limit as NAME=VALUE, such as cost_usd=2e6")
        limits[name] = plain_of(value)
    return limits


_REQUIREMENT = (
    Question("hosts", "Hosts to serve", lambda made: f"{made.hosts}", _whole),
    Question(
        "switch",
        "Switch: a product of a parts catalogue, or ports x Gb/s such as 64x400",
        lambda made: made.switch,
        check=lambda made: made.drafted(),
    ),
    Question(
        "floor",
        "Room: slimfly-2014, koibuchi-2013, or a floor file (.toml, .csv)",
        lambda made: made.floor or "slimfly-2014",
    ),
    Question(
        "limits",
        "Limits (whole bill: cost_usd=12e6; others: power_w=5e4 diameter=3 ...), or none",
        lambda _: "none",
        _limits,
    ),
    Question("matters", "What matters most: cost, latency, power, growth", lambda made: made.matters),
    Question("families", "Families: fat-tree dragonfly slimfly ..., or all", lambda _: "all", _words),
)


@declared(NewRequirementOperation, _RequirementOutput)
def requirement_command(operation: NewRequirementOperation, to: _RequirementOutput) -> None:
    _write(operation, _REQUIREMENT, to.output, to, "topoloom design {file} -o design")


def _axis(made: NewStudyOperation) -> tuple[str, str]:
    from topoloom.studies.new_study import axis_of

    return axis_of(made.operation, made.networks, made.axis, made.values)


def _check_networks(made: NewStudyOperation) -> None:
    from topoloom.studies.new_study import check_networks

    check_networks(made.operation, made.networks)


def _check_axis(made: NewStudyOperation) -> None:
    from topoloom.studies.new_study import check_axis

    check_axis(made.operation, made.networks, _axis(made)[0])


_STUDY = (
    Question("operation", "Operation: simulate, hops, quality, resilience, cost ...", lambda made: made.operation),
    Question(
        "networks",
        "Networks: specs or files; {side} stands for an axis",
        lambda made: " ".join(made.networks),
        lambda text: tuple(text.split()),
        check=_check_networks,
    ),
    Question(
        "axis",
        "Axis: an argument of the operation, a name in braces, or none",
        lambda made: _axis(made)[0] or "none",
        check=_check_axis,
    ),
    Question(
        "values",
        "Its values: 4,8,16 or 0.1:0.9:0.2 or 4:64:x2",
        lambda made: _axis(made)[1],
        asked=lambda made: bool(_axis(made)[0]),
        check=lambda made: made.drafted(),
    ),
    Question(
        "seeds", "Repeats, each with a seed of its own", lambda made: f"{made.seeds}", check=lambda made: made.drafted()
    ),
    Question(
        "executor",
        "Where it runs: processes, threads, dask, slurm",
        lambda made: made.executor,
        check=lambda made: made.drafted(),
    ),
)


@declared(NewStudyOperation, _StudyOutput)
def study_command(operation: NewStudyOperation, to: _StudyOutput) -> None:
    _write(operation, _STUDY, to.output, to, "topoloom study {file} -o results")


command = DeclaredGroup(
    NewCommands,
    (requirement_command, study_command),
    default="requirement",
    alone=True,
    usages=("[requirement] [-o FILE] [OPTIONS]", "study [-o FILE] [OPTIONS]"),
)


#: The catalogue of switches that are given as ports by rate.
_OLD_PRICES = "slimfly-2014"


def _write(operation: Any, questions: tuple[Question, ...], file: str, to: _Output, following: str) -> None:
    """Ask for the arguments that are not given, and write the file."""
    from topoloom.start.draft import refuse_present

    refuse_present(file, to.force)  # before the user answers six questions
    draft: Draft = (
        answered(operation, questions, ask=not to.yes).drafted(str(Path(file).parent)).write(file, force=to.force)
    )
    if to.json:
        print_record(draft)
    say(f"wrote {' and '.join(draft.files)}", err=True)
    say(f"next: {following.format(file=shlex.quote(file))}", err=True)
    if f'parts = "{_OLD_PRICES}"' in draft.text:
        say(
            f'its prices are of 2014 (parts = "{_OLD_PRICES}"); for a catalogue of 2026 name a product,'
            " such as --switch QM9700 (infiniband-2026)",
            err=True,
        )
