"""Rules on forwarding tables, from the results of the verifier."""

from collections.abc import Iterator

from topoloom.fabric.diagnosis.evidence import MOST_VIRTUAL_CHANNELS, Evidence
from topoloom.fabric.diagnosis.finding import Finding
from topoloom.fabric.diagnosis.rule import ERROR, NOTE, WARNING, rule
from topoloom.fabric.distinct_names import distinct_names


@rule(
    "TL401",
    "credit-loop",
    ERROR,
    "Packets can wait for each other in a cycle: the tables can deadlock.",
    explanation="""Each of the listed channels holds packets that wait for space in the next, and the last for the first, on
    one virtual channel (Dally and Seitz, 1987). The network may run for months; when it happens, traffic stops until packets
    time out. No test of single paths finds it.""",
    fix="Route with an engine that is free of deadlock (topoloom route), and install its service levels.",
)
def _credit_loop(evidence: Evidence) -> Iterator[Finding]:
    verification = evidence.verification
    decided = getattr(verification, "levels_known", True) and not _adaptive(evidence)
    if verification is not None and verification.cycle and decided:
        ring = _ring(evidence)
        text = f"waits in a cycle: {' -> '.join(ring)} (virtual channel {verification.cycle_virtual_channel})"
        yield Finding(text, tuple(dict.fromkeys(ring)))


@rule(
    "TL402",
    "pairs-unreached",
    ERROR,
    "The tables do not connect all pairs, though a path exists.",
    explanation="""Packets run in a circle, end at the wrong switch or host, at a port without a cable, or find no entry. Each
    switch and port with such entries is reported once, with the number of destinations. Nothing else reports it: a subnet
    manager loads such tables and reports that the subnet is up.""",
    fix="Compute the tables again for the current fabric; check that the file belongs to this fabric.",
)
def _unreached(evidence: Evidence) -> Iterator[Finding]:
    verification = evidence.verification
    if verification is None:
        return
    apart = verification.apart_pairs
    holes = getattr(verification, "black_holes", ())
    for hole in holes:
        text = f"black hole: {hole} of {verification.pairs - apart:,}"
        yield Finding(text, tuple(name for name in (hole.switch,) if name))
    if holes:
        return
    lost = verification.pairs - apart - verification.reached_pairs
    if lost > 0 or verification.fault:
        why = f": {verification.fault}" if verification.fault else ""
        yield Finding(f"{max(lost, 1):,} of {verification.pairs - apart:,} pairs are not reached{why}")


@rule(
    "TL403",
    "paths-not-minimal",
    NOTE,
    "Some pairs take more hops than they need.",
    explanation="""Engines that avoid deadlock with few virtual channels, or that spread load, do so on purpose; a subnet
    manager that does not know the topology does so by chance.""",
    fix="Nothing, if it is intended; otherwise another engine, or more virtual channels.",
)
def _not_minimal(evidence: Evidence) -> Iterator[Finding]:
    verification = evidence.verification
    if (
        verification is not None
        and verification.reached_pairs
        and not verification.minimal
        and verification.stretch > 1
    ):
        joined = verification.pairs - verification.apart_pairs
        yield Finding(
            f"{verification.minimal_pairs:,} of {joined:,} pairs take the fewest hops; all pairs together take"
            f" {1 + float(f'{verification.stretch - 1:.2g}'):.9g} times as many hops as the fewest"
        )


@rule(
    "TL404",
    "virtual-channels-exceeded",
    ERROR,
    "The tables use more virtual channels than the switches have.",
    explanation=f"""InfiniBand has at most {MOST_VIRTUAL_CHANNELS} data VLs, and most switches have fewer;
    `--data-vls` states the number of yours. Traffic without a virtual channel of its own shares another one, and then
    the tables are no longer verified deadlock-free.""",
    fix="Route with fewer virtual channels (`virtual_channels`).",
)
def _virtual_channels(evidence: Evidence) -> Iterator[Finding]:
    verification, most = evidence.verification, evidence.limits.virtual_channels
    if verification is not None and verification.virtual_channels_used > most:
        yield Finding(f"the tables use {verification.virtual_channels_used} virtual channels; the switches have {most}")


@rule(
    "TL405",
    "levels-unknown",
    WARNING,
    "The tables are unverified without service levels.",
    explanation="""If all traffic shares one virtual lane, channels wait for each other in a cycle. Engines dfsssp, lash, nue
    and torus-2QoS give pairs of hosts service levels, so that no virtual lane holds a cycle; the forwarding tables alone do not
    state them. Engines minhop, updn, ftree, dnup, sssp and dor use one service level: if one of them made these tables, they
    can deadlock.""",
    fix="""Give the service levels (`--qos`): the QoS policy, the list of the engine's levels as ibdmchk reads it, or path
    records of saquery; for torus-2QoS also the virtual lanes (`--sl2vl opensm-sl2vl.dump`). If all traffic uses service level
    0, give `--qos none`: the cycle is then reported as TL401.""",
)
def _levels_unknown(evidence: Evidence) -> Iterator[Finding]:
    verification = evidence.verification
    other_rule = getattr(verification, "levels_known", True) or _adaptive(evidence)
    if verification is not None and verification.cycle and not other_rule:
        ring = _ring(evidence)
        yield Finding(
            f"unverified without service levels; give --qos: in one virtual lane these wait in a cycle: {' -> '.join(ring)}."
            " Tables of dfsssp, lash or torus-2QoS may be free of it, tables of minhop, updn, ftree or dor are not (--qos"
            " none)",
            tuple(dict.fromkeys(ring)),
        )


@rule(
    "TL406",
    "tables-notable",
    NOTE,
    "The tables and the fabric differ in what no pair of hosts needs.",
    explanation="""Engines updn and ftree leave no entries between switches of the same level. A dump may be older or newer than
    the discovery: then it has tables of other switches, or addresses of hosts that are switched off. Multicast tables are not
    verified.""",
    fix="Nothing, if it is intended; otherwise take the dump and the discovery at the same time.",
)
def _notable(evidence: Evidence) -> Iterator[Finding]:
    for note in getattr(evidence.verification, "table_notes", ()):
        yield Finding(note)


@rule(
    "TL407",
    "tables-not-installed",
    ERROR,
    "The switches hold other entries than these tables.",
    explanation="""The tables were compared with a dump of what the switches hold. A subnet manager that does not use the file,
    or that read an older version of it, leaves other entries and reports nothing; so does a second one that has taken over.""",
    fix="Check that OpenSM runs with `routing_engine file` and this file as `lfts_file`; then send it SIGHUP.",
)
def _not_installed(evidence: Evidence) -> Iterator[Finding]:
    differences = getattr(evidence.verification, "differences", ())
    if differences:
        total, most = sum(difference.entries for difference in differences), 3
        text = f"{len(differences):,} switches hold other entries, {total:,} in all: {'; '.join(map(str, differences[:most]))}"
        more = "; ..." if len(differences) > most else ""
        yield Finding(text + more, tuple(difference.switch for difference in differences))


@rule(
    "TL408",
    "adaptive-unverified",
    WARNING,
    "Packets may choose ports in a cycle: freedom from deadlock is unverified.",
    explanation="""The tables have groups of ports (adaptive routing), and the choices of all packets together hold a cycle of
    channels that wait for each other. Packets need not choose it, and virtual lanes that the switches change on the way can
    break it: neither is in the tables.""",
    fix="""Give the service levels if there are several (`--qos`). In a tree, look for entries that lead down and up
    again: tables of `ar_updn` on a sound tree have none, so check the root switches that the subnet manager was given.""",
)
def _adaptive_cycle(evidence: Evidence) -> Iterator[Finding]:
    verification = evidence.verification
    if verification is not None and verification.cycle and _adaptive(evidence):
        ring = _ring(evidence)
        virtual_channel = verification.cycle_virtual_channel
        text = f"unverified: packets may choose a cycle: {' -> '.join(ring)} (virtual channel {virtual_channel})"
        yield Finding(text, tuple(dict.fromkeys(ring)))


@rule(
    "TL409",
    "adaptive-entries",
    NOTE,
    "Packets choose among groups of ports.",
    explanation="""All ports of a group are followed: pairs are reached if no choice leads astray, and hops are those of the
    longest path. Loads are of packets that spread evenly over the ports of a group.""",
    fix="Nothing; it states what was verified.",
)
def _adaptive_entries(evidence: Evidence) -> Iterator[Finding]:
    if _adaptive(evidence):
        yield Finding(str(getattr(evidence.verification, "adaptive", "")))


def _adaptive(evidence: Evidence) -> bool:
    """Whether packets choose among groups of ports."""
    return getattr(evidence.verification, "adaptive", None) is not None


def _ring(evidence: Evidence) -> list[str]:
    """The names of the switches of the cycle."""
    side = evidence.actual or evidence.plan
    cycle = () if evidence.verification is None else evidence.verification.cycle
    names = distinct_names(side.fabric)[0]
    return [start if isinstance(start, str) else names[start] for start, _ in cycle]
