"""The time of an all-to-all and an all-reduce, as flows along the tables."""

from topoloom.applications.run import run_app
from topoloom.applications.settings import AppSettings
from topoloom.assessment.figure import Figure
from topoloom.assessment.step import Found, Step
from topoloom.assessment.subject import Subject
from topoloom.errors import InputError
from topoloom.work import Work

#: Ranks of the job: an all-to-all of more has a million messages and takes minutes.
RANKS = 1024
#: Ranks of an all-reduce by halving, a power of two.
_BYTES_A_MIB = 1 << 20


def _collectives(subject: Subject, work: Work) -> Found:
    if subject.topology.hosts < 2:
        raise InputError(f"{subject.topology.name}: collectives need two hosts")
    ranks = 1 << (min(RANKS, subject.topology.hosts).bit_length() - 1)
    each = max(1, round(subject.all_to_all_mib * _BYTES_A_MIB / ranks))
    whole = max(1, round(subject.all_reduce_mib * _BYTES_A_MIB))
    wanted = (
        ("all_to_all_ms", "all to all", f"alltoall:bytes={each}", f"{subject.all_to_all_mib:g} MiB a host"),
        (
            "all_reduce_ms",
            "all-reduce",
            f"collective:operation=allreduce,algorithm=halving,bytes={whole}",
            f"{subject.all_reduce_mib:g} MiB, by halving",
        ),
    )
    figures = [_collective(subject, work, ranks, *one) for one in wanted]
    return Found(figures)


def _collective(subject: Subject, work: Work, ranks: int, key: str, label: str, app: str, sends: str) -> Figure:
    """The time of one operation.

    Parameters
    ----------
    subject : Subject
    work : Work
    ranks : int
    key, label, app, sends : str
        Of the figure, for people, the program, and what it sends.

    Returns
    -------
    Figure
    """
    settings = AppSettings(
        rate_gbps=subject.rate_gbps, switch_ns=subject.switch_ns, cable_ns_per_m=subject.cable_ns_per_m
    )
    try:
        tables = subject.routed_by_host(work)
        run = run_app(
            tables,
            app,
            ranks,
            placement="random",
            settings=settings,
            layout=subject.layout,
            seed=subject.seed,
            jobs=subject.jobs,
            simulator="flows",
            work=work,
        )
    except InputError as error:
        return Figure(key=key, label=label, unit="ms", value=None, how=str(error), better="less")
    changes = " ".join(
        f"--set {name}={value:g}"
        for name, value in (
            ("rate_gbps", subject.rate_gbps),
            ("switch_ns", subject.switch_ns),
            ("cable_ns_per_m", subject.cable_ns_per_m),
        )
    )
    engine = f" --engine {tables[0].engine}" if len(tables) > 1 else ""
    by = f", a table for each of the {len(tables)} hosts of a switch" if len(tables) > 1 else ""
    return Figure(
        key=key,
        label=label,
        unit="ms",
        value=run.seconds * 1e3,
        how=f"{sends}, {ranks:,} ranks on hosts drawn at random (one draw, seed {subject.seed}), as flows that share every"
        f" channel by max-min fairness{by}",
        by_hand=f"topoloom app FOLDER{engine} --app {app} --ranks {ranks} --placement random --simulator flows"
        f" --seed {subject.seed} {changes}",
        better="less",
    )


COLLECTIVES = Step("collectives", "collectives as flows", "Collectives", _collectives)
