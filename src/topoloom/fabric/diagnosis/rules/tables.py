"""Rules on forwarding tables, from the verdict of the judge."""

from collections.abc import Iterator

from topoloom.fabric.diagnosis.evidence import MOST_LANES, Evidence
from topoloom.fabric.diagnosis.finding import Finding
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, rule


@rule(
    "TL401",
    "credit-loop",
    ERROR,
    "Packets can wait for each other in a circle: the tables can deadlock.",
    explanation="""Each of the channels named holds packets that wait for room in the next, and the last for the
    first, on one lane (Dally and Seitz, 1987). It may run for months; when it happens the network stands until
    packets time out. No test of single paths finds it.""",
    fix="Route with an engine that is free of deadlock (topoloom route), and hand out its service levels.",
)
def _credit_loop(evidence: Evidence) -> Iterator[Finding]:
    verdict = evidence.verdict
    if verdict is not None and verdict.cycle:
        names = _names(evidence)
        ring = [start if isinstance(start, str) else names[start] for start, _ in verdict.cycle]
        text = f"waits in a cycle: {' -> '.join(ring)} (lane {verdict.cycle_lane})"
        yield Finding(text, tuple(dict.fromkeys(ring)))


@rule(
    "TL402",
    "pairs-unreached",
    ERROR,
    "The tables do not lead from everywhere to everywhere, though there is a path.",
    explanation="""Packets run in a circle, end at the wrong switch, or find no entry. Nothing reports it: a subnet
    manager loads such tables and says that the subnet is up.""",
    fix="Make the tables anew for the fabric as it is; look whether the file is of this fabric.",
)
def _unreached(evidence: Evidence) -> Iterator[Finding]:
    verdict = evidence.verdict
    if verdict is None:
        return
    apart = getattr(verdict, "apart_pairs", 0)
    lost = verdict.pairs - apart - verdict.reached_pairs
    if lost > 0 or verdict.fault:
        why = f": {verdict.fault}" if verdict.fault else ""
        yield Finding(f"{max(lost, 1):,} of {verdict.pairs - apart:,} pairs are not reached{why}")


@rule(
    "TL403",
    "paths-not-minimal",
    NOTE,
    "Some pairs take more hops than they need.",
    explanation="""Engines that keep free of deadlock with few lanes, or spread load, do so on purpose; a subnet
    manager that was not told of the topology does by chance.""",
    fix="Nothing, if it is meant; else another engine, or more lanes.",
)
def _not_minimal(evidence: Evidence) -> Iterator[Finding]:
    verdict = evidence.verdict
    if verdict is not None and verdict.reached_pairs and not verdict.minimal and verdict.stretch > 1:
        yield Finding(
            f"{verdict.minimal_pairs:,} of {verdict.pairs:,} pairs take the fewest hops; all take {verdict.stretch:.3g} times"
            f" the hops that they need"
        )


@rule(
    "TL404",
    "lanes-exceeded",
    ERROR,
    "The tables use more lanes than the switches have.",
    explanation=f"""InfiniBand has {MOST_LANES} data lanes at most and most switches fewer; `--lanes` says how many
    yours have. What has no lane of its own shares one, and then nothing is proved free of deadlock any more.""",
    fix="Route with fewer lanes (`lanes`).",
)
def _lanes(evidence: Evidence) -> Iterator[Finding]:
    verdict, most = evidence.verdict, evidence.limits.lanes
    if verdict is not None and verdict.lanes_used > most:
        yield Finding(f"the tables use {verdict.lanes_used} lanes; the switches have {most}")


def _names(evidence: Evidence) -> tuple[str, ...]:
    side = evidence.actual or evidence.plan
    return side.fabric.switch_names
